#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Patterns: what a query looks for, before it is a program.
namespace matcha::pattern {

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

/// Which maps of a pattern into a graph are matches.
enum class Match {
  Iso,   ///< Vertices that differ have images that differ.
  Homo,  ///< Any map that keeps edges, as in SPARQL.
  Edge,  ///< Edges that differ have images that differ, vertices need not, as in Cypher.
};
std::string_view to_string(Match match);
/// Nothing if there is none of this name: `iso`, `homo`, `edge`.
std::optional<Match> match_of(std::string_view name);

/// What is a match, but for the pattern.
struct Semantics {
  Semantics(Induced which = Induced::Edge, Match maps = Match::Iso, bool with_loops = false)  // NOLINT
      : induced(which), match(maps), loops(with_loops) {}

  Induced induced;
  Match match;
  bool loops;  ///< A vertex of the graph may be its own neighbour.
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
  /// By vertex, what automorphisms keep beside labels, since those may be labels of a graph that have the types asked
  /// for: the text of one of several labels, `'a'|'b'`; of others it is empty. None: labels are as they were written.
  std::vector<std::string> kinds;
  bool directed = false;  ///< Some edge was written as an arc.
  /// By arc (u, v), labels that an edge from the image of u to that of v must have, ascending, as a program writes
  /// them; several ask for parallel edges. Arcs that are not here take edges of any label. `'a'|'b'` is one of the two,
  /// `?` any label, `?p` the same label wherever it stands; of these every edge that fits is a match of its own. `?`
  /// may stand several times.
  std::map<std::pair<int, int>, std::vector<std::string>> edge_labels;
  /// Item v: the labels of loops that v must have, in the same way; an empty one is a loop of any label.
  std::vector<std::vector<std::string>> loops;
  /// Item v: the vertex of the graph that v must be, as the user calls it: `17`, or `'libc6'`; empty: any.
  std::vector<std::string> constants;
  /// The same as a program calls it, once a graph has said so; `none`: the graph has no such vertex.
  std::vector<std::string> bound;
  /// Pairs of vertices, the smaller first, whose images must differ even where others need not.
  std::vector<std::pair<int, int>> different;
  /// The same where the graph has loops: a relationship that lies backwards, which as a loop would be met twice.
  std::vector<std::pair<int, int>> different_with_loops;

  int size() const { return static_cast<int>(ids.size()); }
  Mask all() const { return first_vertices(size()); }
  /// Neighbours in either direction.
  Mask near(int v) const { return out[static_cast<std::size_t>(v)] | in[static_cast<std::size_t>(v)]; }
  const std::string& label(int v) const { return labels[static_cast<std::size_t>(v)]; }
  std::string_view kind(int v) const { return kinds.empty() ? std::string_view() : kinds[at(v)]; }
  std::int64_t id(int v) const { return ids[static_cast<std::size_t>(v)]; }
  /// What rows and pictures call the vertex: its name, or `v` with its number.
  std::string vertex_name(int v) const;
  bool labelled() const;
  bool edge_labelled() const;
  /// What `edge_labels` has for the arc; empty: any.
  const std::vector<std::string>& labels_of(int u, int v) const;
  bool has_anti_edges() const;
  bool connected() const;
  bool has_loops() const;
  bool has_constants() const;
  /// Whether some edge is counted, and not just asked for: `?`, or one of several labels.
  bool counts_edges() const;
  /// Undirected edges, or arcs; without loops.
  int edge_count() const;

  /// A pattern of `n` vertices called 0 … n-1 without edges.
  static Pattern empty(int n);
  void add_edge(int u, int v);
  void add_arc(int u, int v);
  /// Asks for one more label of the arc.
  void add_edge_label(int u, int v, const std::string& label);
};

/// A label of an edge that any label is: `?` or `?p`.
inline bool is_variable(const std::string& label) { return !label.empty() && label.front() == '?'; }
/// What a label that is one of several can be, `'a'|'b'`; any other is the only one.
std::vector<std::string> alternatives(const std::string& label);
/// The labels by which the ends of an edge can be found: those that are no variables, or an empty one for any.
std::vector<std::string> fixed_labels(const std::vector<std::string>& labels);

/// `0-1,1-2=b,0!2,0:a`, or with names `a-b,b->c=x,a~c,(a:y)`: what the reader takes, in the order of the vertices.
std::string to_text(const Pattern& pattern);

/// The pattern without what its matches are anyway, and what would hide automorphisms: of vertex-induced ones no pair
/// without an edge is adjacent.
Pattern normal(Pattern pattern, Induced induced);

/// True if no vertex has the label of both.
bool labels_differ(const Pattern& pattern, int u, int v);

/// The pattern's sub-pattern on `vertices`, renumbered in ascending order.
Pattern restricted(const Pattern& pattern, Mask vertices);
/// The same on `kept`, of which item i becomes vertex i.
Pattern renumbered(const Pattern& pattern, const std::vector<int>& kept);

}  // namespace matcha::pattern
