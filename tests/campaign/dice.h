#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace matcha::campaign {

/// A number below n.
inline std::uint64_t pick(std::mt19937_64& random, std::uint64_t n) { return random() % n; }
inline bool one_in(std::mt19937_64& random, std::uint64_t n) { return pick(random, n) == 0; }
template <typename T, std::size_t N>
const T& any_of(std::mt19937_64& random, const T (&items)[N]) {
  return items[pick(random, N)];
}

}  // namespace matcha::campaign
