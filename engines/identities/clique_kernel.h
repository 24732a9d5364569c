#pragma once

#include <cstdint>

namespace matcha::runtime::motif {

/// Cliques of a small graph, given by a row of bits for each vertex: bit j of
/// row i, i < j, for an edge.
struct CliquesOfRows {
  std::uint64_t triangles = 0;
  unsigned __int128 four_cliques = 0;
};

/// Counts the cliques. `rows` has `count` rows of `words` words; `spare` has room for one row. Counts four-cliques only
/// if `four_cliques`.
CliquesOfRows count_cliques(const std::uint64_t* rows, std::uint64_t count, std::uint64_t words, bool four_cliques,
                            std::uint64_t* spare);

/// The number of bits that two rows of `words` words have in common.
std::uint64_t common_bits(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t words);
/// The same, and writes the common bits to `both`.
std::uint64_t keep_common_bits(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t words,
                               std::uint64_t* both);

/// The number of edges between the vertices of a set, given as a bit row; each row of `rows` has the bits of all
/// neighbours of its vertex.
std::uint64_t count_edges_within(const std::uint64_t* rows, const std::uint64_t* set, std::uint64_t words);
/// The same; adds to each vertex of the set, by its place, `factor` for each of its edges.
std::uint64_t add_degrees_within(const std::uint64_t* rows, const std::uint64_t* set, std::uint64_t words,
                                 std::uint64_t factor, std::uint64_t* degrees);
/// The number of 4-cycles of a graph of `count` vertices, at most 2^16, with such rows.
std::uint64_t count_four_cycles(const std::uint64_t* rows, std::uint64_t count, std::uint64_t words);

}  // namespace matcha::runtime::motif
