#include "incremental/runtime/row_edits.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "runtime/parallel.h"

namespace matcha::runtime::stream {

namespace {

constexpr int kHigh = 32;
/// With fewer rows, waking threads does not pay.
constexpr std::size_t kFewRows = 256, kRowsOfTask = 16;

/// Calls `take(i)` for rows 0 … count - 1, on several threads if there are many.
template <typename Take>
void each_row_number(std::size_t count, const Take& take) {
  if (count < kFewRows) {
    for (std::size_t i = 0; i < count; ++i) take(i);
    return;
  }
  for_blocks(Block(0, count, kRowsOfTask), [&take](const tbb::blocked_range<std::size_t>& part) {
    for (std::size_t i = part.begin(); i < part.end(); ++i) take(i);
  });
}

}  // namespace

std::uint32_t RowEdits::Change::row() const { return static_cast<std::uint32_t>(row_and_item >> kHigh); }

/// Sorts the changes, and finds the rows.
void RowEdits::find_rows(Side& side) {
  const auto is_before = [](const Change& a, const Change& b) { return a.row_and_item < b.row_and_item; };
  if (side.changes.size() < kFewRows) {
    std::sort(side.changes.begin(), side.changes.end(), is_before);
  } else {
    tbb::parallel_sort(side.changes.begin(), side.changes.end(), is_before);
  }
  side.at.resize(side.changes.size());
  side.rows.clear();
  for (std::uint32_t i = 0; i < side.changes.size(); ++i) {
    const std::uint32_t number = side.changes[i].row();
    if (side.rows.empty() || side.rows.back().number != number) {
      Row& row = side.rows.emplace_back();
      row.number = number;
      row.first = i;
    }
    side.rows.back().end = i + 1;
  }
}

/// Computes the positions of the changes in a row, and its new length; false: they do not fit.
bool RowEdits::look_at(const Side& side, std::uint32_t* at, Row& row, std::span<const std::uint32_t> items) const {
  const std::uint32_t size = static_cast<std::uint32_t>(items.size());
  std::uint32_t from = 0, length = size;
  bool fits = true;
  for (std::uint32_t i = row.first; i < row.end; ++i) {
    const Change& change = side.changes[i];
    fits = fits && (i == row.first || side.changes[i - 1].row_and_item != change.row_and_item);
    at[i] = from = from + lower_position(items.data() + from, size - from, change.item());
    const bool is_there = from < size && items[from] == change.item();
    fits = fits && is_there != change.is_insert;
    length += change.is_insert ? 1 : ~std::uint32_t{0};
  }
  row.length = length;
  return fits;
}

bool RowEdits::look(Side& side, const Rows& rows, bool backwards, const KeptRows* maybe_kept) const {
  std::atomic<bool> fits = true;
  each_row_number(side.rows.size(), [&](std::size_t i) {
    Row& row = side.rows[i];
    if (!look_at(side, side.at.data(), row, rows.row(row.number))) fits.store(false, std::memory_order_relaxed);
    row.is_kept = maybe_kept != nullptr && maybe_kept->wants(backwards, row.number);
  });
  return fits.load();
}

/// Allocates arrays for rows that outgrow theirs, or whose arrays are kept.
void RowEdits::take_arrays(Side& side, Rows& rows) const {
  for (Row& row : side.rows) {
    const Rows::Record& record = rows.records_[row.number];
    const bool stays = record.items != nullptr && ArrayPool::fits(record.size_class, row.length) && !row.is_kept;
    if (stays || row.length == 0) continue;
    row.size_class = ArrayPool::class_of(ArrayPool::with_spare(row.length));
    row.to = rows.pool_->take(row.size_class);
  }
}

void RowEdits::give_back(Side& side, Rows& rows) {
  for (Row& row : side.rows) {
    if (row.to != nullptr) rows.pool_->give_back(std::exchange(row.to, nullptr), row.size_class);
  }
}

/// Writes the items after the changes. Items between two changes move by the number of earlier insertions minus
/// deletions: within one array, items that move down go first, from the start, then those that move up, from the end,
/// so that nothing is overwritten before it is read.
void RowEdits::write(const Side& side, const Row& row, const std::uint32_t* from, std::uint32_t size,
                     std::uint32_t* to) {
  const auto part = [&](std::uint32_t i, std::int64_t shift) {
    const std::uint32_t begin = i == row.first ? 0 : side.at[i - 1] + (side.changes[i - 1].is_insert ? 0 : 1);
    const std::uint32_t end = i == row.end ? size : side.at[i];
    if (begin != end) std::memmove(to + (begin + shift), from + begin, (end - begin) * sizeof(std::uint32_t));
  };
  std::int64_t shift = 0;
  for (std::uint32_t i = row.first; i <= row.end; ++i) {
    if (from != to || shift < 0) part(i, shift);
    if (i != row.end) shift += side.changes[i].is_insert ? 1 : -1;
  }
  for (std::uint32_t i = row.end; from == to; --i) {
    if (shift > 0) part(i, shift);
    if (i == row.first) break;
    shift -= side.changes[i - 1].is_insert ? 1 : -1;
  }
  shift = 0;
  for (std::uint32_t i = row.first; i < row.end; ++i) {
    if (side.changes[i].is_insert) to[side.at[i] + shift] = side.changes[i].item();
    shift += side.changes[i].is_insert ? 1 : -1;
  }
}

/// Writes the rows, and installs their arrays in the graph.
void RowEdits::finish(Side& side, bool backwards, KeptRows* maybe_kept) {
  Rows& rows = graph_.rows(backwards);
  each_row_number(side.rows.size(), [&](std::size_t i) {
    const Row& row = side.rows[i];
    const Rows::Record& record = rows.records_[row.number];
    if (row.length != 0) write(side, row, record.items, record.length, row.to != nullptr ? row.to : record.items);
  });
  for (const Row& row : side.rows) {
    Rows::Record& record = rows.records_[row.number];
    if (row.is_kept) {
      maybe_kept->keep(backwards, row.number, record.items, record.length, record.size_class);
    } else if (record.items != nullptr && (row.to != nullptr || row.length == 0)) {
      rows.pool_->give_back(record.items, record.size_class);
    }
    if (row.to != nullptr || row.length == 0) {
      record.items = row.to;
      record.size_class = row.size_class;
    }
    record.length = row.length;
  }
}

bool RowEdits::make(std::span<const Edge> edges, KeptRows* maybe_kept) {
  const bool directed = graph_.directed();
  std::int64_t more = 0;
  for (Side& side : sides_) side.changes.clear();
  const auto add = [&](Side& side, std::uint32_t row, std::uint32_t item, bool is_insert) {
    side.changes.push_back({std::uint64_t{row} << kHigh | item, is_insert});
  };
  for (const Edge& edge : edges) {
    add(sides_[0], graph_.row_of(edge.u, edge.layer), edge.v, edge.is_insert);
    add(sides_[directed ? 1 : 0], graph_.row_of(edge.v, edge.layer), edge.u, edge.is_insert);
    if (edge.layer == 0) more += edge.is_insert ? 1 : -1;
  }
  const std::size_t count = directed ? 2 : 1;
  bool fits = true;
  for (std::size_t i = 0; i < count; ++i) {
    find_rows(sides_[i]);
    fits = look(sides_[i], graph_.rows(i != 0), i != 0, maybe_kept) && fits;
  }
  if (!fits) return false;
  try {
    std::size_t rows = 0;
    for (std::size_t i = 0; i < count; ++i) {
      rows += sides_[i].rows.size();
      take_arrays(sides_[i], graph_.rows(i != 0));
    }
    if (maybe_kept != nullptr) maybe_kept->reserve(rows);
  } catch (...) {
    for (std::size_t i = 0; i < count; ++i) give_back(sides_[i], graph_.rows(i != 0));
    throw;
  }
  for (std::size_t i = 0; i < count; ++i) finish(sides_[i], i != 0, maybe_kept);
  graph_.set_edge_count(static_cast<std::uint64_t>(static_cast<std::int64_t>(graph_.edge_count()) + more));
  return true;
}

}  // namespace matcha::runtime::stream
