#pragma once

#include <cstdint>

namespace matcha::runtime::motif {

/// Cliques of a small graph, given by a row of bits for each vertex: bit j of row i, i < j, for an edge.
struct CliquesOfRows {
  std::uint64_t triangles = 0;
  unsigned __int128 four_cliques = 0;
};

/// `rows` has `count` rows of `words` words; `spare` has room for one. Four-cliques are counted where they are wanted.
CliquesOfRows count_cliques(const std::uint64_t* rows, std::uint64_t count, std::uint64_t words, bool four_cliques,
                            std::uint64_t* spare);

/// Calls `visit` with the place of each bit of a row, ascending.
template <typename Visit>
void for_each_bit(const std::uint64_t* row, std::uint64_t words, Visit visit) {
  for (std::uint64_t word = 0; word < words; ++word) {
    for (std::uint64_t bits = row[word]; bits != 0; bits &= bits - 1) {
      visit(word * 64 + static_cast<std::uint64_t>(__builtin_ctzll(bits)));
    }
  }
}

}  // namespace matcha::runtime::motif
