#pragma once

#include <cstdint>
#include <string>

#include "codegen/cuda/cuda.h"
#include "passes/pass.h"

namespace matcha::session {

/// How a GPU runs a program: parameters of schedules, and options of the back end.
struct GpuOptions : codegen::CudaOptions {
  /// Lanes of a group: 1, 2, 4, 8, 16 or 32; 0: chosen for each region.
  std::uint32_t group = 0;
  std::uint32_t split = 0;  ///< Loop levels with positions that other groups may steal, at most ir::kMostSplit; 0:
                            ///< chosen.
  ir::Stealing steal = ir::Stealing::Timeout;
  ir::Stack stack = ir::Stack::Array;  ///< Paged is also chosen if arrays for enough groups do not fit.

  /// The target `of` with these parameters of schedules.
  passes::TargetInfo target(passes::TargetInfo of = passes::gpu_target()) const {
    of.group = group;
    of.split = split;
    of.steal = steal;
    of.stack = stack;
    return of;
  }
};

/// The name of the first GPU; empty: there is none.
std::string gpu_name();

/// Whether there may be a GPU: found out at once, while `gpu_problem` starts the driver, which takes a while.
bool may_have_gpu();

/// Whether this process has begun to open a GPU, which the next run on it then need not.
bool gpu_was_opened();
void note_gpu_opened();

/// Why no GPU can be used here; empty: the first one can.
std::string gpu_problem();

}  // namespace matcha::session
