#include <algorithm>

#include "codegen/plan/function_writer.h"
#include "ir/match.h"

/// Views of lists and graphs.
namespace matcha::codegen::plan {

Reg FunctionWriter::graph(const ir::Expr& e) {
  const ir::Expr& resolved = layout_.resolve(e);
  if (const ir::Var* var = ir::as<ir::Var>(&resolved)) return frame_words(layout_.frame().slot(*var), 1);
  if (const auto found = known_.find(&resolved); found != known_.end()) return found->second;
  const Reg to = new_reg();
  const Label other = new_label(), end = new_label();
  branch_unless(*resolved.operands[0], true, other);
  scoped([&] { put(act::copy, to, graph(*resolved.operands[1])).n = 1; });
  jump(act::jump, end);
  place(other);
  scoped([&] { put(act::copy, to, graph(*resolved.operands[2])).n = 1; });
  place(end);
  remember(resolved, to);
  return to;
}

List FunctionWriter::frame_list(std::uint32_t slot, const ir::Type& type) {
  List result;
  result.base = frame_words(slot, 1 + static_cast<std::uint32_t>(type.columns.size()));
  for (const ir::Type* column : type.columns) result.cells.push_back(cell_of(*column));
  return result;
}

List FunctionWriter::buffer(const ir::Var& var) {
  const auto found = buffers_.find(&var);
  if (found != buffers_.end()) return found->second;
  const std::uint32_t slot = layout_.frame().slot(var);
  List made;
  made.base = new_reg(1 + static_cast<std::uint32_t>(var.type->columns.size()));
  made.capacity = frame_words(slot, 1);
  for (std::size_t c = 0; c < var.type->columns.size(); ++c) {
    put_at_start(act::buffer_column, made.column(c)).value = slot + 1 + c;
    made.cells.push_back(var.type->is_bit_rows() ? Cell::Int : cell_of(*var.type->columns[c]));
  }
  return buffers_.emplace(&var, made).first->second;
}

List FunctionWriter::list(const ir::Expr& e) {
  if (const auto stored = layout_.stored().find(&e); stored != layout_.stored().end()) {
    return frame_list(stored->second.slot, *stored->second.type);
  }
  if (e.kind == ir::Kind::Var) {
    const ir::Var& var = static_cast<const ir::Var&>(e);
    const auto found = lists_.find(&var);
    return found != lists_.end() ? found->second : frame_list(layout_.frame().slot(var), *var.type);
  }
  if (const auto found = known_.find(&e); found != known_.end()) return {found->second, list_cells_.at(&e), 0};
  List result = make_list(e);
  list_cells_[&e] = result.cells;
  remember(e, result.base);
  return result;
}

List FunctionWriter::make_list(const ir::Expr& e) {
  switch (e.kind) {
    case ir::Kind::Vertices: {
      for (const ir::Var* var : layout_.graph_vars(*e.operands[0])) layout_.vertex_arrays().push_back(var);
      const Reg view = graph(*e.operands[0]), to = new_reg(2);
      put(act::load_field, to, view).value = offsetof(runtime::GraphView, vertex_count);
      put(act::load_field, to + 1, view).value = offsetof(runtime::GraphView, vertices);
      return {to, {Cell::Vid}, 0};
    }
    case ir::Kind::Edges: {
      const Reg view = graph(*e.operands[0]), to = new_reg(3);
      put(act::load_field, to, view).value = offsetof(runtime::GraphView, arc_count);
      put(act::load_field, to + 1, view).value = offsetof(runtime::GraphView, sources);
      put(act::load_field, to + 2, view).value = offsetof(runtime::GraphView, neighbors);
      return {to, {Cell::Vid, Cell::Vid}, 0};
    }
    case ir::Kind::Neighbors: return neighbors(e, scalar(*e.operands[1]));
    case ir::Kind::EdgeInfo: {
      const Reg vertex = scalar(*e.operands[1]), view = graph(*e.operands[0]), to = new_reg(2);
      put(act::edge_info, to, vertex, view);
      const Cell cell = cell_of(*e.type->columns[0]);
      return {to, {cell == Cell::Vid ? Cell::WordVid : cell == Cell::Bool ? Cell::WordBool : cell}, 0};
    }
    case ir::Kind::Literal: return literal(e);
    case ir::Kind::Cut: return cut(e);
    case ir::Kind::Span: {
      const List items = list(*e.operands[0]);
      const Reg begin = scalar(*e.operands[1]), end = scalar(*e.operands[2]);
      const List result{new_reg(1 + static_cast<std::uint32_t>(items.cells.size())), items.cells, 0};
      put(act::span, result.base, items.base, begin, end).value = word(table({}, items.cells));
      return result;
    }
    case ir::Kind::Select: return select_list(e);
    default: break;
  }
  MATCHA_UNREACHABLE("a set operation that is not stored");
}

/// All neighbours of a vertex, or those on a side.
List FunctionWriter::neighbors(const ir::Expr& e, Reg vertex) {
  const ir::Expr& graph_expr = *e.operands[0];
  const Reg view = graph(graph_expr), to = new_reg(2);
  const ir::Side side = ir::side_of(e);
  const Action all = layout_.index_of(graph_expr) == cpu::Index::Csr ? act::neighbors_csr : act::neighbors_any;
  put(side == ir::Side::All ? all : side == ir::Side::Lower ? act::lower_half : act::upper_half, to, vertex, view);
  return {to, {Cell::Vid}, 0};
}

List FunctionWriter::cut(const ir::Expr& e) {
  const List items = list(*e.operands[0]);
  const Reg bound = scalar(*e.operands[1]);
  const bool lower = ir::is_below(e);
  const List result{new_reg(1 + static_cast<std::uint32_t>(items.cells.size())), items.cells, 0};
  if (items.cells.size() == 1 && items.cells[0] == Cell::Vid) {
    put(lower ? act::below_vid : act::above_vid, result.base, items.base, bound);
    return result;
  }
  const Reg at = new_reg();
  put(search(items.cells[0], !lower), at, items.base, bound);
  put(lower ? act::slice_to : act::slice_from, result.base, items.base, at).value = word(table({}, items.cells));
  return result;
}

List FunctionWriter::literal(const ir::Expr& e) {
  const std::size_t width = e.type->columns.size();
  const std::size_t rows = e.operands.size() / width;
  List result{new_reg(1 + static_cast<std::uint32_t>(width)), {}, 0};
  put(act::copy, result.base, constant(rows)).n = 1;
  for (std::size_t c = 0; c < width; ++c) {
    result.cells.push_back(cell_of(*e.type->columns[c]));
    put(act::copy, result.column(c), area((rows + 1) * sizeof(Word))).n = 1;
  }
  for (std::size_t i = 0; i < e.operands.size(); ++i) {
    const Reg value = scalar(*e.operands[i]);
    put(act::store_item, 0, result.column(i % width), constant(i / width), value).n =
        static_cast<std::uint32_t>(result.cells[i % width]);
  }
  return result;
}

List FunctionWriter::select_list(const ir::Expr& e) {
  const std::uint32_t words = 1 + static_cast<std::uint32_t>(e.type->columns.size());
  List result{new_reg(words), {}, 0};
  const Label other = new_label(), end = new_label();
  branch_unless(*e.operands[0], true, other);
  const auto choose = [&](const ir::Expr& value) {
    scoped([&] {
      const List chosen = list(value);
      put(act::copy, result.base, chosen.base).n = words;
      result.cells = chosen.cells;
    });
  };
  choose(*e.operands[1]);
  jump(act::jump, end);
  place(other);
  choose(*e.operands[2]);
  place(end);
  return result;
}

List FunctionWriter::loop_list(const ir::Expr& e) {
  const ir::Expr& resolved = layout_.resolve(e);
  if (resolved.kind != ir::Kind::Vertices) return list(e);
  const Reg view = graph(*resolved.operands[0]), to = new_reg(2);
  put(act::load_field, to, view).value = offsetof(runtime::GraphView, vertex_count);
  put(act::load_field, to + 1, view).value = offsetof(runtime::GraphView, vertices);
  return {to, {Cell::Self}, 0};
}

Reg FunctionWriter::size_of(const ir::Expr& list_expr) {
  if (list_expr.type->bits) return bits_count(list_expr);
  const bool vertices = list_expr.kind == ir::Kind::Vertices;
  if (vertices || list_expr.kind == ir::Kind::Edges) {
    const Reg view = graph(*list_expr.operands[0]), to = new_reg();
    put(act::load_field, to, view).value =
        vertices ? offsetof(runtime::GraphView, vertex_count) : offsetof(runtime::GraphView, arc_count);
    return to;
  }
  if (ir::is_set_op(list_expr.kind) && !layout_.stored().contains(&list_expr)) return count_items(list_expr);
  if (list_expr.kind == ir::Kind::Sorted) return size_of(*list_expr.operands[0]);
  if (list_expr.kind == ir::Kind::Sequence && !layout_.stored().contains(&list_expr)) {
    const Reg begin = scalar(*list_expr.operands[0]), end = scalar(*list_expr.operands[1]), to = new_reg();
    put(act::range_size, to, begin, end);
    return to;
  }
  return list(list_expr).base;
}

/// The items of a literal in registers, one after the other.
Reg FunctionWriter::literal_items(const ir::Expr& e) {
  std::vector<Reg> values;
  for (const ir::Expr* operand : e.operands) values.push_back(scalar(*operand));
  const Reg first = new_reg(static_cast<std::uint32_t>(values.size()) + 1);
  for (std::size_t i = 0; i < values.size(); ++i) put(act::copy, first + static_cast<Reg>(i), values[i]).n = 1;
  return first;
}

}  // namespace matcha::codegen::plan
