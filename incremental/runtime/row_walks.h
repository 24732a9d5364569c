#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "incremental/runtime/batch_rows.h"
#include "incremental/runtime/dynamic_graph.h"
#include "incremental/runtime/shared_search.h"

namespace matcha::runtime::stream {

/// Which rows a search for what updates do will read, and how often, by some random walks that go as it does: from an
/// update, one candidate of each vertex in place of all. A walk stands for as many as it had to choose from, so that
/// the expected numbers are those of the search.
class RowWalks {
 public:
  /// The graph must outlive it.
  explicit RowWalks(const DynamicGraph& graph) : graph_(graph) {}

  struct Read {
    std::uint32_t row = 0;   ///< Its number.
    bool backwards = false;  ///< Of a directed graph: it is one of sources.
    double times = 0;
  };
  /// Each row once, those of the updates with what is read for certain, in no order; until the next call. Requires:
  /// the terms are for the graph, and the updates are of vertices that it has. Throws std::bad_alloc.
  const std::vector<Read>& estimate(const SharedTerms& terms, std::span<const BatchUpdate> updates);

 private:
  /// Some walks, and what they read.
  class Walker;

  void add(bool backwards, std::uint32_t row, double times);
  void add_ends(const SharedTerms& terms, const BatchUpdate& update);

  const DynamicGraph& graph_;
  std::uint64_t walked_ = 0;               ///< So many walkers.
  std::vector<std::uint32_t> read_of_[2];  ///< By number, its place in `reads_` and 1; 0: none.
  std::vector<Read> reads_;
};

}  // namespace matcha::runtime::stream
