#include "runtime/cpu/set_kernels.h"

#include <array>

#include "runtime/cpu/set_kernels_tables.h"

namespace matcha::runtime {
namespace {

constexpr std::array<Tier, 4> kTiers = {Tier::Scalar, Tier::Avx2, Tier::Avx512, Tier::Avx512Vp2intersect};

/// `__builtin_cpu_supports` checks the processor and, through XGETBV, that the system saves the registers.
bool supported(Tier tier) {
  switch (tier) {
    case Tier::Scalar: return true;
    case Tier::Avx2:
      return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
             __builtin_cpu_supports("bmi2") != 0 && __builtin_cpu_supports("popcnt") != 0;
    case Tier::Avx512:
      return supported(Tier::Avx2) && __builtin_cpu_supports("avx512f") != 0 &&
             __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
             __builtin_cpu_supports("avx512vl") != 0;
    case Tier::Avx512Vp2intersect: return supported(Tier::Avx512) && __builtin_cpu_supports("avx512vp2intersect") != 0;
  }
  return false;
}

}  // namespace

const SetKernels& set_kernels(Tier tier) {
  switch (tier) {
    case Tier::Scalar: break;
    case Tier::Avx2: return kAvx2Kernels;
    case Tier::Avx512: return kAvx512Kernels;
    case Tier::Avx512Vp2intersect: return kVp2intersectKernels;
  }
  return kScalarKernels;
}

Tier best_tier() { return supported_tiers().back(); }

std::vector<Tier> supported_tiers() {
  std::vector<Tier> tiers;
  for (Tier tier : kTiers) {
    if (supported(tier)) tiers.push_back(tier);
  }
  return tiers;
}

std::string_view tier_name(Tier tier) { return set_kernels(tier).tier; }

std::optional<Tier> tier_from_name(std::string_view name) {
  for (Tier tier : kTiers) {
    if (tier_name(tier) == name) return tier;
  }
  return std::nullopt;
}

}  // namespace matcha::runtime
