#pragma once

#include <cstdint>

#include "ir/context.h"

namespace matcha::session {

/// A module that runs every `stride`-th position of the outermost loop of each parallel region that only adds up, so
/// that schedules can be timed on a part of the work on a CPU. A GPU would deal out such a region in another way, so it
/// runs a share of the whole program (CudaOptions::sample). The results are meaningless. Regions that make lists are
/// whole, since other regions read them.
///
///     for %u in vertices(%G) {        →    for %u at %position in vertices(%G) {
///       …                                    if ((%position % 100) == 50) { … }
///
/// Requires: stage kernel.
ir::Module sample_positions(const ir::Module& module, ir::Context& context, std::int64_t stride);

}  // namespace matcha::session
