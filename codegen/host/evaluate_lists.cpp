#include <algorithm>
#include <cmath>

#include "codegen/host/evaluator.h"
#include "codegen/host/host_plan.h"
#include "ir/check.h"
#include "ir/match.h"
#include "runtime/cpu/missing_key.h"

/// Lists, and reads of lists and graphs.
namespace matcha::codegen::host {

using ir::Kind;
using runtime::ElementKind;
using runtime::TrapCode;

namespace {

/// Calls `f` with a value of the type of a column's items.
template <typename F>
auto with_items(ElementKind kind, F f) {
  switch (kind) {
    case ElementKind::Vid: return f(std::uint32_t{});
    case ElementKind::Int: return f(std::int64_t{});
    case ElementKind::Float: return f(double{});
    case ElementKind::Bool: return f(std::uint8_t{});
  }
  MATCHA_UNREACHABLE("a kind of column");
}

/// The order of items: a NaN after every number.
template <typename T>
bool before(T a, T b) {
  return a < b;
}
template <>
bool before(double a, double b) {
  return std::isnan(b) ? !std::isnan(a) : a < b;
}

/// A scalar as an item of type `T`.
template <typename T>
T item_as(const Scalar& scalar) {
  if constexpr (std::is_same_v<T, std::uint32_t>) return std::get<VertexValue>(scalar).rank;
  if constexpr (std::is_same_v<T, std::int64_t>) return std::get<std::int64_t>(scalar);
  if constexpr (std::is_same_v<T, double>) return std::get<double>(scalar);
  if constexpr (std::is_same_v<T, std::uint8_t>) return std::get<bool>(scalar) ? 1 : 0;
}

Scalar scalar_of(const List& list, std::size_t column, std::uint64_t at) {
  switch (list.kinds[column]) {
    case ElementKind::Vid: return VertexValue{list.column<std::uint32_t>(column)[at]};
    case ElementKind::Int: return list.column<std::int64_t>(column)[at];
    case ElementKind::Float: return list.column<double>(column)[at];
    case ElementKind::Bool: return list.column<std::uint8_t>(column)[at] != 0;
  }
  MATCHA_UNREACHABLE("a kind of column");
}

/// New columns with room for `size` items, not initialised.
std::vector<runtime::Column> columns_of(const std::vector<ElementKind>& kinds, std::uint64_t size) {
  std::vector<runtime::Column> columns;
  for (ElementKind kind : kinds) {
    if (!columns.emplace_back(kind).resize(size)) trap(TrapCode::OutOfMemory, {});
  }
  return columns;
}

/// The items at the given positions.
List picked(const List& list, const std::vector<std::uint64_t>& positions) {
  std::vector<runtime::Column> columns = columns_of(list.kinds, positions.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    with_items(list.kinds[c], [&](auto item) {
      const std::span<const decltype(item)> from = list.column<decltype(item)>(c);
      decltype(item)* to = static_cast<decltype(item)*>(columns[c].data());
      for (std::uint64_t position : positions) *to++ = from[position];
    });
  }
  return owned(std::move(columns), positions.size());
}

List view(ElementKind kind, const void* items, std::uint64_t size) { return {size, {kind}, {items}, nullptr}; }

std::span<const std::uint32_t> neighbors_of(const runtime::GraphView& view, std::uint32_t vertex) {
  const runtime::ArcRange arcs = runtime::arcs_of(view, vertex);
  return {view.neighbors + arcs.begin, arcs.end - arcs.begin};
}

}  // namespace

List Evaluator::list(const ir::Expr& e) {
  scalars_.clear();
  lists_.clear();
  return items(e);
}

std::uint64_t Evaluator::size(const ir::Expr& e) {
  scalars_.clear();
  lists_.clear();
  return count(e);
}

Graph& Evaluator::graph(const ir::Expr& e) {
  if (e.kind == Kind::Select) return graph(*e.operands[get<bool>(*e.operands[0]) ? 1 : 2]);
  const ir::Var* var = ir::as<ir::Var>(&e);
  MATCHA_CHECK(var != nullptr, "a graph has a name");
  return values_.graphs.at(var);
}

std::uint64_t Evaluator::count(const ir::Expr& e) {
  if (e.kind == Kind::Vertices) return graph(*e.operands[0]).view.vertex_count;
  if (e.kind == Kind::Edges) return graph(*e.operands[0]).view.arc_count;
  return items(e).size;
}

List Evaluator::items(const ir::Expr& e) {
  if (const ir::Var* var = ir::as<ir::Var>(&e)) return values_.lists.at(var);
  const auto found = lists_.find(&e);
  if (found != lists_.end()) return found->second;
  List made = make(e);
  lists_.emplace(&e, made);
  return made;
}

List Evaluator::make(const ir::Expr& e) {
  using ir::Group;
  const auto never =
      [](const ir::InGroup<Group::Leaf, Group::Arithmetic, Group::Comparison, Group::Logic, Group::Extremum,
                           Group::Conversion, Group::ListFact, Group::GraphFact> auto&) -> List {
    MATCHA_UNREACHABLE("a scalar, or a list with a name");
  };
  const auto removed = [](const ir::OneOf<ir::Flatten, ir::BitRows, ir::BitRow, ir::AllBits> auto&) -> List {
    MATCHA_UNREACHABLE("a list outside a region");
  };
  return ir::match(
      e, [&](const ir::Vertices& x) { return vertices(x); }, [&](const ir::Edges& x) { return edges(x); },
      [&](const ir::Neighbors& x) { return neighbors(x); }, [&](const ir::EdgeInfo& x) { return edge_info(x); },
      [&](const ir::Literal& x) { return literal(x); },
      [&](const ir::InGroup<Group::SetOp> auto& x) { return membership(x); }, [&](const ir::Cut& x) { return cut(x); },
      [&](const ir::Span& x) { return span(x); }, [&](const ir::Sequence& x) { return range(x); },
      [&](const ir::Sorted& x) { return folded(x, runtime::RowFold::Keep); },
      [&](const ir::Keyed& x) { return folded(x, row_fold(x.fold)); },
      [&](const ir::Select& x) { return items(*x.operands[get<bool>(*x.operands[0]) ? 1 : 2]); }, never, removed);
}

List Evaluator::vertices(const ir::Expr& e) {
  Graph& of = graph(*e.operands[0]);
  return host::view(ElementKind::Vid, of.vertex_array(), of.view.vertex_count);
}

List Evaluator::edges(const ir::Expr& e) {
  Graph& of = graph(*e.operands[0]);
  need(runtime::ensure_sources(*of.graph), e.loc);
  of.view.sources = of.graph->view().sources;
  return {of.view.arc_count, {ElementKind::Vid, ElementKind::Vid}, {of.view.sources, of.view.neighbors}, nullptr};
}

List Evaluator::neighbors(const ir::Expr& e) {
  const runtime::GraphView& of = graph(*e.operands[0]).view;
  const std::uint32_t vertex = get<VertexValue>(*e.operands[1]).rank;
  std::span<const std::uint32_t> near = neighbors_of(of, vertex);
  const std::size_t below = static_cast<std::size_t>(std::ranges::lower_bound(near, vertex) - near.begin());
  if (ir::side_of(e) == ir::Side::Lower) near = near.first(below);
  // Graphs have no self-loops (verifier).
  if (ir::side_of(e) == ir::Side::Upper) near = near.subspan(below);
  return view(ElementKind::Vid, near.data(), near.size());
}

List Evaluator::edge_info(const ir::Expr& e) {
  const runtime::GraphView& of = graph(*e.operands[0]).view;
  const runtime::ArcRange arcs = runtime::arcs_of(of, get<VertexValue>(*e.operands[1]).rank);
  const std::uint64_t size = arcs.end - arcs.begin;
  if (size != 0 && of.edge_info == nullptr)
    fail(runtime::ErrorKind::Runtime, "the graph has no edge information", {}, e.loc);
  const ElementKind kind = element_kind(*e.type->columns[0]);
  if (size == 0) return view(kind, nullptr, 0);
  const std::uint64_t* words = static_cast<const std::uint64_t*>(of.edge_info) + arcs.begin;
  if (kind == ElementKind::Int || kind == ElementKind::Float) return view(kind, words, size);
  std::vector<runtime::Column> columns = columns_of({kind}, size);
  for (std::uint64_t i = 0; i < size; ++i) {
    if (kind == ElementKind::Vid)
      static_cast<std::uint32_t*>(columns[0].data())[i] = static_cast<std::uint32_t>(words[i]);
    if (kind == ElementKind::Bool) static_cast<std::uint8_t*>(columns[0].data())[i] = words[i] != 0;
  }
  return owned(std::move(columns), size);
}

List Evaluator::literal(const ir::Expr& e) {
  const std::vector<ElementKind> kinds = element_kinds(*e.type);
  const std::uint64_t size = e.operands.size() / kinds.size();
  std::vector<runtime::Column> columns = columns_of(kinds, size);
  for (std::size_t i = 0; i < e.operands.size(); ++i) {
    const std::size_t c = i % kinds.size();
    with_items(kinds[c], [&](auto item) {
      static_cast<decltype(item)*>(columns[c].data())[i / kinds.size()] = item_as<decltype(item)>(eval(*e.operands[i]));
    });
  }
  return owned(std::move(columns), size);
}

List Evaluator::membership(const ir::Expr& e) {
  const List a = items(*e.operands[0]);
  const List b = items(*e.operands[1]);
  const bool wanted = ir::keeps_found(e.kind);
  std::vector<std::uint64_t> kept;
  with_items(a.kinds[0], [&](auto item) {
    using T = decltype(item);
    const std::span<const T> given = b.column<T>(0);
    std::vector<T> others(given.begin(), given.end());
    std::ranges::sort(others, before<T>);
    const std::span<const T> all = a.column<T>(0);
    for (std::uint64_t i = 0; i < a.size; ++i) {
      // A NaN equals nothing.
      const bool in = all[i] == all[i] && std::ranges::binary_search(others, all[i], before<T>);
      if (in == wanted) kept.push_back(i);
    }
  });
  return picked(a, kept);
}

List Evaluator::cut(const ir::Expr& e) {
  const List all = items(*e.operands[0]);
  const Scalar bound = eval(*e.operands[1]);
  return with_items(all.kinds[0], [&](auto item) {
    using T = decltype(item);
    const std::span<const T> ascending = all.column<T>(0);
    const T x = item_as<T>(bound);
    if (ir::is_below(e)) {
      const auto end = std::ranges::lower_bound(ascending, x, before<T>);
      return all.part(0, static_cast<std::uint64_t>(end - ascending.begin()));
    }
    const auto begin = std::ranges::upper_bound(ascending, x, before<T>);
    return all.part(static_cast<std::uint64_t>(begin - ascending.begin()), all.size);
  });
}

List Evaluator::span(const ir::Expr& e) {
  const List all = items(*e.operands[0]);
  const std::int64_t size = static_cast<std::int64_t>(all.size);
  const std::int64_t begin = std::clamp<std::int64_t>(get<std::int64_t>(*e.operands[1]), 0, size);
  const std::int64_t end = std::clamp<std::int64_t>(get<std::int64_t>(*e.operands[2]), 0, size);
  return all.part(static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(std::max(begin, end)));
}

List Evaluator::folded(const ir::Expr& e, runtime::RowFold fold) {
  const List all = items(*e.operands[0]);
  std::vector<runtime::Column> columns = columns_of(all.kinds, all.size);
  std::vector<runtime::RowColumn> rows;
  for (std::size_t c = 0; c < columns.size(); ++c) rows.push_back({all.columns[c], columns[c].data(), all.kinds[c]});
  const std::int64_t size = runtime::rt_fold_rows(rows.data(), static_cast<std::uint32_t>(rows.size()), e.type->keys,
                                                  static_cast<std::uint32_t>(fold), all.size);
  if (size < 0) trap(size == runtime::kRowsMemory ? TrapCode::OutOfMemory : TrapCode::IntegerOverflow, e.loc);
  return owned(std::move(columns), static_cast<std::uint64_t>(size));
}

List Evaluator::range(const ir::Expr& e) {
  const std::int64_t begin = get<std::int64_t>(*e.operands[0]);
  const std::int64_t end = std::max(begin, get<std::int64_t>(*e.operands[1]));
  const std::uint64_t size = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
  std::vector<runtime::Column> columns = columns_of({ElementKind::Int}, size);
  std::int64_t* to = static_cast<std::int64_t*>(columns[0].data());
  for (std::int64_t item = begin; item < end; ++item) *to++ = item;
  return owned(std::move(columns), size);
}

Scalar Evaluator::find_row(const ir::Expr& e) {
  const List table = items(*e.operands[0]);
  std::vector<runtime::KeyPart> parts;
  for (std::size_t i = 1; i < e.operands.size(); ++i) {
    const Scalar key = eval(*e.operands[i]);
    const ElementKind kind = table.kinds[i - 1];
    const std::uint64_t word = with_items(
        kind, [&](auto item) -> std::uint64_t { return static_cast<std::uint64_t>(item_as<decltype(item)>(key)); });
    parts.push_back({table.columns[i - 1], word, kind});
  }
  return runtime::rt_find_row(parts.data(), static_cast<std::uint32_t>(parts.size()), table.size);
}

Scalar Evaluator::item(const ir::At& e) {
  const ir::Expr& list = *e.operands[0];
  const std::int64_t index = get<std::int64_t>(*e.operands[1]);
  const std::uint64_t size = count(list);
  if (index < 0 || static_cast<std::uint64_t>(index) >= size) {
    fail(runtime::ErrorKind::Runtime, runtime::trap_message(TrapCode::IndexOutOfRange),
         runtime::trap_hint(TrapCode::IndexOutOfRange, index, list.type->is_table() ? runtime::kOfTable : size), e.loc);
  }
  // One vertex is read without making an array of all.
  const bool is_rank = list.kind == Kind::Vertices && graph(*list.operands[0]).view.vertices == nullptr;
  if (is_rank) return VertexValue{static_cast<std::uint32_t>(index)};
  return scalar_of(items(list), e.column, static_cast<std::uint64_t>(index));
}

Scalar Evaluator::contains(const ir::Expr& e) {
  const List all = items(*e.operands[0]);
  const Scalar wanted = eval(*e.operands[1]);
  return with_items(all.kinds[0], [&](auto item) {
    using T = decltype(item);
    return std::ranges::find(all.column<T>(0), item_as<T>(wanted)) != all.column<T>(0).end();
  });
}

Scalar Evaluator::lower_bound(const ir::Expr& e) {
  const List all = items(*e.operands[0]);
  const Scalar bound = eval(*e.operands[1]);
  return with_items(all.kinds[0], [&](auto item) {
    using T = decltype(item);
    const std::span<const T> ascending = all.column<T>(0);
    return static_cast<std::int64_t>(std::ranges::lower_bound(ascending, item_as<T>(bound), before<T>) -
                                     ascending.begin());
  });
}

Scalar Evaluator::label(const ir::Expr& e) {
  const runtime::GraphView& view = graph(*e.operands[0]).view;
  const std::uint32_t rank = get<VertexValue>(*e.operands[1]).rank;
  const bool known = view.labels != nullptr && rank < view.universe && view.labels[rank] != runtime::kNoLabel;
  if (!known) trap(TrapCode::NoLabel, e.loc);
  return view.labels[rank];
}

Scalar Evaluator::has_edge(const ir::Expr& e) {
  const runtime::GraphView& view = graph(*e.operands[0]).view;
  const std::uint32_t source = get<VertexValue>(*e.operands[1]).rank;
  const std::uint32_t target = get<VertexValue>(*e.operands[2]).rank;
  return std::ranges::binary_search(neighbors_of(view, source), target);
}

}  // namespace matcha::codegen::host
