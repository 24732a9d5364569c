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

/// Numbers by rank that begin as 0. Memory of those that nobody looks at is never touched.
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

/// An edge of the pattern, which may be several arcs, as one of its ends sees it: the images of the other end are the
/// items of the first index that all others have as well.
struct EdgeSide {
  std::vector<const PartIndex*> indices;  ///< The one with the fewest items is first.
  bool repeats = false;                   ///< Some have an item once for each edge between the two.

  Ranks row(std::uint32_t image) const { return indices[0]->of(image); }
};

/// In how many ways the indices from `first` on have the other end in the row of the image.
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

/// Calls `see` with the images of the other end, ascending, one for each way to it, until it gives false. False: it
/// did.
template <typename See>
bool walk_while(const EdgeSide& side, std::uint32_t image, const See& see) {
  for (const std::uint32_t other : side.row(image)) {
    for (std::uint64_t left = ways(side, 1, image, other); left != 0; --left) {
      if (!see(other)) return false;
    }
  }
  return true;
}

/// The same, but each image once.
template <typename See>
bool walk_distinct_while(const EdgeSide& side, std::uint32_t image, const See& see) {
  const Ranks row = side.row(image);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i != 0 && row[i] == row[i - 1]) continue;
    if (ways(side, 1, image, row[i]) != 0 && !see(row[i])) return false;
  }
  return true;
}

/// The same as `walk_while` with all of them.
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
  std::size_t cut = 0;  ///< In CutImages.
  EdgeSide side;        ///< From the image of the cut to that of the vertex.
};

/// A vertex of the pattern in its tree.
struct Node {
  int vertex = 0;
  std::vector<std::int64_t> labels;  ///< One of them; empty: any.
  std::optional<std::uint32_t> image;
  EdgeSide down;  ///< From the image of its parent to its own; of the second cut from that of the first.
  EdgeSide up;    ///< Back, of a vertex in a tree with several ties.
  std::vector<int>
      pendants;  ///< Children that no number comes up from but theirs: none below them has ties to a cut above.
  std::vector<int> strands;                ///< All other children.
  int times = 1;                           ///< It stands for so many siblings, the maps below which are the same.
  std::vector<int> blocks;                 ///< Of a cut: roots of trees that have several ties, all to it.
  std::vector<Tie> ties;                   ///< Of a vertex beside a cut that is no child of it.
  std::vector<const PartIndex*> required;  ///< In which all of its images have rows; of cuts, the top and such trees.
  bool is_counted = false;                 ///< A leaf that any image fits, by one arc.
  Zeros<std::uint64_t> weights;            ///< Those that are known by rank, as KeptWeight has them. Maybe none.
};

/// What the numbers of maps are for.
enum class Sums : std::uint8_t {
  Exact,  ///< They are the result, in 64 bits.
  Wide,   ///< The same in 128.
  Some,   ///< They tell 0 from all else: a sum ends with its first part.
};

/// The pattern as trees and blocks below one vertex, or trees below two cuts, over the edges by label of a graph.
class Forest {
 public:
  /// Requires: the plan is one for the query, and the query is connected; no arc has a shared label, and where arcs
  /// have any or one of several, the graph has less than 2^32 arcs. Throws std::bad_alloc.
  Forest(const Graph& graph, const LabelTable& table, const MapQuery& query, const MapPlan& plan, Sums sums);

  /// The second cut; null: there is none.
  const Node* maybe_second() const { return second_ < 0 ? nullptr : &node(second_); }
  /// Roots of trees with ties to both cuts.
  const std::vector<int>& shared_strands() const { return shared_strands_; }
  /// Calls `see` with the images of the second cut that go with this of the first, each once, until it gives false.
  template <typename See>
  bool walk_seconds_while(std::uint32_t cut, const See& see) const {
    const Node& second = node(second_);
    if (!second.down.indices.empty()) return walk_distinct_while(second.down, cut, see);
    return std::ranges::all_of(second_candidates_, see);
  }
  /// The same, but each image once for each way to it.
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
  /// The images that the top can have, and maybe others.
  Ranks candidates() const { return candidates_; }

  bool fits(const Node& node, std::uint32_t image) const {
    if (node.image && image != *node.image) return false;
    if (node.labels.empty()) return true;
    const std::int64_t label = view_.labels[image];
    return std::ranges::find(node.labels, label) != node.labels.end();
  }
  /// The same, and that the image has arcs for all edges of the pattern there.
  bool may_be(const Node& node, std::uint32_t image) const {
    for (const PartIndex* const index : node.required) {
      if (!index->has(image)) return false;
    }
    return fits(node, image);
  }
  /// Whether sums may end with their first part.
  bool is_for_some() const { return sums_ == Sums::Some; }

 private:
  /// An index of arcs with one of the labels, and the rows that it needs, if they are no part of the table.
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
  /// Adds a part of the pattern that hangs on a vertex.
  void attach(int vertex, Vertices part, const MapPlan& plan);
  void add_tree(const std::vector<int>& tree, const MapPlan& plan);
  /// Once its children are known. `is_kept`: weights are, since many ask for each.
  void finish(Node& node, bool is_kept) const;
  /// Whether most images of a child are beside one image of its parent alone.
  bool is_met_once(int child, int parent) const;
  /// The images of a vertex that is no child of another, and maybe others.
  Ranks candidates_of(int vertex);
  /// A vertex of a tree, and those of `within` below it; `is_tied`: the tree has several ties.
  void hang(int vertex, int parent, bool is_tied, Vertices within);
  void require_edges(int vertex);
  bool is_tied_below(int vertex) const;
  /// Has one of several alike children stand for all; gives what tells a vertex and all below it from others.
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

/// The maps of all siblings that a node stands for, from its own.
template <typename Number>
Number of_all(const Node& node, Number maps) {
  Number all = maps;
  for (int i = 1; i < node.times && all > 1; ++i) all = product(all, maps);
  return all;
}

}  // namespace matcha::runtime::messages
