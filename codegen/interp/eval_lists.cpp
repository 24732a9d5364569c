#include <algorithm>
#include <cstring>
#include <map>
#include <new>

#include "codegen/interp/evaluator.h"
#include "ir/check.h"
#include "runtime/common/exact_sum.h"
#include "runtime/machine.h"

namespace matcha::codegen::interp {

namespace {

using ir::ScalarKind;

std::shared_ptr<List> empty_list(const ir::Expr& e) { return std::make_shared<List>(e.type->columns.size()); }

std::vector<Value> row_of(const List& list, std::size_t row) {
  std::vector<Value> values;
  for (const std::vector<Value>& column : list.columns) values.push_back(column[row]);
  return values;
}

void append(List& list, const std::vector<Value>& row) {
  for (std::size_t c = 0; c < row.size(); ++c) list.columns[c].push_back(row[c]);
  ++list.rows;
}

bool is_zero(const Value& value) {
  const double* real = std::get_if<double>(&value);
  return real != nullptr ? *real == 0 : std::get<std::int64_t>(value) == 0;
}

/// The sums of the columns of `rows`, which has at least one row. Traps if a sum of ints leaves 64 bits.
std::vector<Value> sums(const std::vector<std::vector<Value>>& rows, SourceLoc loc) {
  std::vector<Value> result;
  for (std::size_t c = 0; c < rows[0].size(); ++c) {
    __int128 whole = 0;
    runtime::ExactSum exact;
    exact_sum_clear(exact);
    for (const std::vector<Value>& row : rows) {
      if (const double* real = std::get_if<double>(&row[c])) {
        exact_sum_add(exact, *real);
      } else {
        whole += std::get<std::int64_t>(row[c]);
      }
    }
    if (std::holds_alternative<double>(rows[0][c])) {
      result.emplace_back(exact_sum_round(exact));
      continue;
    }
    if (whole < INT64_MIN || whole > INT64_MAX) trap(runtime::TrapCode::IntegerOverflow, loc);
    result.emplace_back(static_cast<std::int64_t>(whole));
  }
  return result;
}

template <typename Visit>
void for_each_vertex(const runtime::GraphView& view, const Visit& visit) {
  for (std::uint64_t i = 0; i < view.vertex_count; ++i) {
    visit(view.vertices != nullptr ? view.vertices[i] : static_cast<std::uint32_t>(i));
  }
}

/// One word of `edge_info` as a value of the type that the program gives it.
Value info_value(const void* words, std::uint64_t arc, ScalarKind kind) {
  std::uint64_t word = 0;
  std::memcpy(&word, static_cast<const char*>(words) + arc * sizeof word, sizeof word);
  switch (kind) {
    case ScalarKind::Bool: return word != 0;
    case ScalarKind::Vid: return Vid{static_cast<std::uint32_t>(word)};
    case ScalarKind::F64: {
      double real = 0;
      std::memcpy(&real, &word, sizeof real);
      return real;
    }
    case ScalarKind::I64:
    case ScalarKind::I128: return static_cast<std::int64_t>(word);
  }
  MATCHA_UNREACHABLE("a scalar kind");
}

}  // namespace

Value Evaluator::vertices(const ir::Expr& e) {
  std::shared_ptr<List> result = empty_list(e);
  for_each_vertex(graph(*e.operands[0]), [&](std::uint32_t rank) { result->columns[0].push_back(Vid{rank}); });
  result->rows = result->columns[0].size();
  return ListPtr(result);
}

Value Evaluator::edges(const ir::Expr& e) {
  runtime::GraphView view = graph(*e.operands[0]);
  std::shared_ptr<List> result = empty_list(e);
  for_each_vertex(view, [&](std::uint32_t source) {
    runtime::ArcRange arcs = runtime::arcs_of(view, source);
    for (std::uint64_t arc = arcs.begin; arc < arcs.end; ++arc) {
      result->columns[0].push_back(Vid{source});
      result->columns[1].push_back(Vid{view.neighbors[arc]});
    }
  });
  result->rows = result->columns[0].size();
  return ListPtr(result);
}

namespace {

/// True for an item on the side of `of`.
bool on_side(ir::Side side, std::uint32_t item, std::uint32_t of) {
  switch (side) {
    case ir::Side::All: return true;
    case ir::Side::Lower: return item < of;
    case ir::Side::Upper: return of < item;
  }
  MATCHA_UNREACHABLE("a side");
}

}  // namespace

Value Evaluator::neighbors(const ir::Neighbors& e) {
  runtime::GraphView view = graph(*e.operands[0]);
  std::uint32_t vertex = get<Vid>(*e.operands[1]).rank;
  runtime::ArcRange arcs = runtime::arcs_of(view, vertex);
  std::shared_ptr<List> result = empty_list(e);
  for (std::uint64_t arc = arcs.begin; arc < arcs.end; ++arc) {
    std::uint32_t other = view.neighbors[arc];
    if (on_side(e.arcs.side, other, vertex)) result->columns[0].push_back(Vid{other});
  }
  result->rows = result->columns[0].size();
  return ListPtr(result);
}

Value Evaluator::edge_info(const ir::Expr& e) {
  runtime::GraphView view = graph(*e.operands[0]);
  runtime::ArcRange arcs = runtime::arcs_of(view, get<Vid>(*e.operands[1]).rank);
  std::shared_ptr<List> result = empty_list(e);
  if (arcs.begin < arcs.end && view.edge_info == nullptr) trap("the graph has no edge information", e.loc);
  for (std::uint64_t arc = arcs.begin; arc < arcs.end; ++arc) {
    result->columns[0].push_back(info_value(view.edge_info, arc, e.type->columns[0]->scalar));
  }
  result->rows = result->columns[0].size();
  return ListPtr(result);
}

Value Evaluator::literal(const ir::Expr& e) {
  std::shared_ptr<List> result = empty_list(e);
  std::size_t width = result->columns.size();
  for (std::size_t i = 0; i < e.operands.size(); ++i) result->columns[i % width].push_back(eval(*e.operands[i]));
  result->rows = e.operands.size() / width;
  return ListPtr(result);
}

Value Evaluator::set_operation(const ir::Expr& e) {
  ListPtr a = list(*e.operands[0]);
  std::vector<Value> b = ascending(list(*e.operands[1])->columns[0]);
  std::shared_ptr<List> result = empty_list(e);
  for (std::size_t row = 0; row < a->rows; ++row) {
    if (holds(b, a->columns[0][row]) == ir::keeps_found(e.kind)) result->append_row(*a, row);
  }
  return ListPtr(result);
}

Value Evaluator::cut(const ir::Cut& e) {
  ListPtr items = list(*e.operands[0]);
  Value x = eval(*e.operands[1]);
  std::shared_ptr<List> result = empty_list(e);
  for (std::size_t row = 0; row < items->rows; ++row) {
    const Value& item = items->columns[0][row];
    if (e.side == ir::Side::Lower ? less(item, x) : less(x, item)) result->append_row(*items, row);
  }
  return ListPtr(result);
}

Value Evaluator::span(const ir::Expr& e) {
  ListPtr items = list(*e.operands[0]);
  std::int64_t rows = static_cast<std::int64_t>(items->rows);
  std::int64_t begin = std::clamp<std::int64_t>(get<std::int64_t>(*e.operands[1]), 0, rows);
  std::int64_t end = std::clamp<std::int64_t>(get<std::int64_t>(*e.operands[2]), 0, rows);
  std::shared_ptr<List> result = empty_list(e);
  for (std::int64_t row = begin; row < end; ++row) result->append_row(*items, static_cast<std::size_t>(row));
  return ListPtr(result);
}

Value Evaluator::sorted(const ir::Expr& e) {
  ListPtr items = list(*e.operands[0]);
  std::vector<std::vector<Value>> rows;
  for (std::size_t row = 0; row < items->rows; ++row) rows.push_back(row_of(*items, row));
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) { return compare_rows(a, b) < 0; });
  std::shared_ptr<List> result = empty_list(e);
  for (const std::vector<Value>& row : rows) append(*result, row);
  return ListPtr(result);
}

Value Evaluator::keyed(const ir::Keyed& e) {
  ListPtr items = list(*e.operands[0]);
  const auto before = [](const auto& a, const auto& b) { return compare_rows(a, b) < 0; };
  std::map<std::vector<Value>, std::vector<std::vector<Value>>, decltype(before)> groups(before);
  for (std::size_t row = 0; row < items->rows; ++row) {
    std::vector<Value> key = row_of(*items, row);
    std::vector<Value> rest(key.begin() + e.type->keys, key.end());
    key.resize(e.type->keys);
    groups[key].push_back(std::move(rest));
  }
  std::shared_ptr<List> result = empty_list(e);
  for (const auto& [key, rests] : groups) {
    std::vector<Value> row = key;
    std::vector<Value> folded;
    switch (e.fold) {
      case ir::Fold::Sum: folded = sums(rests, e.loc); break;
      case ir::Fold::Min: folded = *std::ranges::min_element(rests, before); break;
      case ir::Fold::Max: folded = *std::ranges::max_element(rests, before); break;
    }
    if (e.fold == ir::Fold::Sum && std::ranges::all_of(folded, is_zero)) continue;
    row.insert(row.end(), folded.begin(), folded.end());
    append(*result, row);
  }
  return ListPtr(result);
}

Value Evaluator::range(const ir::Expr& e) {
  const std::int64_t begin = get<std::int64_t>(*e.operands[0]);
  const std::int64_t end = std::max(begin, get<std::int64_t>(*e.operands[1]));
  const std::uint64_t size = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
  if (size > runtime::machine().memory_bytes / sizeof(Value)) throw std::bad_alloc();
  std::shared_ptr<List> result = empty_list(e);
  for (std::int64_t item = begin; item < end; ++item) append(*result, {item});
  return ListPtr(result);
}

Value Evaluator::find_row(const ir::Expr& e) {
  ListPtr table = list(*e.operands[0]);
  std::vector<Value> key;
  for (const ir::Expr* operand : e.operands.subspan(1)) key.push_back(eval(*operand));
  for (std::size_t row = 0; row < table->rows; ++row) {
    std::vector<Value> other = row_of(*table, row);
    other.resize(key.size());
    if (compare_rows(other, key) == 0) return static_cast<std::int64_t>(row);
  }
  return std::int64_t{-1};
}

Value Evaluator::flatten(const ir::Expr& e) {
  ListPtr lists = list(*e.operands[0]);
  std::shared_ptr<List> result = empty_list(e);
  for (const Value& value : lists->columns[0]) {
    const List& inner = *std::get<ListPtr>(value);
    for (std::size_t row = 0; row < inner.rows; ++row) result->append_row(inner, row);
  }
  return ListPtr(result);
}

Value Evaluator::rows(const ir::BitRows& e) {
  runtime::GraphView view = graph(*e.operands[0]);
  ListPtr universe = list(*e.operands[1]);
  std::shared_ptr<List> result = empty_list(e);
  for (const Value& item : universe->columns[0]) {
    std::uint32_t vertex = std::get<Vid>(item).rank;
    runtime::ArcRange arcs = runtime::arcs_of(view, vertex);
    std::shared_ptr<List> row = std::make_shared<List>(1);
    for (std::size_t position = 0; position < universe->rows; ++position) {
      std::uint32_t other = std::get<Vid>(universe->columns[0][position]).rank;
      bool kept = on_side(e.arcs.side, other, vertex);
      bool joined =
          std::find(view.neighbors + arcs.begin, view.neighbors + arcs.end, other) != view.neighbors + arcs.end;
      if (kept && joined) row->columns[0].push_back(static_cast<std::int64_t>(position));
    }
    row->rows = row->columns[0].size();
    result->columns[0].push_back(ListPtr(row));
  }
  result->rows = universe->rows;
  return ListPtr(result);
}

Value Evaluator::positions_of(std::size_t count) {
  std::shared_ptr<List> result = std::make_shared<List>(1);
  for (std::size_t position = 0; position < count; ++position) {
    result->columns[0].push_back(static_cast<std::int64_t>(position));
  }
  result->rows = count;
  return ListPtr(result);
}

}  // namespace matcha::codegen::interp
