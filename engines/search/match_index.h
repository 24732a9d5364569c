#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "engines/search/label_index.h"
#include "engines/search/query.h"
#include "runtime/abi.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/part_index.h"

namespace matcha::runtime::match {

/// The neighbours of each vertex along the edges of a side.
class Neighbors {
 public:
  /// By edges of any label. Parallel edges repeat a neighbour. Requires: offsets (no hash index).
  explicit Neighbors(const GraphView& graph, std::shared_ptr<const Graph> owner = nullptr)
      : offsets_(graph.offsets), items_(graph.neighbors), arcs_(graph.arc_count), owner_(std::move(owner)) {}
  /// By edges of one label, each neighbour once.
  Neighbors(const LabelPart& part, std::uint64_t universe)
      : arcs_(part.items.size()), part_(std::in_place, part, universe) {}

  /// Ascending ranks.
  Ranks of(std::uint32_t rank) const {
    if (part_) return part_->of(rank);
    return {items_ + offsets_[rank], items_ + offsets_[rank + 1]};
  }
  std::uint64_t arcs() const { return arcs_; }
  /// For devices: the items, and the start or the number of each vertex's row.
  const std::uint32_t* items() const { return part_ ? part_->part().items.data() : items_; }
  const std::uint64_t* offsets() const { return offsets_; }
  const PartIndex* maybe_part() const { return part_ ? &*part_ : nullptr; }
  /// The vertices with a neighbour, ascending; empty: unknown.
  std::optional<Ranks> rows() const { return part_ ? std::optional(part_->part().rows) : std::nullopt; }

 private:
  const std::uint64_t* offsets_ = nullptr;
  const std::uint32_t* items_ = nullptr;
  std::uint64_t arcs_ = 0;
  std::optional<PartIndex> part_;
  std::shared_ptr<const Graph> owner_;
};

/// Arrays over the ranks of a graph that every query uses and restores, so that only the first query pays for clearing
/// them.
struct RankArrays {
  explicit RankArrays(std::uint64_t ranks) : masks(ranks, 0), ids(ranks, 0), marks(ranks, 0) {}

  std::vector<Mask> masks;          ///< All 0 between queries.
  std::vector<std::uint32_t> ids;   ///< Valid only if the mask is not 0.
  std::vector<std::uint8_t> marks;  ///< All 0 between queries.
};

/// The data of a graph that all queries share. Thread-safe.
class MatchIndex {
 public:
  /// For queries without sides. Requires: the graph outlives it; undirected, simple, offsets (no hash index).
  explicit MatchIndex(const GraphView& graph);
  /// For any query. Requires: the graph outlives it and does not move; offsets; undirected and simple for queries
  /// without sides, int edge info for labels of edges.
  explicit MatchIndex(const Graph& graph);

  const GraphView& graph() const { return graph_; }
  const LabelIndex& by_label() const { return by_label_; }
  /// Built on first use. Throws std::bad_alloc.
  const Neighbors& neighbors(const Side& side);
  std::unique_ptr<RankArrays> take_arrays();
  void give_back(std::unique_ptr<RankArrays> arrays);

 private:
  /// Signatures, which take a pass over all arcs, are for queries without sides: others check neighbours by side.
  MatchIndex(const GraphView& graph, const Graph* maybe_graph);
  std::unique_ptr<Neighbors> made(const Side& side) const;

  GraphView graph_;
  const Graph* maybe_graph_ = nullptr;
  LabelIndex by_label_;
  std::mutex mutex_;
  std::map<Side, std::unique_ptr<Neighbors>> neighbors_;
  std::vector<std::unique_ptr<RankArrays>> spare_;
};

}  // namespace matcha::runtime::match
