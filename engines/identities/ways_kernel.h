#pragma once

#include <cstdint>

namespace matcha::runtime::motif {

/// Pairs of ways with the same end, over `count` ends with counters of 16 bits, which are then zero. Requires: less
/// than 2^32 of them.
std::uint64_t take_pairs_of_ways(std::uint16_t* ways, std::uint64_t count);

}  // namespace matcha::runtime::motif
