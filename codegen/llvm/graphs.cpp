#include "codegen/llvm/graphs.h"

#include <cstddef>

#include "codegen/llvm/helpers.h"
#include "codegen/llvm/scalars.h"
#include "ir/match.h"
#include "runtime/graph/labels.h"

namespace matcha::codegen::jit {

using llvm::Value;
using runtime::CpuGraphView;
using runtime::GraphView;
using runtime::SplitOffsets;
using runtime::TrapCode;

Value* Graphs::view(const ir::Expr& e) {
  const ir::Expr& resolved = module_.resolve(e);
  if (const ir::Var* var = ir::as<ir::Var>(&resolved))
    return f_.load_slot(module_.frame().slot(*var), f_.ptr, name_of(*var));
  Value* cond = scalars_.of(*resolved.operands[0]);
  Value* first = view(*resolved.operands[1]);
  return b_.CreateSelect(cond, first, view(*resolved.operands[2]));
}

Value* Graphs::field(const ir::Expr& graph_expr, std::size_t offset, llvm::Type* type, const llvm::Twine& name) {
  const ir::Expr& resolved = module_.resolve(graph_expr);
  Value* address = view(resolved);
  const ir::Var* var = ir::as<ir::Var>(&resolved);
  if (var == nullptr) return b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_64(f_.i8, address, offset), name);
  std::uint64_t key = FunctionFrame::kGraphFieldKey + (std::uint64_t{module_.frame().slot(*var)} << 8) + offset;
  return f_.hoisted(key, [&](llvm::IRBuilder<>& at) {
    return f_.constant_load(at, type, at.CreateConstInBoundsGEP1_64(f_.i8, address, offset), name);
  });
}

Arcs Graphs::arcs(const ir::Expr& graph_expr, Value* v) {
  switch (module_.index_of(graph_expr)) {
    case Index::Hash: return hashed_arcs(graph_expr, v);
    case Index::Unknown: return looked_up_arcs(graph_expr, v);
    case Index::Csr: break;
  }
  Value* offsets = field(graph_expr, offsetof(GraphView, offsets), f_.ptr, "offsets");
  Value* address = f_.gep(f_.i64, offsets, v);
  Value* begin = f_.constant_load(b_, f_.i64, address, "begin");
  Value* end = f_.constant_load(b_, f_.i64, b_.CreateConstInBoundsGEP1_64(f_.i64, address, 1), "end");
  return {begin, end};
}

/// The probe of `runtime::arcs_of`.
Arcs Graphs::hashed_arcs(const ir::Expr& graph_expr, Value* vertex) {
  Value* slots = field(graph_expr, offsetof(GraphView, slots), f_.ptr, "slots");
  Value* mask = field(graph_expr, offsetof(GraphView, slot_mask), f_.i64, "slot_mask");
  Value* hash = b_.CreateLShr(b_.CreateMul(vertex, f_.integer(runtime::kHashMultiplier)), 32);
  Value* first = b_.CreateAnd(hash, mask);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* probe = f_.new_block("probe");
  llvm::BasicBlock* next = f_.new_block("probe_next");
  llvm::BasicBlock* end = f_.new_block("probed");
  b_.CreateBr(probe);
  b_.SetInsertPoint(probe);
  llvm::PHINode* place = b_.CreatePHI(f_.i64, 2, "place");
  place->addIncoming(first, before);
  Value* slot = f_.gep(f_.i8, slots, b_.CreateMul(place, f_.integer(sizeof(runtime::HashSlot))));
  Value* key = f_.constant_load(b_, f_.i64, slot, "key");
  Value* found = b_.CreateICmpEQ(key, vertex);
  Value* done = b_.CreateOr(found, b_.CreateICmpEQ(key, f_.integer(runtime::kEmptySlot)));
  b_.CreateCondBr(done, end, next);
  b_.SetInsertPoint(next);
  place->addIncoming(b_.CreateAnd(b_.CreateAdd(place, f_.integer(1)), mask), next);
  b_.CreateBr(probe);
  b_.SetInsertPoint(end);
  Value* arcs_begin = f_.constant_load(b_, f_.i64, b_.CreateConstInBoundsGEP1_64(f_.i64, slot, 1), "begin");
  Value* arcs_end = f_.constant_load(b_, f_.i64, b_.CreateConstInBoundsGEP1_64(f_.i64, slot, 2), "end");
  return {b_.CreateSelect(found, arcs_begin, f_.integer(0)), b_.CreateSelect(found, arcs_end, f_.integer(0))};
}

Arcs Graphs::looked_up_arcs(const ir::Expr& graph_expr, Value* vertex) {
  Value* begin = f_.local(f_.i64, "begin");
  Value* end = f_.local(f_.i64, "end");
  b_.CreateCall(MATCHA_RUNTIME(module_, matcha_arcs, Effect::Any), {view(graph_expr), vertex, begin, end});
  return {b_.CreateLoad(f_.i64, begin), b_.CreateLoad(f_.i64, end)};
}

List Graphs::neighbors(const ir::Expr& graph_expr, Value* v) {
  Arcs range = arcs(graph_expr, v);
  Value* all = field(graph_expr, offsetof(GraphView, neighbors), f_.ptr, "neighbors");
  return {b_.CreateNUWSub(range.end, range.begin, "degree"),
          {{f_.gep(f_.i32, all, range.begin), Cell::Vid, true, nullptr}},
          nullptr};
}

Value* Graphs::half_offsets(const ir::Expr& graph_expr, Value* v) {
  constexpr std::size_t kOffsets = offsetof(CpuGraphView, halves) + offsetof(SplitOffsets, offsets);
  return f_.gep(f_.i32, field(graph_expr, kOffsets, f_.ptr, "halves"), b_.CreateNUWMul(v, f_.integer(2)));
}

List Graphs::half_neighbors(const ir::Expr& graph_expr, Value* v, bool lower) {
  Value* bases = field(graph_expr, offsetof(CpuGraphView, halves) + offsetof(SplitOffsets, bases), f_.ptr, "bases");
  Value* shift = field(graph_expr, offsetof(CpuGraphView, halves) + offsetof(SplitOffsets, shift), f_.i64, "shift");
  Value* all = field(graph_expr, offsetof(GraphView, neighbors), f_.ptr, "neighbors");
  Value* row = b_.CreateConstInBoundsGEP1_64(f_.i32, half_offsets(graph_expr, v), lower ? 0 : 1);
  Value* begin = f_.constant_load(b_, f_.i32, row, "row");
  Value* end = f_.constant_load(b_, f_.i32, b_.CreateConstInBoundsGEP1_64(f_.i32, row, 1), "row_end");
  Value* base = f_.constant_load(b_, f_.i64, f_.gep(f_.i64, bases, b_.CreateLShr(v, shift)), "base");
  // As `runtime::half_offset`, if the offset of the first item may exceed 32 bits.
  Value* first = b_.CreateNUWAdd(base, b_.CreateZExt(b_.CreateSub(begin, b_.CreateTrunc(base, f_.i32)), f_.i64));
  Value* size = b_.CreateZExt(b_.CreateSub(end, begin), f_.i64, "half");
  return {size, {{f_.gep(f_.i32, all, first), Cell::Vid, true, nullptr}}, nullptr};
}

List Graphs::edge_info(const ir::Expr& e) {
  Arcs range = arcs(*e.operands[0], scalars_.of(*e.operands[1]));
  Value* all = field(*e.operands[0], offsetof(GraphView, edge_info), f_.ptr, "edge_info");
  Cell cell = cell_of(*e.type->columns[0]);
  if (cell == Cell::Vid) cell = Cell::WordVid;
  if (cell == Cell::Bool) cell = Cell::WordBool;
  return {b_.CreateNUWSub(range.end, range.begin, "degree"),
          {{f_.gep(f_.i64, all, range.begin), cell, true, nullptr}},
          nullptr};
}

List Graphs::edges(const ir::Expr& e) {
  const ir::Expr& g = *e.operands[0];
  Value* sources = field(g, offsetof(GraphView, sources), f_.ptr, "sources");
  Value* targets = field(g, offsetof(GraphView, neighbors), f_.ptr, "neighbors");
  return {field(g, offsetof(GraphView, arc_count), f_.i64, "arc_count"),
          {{sources, Cell::Vid, true, nullptr}, {targets, Cell::Vid, true, nullptr}},
          nullptr};
}

Value* Graphs::label(const ir::Expr& e) {
  Value* vertex = scalars_.of(*e.operands[1]);
  Value* labels = field(*e.operands[0], offsetof(GraphView, labels), f_.ptr, "labels");
  if (module_.facts().labelled(e.operands[0]))
    return f_.constant_load(b_, f_.i64, f_.gep(f_.i64, labels, vertex), "label");
  f_.trap_if(b_.CreateIsNull(labels), TrapCode::NoLabel, e.loc);
  Value* code = f_.constant_load(b_, f_.i64, f_.gep(f_.i64, labels, vertex), "label");
  f_.trap_if(b_.CreateICmpEQ(code, b_.getInt64(static_cast<std::uint64_t>(runtime::kNoLabel))), TrapCode::NoLabel,
             e.loc);
  return code;
}

}  // namespace matcha::codegen::jit
