#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace matcha::runtime::messages {

/// A pattern of arcs, of which all maps into a directed graph are counted: any that keep arcs and labels, also with the
/// same image for several vertices. Vertices are 0 … size-1.
struct MapQuery {
  struct Arc {
    int from = 0;
    int to = 0;
    /// Those that an edge may have, none twice; empty: any. Each edge that fits makes a map of its own.
    std::vector<std::int64_t> labels;
    int shared = 0;  ///< Not 0: `labels` is empty, and all arcs with this number have the same label.
  };

  int size = 0;
  std::vector<Arc> arcs;                             ///< None is a loop.
  std::vector<std::vector<std::int64_t>> labels;     ///< Of each vertex, those that it may have; empty: any.
  std::vector<std::optional<std::uint32_t>> images;  ///< The rank that a vertex must have; none: any.
  bool is_impossible = false;                        ///< Some vertex must be one that the graph does not have.
};

/// Calls `see` with a query without shared labels for each way to give each of these one of `labels`, until it gives
/// false. False: it did.
bool bind_shared(const MapQuery& query, std::span<const std::int64_t> labels,
                 const std::function<bool(const MapQuery&)>& see);

/// A set of vertices: bit v for vertex v.
using Vertices = std::uint64_t;

/// The cycles through a vertex of the pattern that hang together.
struct Block {
  int cut = 0;        ///< The vertex: nearest to the top of all that are on these cycles.
  Vertices tree = 0;  ///< The others. Between them there are no cycles.
};

/// The blocks of a pattern as they hang below `top`; nothing: some has cycles also without its cut, or there are more
/// than 64 vertices. A tree has none.
std::optional<std::vector<Block>> blocks_below(const MapQuery& query, int top);
/// The connected parts of the pattern on these vertices.
std::vector<Vertices> parts_on(const MapQuery& query, Vertices vertices);
/// The vertices that have an arc from or to this one.
Vertices near(const MapQuery& query, int vertex);
/// The one vertex of a tree beside a part that hangs on it.
int holder_of(const MapQuery& query, Vertices tree, Vertices part);
/// Those on cycles through the cut, of a connected part in which it has several neighbours.
Vertices on_cycles(const MapQuery& query, int cut, Vertices part);

/// How the maps are counted. Every image of `cut` is tried, and each tree of a block is counted from its leaves to its
/// root. With `second`, every image of that is tried too, and what is left of the pattern without the two are trees.
struct MapPlan {
  int cut = -1;            ///< -1: the pattern is a tree itself.
  int second = -1;         ///< -1: `blocks_below` the cut are enough.
  std::vector<int> roots;  ///< One vertex of each tree; of a pattern that is one, the top.
};

/// The trees that are left of the pattern without `cut` and `second` (-1: of all of it), each as a list of vertices;
/// nothing if some part has a cycle. Arcs between the same two vertices are one edge.
std::optional<std::vector<std::vector<int>>> trees_without(const MapQuery& query, int cut, int second = -1);

}  // namespace matcha::runtime::messages
