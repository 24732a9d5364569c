#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// The contribution of one changed edge to the number of matches of a pattern: patterns with two vertices bound to its
/// ends.
namespace matcha::runtime::stream {

/// A set of pattern vertices: bit v for vertex v.
using Mask = std::uint64_t;
constexpr std::size_t at(int vertex) { return static_cast<std::size_t>(vertex); }

/// The class of a vertex that may have any class.
inline constexpr std::uint32_t kAnyClass = ~std::uint32_t{0};

/// The requirement of a term on the arc from vertex 1 back to vertex 0, in a directed graph.
enum class BackArc : std::uint8_t { Any, Wanted, Unwanted };

/// An arc from `from` to `to` in a layer other than 0; an edge if the pattern is undirected.
struct LayerArc {
  int from = 0, to = 0;
  std::uint32_t layer = 0;
  auto operator<=>(const LayerArc&) const = default;
};

/// A pattern whose vertices 0 and 1 are the source and the target of a changed edge. Its vertices are in the order of
/// the search: the first `walked` ones are placed in nested loops; the others are independent of each other and
/// counted, unless all have loops. The pattern's requirement on the pair (0, 1) in the layer of the change is ignored,
/// except for `back`: that edge is not in the graph.
struct TermPattern {
  bool directed = false;
  int size = 2;
  int walked = 2;
  std::uint32_t layer = 0;             ///< The layer of the changed edge.
  std::vector<Mask> after;             ///< Item v: the u with an arc u → v; of an undirected pattern its neighbours.
  std::vector<Mask> before;            ///< Item v: the u with an arc v → u; undirected: 0.
  std::vector<Mask> off_after;         ///< Item v: the u that must not have an arc u → v;
  std::vector<Mask> off_before;        ///< and those that must not have an arc v → u.
  std::vector<LayerArc> arcs;          ///< Required arcs in other layers, each once, without the pair (0, 1);
  std::vector<LayerArc> ends;          ///< arcs of the pair (0, 1) required besides the changed edge.
  std::vector<std::uint32_t> classes;  ///< Item v: its class, or kAnyClass.
  std::vector<Mask> larger;            ///< Item v: the vertices whose places must be above that of v; closed.
  BackArc back = BackArc::Any;         ///< In layer 0.
  std::uint64_t divisor = 1;           ///< How often each match is counted.
  bool swappable = false;              ///< The ends may be exchanged.
};

/// An operation on sets of candidates when a vertex is placed.
struct TermStep {
  enum class Kind : std::uint8_t {
    Slice,        ///< The neighbours of a vertex with the class.
    Below,        ///< The items of a set below a vertex,
    Above,        ///< or above it.
    Intersect,    ///< The items that are neighbours of a vertex,
    Remove,       ///< or that are not.
    CountCommon,  ///< As the previous two, only counted.
    CountRemoved,
  };
  Kind kind = Kind::Slice;
  std::uint16_t to = 0, from = 0;         ///< Sets.
  std::uint8_t vertex = 0;                ///< The placed vertex.
  bool backwards = false;                 ///< Reads its sources instead of its targets.
  bool needed = false;                    ///< If the set is empty, there is no match.
  std::uint16_t layer = 0;                ///< The layer of the row to read.
  std::uint32_t label_class = kAnyClass;  ///< For a slice.
};

/// The number of items of a set, not counting placed vertices.
struct TermValue {
  std::uint16_t set = 0;
  std::uint64_t less = 0;           ///< The number of placed vertices that are certainly in it;
  std::vector<std::uint8_t> maybe;  ///< placed vertices that may be in it, which the search tests.
  bool stored = true;               ///< False: the set is only counted, by `counted`.
  TermStep counted;                 ///< The counting step.
};

/// A sum of products of values: a number of ways.
struct TermProduct {
  std::int64_t factor = 1;
  std::vector<std::uint16_t> values;
};

/// A term as a list of steps.
struct Term {
  TermPattern pattern;
  /// Item v: the steps once vertex v ≥ 1 is placed; item 1 is for vertices 0 and 1.
  std::vector<std::vector<TermStep>> steps;
  std::vector<std::uint16_t> candidates;          ///< Item v, 2 ≤ v < walked: the set of its candidates.
  std::vector<std::vector<std::uint8_t>> others;  ///< Placed vertices that this set may contain.
  std::vector<std::uint16_t> layers;              ///< Item v: a layer whose row is read after v is placed.
  std::vector<TermValue> values;
  /// Vertices that may have the same image are a group; the numbers of ways of the groups are multiplied.
  std::vector<std::vector<TermProduct>> groups;
  int sets = 0;
};

/// The most vertices of a group that are counted; the second: if all have the same neighbours.
inline constexpr int kMostCounted = 4;
inline constexpr int kMostAlike = 16;

/// The most layers.
inline constexpr std::uint32_t kMostLayers = 1U << 16;

/// Requires: every vertex but 0 and 1 is adjacent to an earlier one; vertices from `walked` on have no arcs,
/// restrictions or forbidden arcs among them, and groups satisfy the limits above; at most 64 vertices, and layers
/// below kMostLayers.
Term make_term(TermPattern pattern);

}  // namespace matcha::runtime::stream
