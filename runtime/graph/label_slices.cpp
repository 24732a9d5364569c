#include "runtime/graph/label_slices.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "runtime/graph/detail/row_checks.h"
#include "runtime/graph/detail/source.h"
#include "runtime/graph/graph.h"
#include "runtime/parallel.h"

namespace matcha::runtime {

namespace {

constexpr std::uint64_t kRowGrain = std::uint64_t{1} << 14;

/// The arrays of a table that this file built.
struct Arrays {
  std::vector<LabelEntry> labels;
  Buffer<std::uint32_t> rows;
  Buffer<std::uint32_t> ends;
  Buffer<std::uint32_t> items;

  LabelTable table() const {
    return {labels, {rows.data(), rows.size()}, {ends.data(), ends.size()}, {items.data(), items.size()}};
  }
};

constexpr std::uint64_t key_of(std::uint32_t row, std::uint32_t item) { return std::uint64_t{row} << 32 | item; }
constexpr std::uint32_t row_of(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); }
constexpr std::uint32_t item_of(std::uint64_t key) { return static_cast<std::uint32_t>(key); }

/// The labels of the arcs, ascending. `numbers`: for each arc, the place of its label.
std::vector<std::int64_t> number_labels(const GraphView& view, Buffer<std::uint32_t>& numbers) {
  const std::int64_t* const info = static_cast<const std::int64_t*>(view.edge_info);
  std::unordered_map<std::int64_t, std::uint32_t> seen;
  std::vector<std::int64_t> labels;
  for (std::uint64_t at = 0; at < view.arc_count; ++at) {
    if (at != 0 && info[at] == info[at - 1]) {
      numbers[at] = numbers[at - 1];
      continue;
    }
    const auto [found, is_new] = seen.try_emplace(info[at], static_cast<std::uint32_t>(labels.size()));
    if (is_new) labels.push_back(info[at]);
    numbers[at] = found->second;
  }
  std::vector<std::uint32_t> order(labels.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return labels[a] < labels[b]; });
  std::vector<std::uint32_t> place(labels.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  for_blocks(Block(0, view.arc_count, kRowGrain), [&](const Block& block) {
    for (std::uint64_t at = block.begin(); at != block.end(); ++at) numbers[at] = place[numbers[at]];
  });
  std::sort(labels.begin(), labels.end());
  return labels;
}

/// The arcs as keys, sorted by label, source and target; those of label i end at `ends[i]`.
Buffer<std::uint64_t> sorted_keys(const GraphView& view, const Buffer<std::uint32_t>& numbers,
                                  std::vector<std::uint64_t>& ends) {
  Buffer<std::uint64_t> keys(view.arc_count);
  for (std::uint64_t at = 0; at < view.arc_count; ++at) ++ends[numbers[at]];
  std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), std::uint64_t{0});
  for (std::uint64_t rank = 0; rank < view.universe; ++rank) {
    const ArcRange arcs = arcs_of(view, rank);
    for (std::uint64_t at = arcs.begin; at != arcs.end; ++at) {
      keys[ends[numbers[at]]++] = key_of(static_cast<std::uint32_t>(rank), view.neighbors[at]);
    }
  }
  return keys;
}

std::uint64_t count_rows(const std::uint64_t* keys, std::uint64_t count) {
  std::uint64_t rows = count == 0 ? 0 : 1;
  for (std::uint64_t at = 1; at < count; ++at) rows += row_of(keys[at]) != row_of(keys[at - 1]) ? 1 : 0;
  return rows;
}

/// Writes the rows, ends and items of one part.
void write_part(const std::uint64_t* keys, std::uint64_t count, std::uint32_t* rows, std::uint32_t* ends,
                std::uint32_t* items) {
  for (std::uint64_t at = 0; at < count; ++at) {
    items[at] = item_of(keys[at]);
    if (at + 1 != count && row_of(keys[at + 1]) == row_of(keys[at])) continue;
    *rows++ = row_of(keys[at]);
    *ends++ = static_cast<std::uint32_t>(at + 1);
  }
}

std::shared_ptr<const Arrays> build(const GraphView& view, bool directed) {
  auto made = std::make_shared<Arrays>();
  Buffer<std::uint32_t> numbers(view.arc_count);
  const std::vector<std::int64_t> labels = number_labels(view, numbers);
  std::vector<std::uint64_t> key_ends(labels.size(), 0);
  Buffer<std::uint64_t> keys = sorted_keys(view, numbers, key_ends);
  numbers = {};
  const auto begin_of = [&](std::size_t label) { return label == 0 ? 0 : key_ends[label - 1]; };
  made->labels.resize(labels.size());
  Buffer<std::uint64_t> turned(directed ? keys.size() : 0);
  for_indices(0, labels.size(), [&](std::size_t i) {
    LabelEntry& entry = made->labels[i];
    std::uint64_t* const begin = keys.data() + begin_of(i);
    entry.label = labels[i];
    entry.arcs = static_cast<std::uint64_t>(std::unique(begin, keys.data() + key_ends[i]) - begin);
    entry.source_rows = count_rows(begin, entry.arcs);
    if (!directed) return;
    std::uint64_t* const back = turned.data() + begin_of(i);
    std::transform(begin, begin + entry.arcs, back,
                   [](std::uint64_t key) { return key_of(item_of(key), row_of(key)); });
    tbb::parallel_sort(back, back + entry.arcs);
    entry.target_rows = count_rows(back, entry.arcs);
  });
  std::vector<std::uint64_t> rows_at, items_at;
  std::uint64_t rows = 0, items = 0;
  for (const LabelEntry& entry : made->labels) {
    rows_at.push_back(rows);
    items_at.push_back(items);
    rows += entry.source_rows + entry.target_rows;
    items += entry.arcs * (directed ? 2 : 1);
  }
  made->rows = Buffer<std::uint32_t>(rows);
  made->ends = Buffer<std::uint32_t>(rows);
  made->items = Buffer<std::uint32_t>(items);
  for_indices(0, labels.size(), [&](std::size_t i) {
    const LabelEntry& entry = made->labels[i];
    std::uint32_t* const row = made->rows.data() + rows_at[i];
    std::uint32_t* const end = made->ends.data() + rows_at[i];
    std::uint32_t* const item = made->items.data() + items_at[i];
    write_part(keys.data() + begin_of(i), entry.arcs, row, end, item);
    if (!directed) return;
    write_part(turned.data() + begin_of(i), entry.arcs, row + entry.source_rows, end + entry.source_rows,
               item + entry.arcs);
  });
  return made;
}

/// A part as a graph.
Graph graph_of(const Graph& graph, const LabelPart& part, std::shared_ptr<const void> owner) {
  struct Kept {
    Buffer<std::uint64_t> offsets;
    std::shared_ptr<const void> owner;
  };
  const auto kept = std::make_shared<Kept>();
  const std::uint64_t universe = graph.universe().size();
  kept->offsets = Buffer<std::uint64_t>(universe + 1);
  kept->owner = std::move(owner);
  std::uint64_t* const offsets = kept->offsets.data();
  const std::uint64_t rows = part.rows.size();
  // The offsets after the previous row up to this row are the start of this row.
  for_blocks(Block(0, rows + 1, kRowGrain), [&](const Block& block) {
    for (std::uint64_t row = block.begin(); row != block.end(); ++row) {
      const std::uint64_t first = row == 0 ? 0 : part.rows[row - 1] + std::uint64_t{1};
      const std::uint64_t last = row == rows ? universe : part.rows[row];
      std::fill(offsets + first, offsets + last + 1, row == 0 ? 0 : part.ends[row - 1]);
    }
  });
  GraphView view{};
  view.arc_count = part.items.size();
  view.offsets = offsets;
  view.neighbors = part.items.data();
  // An empty list of vertices differs from an absent one.
  static constexpr std::uint32_t kNone[1] = {0};
  view.vertices = rows == universe ? nullptr : rows == 0 ? kNone : part.rows.data();
  view.vertex_count = rows;
  GraphFacts facts;
  facts.directed = graph.facts().directed;
  facts.loop_free = facts.simple = graph.facts().loop_free || graph.facts().simple;
  return Graph::from_view(graph.shared_universe(), view, facts, kept);
}

Graph turned_graph(const Graph& graph) {
  const GraphView view = graph.view();
  GraphArrays arrays;
  arrays.offsets = Buffer<std::uint64_t>(view.universe + 1);
  arrays.neighbors = Buffer<std::uint32_t>(view.arc_count);
  const std::uint64_t* const info = static_cast<const std::uint64_t*>(view.edge_info);
  if (info != nullptr) arrays.edge_info = Buffer<std::uint64_t>(view.arc_count);
  std::uint64_t* const offsets = arrays.offsets.data();
  std::fill(arrays.offsets.begin(), arrays.offsets.end(), 0);
  for (std::uint64_t at = 0; at < view.arc_count; ++at) ++offsets[view.neighbors[at]];
  std::exclusive_scan(offsets, offsets + view.universe + 1, offsets, std::uint64_t{0});
  for (std::uint64_t rank = 0; rank < view.universe; ++rank) {
    const ArcRange arcs = arcs_of(view, rank);
    for (std::uint64_t at = arcs.begin; at != arcs.end; ++at) {
      const std::uint64_t place = offsets[view.neighbors[at]]++;
      arrays.neighbors[place] = static_cast<std::uint32_t>(rank);
      if (info != nullptr) arrays.edge_info[place] = info[at];
    }
  }
  // Each offset is now the end of its row.
  std::copy_backward(offsets, offsets + view.universe, offsets + view.universe + 1);
  offsets[0] = 0;
  if (view.vertices != nullptr) {
    arrays.vertices = Buffer<std::uint32_t>(view.vertex_count);
    std::copy_n(view.vertices, view.vertex_count, arrays.vertices.data());
  }
  return Graph::from_arrays(graph.shared_universe(), std::move(arrays), graph.facts());
}

Error no_labels() {
  Error error;
  error.kind = ErrorKind::Runtime;
  error.message = "the edges of the graph have no labels";
  return error;
}

}  // namespace

bool LabelSlices::is_made() {
  const std::lock_guard lock(mutex_);
  return owner_ != nullptr;
}

Result<LabelTable> LabelSlices::table_now(const Graph& graph) {
  if (owner_ != nullptr) return table_;
  const GraphView view = graph.view();
  if (view.arc_count != 0 && (view.edge_info == nullptr || graph.facts().info != InfoKind::Int)) return no_labels();
  const std::shared_ptr<const Arrays> made = build(view, graph.facts().directed);
  table_ = made->table();
  owner_ = made;
  return table_;
}

Result<LabelTable> LabelSlices::table(const Graph& graph) {
  try {
    const std::lock_guard lock(mutex_);
    return table_now(graph);
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

Result<std::shared_ptr<const Graph>> LabelSlices::slice(const Graph& graph, ArcSide side, std::int64_t label) {
  try {
    const std::lock_guard lock(mutex_);
    const bool directed = graph.facts().directed;
    std::shared_ptr<const Graph>& kept = slices_[{directed ? side : ArcSide::Targets, label}];
    if (kept != nullptr) return kept;
    const LabelTable table = MATCHA_TRY(table_now(graph));
    kept = std::make_shared<const Graph>(graph_of(graph, part_of(table, directed, side, label), owner_));
    return kept;
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

Result<std::shared_ptr<const Graph>> LabelSlices::backwards(const Graph& graph) {
  try {
    const std::lock_guard lock(mutex_);
    if (backwards_ == nullptr) backwards_ = std::make_shared<const Graph>(turned_graph(graph));
    return backwards_;
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

LabelPart part_of(const LabelTable& table, bool directed, ArcSide side, std::int64_t label) {
  const auto found = std::ranges::lower_bound(table.labels, label, {}, &LabelEntry::label);
  if (found == table.labels.end() || found->label != label) return {};
  std::uint64_t rows_at = 0, items_at = 0;
  for (auto before = table.labels.begin(); before != found; ++before) {
    rows_at += before->source_rows + before->target_rows;
    items_at += before->arcs * (directed ? 2 : 1);
  }
  std::uint64_t rows = found->source_rows;
  if (directed && side == ArcSide::Sources) {
    rows_at += found->source_rows;
    items_at += found->arcs;
    rows = found->target_rows;
  }
  return {table.rows.subspan(rows_at, rows), table.ends.subspan(rows_at, rows),
          table.items.subspan(items_at, found->arcs)};
}

LabelPartFacts facts_of(const LabelPart& part) {
  LabelPartFacts facts;
  facts.rows = part.rows.size();
  facts.arcs = part.items.size();
  for (std::size_t row = 0; row < part.ends.size(); ++row) {
    const std::uint64_t size = part.ends[row] - (row == 0 ? 0 : part.ends[row - 1]);
    facts.longest = std::max(facts.longest, size);
    facts.squares += static_cast<double>(size) * static_cast<double>(size);
  }
  return facts;
}

/// True if the rows [first, last) of a part and their items ascend, are ranks, and none is empty. Descents inside a row
/// are counted as all descents minus those at the start of a row.
static bool rows_are_good(const LabelPart& part, std::uint64_t first, std::uint64_t last, std::uint64_t universe) {
  const std::uint64_t before = first == 0 ? 0 : 1;
  const std::uint32_t* const rows = part.rows.data();
  const std::uint32_t* const ends = part.ends.data();
  const std::uint32_t* const items = part.items.data();
  if (detail::descents(rows + first - before, last - first + before, true) != 0 || rows[last - 1] >= universe)
    return false;
  if (detail::descents(ends + first - before, last - first + before, true) != 0 || ends[last - 1] > part.items.size())
    return false;
  const std::uint64_t begin = first == 0 ? 0 : ends[first - 1];
  if (begin == ends[first]) return false;
  std::uint64_t allowed = 0, outside = 0;
  for (std::uint64_t row = first; row + 1 < last; ++row) {
    allowed += items[ends[row] - 1] >= items[ends[row]] ? 1 : 0;
    outside += items[ends[row] - 1] >= universe ? 1 : 0;
  }
  outside += items[ends[last - 1] - 1] >= universe ? 1 : 0;
  return outside == 0 && detail::descents(items + begin, ends[last - 1] - begin, true) == allowed;
}

static bool is_good(const LabelPart& part, std::uint64_t universe) {
  const std::uint64_t rows = part.rows.size();
  if (rows == 0) return part.items.empty();
  if (part.ends[rows - 1] != part.items.size()) return false;
  std::atomic<bool> good{true};
  for_blocks(Block(0, rows, kRowGrain), [&](const Block& block) {
    if (!rows_are_good(part, block.begin(), block.end(), universe)) good.store(false, std::memory_order_relaxed);
  });
  return good.load();
}

const char* problem_of(const LabelTable& table, bool directed, std::uint64_t universe) {
  std::uint64_t rows = 0, items = 0;
  // Numbers larger than the table would overflow their sums.
  for (const LabelEntry& entry : table.labels) {
    const bool fits = entry.arcs <= table.items.size() && entry.source_rows <= table.rows.size() &&
                      entry.target_rows <= table.rows.size() && (directed || entry.target_rows == 0);
    if (!fits) return "its table of edge labels is wrong";
    rows += entry.source_rows + entry.target_rows;
    items += entry.arcs * (directed ? 2 : 1);
    if (rows > table.rows.size() || items > table.items.size()) return "its table of edge labels is wrong";
  }
  if (rows != table.rows.size() || rows != table.ends.size() || items != table.items.size())
    return "its table of edge labels is wrong";
  for (std::size_t i = 1; i < table.labels.size(); ++i) {
    if (table.labels[i - 1].label >= table.labels[i].label) return "its edge labels do not ascend";
  }
  std::uint64_t rows_at = 0, items_at = 0;
  for (const LabelEntry& entry : table.labels) {
    const auto is_good_part = [&](std::uint64_t count) {
      const LabelPart part{table.rows.subspan(rows_at, count), table.ends.subspan(rows_at, count),
                           table.items.subspan(items_at, entry.arcs)};
      rows_at += count;
      items_at += entry.arcs;
      return is_good(part, universe);
    };
    if (!is_good_part(entry.source_rows) || (directed && !is_good_part(entry.target_rows)))
      return "its edges by label are out of order or out of range";
  }
  return nullptr;
}

}  // namespace matcha::runtime
