#pragma once

#include "engines/cliques/maximal.h"
#include "engines/cliques/sums.h"
#include "engines/cliques/tree.h"

/// The walks of the tiers, each compiled for its processors alone.
namespace matcha::runtime::cliques {

void walk_scalar(Tree& tree, const std::uint64_t* rows, std::uint64_t words, const std::uint64_t* set,
                 std::uint32_t held, std::uint32_t free, std::uint32_t pairs);
/// Needs POPCNT, BMI and BMI2.
void walk_bmi2(Tree& tree, const std::uint64_t* rows, std::uint64_t words, const std::uint64_t* set, std::uint32_t held,
               std::uint32_t free, std::uint32_t pairs);
/// Needs these, AVX-512 F, BW, DQ and VL, VPOPCNTDQ, BITALG and VBMI2.
void walk_avx512(Tree& tree, const std::uint64_t* rows, std::uint64_t words, const std::uint64_t* set,
                 std::uint32_t held, std::uint32_t free, std::uint32_t pairs);

/// The sums of the same tiers.
#define MATCHA_CLIQUE_SUMS(name)                                                                           \
  std::uint64_t name(SumTree<std::uint64_t>& tree, const std::uint64_t* rows, std::uint64_t words,         \
                     const std::uint64_t* set, std::uint32_t held);                                        \
  unsigned __int128 name(SumTree<unsigned __int128>& tree, const std::uint64_t* rows, std::uint64_t words, \
                         const std::uint64_t* set, std::uint32_t held)
MATCHA_CLIQUE_SUMS(sums_scalar);
MATCHA_CLIQUE_SUMS(sums_bmi2);
MATCHA_CLIQUE_SUMS(sums_avx512);
#undef MATCHA_CLIQUE_SUMS

/// Maximal cliques.
void maximal_scalar(MaximalTree& tree, const std::uint64_t* rows, std::uint64_t words, const std::uint64_t* set,
                    std::uint32_t held);
void maximal_bmi2(MaximalTree& tree, const std::uint64_t* rows, std::uint64_t words, const std::uint64_t* set,
                  std::uint32_t held);

}  // namespace matcha::runtime::cliques
