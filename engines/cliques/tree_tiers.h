#pragma once

#include "engines/cliques/maximal.h"
#include "engines/cliques/sums.h"
#include "engines/cliques/tree.h"

/// The walks of the tiers, each compiled for its processors alone.
namespace matcha::runtime::cliques {

#define MATCHA_CLIQUE_WALKS(tier)                                                                                 \
  void walk_##tier(Tree& tree, const std::uint64_t* rows, std::uint64_t words, const std::uint64_t* set,          \
                   std::uint32_t held, std::uint32_t free, std::uint32_t pairs);                                  \
  std::uint64_t sums_##tier(SumTree<std::uint64_t>& tree, const std::uint64_t* rows, std::uint64_t words,         \
                            const std::uint64_t* set, std::uint32_t held);                                        \
  unsigned __int128 sums_##tier(SumTree<unsigned __int128>& tree, const std::uint64_t* rows, std::uint64_t words, \
                                const std::uint64_t* set, std::uint32_t held)
MATCHA_CLIQUE_WALKS(scalar);
/// Needs POPCNT, BMI and BMI2.
MATCHA_CLIQUE_WALKS(bmi2);
/// Needs these, AVX-512 F, BW, DQ and VL, VPOPCNTDQ, BITALG and VBMI2.
MATCHA_CLIQUE_WALKS(avx512);
#undef MATCHA_CLIQUE_WALKS

/// Maximal cliques.
void maximal_scalar(MaximalTree& tree, const std::uint64_t* rows, std::uint64_t words, const std::uint64_t* set,
                    std::uint32_t held);
void maximal_bmi2(MaximalTree& tree, const std::uint64_t* rows, std::uint64_t words, const std::uint64_t* set,
                  std::uint32_t held);

}  // namespace matcha::runtime::cliques
