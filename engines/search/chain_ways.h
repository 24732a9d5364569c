#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace matcha::runtime::match {

/// The vertices of a chain with a common list: each way assigns them a set of images.
struct ListedChain {
  std::span<const std::uint32_t> images;  ///< Ascending.
  std::uint32_t size = 0;                 ///< The size of the set; at least 1.
};

/// `n` choose `k`; ~0 where it is larger than 2^127.
unsigned __int128 binomial(std::uint64_t n, std::uint64_t k);

/// The number of ways to choose a set for each chain from its list, pairwise disjoint: dynamic programming over classes
/// of images in the same lists, with the number of ways for each number of chosen images. Images that `is_free` rejects
/// are not used. ~0 if the number exceeds 2^127; empty if it takes too many states, or `go_on` ended it.
std::optional<unsigned __int128> ways_of_chains(std::span<const ListedChain> chains,
                                                const std::function<bool(std::uint32_t image)>& is_free,
                                                const std::function<bool()>& go_on);

}  // namespace matcha::runtime::match
