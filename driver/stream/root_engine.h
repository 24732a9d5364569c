#pragma once

#include <memory>

#include "driver/stream/dynamic_present.h"
#include "driver/stream/engine.h"

namespace matcha::driver::stream {

/// An engine that answers programs which look at one vertex after the other (root_program.h), and leaves all else to
/// `others`, of which `present` is the graph.
std::unique_ptr<Engine> with_roots(std::unique_ptr<Engine> others, const DynamicPresent& present,
                                   std::shared_ptr<const Reporter> reporter, const Prepared::Reading& reading);

}  // namespace matcha::driver::stream
