#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "incremental/runtime/dynamic_graph.h"
#include "incremental/runtime/row_places.h"

namespace matcha::runtime::stream {

/// Rows of a graph as they were before updates, for a device that reads them in memory of the host: those of updates
/// that wait, and those of updates which it counts. A slot is the number of a row, behind all of them if it is one of
/// sources.
class KeptRows {
 public:
  /// Both must outlive it.
  KeptRows(DynamicGraph& graph, const RowPlaces& places) : graph_(graph), places_(places) {}
  KeptRows(const KeptRows&) = delete;
  KeptRows& operator=(const KeptRows&) = delete;

  /// Drops all; rows that are far, or come near, are wanted from now on, until places of the graph change.
  void reset();
  /// Whether a row is to be kept before it changes. Several threads may ask.
  bool wants(bool backwards, std::uint32_t row) const {
    if (!is_open_ || layout_ != graph_.layout()) return false;
    const std::uint64_t of = slot(backwards, row);
    return places_.is_read_from_host(of) && waiting_.number[of] == 0;
  }
  /// Keeps the array of a wanted row: the graph has another one for it from now on. Throws std::bad_alloc, and then
  /// nothing has changed.
  void keep(bool backwards, std::uint32_t row, std::uint32_t* items, std::uint32_t length, std::uint32_t size_class);
  /// Room for so many more; then `keep` does not throw. Throws std::bad_alloc.
  void reserve(std::size_t rows) { waiting_.rows.reserve(waiting_.rows.size() + rows); }

  /// The updates that waited are counted from now on, and no others.
  void begin();
  /// The row of a slot as it was before the updates that are counted; nothing: it is not kept.
  std::optional<std::span<const std::uint32_t>> find(std::uint64_t slot) const;
  /// Keeps a copy for them. Throws std::bad_alloc, and then nothing has changed.
  std::span<const std::uint32_t> put(std::uint64_t slot, std::span<const std::uint32_t> items);
  /// They are counted.
  void end() { drop(counted_); }
  /// Drops all, and lets the graph note that these rows have changed.
  void undo();

 private:
  struct Kept {
    std::uint64_t slot = 0;
    std::uint32_t* items = nullptr;
    std::uint32_t length = 0, size_class = 0;
  };
  struct Group {
    std::vector<Kept> rows;
    std::vector<std::uint32_t> number;  ///< By slot, of its row and 1; 0: it is not kept.
  };

  std::uint64_t slot(bool backwards, std::uint32_t row) const {
    return row + (backwards && graph_.directed() ? graph_.rows(false).size() : 0);
  }
  bool is_of_sources(std::uint64_t slot) const { return slot >= graph_.rows(false).size(); }
  void drop(Group& group);

  DynamicGraph& graph_;
  const RowPlaces& places_;
  bool is_open_ = false;
  std::uint64_t layout_ = 0;  ///< Of the graph.
  Group waiting_, counted_;
};

}  // namespace matcha::runtime::stream
