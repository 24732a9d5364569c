#include <algorithm>
#include <cmath>
#include <cstddef>

#include "codegen/plan/actions.h"
#include "ir/check.h"
#include "runtime/cpu/common_neighbors.h"
#include "runtime/cpu/general_sets.h"
#include "runtime/cpu/keyed_rows.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/labels.h"

/// Lists, graphs and set operations.
namespace matcha::codegen::plan {

using runtime::CpuGraphView;
using runtime::TrapCode;

namespace {

constexpr Cell kCells[] = {Cell::Vid, Cell::Int, Cell::Float, Cell::Bool, Cell::WordVid, Cell::WordBool, Cell::Self};

template <Cell cell>
Word load_as(Word data, Word index) {
  if constexpr (cell == Cell::Vid) return pointer<const std::uint32_t>(data)[index];
  if constexpr (cell == Cell::Self) return data != 0 ? pointer<const std::uint32_t>(data)[index] : index;
  if constexpr (cell == Cell::Bool) return pointer<const std::uint8_t>(data)[index] != 0 ? 1 : 0;
  const Word raw = pointer<const Word>(data)[index];
  return cell == Cell::WordBool ? static_cast<Word>(raw != 0) : raw;
}

/// Calls `visit` with the cell as a compile-time constant.
template <typename F>
auto with(Cell cell, F&& visit) {
  switch (cell) {
    case Cell::Vid: return visit.template operator()<Cell::Vid>();
    case Cell::Int: return visit.template operator()<Cell::Int>();
    case Cell::Float: return visit.template operator()<Cell::Float>();
    case Cell::Bool: return visit.template operator()<Cell::Bool>();
    case Cell::WordVid: return visit.template operator()<Cell::WordVid>();
    case Cell::WordBool: return visit.template operator()<Cell::WordBool>();
    case Cell::Self: break;
  }
  return visit.template operator()<Cell::Self>();
}

template <Cell cell>
const Op* load_action(const Op* op, Word* r) {
  r[op->to] = load_as<cell>(r[op->a], r[op->b]);
  return op + 1;
}

template <Cell cell>
const Op* begin_action(const Op* op, Word* r) {
  const Word first = r[op->a];
  r[op->to] = first;
  if (first >= r[op->b]) return op->target;
  r[op->c] = load_as<cell>(r[op->d], first);
  return op + 1;
}

template <Cell cell>
const Op* next_action(const Op* op, Word* r) {
  const Word next = r[op->to] + 1;
  r[op->to] = next;
  if (next >= r[op->b]) return op + 1;
  r[op->c] = load_as<cell>(r[op->d], next);
  return op->target;
}

const Op* begin_plain(const Op* op, Word* r) {
  r[op->to] = r[op->a];
  return r[op->a] < r[op->b] ? op + 1 : op->target;
}

const Op* next_plain(const Op* op, Word* r) { return ++r[op->to] < r[op->b] ? op->target : op + 1; }

template <Cell cell>
bool less_as(Word a, Word b) {
  if constexpr (cell == Cell::Float) return real(a) < real(b);
  if constexpr (cell == Cell::Int) return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
  return a < b;
}

template <Cell cell>
Word search_as(Word data, Word size, Word x, bool past) {
  Word first = 0;
  while (size > 0) {
    const Word half = size / 2;
    const Word item = load_as<cell>(data, first + half);
    const bool right = past ? !less_as<cell>(x, item) : less_as<cell>(item, x);
    first = right ? first + half + 1 : first;
    size = right ? size - half - 1 : half;
  }
  return first;
}

template <Cell cell, bool past>
const Op* search_action(const Op* op, Word* r) {
  r[op->to] = search_as<cell>(r[op->a + 1], r[op->a], r[op->b], past);
  return op + 1;
}

template <bool past>
const Op* search_ranks(const Op* op, Word* r) {
  r[op->to] = sets_of(r).lower_bound(pointer<const std::uint32_t>(r[op->a + 1]), r[op->a], r[op->b] + (past ? 1 : 0));
  return op + 1;
}

bool is_in(Cell cell, Word data, Word size, Word x) {
  return with(cell, [&]<Cell known>() {
    const Word at = search_as<known>(data, size, x, false);
    return at < size && same(known, load_as<known>(data, at), x);
  });
}

bool is_anywhere_in(Cell cell, Word data, Word size, Word x) {
  bool found = false;
  for (Word i = 0; i < size; ++i) found = found || same(cell, load(cell, data, i), x);
  return found;
}

}  // namespace

Word load(Cell cell, Word data, Word index) {
  return with(cell, [&]<Cell known>() { return load_as<known>(data, index); });
}

void store(Cell cell, Word data, Word index, Word value) {
  switch (cell) {
    case Cell::Self:
    case Cell::Vid: pointer<std::uint32_t>(data)[index] = static_cast<std::uint32_t>(value); return;
    case Cell::Bool: pointer<std::uint8_t>(data)[index] = static_cast<std::uint8_t>(value); return;
    case Cell::Int:
    case Cell::Float:
    case Cell::WordVid:
    case Cell::WordBool: break;
  }
  pointer<Word>(data)[index] = value;
}

bool same(Cell cell, Word a, Word b) { return cell == Cell::Float ? real(a) == real(b) : a == b; }

Action load_cell(Cell cell) {
  return with(cell, []<Cell known>() -> Action { return load_action<known>; });
}
Action loop_begin(const Cell* maybe_cell) {
  if (maybe_cell == nullptr) return begin_plain;
  return with(*maybe_cell, []<Cell known>() -> Action { return begin_action<known>; });
}
Action loop_next(const Cell* maybe_cell) {
  if (maybe_cell == nullptr) return next_plain;
  return with(*maybe_cell, []<Cell known>() -> Action { return next_action<known>; });
}
Action search(Cell cell, bool past) {
  if (cell == Cell::Vid) return past ? search_ranks<true> : search_ranks<false>;
  return with(cell, [&]<Cell known>() -> Action {
    return past ? static_cast<Action>(search_action<known, true>) : search_action<known, false>;
  });
}

namespace act {

namespace {

const std::uint32_t* ranks(const Word* r, Reg list) { return pointer<const std::uint32_t>(r[list + 1]); }

template <bool lower>
const Op* half(const Op* op, Word* r) {
  const CpuGraphView& view = graph_of(r[op->b]);
  const Word vertex = r[op->a];
  const std::uint32_t* offsets = view.halves.offsets + 2 * vertex + (lower ? 0 : 1);
  const Word first = half_offset(view.halves, 2 * vertex + (lower ? 0 : 1));
  r[op->to] = static_cast<std::uint32_t>(offsets[1] - offsets[0]);
  r[op->to + 1] = word(view.graph.neighbors + first);
  return op + 1;
}

void set_arcs(const Op* op, Word* r, runtime::ArcRange arcs) {
  r[op->to] = arcs.end - arcs.begin;
  r[op->to + 1] = word(graph_of(r[op->b]).graph.neighbors + arcs.begin);
}

}  // namespace

const Op* neighbors_csr(const Op* op, Word* r) {
  const std::uint64_t* offsets = graph_of(r[op->b]).graph.offsets + r[op->a];
  set_arcs(op, r, {offsets[0], offsets[1]});
  return op + 1;
}
const Op* neighbors_any(const Op* op, Word* r) {
  set_arcs(op, r, runtime::arcs_of(graph_of(r[op->b]).graph, r[op->a]));
  return op + 1;
}
const Op* lower_half(const Op* op, Word* r) { return half<true>(op, r); }
const Op* upper_half(const Op* op, Word* r) { return half<false>(op, r); }
const Op* edge_info(const Op* op, Word* r) {
  const runtime::GraphView& graph = graph_of(r[op->b]).graph;
  const runtime::ArcRange arcs = runtime::arcs_of(graph, r[op->a]);
  r[op->to] = arcs.end - arcs.begin;
  r[op->to + 1] = word(static_cast<const Word*>(graph.edge_info) + arcs.begin);
  return op + 1;
}
const Op* label_known(const Op* op, Word* r) {
  r[op->to] = static_cast<Word>(graph_of(r[op->b]).graph.labels[r[op->a]]);
  return op + 1;
}
const Op* label_checked(const Op* op, Word* r) {
  const std::int64_t* labels = graph_of(r[op->b]).graph.labels;
  if (labels == nullptr || labels[r[op->a]] == runtime::kNoLabel) return trap(op, r, TrapCode::NoLabel);
  r[op->to] = static_cast<Word>(labels[r[op->a]]);
  return op + 1;
}
const Op* has_edge(const Op* op, Word* r) {
  const runtime::GraphView& graph = graph_of(r[op->a]).graph;
  const runtime::ArcRange arcs = runtime::arcs_of(graph, r[op->b]);
  const std::uint32_t* items = graph.neighbors + arcs.begin;
  const Word size = arcs.end - arcs.begin, at = sets_of(r).lower_bound(items, size, r[op->c]);
  r[op->to] = at < size && items[at] == r[op->c] ? 1 : 0;
  return op + 1;
}

namespace {

/// The columns of list `from` from item `begin` on, as list `to`.
void cut_columns(const Op* op, Word* r, Word begin) {
  const Table& table = *pointer<const Table>(op->value);
  for (std::size_t c = 0; c < table.cells.size(); ++c) {
    const Cell cell = table.cells[c];
    const Word bytes = cell == Cell::Vid || cell == Cell::Self ? 4 : cell == Cell::Bool ? 1 : 8;
    r[op->to + 1 + c] = r[op->a + 1 + c] + begin * bytes;
  }
}

}  // namespace

const Op* slice_to(const Op* op, Word* r) {
  r[op->to] = r[op->b];
  cut_columns(op, r, 0);
  return op + 1;
}
const Op* slice_from(const Op* op, Word* r) {
  const Word begin = r[op->b];
  r[op->to] = r[op->a] - begin;
  cut_columns(op, r, begin);
  return op + 1;
}
const Op* below_vid(const Op* op, Word* r) {
  r[op->to + 1] = r[op->a + 1];
  r[op->to] = sets_of(r).lower_bound(ranks(r, op->a), r[op->a], r[op->b]);
  return op + 1;
}
const Op* above_vid(const Op* op, Word* r) {
  const Word begin = sets_of(r).lower_bound(ranks(r, op->a), r[op->a], r[op->b] + 1);
  r[op->to + 1] = word(ranks(r, op->a) + begin);
  r[op->to] = r[op->a] - begin;
  return op + 1;
}
const Op* span(const Op* op, Word* r) {
  const auto clamped = [&](Reg reg) {
    const std::int64_t end = static_cast<std::int64_t>(r[reg]);
    return std::min(static_cast<Word>(std::max<std::int64_t>(end, 0)), r[op->a]);
  };
  const Word begin = clamped(op->b), end = std::max(clamped(op->c), begin);
  cut_columns(op, r, begin);
  r[op->to] = end - begin;
  return op + 1;
}
const Op* store_item(const Op* op, Word* r) {
  store(static_cast<Cell>(op->n), r[op->a], r[op->b], r[op->c]);
  return op + 1;
}
const Op* contains(const Op* op, Word* r) {
  r[op->to] = is_in(static_cast<Cell>(op->n), r[op->a + 1], r[op->a], r[op->b]) ? 1 : 0;
  return op + 1;
}

const Op* intersect_count(const Op* op, Word* r) {
  r[op->to] = sets_of(r).intersect_count(ranks(r, op->a), r[op->a], ranks(r, op->b), r[op->b]);
  return op + 1;
}
const Op* diff_count(const Op* op, Word* r) {
  r[op->to] = sets_of(r).diff_count(ranks(r, op->a), r[op->a], ranks(r, op->b), r[op->b]);
  return op + 1;
}
const Op* intersect(const Op* op, Word* r) {
  r[op->to] =
      sets_of(r).intersect(ranks(r, op->a), r[op->a], ranks(r, op->b), r[op->b], pointer<std::uint32_t>(r[op->c]));
  return op + 1;
}
const Op* diff(const Op* op, Word* r) {
  r[op->to] = sets_of(r).diff(ranks(r, op->a), r[op->a], ranks(r, op->b), r[op->b], pointer<std::uint32_t>(r[op->c]));
  return op + 1;
}
const Op* intersect_distinct(const Op* op, Word* r) {
  r[op->to] = runtime::rt_intersect_distinct_u32(ranks(r, op->a), r[op->a], ranks(r, op->b), r[op->b],
                                                 pointer<std::uint32_t>(r[op->c]));
  return op + 1;
}

namespace {

/// Keeps the items of the list `a` for which `wanted` is true.
template <typename Wanted>
const Op* keep(const Op* op, Word* r, Cell cell, Cell out, const Wanted& wanted) {
  const Word size = r[op->a], data = r[op->a + 1];
  Word kept = 0;
  for (Word i = 0; i < size; ++i) {
    const Word item = load(cell, data, i);
    if (!wanted(item)) continue;
    if (op->c != 0) store(out, r[op->c], kept, item);
    ++kept;
  }
  r[op->to] = kept;
  return op + 1;
}

template <typename T, auto count_common, auto count_others, auto common, auto others>
void merge_as(const Op* op, Word* r, bool keeps_common) {
  const T* a = pointer<const T>(r[op->a + 1]);
  const T* b = pointer<const T>(r[op->b + 1]);
  if (op->c == 0) {
    r[op->to] = keeps_common ? count_common(a, r[op->a], b, r[op->b]) : count_others(a, r[op->a], b, r[op->b]);
    return;
  }
  T* out = pointer<T>(r[op->c]);
  r[op->to] = keeps_common ? common(a, r[op->a], b, r[op->b], out) : others(a, r[op->a], b, r[op->b], out);
}

}  // namespace

const Op* filter(const Op* op, Word* r) {
  const FilterForm& form = *pointer<const FilterForm>(op->value);
  if (form.ascending && form.a == Cell::Vid && form.b == Cell::Vid) {
    merge_as<std::uint32_t, runtime::rt_intersect_count_sorted_u32, runtime::rt_diff_count_sorted_u32,
             runtime::rt_intersect_sorted_u32, runtime::rt_diff_sorted_u32>(op, r, form.common);
    return op + 1;
  }
  if (form.ascending && form.a == Cell::Int && form.b == Cell::Int) {
    merge_as<std::int64_t, runtime::rt_intersect_count_sorted_i64, runtime::rt_diff_count_sorted_i64,
             runtime::rt_intersect_sorted_i64, runtime::rt_diff_sorted_i64>(op, r, form.common);
    return op + 1;
  }
  const Word size = r[op->b], data = r[op->b + 1];
  return keep(op, r, form.a, form.out, [&](Word x) {
    const bool found = form.ascending ? is_in(form.b, data, size, x) : is_anywhere_in(form.b, data, size, x);
    return found == form.common;
  });
}

const Op* filter_literal(const Op* op, Word* r) {
  const FilterForm& form = *pointer<const FilterForm>(op->value);
  return keep(op, r, form.a, form.out, [&](Word x) {
    bool found = false;
    for (std::uint32_t i = 0; i < op->n; ++i) found = found || same(form.a, x, r[op->b + i]);
    return found == form.common;
  });
}

const Op* count_literal(const Op* op, Word* r) {
  const FilterForm& form = *pointer<const FilterForm>(op->value);
  Word found = 0;
  for (std::uint32_t i = 0; i < op->n; ++i) {
    const Word item = r[op->b + i];
    bool counts = is_in(form.a, r[op->a + 1], r[op->a], item);
    for (std::uint32_t k = 0; k < i; ++k) counts = counts && !same(form.a, r[op->b + k], item);
    found += counts ? 1 : 0;
  }
  r[op->to] = form.common ? found : r[op->a] - found;
  return op + 1;
}

const Op* contains_literal(const Op* op, Word* r) {
  Word found = 0;
  for (std::uint32_t i = 0; i < op->n; ++i) found |= same(static_cast<Cell>(op->value), r[op->a], r[op->b + i]) ? 1 : 0;
  r[op->to] = found;
  return op + 1;
}

const Op* contains_any(const Op* op, Word* r) {
  r[op->to] = is_anywhere_in(static_cast<Cell>(op->n), r[op->a + 1], r[op->a], r[op->b]) ? 1 : 0;
  return op + 1;
}

const Op* copy_items(const Op* op, Word* r) {
  const Table& table = *pointer<const Table>(op->value);
  const std::size_t width = table.cells.size() / 2;
  const Word size = r[op->a];
  for (std::size_t c = 0; c < width; ++c) {
    for (Word i = 0; i < size; ++i) {
      store(table.cells[width + c], r[op->b + 1 + c], i, load(table.cells[c], r[op->a + 1 + c], i));
    }
  }
  r[op->to] = size;
  return op + 1;
}

const Op* sort(const Op* op, Word* r) {
  const Word data = r[op->a], count = r[op->b];
  switch (static_cast<Cell>(op->n)) {
    case Cell::Self:
    case Cell::Vid: runtime::rt_sort_u32(pointer<std::uint32_t>(data), count); break;
    case Cell::Float:
      std::sort(pointer<double>(data), pointer<double>(data) + count,
                [](double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); });
      break;
    case Cell::Bool: std::sort(pointer<std::uint8_t>(data), pointer<std::uint8_t>(data) + count); break;
    case Cell::Int:
    case Cell::WordVid:
    case Cell::WordBool: runtime::rt_sort_i64(pointer<std::int64_t>(data), count); break;
  }
  return op + 1;
}

const Op* fold_rows(const Op* op, Word* r) {
  const Table& table = *pointer<const Table>(op->value);
  std::vector<runtime::RowColumn> columns;
  for (std::size_t c = 0; c < table.cells.size(); ++c) {
    columns.push_back({pointer<const char>(r[op->a + 1 + c]), pointer<char>(r[op->b + 1 + c]),
                       static_cast<runtime::ElementKind>(table.cells[c])});
  }
  const std::int64_t rows =
      runtime::rt_fold_rows(columns.data(), static_cast<std::uint32_t>(columns.size()), op->c, op->n, r[op->a]);
  if (rows < 0) return trap(op, r, rows == runtime::kRowsMemory ? TrapCode::OutOfMemory : TrapCode::IntegerOverflow);
  r[op->to] = static_cast<Word>(rows);
  return op + 1;
}

const Op* find_rank(const Op* op, Word* r) {
  r[op->to] = static_cast<Word>(runtime::rt_find_rank(ranks(r, op->a), r[op->a], static_cast<std::uint32_t>(r[op->b])));
  return op + 1;
}

const Op* find_row(const Op* op, Word* r) {
  const Table& table = *pointer<const Table>(op->value);
  constexpr std::size_t kUsual = 4;
  runtime::KeyPart usual[kUsual];
  std::vector<runtime::KeyPart> many(table.regs.size() > kUsual ? table.regs.size() : 0);
  runtime::KeyPart* parts = many.empty() ? usual : many.data();
  for (std::size_t i = 0; i < table.regs.size(); ++i) {
    parts[i] = {pointer<const char>(r[op->a + 1 + i]), r[table.regs[i]],
                static_cast<runtime::ElementKind>(table.cells[i])};
  }
  r[op->to] = static_cast<Word>(runtime::rt_find_row(parts, static_cast<std::uint32_t>(table.regs.size()), r[op->a]));
  return op + 1;
}

const Op* fill_range(const Op* op, Word* r) {
  std::int64_t* items = pointer<std::int64_t>(r[op->a]);
  for (Word i = 0; i < r[op->c]; ++i) items[i] = static_cast<std::int64_t>(r[op->b] + i);
  return op + 1;
}

const Op* range_size(const Op* op, Word* r) {
  const bool some = static_cast<std::int64_t>(r[op->a]) < static_cast<std::int64_t>(r[op->b]);
  r[op->to] = some ? r[op->b] - r[op->a] : 0;
  return op + 1;
}

const Op* common_neighbors(const Op* op, Word* r) {
  const auto count = op->n == 0 ? runtime::rt_common_below : runtime::rt_common_above;
  const std::int64_t found = count(&context_of(r), &graph_of(r[op->b]).graph, ranks(r, op->a), r[op->a], r[op->c],
                                   static_cast<std::int64_t>(r[op->d]), pointer<std::uint32_t>(r[op->value]));
  if (found < 0) return trap(op, r, TrapCode::IntegerOverflow);
  r[op->to] = static_cast<Word>(found);
  return op + 1;
}

}  // namespace act

}  // namespace matcha::codegen::plan
