#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "incremental/runtime/batch_rows.h"
#include "incremental/runtime/dynamic_graph.h"
#include "incremental/runtime/shared_search.h"

namespace matcha::runtime::stream {

/// Estimates which rows a search for deltas will read, and how often, by random walks that follow the search: from an
/// update, one random candidate of each vertex. A walk is weighted by the number of candidates at each choice, so that
/// the expected numbers are those of the search.
class RowWalks {
 public:
  /// Requires: the graph outlives it.
  explicit RowWalks(const DynamicGraph& graph) : graph_(graph) {}

  struct Read {
    std::uint32_t row = 0;   ///< Its number.
    bool backwards = false;  ///< In a directed graph: it is a row of sources.
    double times = 0;
  };
  /// Each row once, including rows that the updates certainly read, in no order; valid until the next call. Requires:
  /// the terms are for the graph, and the updates have existing vertices. Throws std::bad_alloc.
  const std::vector<Read>& estimate(const SharedTerms& terms, std::span<const BatchUpdate> updates);

 private:
  /// Some walks, and their reads.
  class Walker;

  void add(bool backwards, std::uint32_t row, double times);
  void add_ends(const SharedTerms& terms, const BatchUpdate& update);

  const DynamicGraph& graph_;
  std::uint64_t walked_ = 0;               ///< The number of walkers.
  std::vector<std::uint32_t> read_of_[2];  ///< By row number: its index in `reads_` plus 1; 0: none.
  std::vector<Read> reads_;
};

}  // namespace matcha::runtime::stream
