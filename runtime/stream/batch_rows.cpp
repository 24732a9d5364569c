#include "runtime/stream/batch_rows.h"

#include <algorithm>
#include <cstring>

namespace matcha::runtime::stream {

namespace {

/// The stamp of an item that no update brings, or takes.
constexpr std::uint32_t kAlways = 0, kNever = ~std::uint32_t{0};

}  // namespace

/// Which rows change, and how often; then their changes, row by row.
void BatchRows::find_rows(std::span<const EdgeUpdate> updates) {
  for (const Row& row : rows_) {
    if (row.place < row_of_[row.backwards].size()) row_of_[row.backwards][row.place] = 0;
  }
  rows_.clear();
  for (const bool backwards : {false, true}) row_of_[backwards].resize(graph_.rows(backwards).size(), 0);
  // Of an undirected graph both ends have rows of the same kind.
  const bool directed = graph_.directed();
  const auto count = [&](bool backwards, std::uint32_t place) {
    std::uint32_t& number = row_of_[backwards][place];
    if (number == 0) {
      Row& row = rows_.emplace_back();
      row.place = place;
      row.backwards = backwards;
      number = static_cast<std::uint32_t>(rows_.size());
    }
    ++rows_[number - 1].changes;
  };
  for (const EdgeUpdate& update : updates) {
    count(false, update.u);
    count(directed, update.v);
  }
  std::uint64_t first = 0;
  for (Row& row : rows_) {
    row.first = first;
    first += row.changes;
    row.changes = 0;
  }
  changes_.resize(first);
  const auto add = [&](bool backwards, std::uint32_t place, const Change& change) {
    Row& row = rows_[row_of_[backwards][place] - 1];
    changes_[row.first + row.changes++] = change;
  };
  for (std::uint32_t i = 0; i < updates.size(); ++i) {
    const std::uint32_t stamp = come_ ? i + 1 : i;
    add(false, updates[i].u, {updates[i].v, stamp});
    add(directed, updates[i].v, {updates[i].u, stamp});
  }
}

bool BatchRows::open(std::span<const EdgeUpdate> updates, bool come) {
  come_ = come;
  updates_ = updates.size();
  used_ = 0;
  find_rows(updates);
  std::uint64_t words = 0;
  for (const Row& row : rows_) {
    const std::uint64_t length = graph_.rows(row.backwards).row(row.place).size();
    words += come ? 2 * (length + row.changes) : 3 * length;
  }
  if (room_ < words) {
    room_ = 0;
    words_ = std::make_unique_for_overwrite<std::uint32_t[]>(words + words / 4);
    room_ = words + words / 4;
  }
  return std::ranges::all_of(rows_, [this](Row& row) { return make(row); });
}

bool BatchRows::make(Row& row) {
  const auto begin = changes_.begin() + static_cast<std::ptrdiff_t>(row.first);
  std::sort(begin, begin + row.changes, [](const Change& a, const Change& b) { return a.item < b.item; });
  const std::span<const std::uint32_t> base = graph_.rows(row.backwards).row(row.place);
  row.items = used_;
  return come_ ? merge(row, base) : mark(row, base);
}

/// The row with what comes; false if some of it is there, or comes twice.
bool BatchRows::merge(Row& row, std::span<const std::uint32_t> base) {
  row.size = static_cast<std::uint32_t>(base.size()) + row.changes;
  std::uint32_t* items = words_.get() + used_;
  std::uint32_t* stamps = items + row.size;
  const Change* change = changes_.data() + row.first;
  const Change* const end = change + row.changes;
  std::size_t at = 0;
  std::uint32_t last = DynamicGraph::kNone;
  for (; change != end; ++change) {
    const std::size_t next =
        at + lower_position(base.data() + at, static_cast<std::uint32_t>(base.size() - at), change->item);
    if (change->item == last || (next < base.size() && base[next] == change->item)) return false;
    last = change->item;
    items = std::copy(base.data() + at, base.data() + next, items);
    stamps = std::fill_n(stamps, next - at, kAlways);
    *items++ = change->item;
    *stamps++ = change->stamp;
    at = next;
  }
  std::copy(base.data() + at, base.data() + base.size(), items);
  std::fill_n(stamps, base.size() - at, kAlways);
  row.after = row.items;
  row.after_size = row.size;
  used_ += 2 * std::uint64_t{row.size};
  return true;
}

/// The row with what goes marked, and the row without it; false if some of it is not there, or goes twice.
bool BatchRows::mark(Row& row, std::span<const std::uint32_t> base) {
  row.size = static_cast<std::uint32_t>(base.size());
  if (row.changes > row.size) return false;
  std::uint32_t* const items = words_.get() + used_;
  std::uint32_t* const stamps = items + row.size;
  std::uint32_t* after = stamps + row.size;
  std::copy(base.begin(), base.end(), items);
  std::fill_n(stamps, row.size, kNever);
  std::size_t at = 0;
  for (const Change* change = changes_.data() + row.first; change != changes_.data() + row.first + row.changes;
       ++change) {
    const std::size_t next =
        at + lower_position(base.data() + at, static_cast<std::uint32_t>(base.size() - at), change->item);
    if (next == base.size() || base[next] != change->item) return false;
    stamps[next] = change->stamp;
    after = std::copy(base.data() + at, base.data() + next, after);
    at = next + 1;
  }
  std::copy(base.data() + at, base.data() + base.size(), after);
  row.after = row.items + 2 * std::uint64_t{row.size};
  row.after_size = row.size - row.changes;
  used_ = row.after + row.after_size;
  return true;
}

void BatchRows::close() {
  for (const Row& row : rows_) {
    graph_.rows(row.backwards).set(row.place, {words_.get() + row.after, row.after_size});
  }
  const std::uint64_t edges = graph_.edge_count();
  graph_.set_edge_count(come_ ? edges + updates_ : edges - updates_);
}

}  // namespace matcha::runtime::stream
