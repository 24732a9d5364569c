#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engines/messages/numbers.h"
#include "engines/messages/query.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/part_index.h"

namespace matcha::runtime::messages {

/// Numbers by rank, initially 0. Untouched memory is never allocated.
template <typename T>
class Zeros {
 public:
  Zeros() = default;
  explicit Zeros(std::uint64_t size) : items_(static_cast<T*>(std::calloc(size + 1, sizeof(T)))) {
    if (items_ == nullptr) throw std::bad_alloc();
  }
  T* get() const { return items_.get(); }
  explicit operator bool() const { return items_ != nullptr; }

 private:
  struct Free {
    void operator()(T* items) const { std::free(items); }
  };
  std::unique_ptr<T[], Free> items_;
};

/// An edge of the pattern, which may be several arcs, seen from one of its ends: the images of the other end are the
/// items of the first index that all other indices also have.
struct EdgeSide {
  std::vector<const PartIndex*> indices;  ///< The one with the fewest items is first.
  bool repeats = false;                   ///< Some have an item once for each parallel edge.

  Ranks row(std::uint32_t image) const { return indices[0]->of(image); }
};

/// The number of ways to reach `other` from the image by the indices from `first` on.
inline std::uint64_t ways(const EdgeSide& side, std::size_t first, std::uint32_t image, std::uint32_t other) {
  std::uint64_t all = 1;
  for (std::size_t i = first; i < side.indices.size() && all != 0; ++i) {
    const Ranks row = side.indices[i]->of(image);
    if (!side.repeats) {
      all = contains(row, other) ? 1 : 0;
    } else {
      const auto [begin, end] = std::equal_range(row.begin(), row.end(), other);
      all *= static_cast<std::uint64_t>(end - begin);
    }
  }
  return all;
}

/// Calls `see` with the images of the other end, ascending, once for each way to it, until it returns false. Returns
/// false in that case.
template <typename See>
bool walk_while(const EdgeSide& side, std::uint32_t image, const See& see) {
  for (const std::uint32_t other : side.row(image)) {
    for (std::uint64_t left = ways(side, 1, image, other); left != 0; --left) {
      if (!see(other)) return false;
    }
  }
  return true;
}

/// The same, with each image once.
template <typename See>
bool walk_distinct_while(const EdgeSide& side, std::uint32_t image, const See& see) {
  const Ranks row = side.row(image);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i != 0 && row[i] == row[i - 1]) continue;
    if (ways(side, 1, image, row[i]) != 0 && !see(row[i])) return false;
  }
  return true;
}

/// The same as `walk_while` for all of them.
template <typename See>
void walk(const EdgeSide& side, std::uint32_t image, const See& see) {
  for (const std::uint32_t other : side.row(image)) {
    for (std::uint64_t left = ways(side, 1, image, other); left != 0; --left) see(other);
  }
}

/// The images of the cut and of the second one.
using CutImages = std::array<std::uint32_t, 2>;

/// The edge from a cut to a vertex beside it.
struct Tie {
  std::size_t cut = 0;  ///< Index in CutImages.
  EdgeSide side;        ///< From the image of the cut to that of the vertex.
};

/// A vertex of the pattern in its tree.
struct Node {
  int vertex = 0;
  std::vector<std::int64_t> labels;  ///< Allowed labels; empty: any.
  std::optional<std::uint32_t> image;
  EdgeSide down;  ///< From the image of its parent to its own; for the second cut, from the image of the first.
  EdgeSide up;    ///< The reverse, for a vertex in a tree with several ties.
  std::vector<int>
      pendants;              ///< Children whose subtrees have no tie to a cut above: only their number of maps matters.
  std::vector<int> strands;  ///< All other children.
  /// The number of siblings that it represents, whose subtrees have the same maps.
  int times = 1;
  std::vector<int> blocks;  ///< For a cut: roots of trees that have several ties, all to it.
  std::vector<Tie> ties;    ///< For a vertex adjacent to a cut that is not its child.
  /// Indices in which all of its images have rows; for cuts, the top, and roots of such trees.
  std::vector<const PartIndex*> required;
  bool is_counted = false;       ///< A leaf that any image fits, with one arc.
  Zeros<std::uint64_t> weights;  ///< The known weights by rank, as in KeptWeight. May be empty.
};

/// The purpose of the numbers of maps.
enum class Sums : std::uint8_t {
  Exact,  ///< They are the result, in 64 bits.
  Wide,   ///< The same in 128.
  Some,   ///< They distinguish 0 from other numbers: a sum ends at its first term.
};

/// The pattern as trees and blocks below one vertex, or trees below two cuts, over the edges by label of a graph.
class Forest {
 public:
  /// Requires: the plan fits the query, and the query is connected; no arc has a shared label; if arcs have any or
  /// several labels, the graph has less than 2^32 arcs. Throws std::bad_alloc.
  Forest(const Graph& graph, const LabelTable& table, const MapQuery& query, const MapPlan& plan, Sums sums);

  /// The second cut; null: none.
  const Node* maybe_second() const { return second_ < 0 ? nullptr : &node(second_); }
  /// Roots of trees with ties to both cuts.
  const std::vector<int>& shared_strands() const { return shared_strands_; }
  /// Calls `see` with each image of the second cut that is compatible with this image of the first, once each, until it
  /// returns false.
  template <typename See>
  bool walk_seconds_while(std::uint32_t cut, const See& see) const {
    const Node& second = node(second_);
    if (!second.down.indices.empty()) return walk_distinct_while(second.down, cut, see);
    return std::ranges::all_of(second_candidates_, see);
  }
  /// The same, with each image once for each way to it.
  template <typename See>
  bool walk_second_while(std::uint32_t cut, const See& see) const {
    const Node& second = node(second_);
    if (!second.down.indices.empty()) return walk_while(second.down, cut, see);
    return std::ranges::all_of(second_candidates_, see);
  }
  const Node& top() const { return nodes_[static_cast<std::size_t>(top_)]; }
  const Node& node(int vertex) const { return nodes_[static_cast<std::size_t>(vertex)]; }
  int size() const { return static_cast<int>(nodes_.size()); }
  std::uint64_t universe() const { return view_.universe; }
  /// A superset of the possible images of the top.
  Ranks candidates() const { return candidates_; }

  bool fits(const Node& node, std::uint32_t image) const {
    if (node.image && image != *node.image) return false;
    if (node.labels.empty()) return true;
    const std::int64_t label = view_.labels[image];
    return std::ranges::find(node.labels, label) != node.labels.end();
  }
  /// The same, and the image has arcs for all edges of the pattern there.
  bool may_be(const Node& node, std::uint32_t image) const {
    for (const PartIndex* const index : node.required) {
      if (!index->has(image)) return false;
    }
    return fits(node, image);
  }
  /// True if sums may end at their first term.
  bool is_for_some() const { return sums_ == Sums::Some; }

 private:
  /// An index of arcs with one of the labels, with its rows if they are not part of the table.
  struct Index {
    std::vector<std::uint32_t> rows, ends, items;
    std::shared_ptr<const PartIndex> index;
  };
  const PartIndex* index(const std::vector<std::int64_t>& labels, ArcSide side);
  std::shared_ptr<const PartIndex> kept_index(const LabelPart& part) const;
  LabelPart part_of_any(ArcSide side, Index& index) const;
  LabelPart part_of_several(const std::vector<std::int64_t>& labels, ArcSide side, Index& index) const;
  EdgeSide side_of(int from, int to);
  bool has_edge(int u, int v) const;
  /// Adds a part of the pattern that is attached to a vertex.
  void attach(int vertex, Vertices part, const MapPlan& plan);
  void add_tree(const std::vector<int>& tree, const MapPlan& plan);
  /// Call once its children are complete. `is_kept`: weights are stored, since each is used often.
  void finish(Node& node, bool is_kept) const;
  /// True if most images of a child are adjacent to only one image of its parent.
  bool is_met_once(int child, int parent) const;
  /// A superset of the images of a vertex that is not a child.
  Ranks candidates_of(int vertex);
  /// Adds a vertex of a tree, and those of `within` below it; `is_tied`: the tree has several ties.
  void hang(int vertex, int parent, bool is_tied, Vertices within);
  void require_edges(int vertex);
  bool is_tied_below(int vertex) const;
  /// Merges equivalent children into one; returns a key of a vertex and its subtree.
  std::string fold(int vertex);
  void fold(std::vector<int>& siblings, std::string& key);
  Ranks rows_of(int vertex);

  const Graph& graph_;
  const GraphView view_;
  const LabelTable table_;
  const MapQuery& query_;
  const int cut_;
  const int second_;
  const Sums sums_;
  int top_ = 0;
  std::deque<Node> nodes_;
  std::map<std::pair<ArcSide, std::vector<std::int64_t>>, Index> indices_;
  Ranks candidates_;
  Ranks second_candidates_;  ///< If no edge joins it to the first.
  std::vector<int> shared_strands_;
};

/// The maps of all siblings that a node represents, from its own.
template <typename Number>
Number of_all(const Node& node, Number maps) {
  Number all = maps;
  for (int i = 1; i < node.times && all > 1; ++i) all = product(all, maps);
  return all;
}

}  // namespace matcha::runtime::messages
