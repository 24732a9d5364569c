#include "codegen/llvm/lists.h"

#include <llvm/IR/Intrinsics.h>

#include <cstddef>

#include "codegen/host/host_plan.h"
#include "codegen/llvm/bits.h"
#include "codegen/llvm/graphs.h"
#include "codegen/llvm/loops.h"
#include "codegen/llvm/scalars.h"
#include "codegen/llvm/sets.h"
#include "ir/match.h"
#include "runtime/cpu/keyed_rows.h"
#include "runtime/cpu/missing_key.h"

namespace matcha::codegen::jit {

using llvm::Value;
using runtime::GraphView;
using runtime::TrapCode;

List Lists::of(const ir::Expr& e) {
  if (const auto stored = module_.stored().find(&e); stored != module_.stored().end()) {
    return f_.frame_list(stored->second.slot, *stored->second.type);
  }
  switch (e.kind) {
    case ir::Kind::Var: {
      const ir::Var& var = static_cast<const ir::Var&>(e);
      const auto found = values_.find(&var);
      return found != values_.end() ? found->second : f_.frame_list(module_.frame().slot(var), *var.type);
    }
    case ir::Kind::Vertices: {
      for (const ir::Var* var : module_.graph_vars(*e.operands[0])) module_.vertex_arrays().push_back(var);
      Value* items = graphs_.field(*e.operands[0], offsetof(GraphView, vertices), f_.ptr, "vertices");
      return {size_of(e), {{items, Cell::Vid, true, nullptr}}, nullptr};
    }
    case ir::Kind::Edges: return graphs_.edges(e);
    case ir::Kind::Neighbors:
      if (ir::is_all_neighbors(e)) return graphs_.neighbors(*e.operands[0], scalars_.of(*e.operands[1]));
      return graphs_.half_neighbors(*e.operands[0], scalars_.of(*e.operands[1]), ir::side_of(e) == ir::Side::Lower);
    case ir::Kind::EdgeInfo: return graphs_.edge_info(e);
    case ir::Kind::Literal: return literal(e);
    case ir::Kind::Cut: {
      List items = of(*e.operands[0]);
      if (ir::is_below(e)) return slice(items, f_.integer(0), lower_bound(items, scalars_.of(*e.operands[1])));
      Value* begin = lower_bound(items, scalars_.of(*e.operands[1]), true);
      return slice(items, begin, b_.CreateNUWSub(items.size, begin));
    }
    case ir::Kind::Span: return span(e);
    case ir::Kind::Select: return select(e);
    default: break;
  }
  MATCHA_UNREACHABLE("a set operation that is not stored");
}

List Lists::of_loop(const ir::Expr& e) {
  const ir::Expr& resolved = module_.resolve(e);
  if (resolved.kind != ir::Kind::Vertices) return of(e);
  Value* items = graphs_.field(*resolved.operands[0], offsetof(GraphView, vertices), f_.ptr, "vertices");
  return {size_of(resolved), {{items, Cell::Vid, true, f_.entry().CreateIsNull(items, "all_vertices")}}, nullptr};
}

List Lists::literal(const ir::Expr& e) {
  std::size_t width = e.type->columns.size();
  std::size_t rows = e.operands.size() / width;
  List result{f_.integer(rows), {}, nullptr};
  for (const ir::Type* type : e.type->columns) {
    Cell cell = cell_of(*type);
    result.columns.push_back({f_.local(f_.cell_type(cell), "literal", f_.integer(rows + 1)), cell, false, nullptr});
  }
  for (std::size_t i = 0; i < e.operands.size(); ++i) {
    f_.store_cell(result.columns[i % width], f_.integer(i / width), scalars_.of(*e.operands[i]));
  }
  return result;
}

List Lists::slice(const List& list, Value* begin, Value* size) {
  List result{size, list.columns, nullptr};
  for (Column& column : result.columns) column.data = f_.gep(f_.cell_type(column.cell), column.data, begin);
  return result;
}

List Lists::span(const ir::Expr& e) {
  List items = of(*e.operands[0]);
  Value* ends[2];
  Value* low = f_.integer(0);
  for (std::size_t i = 0; i < 2; ++i) {
    Value* end = scalars_.of(*e.operands[i + 1]);
    bool negative = module_.facts().range(e.operands[i + 1]).low < 0;
    if (negative) end = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, end, f_.integer(0));
    if (!module_.is_position_in(*e.operands[i + 1], *e.operands[0])) end = f_.min_u(end, items.size);
    ends[i] = i == 0 ? end : b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, end, low);
    low = ends[i];
  }
  return slice(items, ends[0], b_.CreateNUWSub(ends[1], ends[0], "span"));
}

List Lists::select(const ir::Expr& e) {
  llvm::BasicBlock* blocks[2] = {f_.new_block("then"), f_.new_block("else")};
  llvm::BasicBlock* end = f_.new_block("");
  b_.CreateCondBr(scalars_.of(*e.operands[0]), blocks[0], blocks[1]);
  List parts[2];
  for (std::size_t i = 0; i < 2; ++i) {
    b_.SetInsertPoint(blocks[i]);
    parts[i] = of(*e.operands[i + 1]);
    blocks[i] = b_.GetInsertBlock();
    b_.CreateBr(end);
  }
  b_.SetInsertPoint(end);
  const auto join = [&](Value* a, Value* b) {
    llvm::PHINode* phi = b_.CreatePHI(a->getType(), 2);
    phi->addIncoming(a, blocks[0]);
    phi->addIncoming(b, blocks[1]);
    return phi;
  };
  List result{join(parts[0].size, parts[1].size), parts[0].columns, nullptr};
  for (std::size_t c = 0; c < result.columns.size(); ++c) {
    result.columns[c].data = join(parts[0].columns[c].data, parts[1].columns[c].data);
    result.columns[c].constant = parts[0].columns[c].constant && parts[1].columns[c].constant;
  }
  return result;
}

Value* Lists::size_of(const ir::Expr& list_expr) {
  if (list_expr.type->bits) return bits_.count(list_expr);
  if (list_expr.kind == ir::Kind::Vertices) {
    return graphs_.field(*list_expr.operands[0], offsetof(GraphView, vertex_count), f_.i64, "vertex_count");
  }
  if (list_expr.kind == ir::Kind::Edges) {
    return graphs_.field(*list_expr.operands[0], offsetof(GraphView, arc_count), f_.i64, "arc_count");
  }
  if (ir::is_set_op(list_expr.kind) && !module_.stored().contains(&list_expr)) return sets_.count(list_expr);
  if (list_expr.kind == ir::Kind::Sorted) return size_of(*list_expr.operands[0]);
  if (list_expr.kind == ir::Kind::Sequence && !module_.stored().contains(&list_expr)) {
    Value* begin = scalars_.of(*list_expr.operands[0]);
    Value* end = scalars_.of(*list_expr.operands[1]);
    return b_.CreateSelect(b_.CreateICmpSLT(begin, end), b_.CreateSub(end, begin), f_.integer(0));
  }
  return of(list_expr).size;
}

Value* Lists::at(const ir::At& e) {
  List items = of(*e.operands[0]);
  Value* index = scalars_.of(*e.operands[1]);
  f_.trap_if(b_.CreateICmpUGE(index, items.size), TrapCode::IndexOutOfRange, e.loc, [&] {
    using runtime::rt_note_index;
    Value* size = e.operands[0]->type->is_table() ? f_.integer(runtime::kOfTable) : items.size;
    b_.CreateCall(MATCHA_RUNTIME(module_, rt_note_index, Effect::Any), {index, size});
  });
  return f_.load_cell(items.columns[e.column], index);
}

Value* Lists::find_row(const ir::Expr& e) {
  using runtime::rt_find_row;
  const ir::Expr& table_expr = *e.operands[0];
  const List table = of(table_expr);
  if (e.operands.size() == 2 && table_expr.type->columns[0]->is_scalar(ir::ScalarKind::Vid)) {
    using runtime::rt_find_rank;
    return b_.CreateCall(MATCHA_RUNTIME(module_, rt_find_rank, Effect::ReadsArguments),
                         {table.columns[0].data, table.size, b_.CreateTrunc(scalars_.of(*e.operands[1]), f_.i32)},
                         "row");
  }
  llvm::StructType* type = llvm::StructType::get(module_.context(), {f_.ptr, f_.i64, f_.i32});
  const std::size_t keys = e.operands.size() - 1;
  Value* parts = f_.local(type, "key", f_.integer(keys));
  for (std::size_t i = 0; i < keys; ++i) {
    Value* part = f_.gep(type, parts, f_.integer(i));
    b_.CreateStore(table.columns[i].data, b_.CreateStructGEP(type, part, 0));
    b_.CreateStore(b_.CreateZExtOrTrunc(scalars_.of(*e.operands[i + 1]), f_.i64), b_.CreateStructGEP(type, part, 1));
    b_.CreateStore(b_.getInt32(static_cast<std::uint32_t>(host::element_kind(*table_expr.type->columns[i]))),
                   b_.CreateStructGEP(type, part, 2));
  }
  return b_.CreateCall(MATCHA_RUNTIME(module_, rt_find_row, Effect::Any),
                       {parts, b_.getInt32(static_cast<std::uint32_t>(keys)), table.size}, "row");
}

Value* Lists::holds(const List& items, Value* x) {
  Value* at = lower_bound(items, x);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* look = f_.new_block("look");
  llvm::BasicBlock* end = f_.new_block("");
  b_.CreateCondBr(b_.CreateICmpULT(at, items.size), look, end);
  b_.SetInsertPoint(look);
  Value* hit = f_.same(items.columns[0].cell, f_.load_cell(items.columns[0], at), x);
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
  llvm::PHINode* result = b_.CreatePHI(f_.i1, 2, "found");
  result->addIncoming(b_.getFalse(), before);
  result->addIncoming(hit, look);
  return result;
}

Value* Lists::lower_bound(const List& items, Value* x, bool past_equal) {
  const Column& column = items.columns[0];
  bool inside = f_.worker() != nullptr && loops_.depth() >= 2;
  if (!inside || column.cell != Cell::Vid) return search(items, x, past_equal);
  Value* bound = past_equal ? b_.CreateAdd(x, f_.integer(1)) : x;
  return f_.call_kernel(offsetof(runtime::SetKernels, lower_bound),
                        module_.type_of<decltype(runtime::SetKernels::lower_bound)>(), {column.data, items.size, bound},
                        "lower_bound", Effect::ReadsArguments);
}

/// `lower_bound` without a call. The loop has no branch but its end.
Value* Lists::search(const List& items, Value* x, bool past_equal) {
  const Column& column = items.columns[0];
  const auto goes_right = [&](Value* item) {
    return past_equal ? b_.CreateNot(f_.less(column.cell, x, item)) : f_.less(column.cell, item, x);
  };
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* head = f_.new_block("search");
  llvm::BasicBlock* step = f_.new_block("search_step");
  llvm::BasicBlock* last = f_.new_block("search_last");
  llvm::BasicBlock* end = f_.new_block("");
  b_.CreateCondBr(b_.CreateICmpEQ(items.size, f_.integer(0)), end, head);
  b_.SetInsertPoint(head);
  llvm::PHINode* first = b_.CreatePHI(f_.i64, 2, "first");
  llvm::PHINode* count = b_.CreatePHI(f_.i64, 2, "count");
  first->addIncoming(f_.integer(0), before);
  count->addIncoming(items.size, before);
  b_.CreateCondBr(b_.CreateICmpUGT(count, f_.integer(1)), step, last);
  b_.SetInsertPoint(step);
  Value* half = b_.CreateLShr(count, 1);
  Value* middle = b_.CreateAdd(first, half);
  Value* item = f_.load_cell(column, b_.CreateSub(middle, f_.integer(1)));
  Value* moved = b_.CreateSelect(goes_right(item), middle, first);
  llvm::Instruction* chosen = llvm::dyn_cast<llvm::Instruction>(moved);
  if (chosen != nullptr)
    chosen->setMetadata(llvm::LLVMContext::MD_unpredictable, llvm::MDNode::get(module_.context(), {}));
  first->addIncoming(moved, b_.GetInsertBlock());
  count->addIncoming(b_.CreateSub(count, half), b_.GetInsertBlock());
  b_.CreateBr(head);
  b_.SetInsertPoint(last);
  Value* position = b_.CreateAdd(first, b_.CreateZExt(goes_right(f_.load_cell(column, first)), f_.i64));
  llvm::BasicBlock* after = b_.GetInsertBlock();
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
  llvm::PHINode* result = b_.CreatePHI(f_.i64, 2, "position");
  result->addIncoming(f_.integer(0), before);
  result->addIncoming(position, after);
  return result;
}

}  // namespace matcha::codegen::jit
