#pragma once

#include <memory>

#include "incremental/dynamic_present.h"
#include "incremental/engine.h"

namespace matcha::session::stream {

/// An engine that decides on the method of each program (methods.h). It answers programs which process one vertex after
/// the other (root_program.h), and passes all others to `fallback`, with the decision; `present` is its graph, and
/// deltas are counted on `device`.
std::unique_ptr<Engine> with_roots(std::unique_ptr<Engine> fallback, const DynamicPresent& present,
                                   DeltaDevice::Kind device, std::shared_ptr<const Reporter> reporter,
                                   const Prepared::Reading& reading);

}  // namespace matcha::session::stream
