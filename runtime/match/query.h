#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

/// Matching of labelled patterns without generated code: candidates of each pattern vertex, then a search.
namespace matcha::runtime::match {

/// A set of pattern vertices: bit u for vertex u.
using Mask = std::uint64_t;

inline constexpr int kMostVertices = 64;

constexpr Mask bit(int vertex) { return Mask{1} << vertex; }
constexpr Mask first_vertices(int n) { return n >= kMostVertices ? ~Mask{0} : bit(n) - 1; }
constexpr int lowest(Mask set) { return std::countr_zero(set); }
constexpr std::size_t at(int vertex) { return static_cast<std::size_t>(vertex); }

/// Calls `f` with every vertex of `set`, ascending.
template <typename F>
void for_each(Mask set, F f) {
  for (; set != 0; set &= set - 1) f(lowest(set));
}

/// A pattern, as numbers. Matches are injective maps of its vertices to those of an undirected graph.
struct Query {
  int size = 0;                                     ///< At most kMostVertices.
  std::vector<Mask> near;                           ///< Item u: the vertices that must be adjacent to u. Symmetric.
  std::vector<Mask> anti;                           ///< Item u: those that must not be. Symmetric.
  std::vector<std::optional<std::int64_t>> labels;  ///< The label of each; none: any.
  /// (larger, smaller): the rank of the first one's image is above that of the second one's.
  std::vector<std::pair<int, int>> restrictions;

  Mask all() const { return first_vertices(size); }
};

}  // namespace matcha::runtime::match
