#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "incremental/runtime/dynamic_graph.h"
#include "incremental/runtime/kept_rows.h"

namespace matcha::runtime::stream {

/// Inserts and deletes many edges: each changed row is rewritten once, many rows in parallel (on oneTBB's threads).
class RowEdits {
 public:
  /// Requires: the graph outlives it.
  explicit RowEdits(DynamicGraph& graph) : graph_(graph) {}

  /// An edge by places (of a directed graph the arc from `u` to `v`).
  struct Edge {
    std::uint32_t u = 0, v = 0;
    bool is_insert = false;
    std::uint32_t layer = 0;
  };
  /// Applies all edges, without recording them as changes of the graph. False if an inserted edge exists, a deleted one
  /// does not, or an edge is repeated: then nothing has changed. Rows that `maybe_kept` wants get another array, and it
  /// keeps the old one. Throws std::bad_alloc, and then nothing has changed.
  bool make(std::span<const Edge> edges, KeptRows* maybe_kept);

 private:
  struct Change {
    std::uint64_t row_and_item = 0;
    bool is_insert = false;

    std::uint32_t row() const;
    std::uint32_t item() const { return static_cast<std::uint32_t>(row_and_item); }
  };
  /// A row that changes.
  struct Row {
    std::uint32_t number = 0;
    std::uint32_t first = 0, end = 0;  ///< Range of its changes.
    std::uint32_t length = 0;          ///< The number of items afterwards.
    bool is_kept = false;              ///< Its array is kept unchanged.
    std::uint32_t* to = nullptr;       ///< The destination of the items; null: the same array.
    std::uint32_t size_class = 0;      ///< The size class of `to`.
  };
  /// The changes of one kind of rows.
  struct Side {
    std::vector<Change> changes;
    std::vector<std::uint32_t> at;  ///< By change, its position in the old row.
    std::vector<Row> rows;
  };

  void find_rows(Side& side);
  bool look(Side& side, const Rows& rows, bool backwards, const KeptRows* maybe_kept) const;
  bool look_at(const Side& side, std::uint32_t* at, Row& row, std::span<const std::uint32_t> items) const;
  void take_arrays(Side& side, Rows& rows) const;
  static void give_back(Side& side, Rows& rows);
  static void write(const Side& side, const Row& row, const std::uint32_t* from, std::uint32_t size, std::uint32_t* to);
  void finish(Side& side, bool backwards, KeptRows* maybe_kept);

  DynamicGraph& graph_;
  Side sides_[2];  ///< Rows of targets (all rows if undirected), and of sources.
};

}  // namespace matcha::runtime::stream
