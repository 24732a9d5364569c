#pragma once

#include <memory>

#include "incremental/dynamic_present.h"
#include "incremental/engine.h"

namespace matcha::session::stream {

/// An engine that answers programs which process one vertex after the other (root_program.h), and passes all others to
/// `fallback`, whose graph is `present`.
std::unique_ptr<Engine> with_roots(std::unique_ptr<Engine> fallback, const DynamicPresent& present,
                                   std::shared_ptr<const Reporter> reporter, const Prepared::Reading& reading);

}  // namespace matcha::session::stream
