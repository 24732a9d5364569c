#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// What one changed edge adds to the number of matches of a pattern: patterns of which two vertices are its ends.
namespace matcha::runtime::stream {

/// A set of pattern vertices: bit v for vertex v.
using Mask = std::uint64_t;
constexpr std::size_t at(int vertex) { return static_cast<std::size_t>(vertex); }

/// A vertex class that stands for all.
inline constexpr std::uint32_t kAnyClass = ~std::uint32_t{0};

/// What the graph must have from vertex 1 back to vertex 0, where the graph is directed.
enum class BackArc : std::uint8_t { Any, Wanted, Unwanted };

/// An arc from `from` to `to` in a layer that is not 0, of an undirected pattern an edge.
struct LayerArc {
  int from = 0, to = 0;
  std::uint32_t layer = 0;
  auto operator<=>(const LayerArc&) const = default;
};

/// A pattern whose vertices 0 and 1 are the source and the target of a changed edge. Its vertices are in the order of
/// the search: the first `walked` ones are placed one after another; the others do not depend on each other and are
/// counted, unless all are walked. What the pattern says of the pair (0, 1) itself in the layer of the change is not
/// looked at, but for `back`: that edge is not in the graph.
struct TermPattern {
  bool directed = false;
  int size = 2;
  int walked = 2;
  std::uint32_t layer = 0;             ///< Of the changed edge.
  std::vector<Mask> after;             ///< Item v: the u with an arc u → v; of an undirected pattern its neighbours.
  std::vector<Mask> before;            ///< Item v: the u with an arc v → u; undirected: 0.
  std::vector<Mask> off_after;         ///< Item v: the u that must not have an arc u → v;
  std::vector<Mask> off_before;        ///< and those to which v must not have one.
  std::vector<LayerArc> arcs;          ///< What is wanted in other layers, each once; but for the pair (0, 1), of
  std::vector<LayerArc> ends;          ///< which these are wanted beside the changed edge.
  std::vector<std::uint32_t> classes;  ///< Item v: its class, or kAnyClass.
  std::vector<Mask> larger;            ///< Item v: the vertices whose places must be above that of v; closed.
  BackArc back = BackArc::Any;         ///< In layer 0.
  std::uint64_t divisor = 1;           ///< Matches that are counted for one.
  bool swappable = false;              ///< The ends may be exchanged.
};

/// An operation on the candidates of vertices once one more is placed.
struct TermStep {
  enum class Kind : std::uint8_t {
    Slice,        ///< The neighbours of a vertex that have the class.
    Below,        ///< The items of a set below a vertex,
    Above,        ///< or above it.
    Intersect,    ///< Those that are neighbours of a vertex,
    Remove,       ///< or are not.
    CountCommon,  ///< The same two, only counted.
    CountRemoved,
  };
  Kind kind = Kind::Slice;
  std::uint16_t to = 0, from = 0;         ///< Sets.
  std::uint8_t vertex = 0;                ///< That was placed.
  bool backwards = false;                 ///< Its sources, not its targets.
  bool needed = false;                    ///< Without an item there is no match.
  std::uint16_t layer = 0;                ///< Of the row that is read.
  std::uint32_t label_class = kAnyClass;  ///< Of a slice.
};

/// The number of items of a set that are not placed yet.
struct TermValue {
  std::uint16_t set = 0;
  std::uint64_t less = 0;           ///< So many placed vertices are in it for certain;
  std::vector<std::uint8_t> maybe;  ///< these are if a search finds them.
  bool stored = true;               ///< Else the set is only counted, by
  TermStep counted;                 ///< this step.
};

/// A number of ways: products of values, added up.
struct TermProduct {
  std::int64_t factor = 1;
  std::vector<std::uint16_t> values;
};

/// A term as steps.
struct Term {
  TermPattern pattern;
  /// Item v: what is to be done once vertex v ≥ 1 is placed; of vertex 1 for 0 and 1.
  std::vector<std::vector<TermStep>> steps;
  std::vector<std::uint16_t> candidates;          ///< Item v, 2 ≤ v < walked: its set.
  std::vector<std::vector<std::uint8_t>> others;  ///< Placed vertices that this set may hold.
  std::vector<std::uint16_t> layers;              ///< Item v: a layer whose row is read once it is placed.
  std::vector<TermValue> values;
  /// Vertices that may meet are a group; the numbers of ways of the groups are multiplied.
  std::vector<std::vector<TermProduct>> groups;
  int sets = 0;
};

/// So many vertices that may meet are counted at most; if they have all the same neighbours, so many.
inline constexpr int kMostCounted = 4;
inline constexpr int kMostAlike = 16;

/// More layers are not told apart.
inline constexpr std::uint32_t kMostLayers = 1U << 16;

/// Requires: every vertex but 0 and 1 is adjacent to an earlier one; vertices from `walked` on have no arcs, no
/// restrictions and no forbidden arcs among them, and groups are as small as above; at most 64 vertices, and layers
/// below kMostLayers.
Term make_term(TermPattern pattern);

}  // namespace matcha::runtime::stream
