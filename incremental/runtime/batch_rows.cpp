#include "incremental/runtime/batch_rows.h"

#include <algorithm>
#include <utility>

#include "incremental/runtime/device/delta_data.h"

namespace matcha::runtime::stream {

using matcha_program::kDeltaDeletes;

/// Finds the changed rows and their numbers of changes; then collects their changes by row.
void BatchRows::find_rows(std::span<const BatchUpdate> updates) {
  for (const Row& row : rows_) {
    if (row.row < row_of_[row.backwards].size()) row_of_[row.backwards][row.row] = 0;
  }
  rows_.clear();
  for (const bool backwards : {false, true}) row_of_[backwards].resize(graph_.rows(backwards).size(), 0);
  // In an undirected graph both ends have rows of the same kind.
  const bool directed = graph_.directed();
  const auto count = [&](bool backwards, std::uint32_t of) {
    std::uint32_t& number = row_of_[backwards][of];
    if (number == 0) {
      Row& row = rows_.emplace_back();
      row.row = of;
      row.backwards = backwards;
      number = static_cast<std::uint32_t>(rows_.size());
    }
    ++rows_[number - 1].changes;
  };
  for (const BatchUpdate& update : updates) {
    count(false, graph_.row_of(update.u, update.layer));
    count(directed, graph_.row_of(update.v, update.layer));
  }
  std::uint32_t first = 0;
  for (Row& row : rows_) {
    row.word = first;
    first += std::exchange(row.changes, 0);
  }
  changes_.resize(first);
  const auto add = [&](bool backwards, std::uint32_t of, const Change& change) {
    Row& row = rows_[row_of_[backwards][of] - 1];
    changes_[row.word + row.changes++] = change;
  };
  for (std::uint32_t i = 0; i < updates.size(); ++i) {
    const BatchUpdate& update = updates[i];
    const std::uint32_t stamp = update.is_insert() ? i + 1 : i | kDeltaDeletes;
    add(false, graph_.row_of(update.u, update.layer), {update.v, stamp});
    add(directed, graph_.row_of(update.v, update.layer), {update.u, stamp});
  }
}

bool BatchRows::open(std::span<const BatchUpdate> updates, Graph graph, bool known) {
  state_ = graph;
  more_edges_ = 0;
  bool fits = true;
  for (const BatchUpdate& update : updates) {
    if (update.layer == 0) more_edges_ += update.is_insert() ? 1 : -1;
    const bool is_there = update.is_insert() == (graph == Graph::After);
    fits = fits && (known || graph_.has_edge(update.u, update.v, update.layer) == is_there);
  }
  find_rows(updates);
  words_.assign(1, 0);
  words_.reserve(1 + 2 * changes_.size() + rows_.size());
  for (Row& row : rows_) fits = make(row, changes_.data() + row.word) && fits;
  return fits;
}

/// Writes the words of a row; false if an item changes twice.
bool BatchRows::make(Row& row, Change* changes) {
  Change* const end = changes + row.changes;
  std::sort(changes, end, [](const Change& a, const Change& b) { return a.item < b.item; });
  row.word = static_cast<std::uint32_t>(words_.size());
  words_.push_back(row.changes);
  for (const Change* change = changes; change != end; ++change) words_.push_back(change->item);
  bool fits = true;
  for (const Change* change = changes; change != end; ++change) {
    words_.push_back(change->stamp);
    row.more += change->stamp < kDeltaDeletes ? 1 : -1;
    fits = fits && (change == changes || change[-1].item != change->item);
  }
  return fits;
}

/// Writes the row of the graph with the changes applied, or undone, to `merged_`.
void BatchRows::merge(const Row& row, bool undone) {
  const std::span<const std::uint32_t> base = graph_.rows(row.backwards).row(row.row);
  const std::uint32_t *const items = words_.data() + row.word + 1, *const stamps = items + row.changes;
  merged_.clear();
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < row.changes; ++i) {
    const std::uint32_t* const from = base.data() + at;
    const std::size_t next = at + lower_position(from, static_cast<std::uint32_t>(base.size() - at), items[i]);
    merged_.insert(merged_.end(), from, base.data() + next);
    const bool is_insert = (stamps[i] < kDeltaDeletes) != undone;
    if (is_insert) merged_.push_back(items[i]);
    at = next + (next < base.size() && base[next] == items[i] ? 1 : 0);
  }
  merged_.insert(merged_.end(), base.data() + at, base.data() + base.size());
}

std::span<const std::uint32_t> BatchRows::row_before(bool backwards, std::uint32_t row) {
  const Row* const maybe_changed = state_ == Graph::After ? find(backwards, row) : nullptr;
  if (maybe_changed == nullptr) return graph_.rows(backwards).row(row);
  merge(*maybe_changed, true);
  return merged_;
}

void BatchRows::close() {
  for (const Row& row : rows_) {
    Rows& rows = graph_.rows(row.backwards);
    if (row.changes == 1) {
      const std::uint32_t item = words_[row.word + 1], stamp = words_[row.word + 2];
      (void)(stamp < kDeltaDeletes ? rows.insert(row.row, item) : rows.erase(row.row, item));
    } else {
      merge(row, false);
      rows.set(row.row, merged_);
    }
  }
  graph_.set_edge_count(static_cast<std::uint64_t>(static_cast<std::int64_t>(graph_.edge_count()) + more_edges_));
}

}  // namespace matcha::runtime::stream
