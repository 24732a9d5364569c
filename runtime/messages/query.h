#pragma once

#include <cstdint>
#include <optional>
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
    bool is_shared = false;  ///< `labels` is empty, and all arcs of which this is said have the same label.
  };

  int size = 0;
  std::vector<Arc> arcs;                             ///< None is a loop.
  std::vector<std::optional<std::int64_t>> labels;   ///< Of each vertex; none: any.
  std::vector<std::optional<std::uint32_t>> images;  ///< The rank that a vertex must have; none: any.
  bool is_impossible = false;                        ///< Some vertex must be one that the graph does not have.
};

/// How the maps are counted. Every image of `cut` is tried, and with it every image of `second`; what is left of the
/// pattern without them are trees, and each is counted from its leaves to its root.
struct MapPlan {
  int cut = -1;            ///< -1: the pattern is a tree itself.
  int second = -1;         ///< -1: without `cut` it is trees.
  std::vector<int> roots;  ///< One vertex of each tree.
};

/// The trees that are left of the pattern without `cut` and `second` (-1: of all of it), each as a list of vertices;
/// nothing if some part has a cycle. Arcs between the same two vertices are one edge.
std::optional<std::vector<std::vector<int>>> trees_without(const MapQuery& query, int cut, int second = -1);

}  // namespace matcha::runtime::messages
