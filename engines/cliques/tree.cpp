#include "engines/cliques/tree.h"

#include "engines/cliques/tree_tiers.h"

namespace matcha::runtime::cliques {

namespace {

bool has_bmi2() {
  return __builtin_cpu_supports("popcnt") != 0 && __builtin_cpu_supports("bmi") != 0 &&
         __builtin_cpu_supports("bmi2") != 0;
}

bool has_popcnt512() {
  return has_bmi2() && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512vpopcntdq") != 0 && __builtin_cpu_supports("avx512bitalg") != 0 &&
         __builtin_cpu_supports("avx512vbmi2") != 0;
}

}  // namespace

WalkTree walk_tree(Tier tier) {
  if (tier >= Tier::Avx512 && has_popcnt512()) return walk_avx512;
  return tier >= Tier::Avx2 && has_bmi2() ? walk_bmi2 : walk_scalar;
}

template <typename Number>
WalkSums<Number> walk_sums(Tier tier) {
  if (tier >= Tier::Avx512 && has_popcnt512()) return sums_avx512;
  if (tier >= Tier::Avx2 && has_bmi2()) return sums_bmi2;
  return sums_scalar;
}

template WalkSums<std::uint64_t> walk_sums(Tier tier);
template WalkSums<unsigned __int128> walk_sums(Tier tier);

WalkMaximal walk_maximal(Tier tier) { return tier >= Tier::Avx2 && has_bmi2() ? maximal_bmi2 : maximal_scalar; }

const char* walk_name(Tier tier) {
  const WalkTree walk = walk_tree(tier);
  return walk == walk_avx512 ? "avx512-popcnt" : walk == walk_bmi2 ? "bmi2" : "scalar";
}

}  // namespace matcha::runtime::cliques
