#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "incremental/runtime/dynamic_graph.h"

namespace matcha::runtime::stream {

/// The ends of an edge (of a directed graph the arc from `u` to `v`) that comes or goes, by places.
struct EdgeUpdate {
  std::uint32_t u = 0, v = 0;
  std::uint32_t layer = 0;
};

/// A graph as each one of several updates finds it, if they are made one after the other: with all of those before it,
/// and without its own edge. All of them come, or all of them go. Many threads may read it.
class GraphVersions {
 public:
  /// The graph must outlive it.
  explicit GraphVersions(DynamicGraph& graph) : graph_(graph) {}
  GraphVersions(const GraphVersions&) = delete;
  GraphVersions& operator=(const GraphVersions&) = delete;

  /// Opens the first updates, so many that their rows do not have too many items; the graph must not change until
  /// `close`. How many; 0: they do not fit the graph, and nothing is open. Requires: some updates, of vertices that are
  /// there. Throws std::bad_alloc, and then nothing is open.
  std::size_t open(std::span<const EdgeUpdate> updates, bool come);
  /// Gives the graph the state after all updates that are open, or before them. Throws std::bad_alloc: then some of
  /// them are made.
  void close(bool made);

  /// A row of neighbours (`backwards`: of sources), by its number, as an update finds it.
  std::span<const std::uint32_t> row(bool backwards, std::uint32_t row, std::uint32_t update) const {
    const Rows& rows = static_cast<const DynamicGraph&>(graph_).rows(backwards);
    const std::uint32_t mark = rows.mark(row);
    return mark == 0 ? rows.row(row) : version(rows, rows_[mark - 1], update);
  }

 private:
  /// A row that changes.
  struct ChangingRow {
    std::uint32_t row = 0;
    bool backwards = false;
    std::uint32_t changes = 0;
    std::uint64_t first = 0;  ///< Of `changes_`.
  };
  struct Change {
    std::uint32_t update = 0;
    std::uint32_t item = 0;
    std::uint64_t items = 0;  ///< Where the row begins that it makes, and
    std::uint32_t length = 0;
  };

  void count(const EdgeUpdate& update, bool come, std::uint64_t& items);
  void count_row(bool backwards, std::uint32_t row, bool come, std::uint64_t& items);
  bool make(std::span<const EdgeUpdate> updates);
  bool make_row(const ChangingRow& row);
  void forget();
  std::span<const std::uint32_t> version(const Rows& rows, const ChangingRow& row, std::uint32_t update) const;

  DynamicGraph& graph_;
  bool come_ = false;
  std::size_t updates_ = 0;
  std::size_t edges_ = 0;          ///< Those of them that are in layer 0.
  std::vector<ChangingRow> rows_;  ///< By mark - 1.
  std::vector<Change> changes_;    ///< By row, then update.
  std::unique_ptr<std::uint32_t[]> items_;
  std::uint64_t room_ = 0, used_ = 0;
};

}  // namespace matcha::runtime::stream
