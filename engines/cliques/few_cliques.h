#pragma once

#include <bit>
#include <cstdint>

/// The cliques of graphs of at most eight vertices, looked up by their edges.
namespace matcha::runtime::cliques {

/// Vertices of the graphs of the table, and of those that take some steps over it.
inline constexpr std::uint32_t kMostOfTable = 6, kMostFew = 8;

/// Where the pairs of vertex `j` with those before it begin in a key.
constexpr std::uint32_t first_pair(std::uint32_t j) { return j * (j - 1) / 2; }

/// The pairs of vertices of `set` among six.
constexpr std::uint64_t pairs_within(std::uint64_t set) {
  std::uint64_t pairs = 0;
  for (std::uint32_t j = 1; j < kMostOfTable; ++j) {
    if ((set >> j & 1) != 0) pairs |= (set & ((std::uint64_t{1} << j) - 1)) << first_pair(j);
  }
  return pairs;
}

/// By the key of a graph of six vertices, its cliques by size: byte i has those of i + 1 vertices. A key has a bit a
/// pair: bit first_pair(j) + i, i < j, for an edge between vertices i and j.
const std::uint64_t* cliques_of_few();

namespace detail {

inline constexpr std::uint64_t kFirstVertices = 0x3f;
inline constexpr auto kPairsWithin = [] {
  struct {
    std::uint16_t of[kFirstVertices + 1];
  } pairs{};
  for (std::uint64_t set = 0; set <= kFirstVertices; ++set)
    pairs.of[set] = static_cast<std::uint16_t>(pairs_within(set));
  return pairs;
}();

/// The cliques whose vertices are all in `set`, by size as in `cliques_of_few`; `key` is that of the graph.
inline std::uint64_t cliques_within(const std::uint64_t* table, std::uint64_t key, std::uint64_t set) {
  return table[key & kPairsWithin.of[set]] - (kMostOfTable - static_cast<std::uint64_t>(std::popcount(set)));
}

/// The cliques of a graph with one vertex more: `without` it, and `near`, those of its neighbours.
constexpr std::uint64_t with_vertex(std::uint64_t without, std::uint64_t near) { return without + (near << 8) + 1; }

}  // namespace detail

/// The same of a graph of `count` vertices, at most kMostFew: `key` is of its first six, of which those past `count`
/// have no edges; `seventh` and `eighth` are the vertices before these two that they are adjacent to.
inline std::uint64_t few_cliques(const std::uint64_t* table, std::uint64_t key, std::uint64_t seventh,
                                 std::uint64_t eighth, std::uint32_t count) {
  using namespace detail;
  if (count <= kMostOfTable) return table[key] - (kMostOfTable - count);
  const std::uint64_t seven = with_vertex(table[key], cliques_within(table, key, seventh));
  if (count < kMostFew) return seven;
  const std::uint64_t first = eighth & kFirstVertices;
  std::uint64_t near = cliques_within(table, key, first);
  if (first != eighth) near = with_vertex(near, cliques_within(table, key, first & seventh));
  return with_vertex(seven, near);
}

}  // namespace matcha::runtime::cliques
