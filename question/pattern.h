#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Patterns: the subject of a query, independent of programs.
namespace matcha::pattern {

/// A set of pattern vertices: bit v for vertex v.
using Mask = std::uint64_t;

inline constexpr int kMostVertices = 64;            ///< For patterns with labels.
inline constexpr int kMostUnlabelledVertices = 12;  ///< For patterns without labels; larger ones have no practical
                                                    ///< plan.

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

/// The edges between matched vertices that decide a match.
enum class Induced {
  Vertex,  ///< A match has the edges of the pattern between its vertices, and no others.
  Edge,    ///< A match has at least the edges of the pattern.
};

/// The maps of a pattern into a graph that are matches.
enum class Match {
  Iso,   ///< Different vertices have different images.
  Homo,  ///< Any map that keeps edges, as in SPARQL.
  Edge,  ///< Different edges have different images, vertices may coincide, as in Cypher.
};
std::string_view to_string(Match match);
/// The enumerator of `iso`, `homo` or `edge`; empty for other names.
std::optional<Match> match_of(std::string_view name);

/// The conditions of a match, apart from the pattern.
struct Semantics {
  Semantics(Induced which = Induced::Edge, Match maps = Match::Iso, bool with_loops = false)  // NOLINT
      : induced(which), match(maps), loops(with_loops) {}

  Induced induced;
  Match match;
  bool loops;  ///< A vertex of the graph may be its own neighbour.
};

/// A graph to search for. Vertices are 0 … size-1; `ids` or `names` are the user's names for them.
struct Pattern {
  std::string name;                 ///< The name of a known pattern, such as `house`; else empty.
  std::vector<std::int64_t> ids;    ///< Ascending.
  std::vector<std::string> names;   ///< One for each vertex, all different, in UTF-8; empty: vertices have numbers.
  std::vector<Mask> out;            ///< Item u: the v with an arc u → v; an undirected edge is two arcs.
  std::vector<Mask> in;             ///< The same for reversed arcs.
  std::vector<Mask> anti;           ///< Item u: the v that must not be adjacent to u. Symmetric.
  std::vector<std::string> labels;  ///< As in programs, `3` or `'a'`; empty: any label.
  /// For each vertex, the property that automorphisms keep beside its label. Labels may be those of a derived graph
  /// whose vertices have the requested types. For one of several labels it is their text, `'a'|'b'`; else it is empty.
  /// Without items: labels are as written.
  std::vector<std::string> kinds;
  bool directed = false;  ///< Some edge is written as an arc.
  /// For each arc (u, v), the labels that an edge from the image of u to that of v must have, ascending, as in
  /// programs; several labels need parallel edges. Arcs without an entry accept edges of any label. `'a'|'b'` is one of
  /// the two, `?` any label, `?p` the same label at every use. For these every fitting edge is a separate match. `?`
  /// may be repeated.
  std::map<std::pair<int, int>, std::vector<std::string>> edge_labels;
  /// Item v: the labels of loops that v must have, in the same form; an empty one is a loop of any label.
  std::vector<std::vector<std::string>> loops;
  /// Item v: the vertex of the graph that must be the image of v, in the user's spelling: `17`, or `'libc6'`; empty:
  /// any.
  std::vector<std::string> constants;
  /// The same in the form of programs, once it was looked up in a graph; `none`: the graph has no such vertex.
  std::vector<std::string> bound;
  /// Pairs of vertices, the smaller first, whose images must differ even if others may coincide.
  std::vector<std::pair<int, int>> different;
  /// The same if the graph has loops: for a relationship in reverse direction, which as a loop would be counted twice.
  std::vector<std::pair<int, int>> different_with_loops;

  int size() const { return static_cast<int>(ids.size()); }
  Mask all() const { return first_vertices(size()); }
  /// Neighbours in either direction.
  Mask near(int v) const { return out[static_cast<std::size_t>(v)] | in[static_cast<std::size_t>(v)]; }
  const std::string& label(int v) const { return labels[static_cast<std::size_t>(v)]; }
  std::string_view kind(int v) const { return kinds.empty() ? std::string_view() : kinds[at(v)]; }
  std::int64_t id(int v) const { return ids[static_cast<std::size_t>(v)]; }
  /// The name of the vertex in rows and pictures, or `v` with its number.
  std::string vertex_name(int v) const;
  bool labelled() const;
  bool edge_labelled() const;
  /// The labels of the arc in `edge_labels`; empty: any.
  const std::vector<std::string>& labels_of(int u, int v) const;
  bool has_anti_edges() const;
  bool connected() const;
  bool has_loops() const;
  bool has_constants() const;
  /// True if the number of fitting edges counts, not only their existence: `?`, or one of several labels.
  bool counts_edges() const;
  /// Number of undirected edges, or of arcs; without loops.
  int edge_count() const;

  /// A pattern of `n` vertices called 0 … n-1 without edges.
  static Pattern empty(int n);
  void add_edge(int u, int v);
  void add_arc(int u, int v);
  /// Adds a label that an edge for the arc must have.
  void add_edge_label(int u, int v, const std::string& label);
};

/// True for a label that stands for any label: `?` or `?p`.
inline bool is_variable(const std::string& label) { return !label.empty() && label.front() == '?'; }
/// The alternatives of a label such as `'a'|'b'`; for other labels, the label itself.
std::vector<std::string> alternatives(const std::string& label);
/// The labels by which the ends of an edge can be found: all but variables, or one empty label for any.
std::vector<std::string> fixed_labels(const std::vector<std::string>& labels);

/// `0-1,1-2=b,0!2,0:a`, or with names `a-b,b->c=x,a~c,(a:y)`: text for the reader, with the same order of vertices.
std::string to_text(const Pattern& pattern);

/// The pattern without redundant conditions, which could hide automorphisms: for vertex-induced matches, anti-edges are
/// implied by missing edges.
Pattern normal(Pattern pattern, Induced induced);

/// True if the labels of u and v exclude each other.
bool labels_differ(const Pattern& pattern, int u, int v);

/// The pattern's sub-pattern on `vertices`, renumbered in ascending order.
Pattern restricted(const Pattern& pattern, Mask vertices);
/// The sub-pattern on `kept`, of which item i becomes vertex i.
Pattern renumbered(const Pattern& pattern, const std::vector<int>& kept);

}  // namespace matcha::pattern
