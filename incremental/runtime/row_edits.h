#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "incremental/runtime/dynamic_graph.h"
#include "incremental/runtime/kept_rows.h"

namespace matcha::runtime::stream {

/// Puts many edges into a graph and takes many out: each row that changes is gone over once, and many rows at a time by
/// several threads (those of oneTBB).
class RowEdits {
 public:
  /// The graph must outlive it.
  explicit RowEdits(DynamicGraph& graph) : graph_(graph) {}

  /// An edge by places (of a directed graph the arc from `u` to `v`).
  struct Edge {
    std::uint32_t u = 0, v = 0;
    bool comes = false;
    std::uint32_t layer = 0;
  };
  /// All of them, which the graph does not note as changes; false where one that comes is there, one that goes is not,
  /// or an edge is there twice: then nothing has changed. Rows that `maybe_kept` wants get another array, and it keeps
  /// the old one. Throws std::bad_alloc, and then nothing has changed.
  bool make(std::span<const Edge> edges, KeptRows* maybe_kept);

 private:
  struct Change {
    std::uint64_t row_and_item = 0;
    bool comes = false;

    std::uint32_t row() const;
    std::uint32_t item() const { return static_cast<std::uint32_t>(row_and_item); }
  };
  /// A row that changes.
  struct Row {
    std::uint32_t number = 0;
    std::uint32_t first = 0, end = 0;  ///< Of the changes.
    std::uint32_t length = 0;          ///< Items after all of them.
    bool is_kept = false;              ///< Its array stays as it is,
    std::uint32_t* to = nullptr;       ///< and the items go there; null: they stay in theirs.
    std::uint32_t size_class = 0;      ///< Of `to`.
  };
  /// What changes of the rows of a kind.
  struct Side {
    std::vector<Change> changes;
    std::vector<std::uint32_t> at;  ///< By change, its position in the row as it was.
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
  Side sides_[2];  ///< Rows of targets (of an undirected graph all), and of sources.
};

}  // namespace matcha::runtime::stream
