#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/stream/dynamic_graph.h"

namespace matcha::runtime::stream {

/// The ends of an edge (of a directed graph the arc from `u` to `v`), by places. It comes in odd slots and goes in even
/// ones; what the updates of a slot do is added up.
struct BatchUpdate {
  std::uint32_t u = 0, v = 0, slot = 0;

  bool comes() const { return (slot & 1) != 0; }
};

/// The rows that some updates change, each once: with the items of all updates, and for each item its stamp, which says
/// what updates see it (runtime/common/delta_data.h). So they take no more room than three times the rows, however many
/// updates there are.
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
  /// The state of the graph when they are opened.
  enum class Graph : std::uint8_t { Before, After };

  /// False: they do not fit the graph, or two are of one edge. Requires: some updates, of vertices that are there;
  /// fewer than 2^31 - 1. Throws std::bad_alloc.
  bool open(std::span<const BatchUpdate> updates, Graph graph);
  /// As opened last; until the next time.
  const std::vector<Row>& rows() const { return rows_; }
  std::span<const std::uint32_t> words() const { return {words_.get(), used_}; }
  /// Whether a row is one of them.
  bool has(bool backwards, std::uint32_t place) const {
    const std::vector<std::uint32_t>& rows = row_of_[backwards && graph_.directed()];
    return place < rows.size() && rows[place] != 0;
  }
  /// Gives the graph, which is as before all updates, the state after them; the changes are not noted. Throws
  /// std::bad_alloc.
  void close();

 private:
  struct Change {
    std::uint32_t item = 0, stamp = 0;
  };

  void find_rows(std::span<const BatchUpdate> updates);
  bool make(Row& row, Graph graph);

  DynamicGraph& graph_;
  std::int64_t more_edges_ = 0;  ///< After all updates.
  std::vector<Row> rows_;
  std::vector<Change> changes_;           ///< By row, ascending.
  std::vector<std::uint32_t> row_of_[2];  ///< Of a place, by direction, its row and 1; 0: none.
  std::unique_ptr<std::uint32_t[]> words_;
  std::uint64_t room_ = 0, used_ = 0;
};

}  // namespace matcha::runtime::stream
