#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "incremental/runtime/dynamic_graph.h"

namespace matcha::runtime::stream {

/// The ends of an inserted or deleted edge (of a directed graph the arc from `u` to `v`), by places.
struct EdgeUpdate {
  std::uint32_t u = 0, v = 0;
  std::uint32_t layer = 0;
};

/// Prefetches rows of updates that follow one: they are scattered in memory.
inline void fetch_ahead(const DynamicGraph& graph, std::span<const EdgeUpdate> updates, std::size_t at) {
  constexpr std::size_t kRecord = 12, kRow = 6;
  if (at + kRecord < updates.size()) {
    graph.fetch_record(updates[at + kRecord].u);
    graph.fetch_record(updates[at + kRecord].v);
  }
  if (at + kRow < updates.size()) {
    graph.fetch_row(updates[at + kRow].u);
    graph.fetch_row(updates[at + kRow].v);
  }
}

/// Inserts (`come`) or deletes the edges of `updates` that stand aside, and removes them from `updates`. False: an
/// inserted edge existed, or a deleted one did not.
inline bool take_aside(DynamicGraph& graph, std::vector<EdgeUpdate>& updates, bool come) {
  constexpr std::size_t kAhead = 8;
  const auto stands_aside = [&](const EdgeUpdate& one) { return one.layer == 0 && !graph.asks(one.u, one.v); };
  std::size_t kept = 0;
  bool fits = true;
  for (std::size_t i = 0; i < updates.size(); ++i) {
    if (i + kAhead < updates.size()) graph.fetch_aside(updates[i + kAhead].u, updates[i + kAhead].v);
    const EdgeUpdate update = updates[i];
    if (stands_aside(update)) {
      fits = (come ? graph.insert(update.u, update.v) : graph.erase(update.u, update.v)) && fits;
    } else {
      updates[kept++] = update;
    }
  }
  updates.resize(kept);
  return fits;
}

/// Versions of a graph, one for each of several consecutive updates: with all earlier updates, and without its own
/// edge. All updates are insertions, or all are deletions. Thread-safe for reading.
class GraphVersions {
 public:
  /// Requires: the graph outlives it.
  explicit GraphVersions(DynamicGraph& graph) : graph_(graph) {}
  GraphVersions(const GraphVersions&) = delete;
  GraphVersions& operator=(const GraphVersions&) = delete;

  /// Opens a prefix of the updates, limited by the number of items in their rows; the graph must not change until
  /// `close`. Returns its length; 0: they do not fit the graph, and nothing is open. Requires: at least one update,
  /// with existing vertices. Throws std::bad_alloc, and then nothing is open.
  std::size_t open(std::span<const EdgeUpdate> updates, bool come);
  /// Sets the graph to the state after all open updates (`made`), or before them. Throws std::bad_alloc: then some of
  /// them are applied.
  void close(bool made);

  /// A row of neighbours (`backwards`: of sources), by its number, as of an update.
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
    std::uint64_t first = 0;  ///< Index in `changes_`.
  };
  struct Change {
    std::uint32_t update = 0;
    std::uint32_t item = 0;
    std::uint64_t items = 0;  ///< The start of the row that it creates, and its length.
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
  std::size_t edges_ = 0;          ///< The number of edges in layer 0 among them.
  std::vector<ChangingRow> rows_;  ///< By mark - 1.
  std::vector<Change> changes_;    ///< By row, then update.
  std::unique_ptr<std::uint32_t[]> items_;
  std::uint64_t room_ = 0, used_ = 0;
};

}  // namespace matcha::runtime::stream
