#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "incremental/runtime/dynamic_graph.h"

namespace matcha::runtime::stream {

/// The ends of an edge (of a directed graph the arc from `u` to `v`), by places. Odd slots are insertions, even ones
/// deletions; the effects of all updates of a slot are added up.
struct BatchUpdate {
  std::uint32_t u = 0, v = 0, slot = 0;
  std::uint32_t layer = 0;

  bool is_insert() const { return (slot & 1) != 0; }
};

/// The rows that some updates change, each once: the inserted and deleted items, each with a stamp that determines the
/// updates that see it (incremental/runtime/device/delta_data.h). The size depends on the number of updates, not on the
/// length of rows.
class BatchRows {
 public:
  /// Requires: the graph outlives it.
  explicit BatchRows(DynamicGraph& graph) : graph_(graph) {}

  struct Row {
    std::uint32_t row = 0;  ///< Its number.
    bool backwards = false;
    std::uint32_t changes = 0;  ///< The number of its changes,
    std::uint32_t word = 0;     ///< and the index of their first word: their number, the items, the stamps.
    std::int32_t more = 0;      ///< The number of items after all updates, minus that before.
  };
  /// The state of the graph when the updates are opened.
  enum class Graph : std::uint8_t { Before, After };

  /// Opens updates. False: they do not fit the graph (not checked if `known`), or two are for one edge. Requires: at
  /// least one update, fewer than 2^29, with existing vertices. Throws std::bad_alloc.
  bool open(std::span<const BatchUpdate> updates, Graph graph, bool known = false);
  /// The rows of the last `open`; valid until the next one.
  const std::vector<Row>& rows() const { return rows_; }
  /// The first word is unused.
  std::span<const std::uint32_t> words() const { return words_; }
  /// True if a row is one of them.
  bool has(bool backwards, std::uint32_t row) const { return find(backwards, row) != nullptr; }
  /// True if a row of the graph already has the updates.
  bool is_undone(bool backwards, std::uint32_t row) const { return state_ == Graph::After && has(backwards, row); }
  /// A row before all updates, valid until the next call or change of the graph, which must be in the state of `open`.
  /// Throws std::bad_alloc.
  std::span<const std::uint32_t> row_before(bool backwards, std::uint32_t row);
  /// Applies all updates to the graph, which is in the state before them; the changes are not recorded in the graph.
  /// Throws std::bad_alloc.
  void close();

 private:
  struct Change {
    std::uint32_t item = 0, stamp = 0;
  };

  void find_rows(std::span<const BatchUpdate> updates);
  bool make(Row& row, Change* changes);
  const Row* find(bool backwards, std::uint32_t row) const {
    const std::vector<std::uint32_t>& rows = row_of_[backwards && graph_.directed()];
    return row < rows.size() && rows[row] != 0 ? &rows_[rows[row] - 1] : nullptr;
  }
  void merge(const Row& row, bool undone);

  DynamicGraph& graph_;
  Graph state_ = Graph::Before;
  std::int64_t more_edges_ = 0;  ///< The change of the number of edges in layer 0.
  std::vector<Row> rows_;
  std::vector<Change> changes_;           ///< By row.
  std::vector<std::uint32_t> row_of_[2];  ///< By direction and row number: its index in `rows_`, plus 1; 0: none.
  std::vector<std::uint32_t> words_, merged_;
};

}  // namespace matcha::runtime::stream
