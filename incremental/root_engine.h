#pragma once

#include <memory>

#include "incremental/dynamic_present.h"
#include "incremental/engine.h"

namespace matcha::session::stream {

/// An engine that answers programs which look at one vertex after the other (root_program.h), and leaves all else to
/// `others`, of which `present` is the graph.
std::unique_ptr<Engine> with_roots(std::unique_ptr<Engine> others, const DynamicPresent& present,
                                   std::shared_ptr<const Reporter> reporter, const Prepared::Reading& reading);

}  // namespace matcha::session::stream
