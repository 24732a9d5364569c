#pragma once

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

}  // namespace matcha::runtime::cliques
