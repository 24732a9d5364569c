#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "incremental/runtime/dynamic_graph.h"

namespace matcha::runtime::stream {

/// The ends of an edge (of a directed graph the arc from `u` to `v`), by places. It comes in odd slots and goes in even
/// ones; what the updates of a slot do is added up.
struct BatchUpdate {
  std::uint32_t u = 0, v = 0, slot = 0;
  std::uint32_t layer = 0;

  bool comes() const { return (slot & 1) != 0; }
};

/// The rows that some updates change, each once: what comes and what goes, and for each item its stamp, which says what
/// updates see it (runtime/common/delta_data.h). They take as much room as there are updates, however long rows are.
class BatchRows {
 public:
  /// The graph must outlive it.
  explicit BatchRows(DynamicGraph& graph) : graph_(graph) {}

  struct Row {
    std::uint32_t row = 0;  ///< Its number.
    bool backwards = false;
    std::uint32_t changes = 0;  ///< So many,
    std::uint32_t word = 0;     ///< from this word on: their number, the items, the stamps.
    std::int32_t more = 0;      ///< Items after all updates, less those of before.
  };
  /// The state of the graph when they are opened.
  enum class Graph : std::uint8_t { Before, After };

  /// False: they do not fit the graph (not looked at where they are `known` to), or two are of one edge. Requires: some
  /// updates, of vertices that are there; fewer than 2^29. Throws std::bad_alloc.
  bool open(std::span<const BatchUpdate> updates, Graph graph, bool known = false);
  /// As opened last; until the next time.
  const std::vector<Row>& rows() const { return rows_; }
  /// The first one is nobody's.
  std::span<const std::uint32_t> words() const { return words_; }
  /// Whether a row is one of them.
  bool has(bool backwards, std::uint32_t row) const { return find(backwards, row) != nullptr; }
  /// Whether a row of the graph is not as before them.
  bool is_undone(bool backwards, std::uint32_t row) const { return state_ == Graph::After && has(backwards, row); }
  /// A row before all updates, until the next call or change of the graph, which must be as it was when they were
  /// opened. Throws std::bad_alloc.
  std::span<const std::uint32_t> row_before(bool backwards, std::uint32_t row);
  /// Gives the graph, which is as before all updates, the state after them; the changes are not noted. Throws
  /// std::bad_alloc.
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
  std::int64_t more_edges_ = 0;  ///< After all updates, in layer 0.
  std::vector<Row> rows_;
  std::vector<Change> changes_;           ///< By row.
  std::vector<std::uint32_t> row_of_[2];  ///< By direction and number, which of `rows_` it is, and 1; 0: none.
  std::vector<std::uint32_t> words_, merged_;
};

}  // namespace matcha::runtime::stream
