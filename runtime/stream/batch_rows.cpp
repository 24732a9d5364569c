#include "runtime/stream/batch_rows.h"

#include <algorithm>

#include "runtime/common/delta_data.h"

namespace matcha::runtime::stream {

namespace {

using matcha_program::kDeltaGoes;

}  // namespace

/// Which rows change, and how often; then their changes, row by row.
void BatchRows::find_rows(std::span<const BatchUpdate> updates) {
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
  for (const BatchUpdate& update : updates) {
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
    const std::uint32_t stamp = updates[i].comes() ? i + 1 : i | kDeltaGoes;
    add(false, updates[i].u, {updates[i].v, stamp});
    add(directed, updates[i].v, {updates[i].u, stamp});
  }
}

bool BatchRows::open(std::span<const BatchUpdate> updates, Graph graph) {
  used_ = 0;
  more_edges_ = 0;
  for (const BatchUpdate& update : updates) more_edges_ += update.comes() ? 1 : -1;
  find_rows(updates);
  std::uint64_t words = 0;
  for (const Row& row : rows_) words += 3 * (graph_.rows(row.backwards).row(row.place).size() + row.changes);
  if (room_ < words) {
    room_ = 0;
    words_ = std::make_unique_for_overwrite<std::uint32_t[]>(words + words / 4);
    room_ = words + words / 4;
  }
  return std::ranges::all_of(rows_, [this, graph](Row& row) { return make(row, graph); });
}

/// The row with all that is ever there, with stamps, and, where something goes, what is left; false if the changes do
/// not fit.
bool BatchRows::make(Row& row, Graph graph) {
  Change* change = changes_.data() + row.first;
  Change* const end = change + row.changes;
  std::sort(change, end, [](const Change& a, const Change& b) { return a.item < b.item; });
  // Changes of items that the graph has mark them, and the others bring theirs.
  const bool marks_goes = graph == Graph::Before;
  std::uint32_t marks = 0, goes = 0;
  for (const Change* one = change; one != end; ++one) {
    goes += one->stamp >= kDeltaGoes ? 1 : 0;
    marks += (one->stamp >= kDeltaGoes) == marks_goes ? 1 : 0;
  }
  const std::span<const std::uint32_t> base = graph_.rows(row.backwards).row(row.place);
  if (marks > base.size()) return false;
  row.size = static_cast<std::uint32_t>(base.size()) + row.changes - marks;
  row.items = used_;
  std::uint32_t* items = words_.get() + used_;
  std::uint32_t* stamps = items + row.size;
  std::uint32_t* after = stamps + row.size;
  used_ += 2 * std::uint64_t{row.size};
  row.after = goes == 0 ? row.items : used_;
  row.after_size = row.size - goes;
  if (goes != 0) used_ += row.after_size;
  std::size_t at = 0;
  std::uint32_t last = DynamicGraph::kNone;
  for (; change != end; ++change) {
    const std::size_t next =
        at + lower_position(base.data() + at, static_cast<std::uint32_t>(base.size() - at), change->item);
    const bool is_there = next < base.size() && base[next] == change->item;
    const bool marked = (change->stamp >= kDeltaGoes) == marks_goes;
    if (change->item == last || is_there != marked) return false;
    last = change->item;
    items = std::copy(base.data() + at, base.data() + next, items);
    stamps = std::fill_n(stamps, next - at, 0);
    if (goes != 0) after = std::copy(base.data() + at, base.data() + next, after);
    *items++ = change->item;
    *stamps++ = change->stamp;
    if (goes != 0 && change->stamp < kDeltaGoes) *after++ = change->item;
    at = next + (is_there ? 1 : 0);
  }
  std::copy(base.data() + at, base.data() + base.size(), items);
  std::fill_n(stamps, base.size() - at, 0);
  if (goes != 0) std::copy(base.data() + at, base.data() + base.size(), after);
  return true;
}

void BatchRows::close() {
  for (const Row& row : rows_) {
    graph_.rows(row.backwards).set(row.place, {words_.get() + row.after, row.after_size});
  }
  graph_.set_edge_count(static_cast<std::uint64_t>(static_cast<std::int64_t>(graph_.edge_count()) + more_edges_));
}

}  // namespace matcha::runtime::stream
