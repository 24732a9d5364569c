#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace matcha::runtime::match {

/// How many vertices find a set of images in a list.
struct ListedChain {
  std::span<const std::uint32_t> images;  ///< Ascending.
  std::uint32_t size = 0;                 ///< Of the set; at least 1.
};

/// `n` choose `k`; ~0 where it is larger than 2^127.
unsigned __int128 binomial(std::uint64_t n, std::uint64_t k);

/// In how many ways each chain finds a set in its list so that the sets have no image in common: by the images that are
/// in the same lists, one kind after the other, with the number of ways for each number of images found so far. Images
/// that `is_free` refuses are in no list. ~0 where the number is larger than 2^127; nothing where that takes too many
/// states, or `go_on` has ended it.
std::optional<unsigned __int128> ways_of_chains(std::span<const ListedChain> chains,
                                                const std::function<bool(std::uint32_t image)>& is_free,
                                                const std::function<bool()>& go_on);

}  // namespace matcha::runtime::match
