#pragma once

#include <cstdint>

namespace matcha::runtime::motif {

/// The number of pairs of paths with the same end, over `count` ends with 16-bit counters, which are reset to zero.
/// Requires: less than 2^32 of them.
std::uint64_t take_pairs_of_ways(std::uint16_t* ways, std::uint64_t count);

}  // namespace matcha::runtime::motif
