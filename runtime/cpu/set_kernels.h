#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "runtime/abi.h"

namespace matcha::runtime {

/// The SIMD tiers of the set kernels, worst first. Avx512 needs F, BW, DQ and VL and works on 256 bits.
enum class Tier { Scalar, Avx2, Avx512, Avx512Vp2intersect };

/// The table of a tier; every tier gives the same results. A tier that is not in `supported_tiers()` executes illegal
/// instructions.
const SetKernels& set_kernels(Tier tier);

/// The best tier that this processor and operating system run.
Tier best_tier();

/// All supported tiers, worst first; Scalar is always included.
std::vector<Tier> supported_tiers();

/// "scalar", "avx2", "avx512", "avx512-vp2intersect".
std::string_view tier_name(Tier tier);

/// The inverse of `tier_name`.
std::optional<Tier> tier_from_name(std::string_view name);

}  // namespace matcha::runtime
