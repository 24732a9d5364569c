#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// Patterns: what a query looks for, before it is a program.
namespace matcha::frontend::pattern {

/// A set of pattern vertices: bit v for vertex v.
using Mask = std::uint64_t;

inline constexpr int kMostVertices = 64;            ///< With labels.
inline constexpr int kMostUnlabelledVertices = 12;  ///< More than this have no plan worth running.

/// A vertex as an index.
inline constexpr std::size_t at(int vertex) { return static_cast<std::size_t>(vertex); }
inline constexpr Mask bit(int vertex) { return Mask{1} << vertex; }
inline bool has(Mask set, int vertex) { return (set >> vertex & 1) != 0; }
inline int count(Mask set) { return std::popcount(set); }
inline int lowest(Mask set) { return std::countr_zero(set); }
/// Vertices 0 … n-1.
inline constexpr Mask first_vertices(int n) { return n >= kMostVertices ? ~Mask{0} : bit(n) - 1; }

/// Calls `f` with every vertex of `set`, ascending.
template <typename F>
void for_each(Mask set, F f) {
  for (; set != 0; set &= set - 1) f(lowest(set));
}

/// Which pairs of vertices of a match matter.
enum class Induced {
  Vertex,  ///< A match has the edges of the pattern between its vertices, and no others.
  Edge,    ///< A match has at least the edges of the pattern.
};

/// A graph to look for. Vertices are 0 … size-1; `ids` or `names` are what the user calls them.
struct Pattern {
  std::string name;                 ///< Of a known pattern, such as `house`; else empty.
  std::vector<std::int64_t> ids;    ///< Ascending.
  std::vector<std::string> names;   ///< One for each vertex, all different, in UTF-8; empty: vertices have numbers.
  std::vector<Mask> out;            ///< Item u: the v with an arc u → v; an undirected edge is two arcs.
  std::vector<Mask> in;             ///< The same, backwards.
  std::vector<Mask> anti;           ///< Item u: the v that must not be adjacent to u. Symmetric.
  std::vector<std::string> labels;  ///< As a program writes them, `3` or `'a'`; empty: any label.
  bool directed = false;            ///< Some edge was written as an arc.
  /// By arc (u, v), labels that an edge from the image of u to that of v must have, ascending, as a program writes
  /// them; several ask for parallel edges. Arcs that are not here take edges of any label.
  std::map<std::pair<int, int>, std::vector<std::string>> edge_labels;

  int size() const { return static_cast<int>(ids.size()); }
  Mask all() const { return first_vertices(size()); }
  /// Neighbours in either direction.
  Mask near(int v) const { return out[static_cast<std::size_t>(v)] | in[static_cast<std::size_t>(v)]; }
  const std::string& label(int v) const { return labels[static_cast<std::size_t>(v)]; }
  std::int64_t id(int v) const { return ids[static_cast<std::size_t>(v)]; }
  /// What rows and pictures call the vertex: its name, or `v` with its number.
  std::string vertex_name(int v) const;
  bool labelled() const;
  bool edge_labelled() const { return !edge_labels.empty(); }
  /// What `edge_labels` has for the arc; empty: any.
  const std::vector<std::string>& labels_of(int u, int v) const;
  bool has_anti_edges() const;
  bool connected() const;
  /// Undirected edges, or arcs.
  int edge_count() const;

  /// A pattern of `n` vertices called 0 … n-1 without edges.
  static Pattern empty(int n);
  void add_edge(int u, int v);
  void add_arc(int u, int v);
  /// Asks for one more label of the arc.
  void add_edge_label(int u, int v, const std::string& label);
};

/// `0-1,1-2=b,0!2,0:a`, or with names `a-b,b->c=x,a~c,(a:y)`: what the reader takes, in the order of the vertices.
std::string to_text(const Pattern& pattern);

/// The pattern's sub-pattern on `vertices`, renumbered in ascending order.
Pattern restricted(const Pattern& pattern, Mask vertices);
/// The same on `kept`, of which item i becomes vertex i.
Pattern renumbered(const Pattern& pattern, const std::vector<int>& kept);

}  // namespace matcha::frontend::pattern
