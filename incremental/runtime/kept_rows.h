#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "incremental/runtime/dynamic_graph.h"
#include "incremental/runtime/row_places.h"

namespace matcha::runtime::stream {

/// Copy-on-write rows: rows of a graph before updates, kept for a device that reads them in host memory. Covers updates
/// that wait, and updates being counted. A slot is the number of a row; rows of sources come after all others.
class KeptRows {
 public:
  /// Requires: both arguments outlive it.
  KeptRows(DynamicGraph& graph, const RowPlaces& places) : graph_(graph), places_(places) {}
  KeptRows(const KeptRows&) = delete;
  KeptRows& operator=(const KeptRows&) = delete;

  /// Drops all rows; from now on remote rows, and rows that are being fetched, are wanted, until places of the graph
  /// change.
  void reset();
  /// True if a row must be kept before it changes. Thread-safe.
  bool wants(bool backwards, std::uint32_t row) const {
    if (!is_open_ || layout_ != graph_.layout()) return false;
    const std::uint64_t of = slot(backwards, row);
    return places_.is_read_from_host(of) && waiting_.number[of] == 0;
  }
  /// Keeps the array of a wanted row; the graph uses another one from now on. Throws std::bad_alloc, and then nothing
  /// has changed.
  void keep(bool backwards, std::uint32_t row, std::uint32_t* items, std::uint32_t length, std::uint32_t size_class);
  /// Reserves room for `rows` more rows; then `keep` does not throw. Throws std::bad_alloc.
  void reserve(std::size_t rows) { waiting_.rows.reserve(waiting_.rows.size() + rows); }

  /// The waiting updates become those being counted; earlier ones are dropped.
  void begin();
  /// The row of a slot before the updates being counted; empty: it is not kept.
  std::optional<std::span<const std::uint32_t>> find(std::uint64_t slot) const;
  /// Keeps a copy for the updates being counted. Throws std::bad_alloc, and then nothing has changed.
  std::span<const std::uint32_t> put(std::uint64_t slot, std::span<const std::uint32_t> items);
  /// The count is done.
  void end() { drop(counted_); }
  /// Drops all, and records these rows as changed in the graph.
  void undo();

 private:
  struct Kept {
    std::uint64_t slot = 0;
    std::uint32_t* items = nullptr;
    std::uint32_t length = 0, size_class = 0;
  };
  struct Group {
    std::vector<Kept> rows;
    std::vector<std::uint32_t> number;  ///< By slot: the number of its row plus 1; 0: it is not kept.
  };

  std::uint64_t slot(bool backwards, std::uint32_t row) const {
    return row + (backwards && graph_.directed() ? graph_.rows(false).size() : 0);
  }
  bool is_of_sources(std::uint64_t slot) const { return slot >= graph_.rows(false).size(); }
  void drop(Group& group);

  DynamicGraph& graph_;
  const RowPlaces& places_;
  bool is_open_ = false;
  std::uint64_t layout_ = 0;  ///< The layout of the graph.
  Group waiting_, counted_;
};

}  // namespace matcha::runtime::stream
