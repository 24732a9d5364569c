#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/stream/dynamic_graph.h"
#include "runtime/stream/graph_versions.h"

namespace matcha::runtime::stream {

/// The rows that a batch of updates changes, each once: with the items of all updates, and for each item its stamp,
/// which says what updates see it (runtime/common/delta_data.h). So they take no more room than twice the rows, however
/// many updates there are. All of them come, or all of them go.
class BatchRows {
 public:
  /// The graph must outlive it.
  explicit BatchRows(DynamicGraph& graph) : graph_(graph) {}

  struct Row {
    std::uint32_t place = 0;
    bool backwards = false;
    std::uint32_t size = 0;        ///< Items; as many stamps are behind them.
    std::uint64_t items = 0;       ///< Of `words`,
    std::uint64_t after = 0;       ///< and where the items begin that are there after all updates,
    std::uint32_t after_size = 0;  ///< so many.
    std::uint32_t changes = 0;
    std::uint64_t first = 0;  ///< Of the changes.
  };

  /// False: they do not fit the graph. Requires: some updates, of vertices that are there; fewer than 2^32 - 1. Throws
  /// std::bad_alloc.
  bool open(std::span<const EdgeUpdate> updates, bool come);
  /// As opened last; until the next time.
  const std::vector<Row>& rows() const { return rows_; }
  std::span<const std::uint32_t> words() const { return {words_.get(), used_}; }
  /// Gives the graph the state after all updates; the changes are not noted. Throws std::bad_alloc.
  void close();

 private:
  struct Change {
    std::uint32_t item = 0, stamp = 0;
  };

  void find_rows(std::span<const EdgeUpdate> updates);
  bool make(Row& row);
  bool merge(Row& row, std::span<const std::uint32_t> base);
  bool mark(Row& row, std::span<const std::uint32_t> base);

  DynamicGraph& graph_;
  bool come_ = false;
  std::uint64_t updates_ = 0;
  std::vector<Row> rows_;
  std::vector<Change> changes_;           ///< By row, ascending.
  std::vector<std::uint32_t> row_of_[2];  ///< Of a place, by direction, its row and 1; 0: none.
  std::unique_ptr<std::uint32_t[]> words_;
  std::uint64_t room_ = 0, used_ = 0;
};

}  // namespace matcha::runtime::stream
