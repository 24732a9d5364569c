#pragma once

#include <bit>
#include <compare>
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

/// One kind of edge, seen from one of its ends.
struct Side {
  bool backwards = false;             ///< An incoming arc; edges of an undirected graph have no direction.
  std::optional<std::int64_t> label;  ///< Empty: any.

  friend auto operator<=>(const Side&, const Side&) = default;
};

/// The edges required between the images of two vertices, seen from the first one. Items are indices of sides, all
/// distinct.
struct Tie {
  std::vector<int> with;     ///< There must be an edge of each of these; empty: the images must not be adjacent.
  std::vector<int> without;  ///< There must be no edge of these.

  friend auto operator<=>(const Tie&, const Tie&) = default;
};

/// A pattern in numbers. Matches are injective maps of its vertices to those of a graph.
struct Query {
  int size = 0;                                     ///< At most kMostVertices.
  std::vector<Mask> near;                           ///< Item u: the vertices that must be adjacent to u. Symmetric.
  std::vector<Mask> anti;                           ///< Item u: the vertices that must not be adjacent to u. Symmetric.
  std::vector<std::optional<std::int64_t>> labels;  ///< The label of each vertex; empty: any.
  /// (larger, smaller): the image of the first vertex must have a higher rank than that of the second.
  std::vector<std::pair<int, int>> restrictions;
  /// Kinds of edges, all distinct. Empty: all edges are equivalent, and the graph is undirected and simple.
  std::vector<Side> sides;
  /// Item u * size + w, if there are sides: the tie of each pair in `near` or `anti`.
  std::vector<Tie> ties;

  Mask all() const { return first_vertices(size); }
  bool has_sides() const { return !sides.empty(); }
  const Tie& tie(int u, int w) const { return ties[at(u * size + w)]; }
  /// The index of a side, which is added to `sides` if missing.
  int side(const Side& wanted);
};

}  // namespace matcha::runtime::match
