#pragma once

#include <cstdint>

#include "ir/context.h"

namespace matcha::session {

/// A module that walks every `stride`-th position of the outermost loop of each parallel region that only adds up, so
/// that schedules can be timed on a part of the work: on a CPU. A GPU would deal out such a region in another way, so
/// it walks a share of the whole one (CudaOptions::sample). Its results are no answer. Regions that make lists are
/// whole, since others read them.
///
///     for %u in vertices(%G) {        →    for %u at %position in vertices(%G) {
///       …                                    if ((%position % 100) == 50) { … }
///
/// Requires: stage kernel.
ir::Module sample_positions(const ir::Module& module, ir::Context& context, std::int64_t stride);

}  // namespace matcha::session
