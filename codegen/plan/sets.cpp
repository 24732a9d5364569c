#include "codegen/host/host_plan.h"
#include "codegen/plan/function_writer.h"
#include "ir/match.h"

/// Set operations, by kernels or item by item.
namespace matcha::codegen::plan {

List FunctionWriter::second_list(const ir::Expr& set_operation, bool& ascending) {
  const ir::Expr& e = layout_.without_bound(set_operation);
  const auto copy = layout_.sorted_copies().find(&e);
  if (copy != layout_.sorted_copies().end()) return frame_list(copy->second.slot, *copy->second.type);
  ascending = layout_.facts().list(&e).ascending;
  return list(e);
}

void FunctionWriter::check_room(Reg items, const List* maybe_out) {
  if (maybe_out != nullptr && maybe_out->capacity != 0)
    trapping(put(act::check_most, 0, items, maybe_out->capacity), loc_);
}

/// An operation that has no kernel, item by item.
Reg FunctionWriter::filter(const ir::Expr& e, const List& a, const List* maybe_out) {
  FilterForm form{};
  form.common = ir::keeps_found(e.kind);
  form.ascending = true;
  form.a = a.cells[0];
  form.out = maybe_out != nullptr ? maybe_out->cells[0] : form.a;
  const Reg out = maybe_out != nullptr ? maybe_out->column(0) : 0;
  const Reg to = new_reg();
  if (e.operands[1]->kind == ir::Kind::Literal) {
    const ir::ListFacts facts = layout_.facts().list(e.operands[0]);
    const bool searched = maybe_out == nullptr && facts.ascending && facts.unique;
    const Reg items = literal_items(*e.operands[1]);
    Op& op = put(searched ? act::count_literal : act::filter_literal, to, a.base, items, out);
    op.n = static_cast<std::uint32_t>(e.operands[1]->operands.size());
    op.value = word(&function_->forms.emplace_back(form));
    return to;
  }
  const List b = second_list(e, form.ascending);
  form.b = b.cells[0];
  put(act::filter, to, a.base, b.base, out).value = word(&function_->forms.emplace_back(form));
  return to;
}

Reg FunctionWriter::count_items(const ir::Expr& e) {
  const List a = list(*e.operands[0]);
  if (e.operands[1]->kind == ir::Kind::Literal || !layout_.kernel_operands(e)) return filter(e, a, nullptr);
  bool ascending = true;
  const List b = second_list(e, ascending);
  const Reg to = new_reg();
  put(ir::keeps_found(e.kind) ? act::intersect_count : act::diff_count, to, a.base, b.base);
  return to;
}

/// Stores the items of `e` in the columns of `maybe_out` unless it is null; returns their number.
Reg FunctionWriter::store_items(const ir::Expr& e, const List* maybe_out) {
  if (e.kind == ir::Kind::Sorted && !layout_.stored().contains(&e)) {
    if (host::sorted_by_rows(*e.type)) return fold_rows(e, *maybe_out);
    const Reg count = store_items(*e.operands[0], maybe_out);
    if (!layout_.facts().list(e.operands[0]).ascending)
      put(act::sort, 0, maybe_out->column(0), count).n = static_cast<std::uint32_t>(maybe_out->cells[0]);
    return count;
  }
  const bool stored = layout_.stored().contains(&e);
  if (e.kind == ir::Kind::Sequence && !stored) {
    const Reg begin = scalar(*e.operands[0]), size = size_of(e);
    check_room(size, maybe_out);
    put(act::fill_range, 0, maybe_out->column(0), begin, size);
    return size;
  }
  if (e.kind == ir::Kind::Keyed && !stored) return fold_rows(e, *maybe_out);
  if (!ir::is_set_op(e.kind) || stored) return copy_items(list(e), *maybe_out);
  const bool common = ir::keeps_found(e.kind), literal = e.operands[1]->kind == ir::Kind::Literal;
  const bool of_vertices = common && e.operands[0]->kind == ir::Kind::Vertices && !literal;
  const bool by_kernel = !literal && layout_.kernel_operands(e);
  const List a = list(*e.operands[0]);
  if (!common || (!layout_.kernel_operands(e) && !of_vertices)) check_room(a.base, maybe_out);
  if (!by_kernel && !of_vertices) return filter(e, a, maybe_out);
  bool ascending = true;
  const List b = second_list(e, ascending);
  if (common) {
    const Reg shorter = new_reg();
    put(act::min_unsigned, shorter, a.base, b.base);
    check_room(shorter, maybe_out);
  }
  const bool alike = ascending && a.cells[0] == Cell::Vid && b.cells[0] == Cell::Vid;
  if (!alike) return filter(e, a, maybe_out);
  const Reg to = new_reg();
  put(by_kernel ? (common ? act::intersect : act::diff) : act::intersect_distinct, to, a.base, b.base,
      maybe_out->column(0));
  return to;
}

/// The rows of `sorted` and `keyed`.
Reg FunctionWriter::fold_rows(const ir::Expr& e, const List& out) {
  const List from = list(*e.operands[0]);
  check_room(from.base, &out);
  const ir::Keyed* keyed = ir::as<ir::Keyed>(&e);
  const runtime::RowFold fold = keyed != nullptr ? host::row_fold(keyed->fold) : runtime::RowFold::Keep;
  const Reg to = new_reg();
  Op& op = trapping(put(act::fold_rows, to, from.base, out.base, e.type->keys), e.loc);
  op.n = static_cast<std::uint32_t>(fold);
  op.value = word(table({}, out.cells));
  return to;
}

/// Copies rows item by item; words of edge information become cells of a list.
Reg FunctionWriter::copy_items(const List& from, const List& out) {
  check_room(from.base, &out);
  std::vector<Cell> cells = from.cells;
  cells.insert(cells.end(), out.cells.begin(), out.cells.end());
  const Reg to = new_reg();
  put(act::copy_items, to, from.base, out.base).value = word(table({}, cells));
  return to;
}

Reg FunctionWriter::fill_list(const ir::Expr& e, std::uint32_t slot, bool sorted) {
  const List out = frame_list(slot, *e.type);
  const Reg count = store_items(e, &out);
  if (sorted) put(act::sort, 0, out.column(0), count).n = static_cast<std::uint32_t>(out.cells[0]);
  return count;
}

/// The counters belong to the worker and are zero before and after the call.
Reg FunctionWriter::common(const ir::Store& s) {
  const ir::Expr& e = *s.value;
  const List items = list(*e.operands[1]);
  const Reg view = graph(*e.operands[0]), bound = scalar(*e.operands[2]), part = scalar(*e.operands[3]);
  const Reg counters = buffer(*s.buffer).column(0), to = new_reg();
  Op& op = trapping(put(act::common_neighbors, to, items.base, view, bound), e.loc);
  op.d = part;
  op.value = counters;
  op.n = ir::side_of(e) == ir::Side::Lower ? 0 : 1;
  return to;
}

}  // namespace matcha::codegen::plan
