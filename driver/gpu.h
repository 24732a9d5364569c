#pragma once

#include <cstdint>
#include <string>

#include "codegen/cuda/cuda.h"
#include "passes/pass.h"

namespace matcha::driver {

/// How a GPU runs a program: what passes put into the schedules, and what the back end is told.
struct GpuOptions : codegen::CudaOptions {
  /// Lanes of a group: 1, 2, 4, 8, 16 or 32; 0: chosen for each region.
  std::uint32_t group = 0;

  passes::TargetInfo target() const { return passes::gpu_target(group, stack == codegen::Stack::Paged); }
};

/// The name of the first GPU; empty: there is none.
std::string gpu_name();

/// Why no GPU can be used here; empty: the first one can.
std::string gpu_problem();

}  // namespace matcha::driver
