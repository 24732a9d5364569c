#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace matcha::runtime::messages {

/// A pattern of arcs whose maps into a directed graph are counted: all that preserve arcs and labels; vertices may
/// share images. Vertices are 0 … size-1.
struct MapQuery {
  struct Arc {
    int from = 0;
    int to = 0;
    /// Allowed labels, without repeats; empty: any. Each edge that fits makes a separate map.
    std::vector<std::int64_t> labels;
    int shared = 0;  ///< Not 0: `labels` is empty, and all arcs with this number have the same label.
  };

  int size = 0;
  std::vector<Arc> arcs;                             ///< No loops.
  std::vector<std::vector<std::int64_t>> labels;     ///< By vertex, the allowed labels; empty: any.
  std::vector<std::optional<std::uint32_t>> images;  ///< By vertex, the required rank; empty: any.
  bool is_impossible = false;                        ///< A vertex requires an id that the graph does not have.
};

/// Calls `see` with a query without shared labels for each way to assign one of `labels` to each of them, until it
/// returns false. Returns false in that case.
bool bind_shared(const MapQuery& query, std::span<const std::int64_t> labels,
                 const std::function<bool(const MapQuery&)>& see);

/// A set of vertices: bit v for vertex v.
using Vertices = std::uint64_t;

/// The cycles through a vertex of the pattern that are connected without it.
struct Block {
  int cut = 0;        ///< The vertex of these cycles nearest to the top.
  Vertices tree = 0;  ///< The other vertices. They induce no cycle.
};

/// The blocks of a pattern below `top`; empty optional: a block has a cycle without its cut, or there are more than 64
/// vertices. A tree has none.
std::optional<std::vector<Block>> blocks_below(const MapQuery& query, int top);
/// The connected components of the pattern on these vertices.
std::vector<Vertices> parts_on(const MapQuery& query, Vertices vertices);
/// The vertices adjacent to this one, in either direction.
Vertices near(const MapQuery& query, int vertex);
/// The only vertex of a tree adjacent to a part.
int holder_of(const MapQuery& query, Vertices tree, Vertices part);
/// The vertices on cycles through the cut, in a connected part in which it has several neighbours.
Vertices on_cycles(const MapQuery& query, int cut, Vertices part);

/// How the maps are counted. Every image of `cut` is tried, and each tree of a block is counted from its leaves to its
/// root. With `second`, every image of that is tried too; the pattern without both cuts is a forest.
struct MapPlan {
  int cut = -1;            ///< -1: the pattern is a tree itself.
  int second = -1;         ///< -1: `blocks_below` the cut suffice.
  std::vector<int> roots;  ///< One vertex of each tree; for a tree, the top.
};

/// The trees of the pattern without `cut` and `second` (-1: none), each as a list of vertices; empty optional if a
/// component has a cycle. Arcs between the same two vertices are one edge.
std::optional<std::vector<std::vector<int>>> trees_without(const MapQuery& query, int cut, int second = -1);

}  // namespace matcha::runtime::messages
