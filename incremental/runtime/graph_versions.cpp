#include "incremental/runtime/graph_versions.h"

#include <algorithm>
#include <cstring>

namespace matcha::runtime::stream {

namespace {

/// Items of all rows kept at a time: 16 MiB, less for smaller graphs.
constexpr std::uint64_t kMostItems = std::uint64_t{1} << 22, kLeastItems = std::uint64_t{1} << 16;
/// A row with fewer changes is scanned from the start.
constexpr std::uint32_t kFewChanges = 8;

}  // namespace

void GraphVersions::count_row(bool backwards, std::uint32_t row, bool come, std::uint64_t& items) {
  Rows& rows = graph_.rows(backwards);
  std::uint32_t mark = rows.mark(row);
  if (mark == 0) {
    rows_.push_back({row, backwards, 0, 0});
    mark = static_cast<std::uint32_t>(rows_.size());
    rows.set_mark(row, mark);
  }
  ChangingRow& changing = rows_[mark - 1];
  ++changing.changes;
  // Deletions shorten rows; a row with fewer items than deletions is rejected later.
  const std::uint64_t length = rows.row(row).size();
  items += come ? length + changing.changes : length - std::min<std::uint64_t>(length, changing.changes);
}

void GraphVersions::count(const EdgeUpdate& update, bool come, std::uint64_t& items) {
  count_row(false, graph_.row_of(update.u, update.layer), come, items);
  count_row(true, graph_.row_of(update.v, update.layer), come, items);
  if (update.layer == 0) ++edges_;
}

std::size_t GraphVersions::open(std::span<const EdgeUpdate> updates, bool come) {
  come_ = come;
  edges_ = 0;
  std::uint64_t items = 0;
  const std::uint64_t most_items = std::clamp(graph_.edge_count() / 2, kLeastItems, kMostItems);
  const std::size_t most = std::min<std::size_t>(updates.size(), Rows::kMostMarks / 2 - 1);
  try {
    for (updates_ = 0; updates_ < most && (updates_ == 0 || items < most_items); ++updates_) {
      count(updates[updates_], come, items);
    }
    if (room_ < items) {
      room_ = 0;
      items_ = std::make_unique_for_overwrite<std::uint32_t[]>(items + items / 4);
      room_ = items + items / 4;
    }
    used_ = 0;
    if (make(updates.first(updates_))) return updates_;
  } catch (...) {
    forget();
    throw;
  }
  forget();
  return 0;
}

/// Sorts the changes by row, and builds the resulting rows; false if one does not fit.
bool GraphVersions::make(std::span<const EdgeUpdate> updates) {
  std::uint64_t first = 0;
  for (ChangingRow& row : rows_) {
    row.first = first;
    first += row.changes;
    row.changes = 0;
  }
  changes_.resize(first);
  const auto add = [&](bool backwards, std::uint32_t row, std::uint32_t item, std::uint32_t update) {
    ChangingRow& changing = rows_[graph_.rows(backwards).mark(row) - 1];
    changes_[changing.first + changing.changes++] = {update, item, 0, 0};
  };
  for (std::uint32_t i = 0; i < updates.size(); ++i) {
    const EdgeUpdate& update = updates[i];
    add(false, graph_.row_of(update.u, update.layer), update.v, i);
    add(true, graph_.row_of(update.v, update.layer), update.u, i);
  }
  return std::ranges::all_of(rows_, [this](const ChangingRow& row) { return make_row(row); });
}

bool GraphVersions::make_row(const ChangingRow& row) {
  std::span<const std::uint32_t> last = graph_.rows(row.backwards).row(row.row);
  for (std::uint32_t i = 0; i < row.changes; ++i) {
    Change& change = changes_[row.first + i];
    const std::uint32_t n = static_cast<std::uint32_t>(last.size());
    const std::uint32_t at = lower_position(last.data(), n, change.item);
    const bool there = at < n && last[at] == change.item;
    if (there == come_) return false;
    std::uint32_t* const items = items_.get() + used_;
    change.items = used_;
    change.length = come_ ? n + 1 : n - 1;
    const std::uint32_t behind = come_ ? at : at + 1;
    if (at != 0) std::memcpy(items, last.data(), at * sizeof(std::uint32_t));
    if (come_) items[at] = change.item;
    if (behind != n) {
      std::memcpy(items + (come_ ? at + 1 : at), last.data() + behind, (n - behind) * sizeof(std::uint32_t));
    }
    used_ += change.length;
    last = {items, change.length};
  }
  return true;
}

void GraphVersions::forget() {
  for (const ChangingRow& row : rows_) graph_.rows(row.backwards).set_mark(row.row, 0);
  rows_.clear();
  updates_ = 0;
}

void GraphVersions::close(bool made) {
  const std::uint64_t edges = graph_.edge_count();
  for (ChangingRow& row : rows_) {
    graph_.rows(row.backwards).set_mark(row.row, 0);
    if (!made) continue;
    const Change& last = changes_[row.first + row.changes - 1];
    graph_.rows(row.backwards).set(row.row, {items_.get() + last.items, last.length});
    graph_.note_change(row.row);
  }
  if (made) graph_.set_edge_count(come_ ? edges + edges_ : edges - edges_);
  rows_.clear();
  updates_ = 0;
}

/// The row after the last change before an update; a deleted edge is already removed for its own update.
std::span<const std::uint32_t> GraphVersions::version(const Rows& rows, const ChangingRow& row,
                                                      std::uint32_t update) const {
  const Change* const first = changes_.data() + row.first;
  const std::uint32_t end = come_ ? update : update + 1;
  std::uint32_t seen = 0;
  if (row.changes < kFewChanges) {
    while (seen < row.changes && first[seen].update < end) ++seen;
  } else {
    const auto last =
        std::partition_point(first, first + row.changes, [end](const Change& change) { return change.update < end; });
    seen = static_cast<std::uint32_t>(last - first);
  }
  if (seen == 0) return rows.row(row.row);
  return {items_.get() + first[seen - 1].items, first[seen - 1].length};
}

}  // namespace matcha::runtime::stream
