// Wall-clock time of the host's stages.
#pragma once

#include <chrono>

namespace matcha::codegen::gpu {

using Clock = std::chrono::steady_clock;

/// Milliseconds since `start`.
inline double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace matcha::codegen::gpu
