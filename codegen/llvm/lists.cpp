#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <cstddef>

#include "codegen/llvm/function_emitter.h"
#include "codegen/llvm/helpers.h"
#include "ir/match.h"
#include "runtime/graph/labels.h"

/// Views of lists and what is read from them and from graphs.
namespace matcha::codegen::jit {

using llvm::Value;
using runtime::CpuGraphView;
using runtime::GraphView;
using runtime::SplitOffsets;
using runtime::TrapCode;

namespace {

constexpr std::uint64_t kGraphFieldKey = std::uint64_t{1} << 33;

}  // namespace

// Graphs

Value* FunctionEmitter::graph(const ir::Expr& e) {
  const ir::Expr& resolved = module_.resolve(e);
  if (const ir::Var* var = ir::as<ir::Var>(&resolved))
    return load_slot(module_.frame().slot(*var), ptr_, name_of(*var));
  Value* cond = scalar(*resolved.operands[0]);
  Value* first = graph(*resolved.operands[1]);
  return b_.CreateSelect(cond, first, graph(*resolved.operands[2]));
}

Value* FunctionEmitter::graph_field(const ir::Expr& graph_expr, std::size_t offset, llvm::Type* type,
                                    const llvm::Twine& name) {
  const ir::Expr& resolved = module_.resolve(graph_expr);
  Value* view = graph(resolved);
  const ir::Var* var = ir::as<ir::Var>(&resolved);
  if (var == nullptr) return b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_64(i8_, view, offset), name);
  std::uint64_t key = kGraphFieldKey + (std::uint64_t{module_.frame().slot(*var)} << 8) + offset;
  return hoisted(key, [&](llvm::IRBuilder<>& at) {
    return constant_load(at, type, at.CreateConstInBoundsGEP1_64(i8_, view, offset), name);
  });
}

Arcs FunctionEmitter::arcs(const ir::Expr& graph_expr, Value* v) {
  switch (module_.index_of(graph_expr)) {
    case Index::Hash: return hashed_arcs(graph_expr, v);
    case Index::Unknown: return looked_up_arcs(graph_expr, v);
    case Index::Csr: break;
  }
  Value* offsets = graph_field(graph_expr, offsetof(GraphView, offsets), ptr_, "offsets");
  Value* address = gep(i64_, offsets, v);
  Value* begin = constant_load(b_, i64_, address, "begin");
  Value* end = constant_load(b_, i64_, b_.CreateConstInBoundsGEP1_64(i64_, address, 1), "end");
  return {begin, end};
}

/// The probe of `runtime::arcs_of`.
Arcs FunctionEmitter::hashed_arcs(const ir::Expr& graph_expr, Value* vertex) {
  Value* slots = graph_field(graph_expr, offsetof(GraphView, slots), ptr_, "slots");
  Value* mask = graph_field(graph_expr, offsetof(GraphView, slot_mask), i64_, "slot_mask");
  Value* hash = b_.CreateLShr(b_.CreateMul(vertex, integer(runtime::kHashMultiplier)), 32);
  Value* first = b_.CreateAnd(hash, mask);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* probe = new_block("probe");
  llvm::BasicBlock* next = new_block("probe_next");
  llvm::BasicBlock* end = new_block("probed");
  b_.CreateBr(probe);
  b_.SetInsertPoint(probe);
  llvm::PHINode* place = b_.CreatePHI(i64_, 2, "place");
  place->addIncoming(first, before);
  Value* slot = gep(i8_, slots, b_.CreateMul(place, integer(sizeof(runtime::HashSlot))));
  Value* key = constant_load(b_, i64_, slot, "key");
  Value* found = b_.CreateICmpEQ(key, vertex);
  Value* done = b_.CreateOr(found, b_.CreateICmpEQ(key, integer(runtime::kEmptySlot)));
  b_.CreateCondBr(done, end, next);
  b_.SetInsertPoint(next);
  place->addIncoming(b_.CreateAnd(b_.CreateAdd(place, integer(1)), mask), next);
  b_.CreateBr(probe);
  b_.SetInsertPoint(end);
  Value* arcs_begin = constant_load(b_, i64_, b_.CreateConstInBoundsGEP1_64(i64_, slot, 1), "begin");
  Value* arcs_end = constant_load(b_, i64_, b_.CreateConstInBoundsGEP1_64(i64_, slot, 2), "end");
  return {b_.CreateSelect(found, arcs_begin, integer(0)), b_.CreateSelect(found, arcs_end, integer(0))};
}

Arcs FunctionEmitter::looked_up_arcs(const ir::Expr& graph_expr, Value* vertex) {
  Value* begin = local(i64_, "begin");
  Value* end = local(i64_, "end");
  b_.CreateCall(MATCHA_RUNTIME(module_, matcha_arcs, Effect::Any), {graph(graph_expr), vertex, begin, end});
  return {b_.CreateLoad(i64_, begin), b_.CreateLoad(i64_, end)};
}

List FunctionEmitter::neighbors(const ir::Expr& graph_expr, Value* v) {
  Arcs range = arcs(graph_expr, v);
  Value* all = graph_field(graph_expr, offsetof(GraphView, neighbors), ptr_, "neighbors");
  return {b_.CreateNUWSub(range.end, range.begin, "degree"),
          {{gep(i32_, all, range.begin), Cell::Vid, true, nullptr}},
          nullptr};
}

/// The address of two narrow offsets: of the first neighbour of a vertex and of the first one that is not below it.
Value* FunctionEmitter::half_offsets(const ir::Expr& graph_expr, Value* v) {
  constexpr std::size_t kOffsets = offsetof(CpuGraphView, halves) + offsetof(SplitOffsets, offsets);
  return gep(i32_, graph_field(graph_expr, kOffsets, ptr_, "halves"), b_.CreateNUWMul(v, integer(2)));
}

/// The neighbours of a vertex below or above it.
List FunctionEmitter::half_neighbors(const ir::Expr& graph_expr, Value* v, bool lower) {
  Value* bases = graph_field(graph_expr, offsetof(CpuGraphView, halves) + offsetof(SplitOffsets, bases), ptr_, "bases");
  Value* shift = graph_field(graph_expr, offsetof(CpuGraphView, halves) + offsetof(SplitOffsets, shift), i64_, "shift");
  Value* all = graph_field(graph_expr, offsetof(GraphView, neighbors), ptr_, "neighbors");
  Value* row = b_.CreateConstInBoundsGEP1_64(i32_, half_offsets(graph_expr, v), lower ? 0 : 1);
  Value* begin = constant_load(b_, i32_, row, "row");
  Value* end = constant_load(b_, i32_, b_.CreateConstInBoundsGEP1_64(i32_, row, 1), "row_end");
  Value* base = constant_load(b_, i64_, gep(i64_, bases, b_.CreateLShr(v, shift)), "base");
  // As `runtime::half_offset`, where the offset of the first item is not known to be one of 32 bits.
  Value* first = b_.CreateNUWAdd(base, b_.CreateZExt(b_.CreateSub(begin, b_.CreateTrunc(base, i32_)), i64_));
  Value* size = b_.CreateZExt(b_.CreateSub(end, begin), i64_, "half");
  return {size, {{gep(i32_, all, first), Cell::Vid, true, nullptr}}, nullptr};
}

List FunctionEmitter::edge_info(const ir::Expr& e) {
  Arcs range = arcs(*e.operands[0], scalar(*e.operands[1]));
  Value* all = graph_field(*e.operands[0], offsetof(GraphView, edge_info), ptr_, "edge_info");
  Cell cell = cell_of(*e.type->columns[0]);
  if (cell == Cell::Vid) cell = Cell::WordVid;
  if (cell == Cell::Bool) cell = Cell::WordBool;
  return {
      b_.CreateNUWSub(range.end, range.begin, "degree"), {{gep(i64_, all, range.begin), cell, true, nullptr}}, nullptr};
}

List FunctionEmitter::edges(const ir::Expr& e) {
  const ir::Expr& g = *e.operands[0];
  Value* sources = graph_field(g, offsetof(GraphView, sources), ptr_, "sources");
  Value* targets = graph_field(g, offsetof(GraphView, neighbors), ptr_, "neighbors");
  return {graph_field(g, offsetof(GraphView, arc_count), i64_, "arc_count"),
          {{sources, Cell::Vid, true, nullptr}, {targets, Cell::Vid, true, nullptr}},
          nullptr};
}

Value* FunctionEmitter::label(const ir::Expr& e) {
  Value* vertex = scalar(*e.operands[1]);
  Value* labels = graph_field(*e.operands[0], offsetof(GraphView, labels), ptr_, "labels");
  if (module_.facts().labelled(e.operands[0])) return constant_load(b_, i64_, gep(i64_, labels, vertex), "label");
  trap_if(b_.CreateIsNull(labels), TrapCode::NoLabel, e.loc);
  Value* code = constant_load(b_, i64_, gep(i64_, labels, vertex), "label");
  trap_if(b_.CreateICmpEQ(code, b_.getInt64(static_cast<std::uint64_t>(runtime::kNoLabel))), TrapCode::NoLabel, e.loc);
  return code;
}

// Lists

List FunctionEmitter::list(const ir::Expr& e) {
  if (const auto stored = module_.stored().find(&e); stored != module_.stored().end()) {
    return frame_list(stored->second.slot, *stored->second.type);
  }
  switch (e.kind) {
    case ir::Kind::Var: {
      const ir::Var& var = static_cast<const ir::Var&>(e);
      const auto found = lists_.find(&var);
      return found != lists_.end() ? found->second : frame_list(module_.frame().slot(var), *var.type);
    }
    case ir::Kind::Vertices: {
      for (const ir::Var* var : module_.graph_vars(*e.operands[0])) module_.vertex_arrays().push_back(var);
      Value* items = graph_field(*e.operands[0], offsetof(GraphView, vertices), ptr_, "vertices");
      return {size_of(e), {{items, Cell::Vid, true, nullptr}}, nullptr};
    }
    case ir::Kind::Edges: return edges(e);
    case ir::Kind::Neighbors:
      if (ir::is_all_neighbors(e)) return neighbors(*e.operands[0], scalar(*e.operands[1]));
      return half_neighbors(*e.operands[0], scalar(*e.operands[1]), ir::side_of(e) == ir::Side::Lower);
    case ir::Kind::EdgeInfo: return edge_info(e);
    case ir::Kind::Literal: return literal(e);
    case ir::Kind::Cut: {
      List items = list(*e.operands[0]);
      if (ir::is_below(e)) return slice(items, integer(0), lower_bound(items, scalar(*e.operands[1])));
      Value* begin = lower_bound(items, scalar(*e.operands[1]), true);
      return slice(items, begin, b_.CreateNUWSub(items.size, begin));
    }
    case ir::Kind::Span: return span(e);
    case ir::Kind::Select: return select_list(e);
    default: break;
  }
  MATCHA_UNREACHABLE("a set operation that is not stored");
}

List FunctionEmitter::loop_list(const ir::Expr& e) {
  const ir::Expr& resolved = module_.resolve(e);
  if (resolved.kind != ir::Kind::Vertices) return list(e);
  Value* items = graph_field(*resolved.operands[0], offsetof(GraphView, vertices), ptr_, "vertices");
  return {size_of(resolved), {{items, Cell::Vid, true, entry_.CreateIsNull(items, "all_vertices")}}, nullptr};
}

List FunctionEmitter::literal(const ir::Expr& e) {
  std::size_t width = e.type->columns.size();
  std::size_t rows = e.operands.size() / width;
  List result{integer(rows), {}, nullptr};
  for (const ir::Type* type : e.type->columns) {
    Cell cell = cell_of(*type);
    result.columns.push_back({local(cell_type(cell), "literal", integer(rows + 1)), cell, false, nullptr});
  }
  for (std::size_t i = 0; i < e.operands.size(); ++i) {
    store_cell(result.columns[i % width], integer(i / width), scalar(*e.operands[i]));
  }
  return result;
}

List FunctionEmitter::slice(const List& list, Value* begin, Value* size) {
  List result{size, list.columns, nullptr};
  for (Column& column : result.columns) column.data = gep(cell_type(column.cell), column.data, begin);
  return result;
}

List FunctionEmitter::span(const ir::Expr& e) {
  List items = list(*e.operands[0]);
  Value* ends[2];
  Value* low = integer(0);
  for (std::size_t i = 0; i < 2; ++i) {
    Value* end = scalar(*e.operands[i + 1]);
    bool negative = module_.facts().range(e.operands[i + 1]).low < 0;
    if (negative) end = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, end, integer(0));
    if (!module_.is_position_in(*e.operands[i + 1], *e.operands[0])) end = min_u(end, items.size);
    ends[i] = i == 0 ? end : b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, end, low);
    low = ends[i];
  }
  return slice(items, ends[0], b_.CreateNUWSub(ends[1], ends[0], "span"));
}

List FunctionEmitter::select_list(const ir::Expr& e) {
  llvm::BasicBlock* blocks[2] = {new_block("then"), new_block("else")};
  llvm::BasicBlock* end = new_block("");
  b_.CreateCondBr(scalar(*e.operands[0]), blocks[0], blocks[1]);
  List parts[2];
  for (std::size_t i = 0; i < 2; ++i) {
    b_.SetInsertPoint(blocks[i]);
    parts[i] = list(*e.operands[i + 1]);
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

Value* FunctionEmitter::size_of(const ir::Expr& list_expr) {
  if (list_expr.type->bits) return bits_.count(list_expr);
  if (list_expr.kind == ir::Kind::Vertices) {
    return graph_field(*list_expr.operands[0], offsetof(GraphView, vertex_count), i64_, "vertex_count");
  }
  if (list_expr.kind == ir::Kind::Edges) {
    return graph_field(*list_expr.operands[0], offsetof(GraphView, arc_count), i64_, "arc_count");
  }
  if (ir::is_set_op(list_expr.kind) && !module_.stored().contains(&list_expr)) return count_items(list_expr);
  if (list_expr.kind == ir::Kind::Sorted) return size_of(*list_expr.operands[0]);
  return list(list_expr).size;
}

Value* FunctionEmitter::at(const ir::At& e) {
  List items = list(*e.operands[0]);
  Value* index = scalar(*e.operands[1]);
  trap_if(b_.CreateICmpUGE(index, items.size), TrapCode::IndexOutOfRange, e.loc, [&] {
    using runtime::rt_note_index;
    b_.CreateCall(MATCHA_RUNTIME(module_, rt_note_index, Effect::Any), {index, items.size});
  });
  return load_cell(items.columns[e.column], index);
}

Value* FunctionEmitter::contains(const ir::Expr& e) {
  const ir::Expr& set = *e.operands[0];
  Value* x = scalar(*e.operands[1]);
  if (set.type->bits) return bits_.contains(set, x);
  if (set.kind == ir::Kind::Literal) {
    return member_of(literal_items(set), x, cell_of(*set.type->columns[0]));
  }
  List items = list(set);
  if (module_.facts().list(&set).ascending) return contains(items, x);
  Cell cell = items.columns[0].cell;
  Value* hits = filter(items, nullptr, [&](Value* item) { return same(cell, item, x); });
  return b_.CreateICmpNE(hits, integer(0));
}

/// Binary search of an ascending list.
Value* FunctionEmitter::contains(const List& items, Value* x) {
  Value* at = lower_bound(items, x);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* look = new_block("look");
  llvm::BasicBlock* end = new_block("");
  b_.CreateCondBr(b_.CreateICmpULT(at, items.size), look, end);
  b_.SetInsertPoint(look);
  Value* hit = same(items.columns[0].cell, load_cell(items.columns[0], at), x);
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
  llvm::PHINode* result = b_.CreatePHI(i1_, 2, "found");
  result->addIncoming(b_.getFalse(), before);
  result->addIncoming(hit, look);
  return result;
}

/// Position of the first item that is not below `x`, or above `x` if `past_equal`: in place in the outer levels of a
/// region, by a call in the inner ones, where a program may have many.
Value* FunctionEmitter::lower_bound(const List& items, Value* x, bool past_equal) {
  const Column& column = items.columns[0];
  bool inside = worker_ != nullptr && depth_ >= 2;
  if (!inside || column.cell != Cell::Vid) return search(items, x, past_equal);
  Value* bound = past_equal ? b_.CreateAdd(x, integer(1)) : x;
  return call_kernel(offsetof(runtime::SetKernels, lower_bound),
                     module_.type_of<decltype(runtime::SetKernels::lower_bound)>(), {column.data, items.size, bound},
                     "lower_bound", Effect::ReadsArguments);
}

/// `lower_bound` in place. The loop has no branch but its end.
Value* FunctionEmitter::search(const List& items, Value* x, bool past_equal) {
  const Column& column = items.columns[0];
  const auto goes_right = [&](Value* item) {
    return past_equal ? b_.CreateNot(less(column.cell, x, item)) : less(column.cell, item, x);
  };
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* head = new_block("search");
  llvm::BasicBlock* step = new_block("search_step");
  llvm::BasicBlock* last = new_block("search_last");
  llvm::BasicBlock* end = new_block("");
  b_.CreateCondBr(b_.CreateICmpEQ(items.size, integer(0)), end, head);
  b_.SetInsertPoint(head);
  llvm::PHINode* first = b_.CreatePHI(i64_, 2, "first");
  llvm::PHINode* count = b_.CreatePHI(i64_, 2, "count");
  first->addIncoming(integer(0), before);
  count->addIncoming(items.size, before);
  b_.CreateCondBr(b_.CreateICmpUGT(count, integer(1)), step, last);
  b_.SetInsertPoint(step);
  Value* half = b_.CreateLShr(count, 1);
  Value* middle = b_.CreateAdd(first, half);
  Value* item = load_cell(column, b_.CreateSub(middle, integer(1)));
  Value* moved = b_.CreateSelect(goes_right(item), middle, first);
  llvm::Instruction* chosen = llvm::dyn_cast<llvm::Instruction>(moved);
  if (chosen != nullptr)
    chosen->setMetadata(llvm::LLVMContext::MD_unpredictable, llvm::MDNode::get(module_.context(), {}));
  first->addIncoming(moved, b_.GetInsertBlock());
  count->addIncoming(b_.CreateSub(count, half), b_.GetInsertBlock());
  b_.CreateBr(head);
  b_.SetInsertPoint(last);
  Value* position = b_.CreateAdd(first, b_.CreateZExt(goes_right(load_cell(column, first)), i64_));
  llvm::BasicBlock* after = b_.GetInsertBlock();
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
  llvm::PHINode* result = b_.CreatePHI(i64_, 2, "position");
  result->addIncoming(integer(0), before);
  result->addIncoming(position, after);
  return result;
}

// Memory

Value* FunctionEmitter::gep(llvm::Type* type, Value* base, Value* index, const llvm::Twine& name) {
  return b_.CreateInBoundsGEP(type, base, index, name);
}

Value* FunctionEmitter::min_u(Value* a, Value* b) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b); }

Value* FunctionEmitter::load_cell(const Column& column, Value* index, const llvm::Twine& name) {
  llvm::Type* type = cell_type(column.cell);
  Value* data = column.data;
  Value* place = index;
  if (column.identity != nullptr) {
    data = b_.CreateSelect(column.identity, frame_, data);
    place = b_.CreateSelect(column.identity, integer(0), index);
  }
  llvm::LoadInst* raw = b_.CreateLoad(type, gep(type, data, place), name);
  if (column.constant) raw->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(module_.context(), {}));
  if (column.cell == Cell::Vid) {
    Value* vid = b_.CreateZExt(raw, i64_, name);
    return column.identity != nullptr ? b_.CreateSelect(column.identity, index, vid, name) : vid;
  }
  if (column.cell == Cell::Bool) return b_.CreateICmpNE(raw, b_.getInt8(0), name);
  return column.cell == Cell::WordBool ? b_.CreateICmpNE(raw, integer(0), name) : raw;
}

void FunctionEmitter::store_cell(const Column& column, Value* index, Value* value) {
  llvm::Type* type = cell_type(column.cell);
  Value* address = gep(type, column.data, index);
  if (column.cell == Cell::Vid) value = b_.CreateTrunc(value, i32_);
  if (column.cell == Cell::Bool) value = b_.CreateZExt(value, i8_);
  b_.CreateStore(value, address);
}

}  // namespace matcha::codegen::jit
