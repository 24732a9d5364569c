#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <cstddef>

#include "codegen/llvm/function_emitter.h"
#include "ir/match.h"

/// Edges that a region collects for `build_graph` and nothing else: no list of pairs is made, but the neighbours of
/// each position one after the other, and their number.
namespace matcha::codegen::jit {

using llvm::Value;
using runtime::RowBuffer;

namespace {

/// A filter runs over so many items at least, repeating the last one: short lists then have one length, and the branch
/// that ends the loop is foreseen.
constexpr std::uint64_t kLeastItems = 4;

}  // namespace

/// True if `e` may be computed for any item, without a branch and a call.
bool FunctionEmitter::branch_free(const ir::Expr& e) const {
  switch (e.kind) {
    case ir::Kind::Var: return scalars_.contains(static_cast<const ir::Var*>(&e)) || speculable(e);
    case ir::Kind::Size: {
      const ir::Expr& list = module_.resolve(*e.operands[0]);
      if (list.kind != ir::Kind::Neighbors) return false;
      return module_.index_of(*list.operands[0]) == Index::Csr && branch_free(*list.operands[1]);
    }
    case ir::Kind::Label: return module_.facts().labelled(e.operands[0]) && branch_free(*e.operands[1]);
    case ir::Kind::ConstInt:
    case ir::Kind::ConstFloat:
    case ir::Kind::ConstBool:
    case ir::Kind::Convert: return speculable(e);
    default: break;
  }
  return is_cheap_operator(e.kind) && !module_.facts().may_trap(&e) &&
         std::all_of(e.operands.begin(), e.operands.end(),
                     [&](const ir::Expr* operand) { return branch_free(*operand); });
}

/// True if all that the loop does is to yield into the rows of a graph, for the items that pass a condition.
bool FunctionEmitter::keeps_rows(const ir::For& s, const ir::Expr*& maybe_cond, const ir::Yield*& kept) const {
  if (s.lists.size() != 1 || s.maybe_index != nullptr || s.body->body.size() != 1) return false;
  const ir::Stmt* only = s.body->body[0];
  if (const ir::If* branch = ir::as<ir::If>(only)) {
    if (branch->maybe_else != nullptr || branch->then_body->body.size() != 1) return false;
    maybe_cond = branch->cond;
    only = branch->then_body->body[0];
  }
  kept = ir::as<ir::Yield>(only);
  if (kept == nullptr) return false;
  const auto sink = sinks_.find(kept->sink);
  if (sink == sinks_.end() || sink->second.counts < 0) return false;
  return kept->values[1]->kind == ir::Kind::Var && (maybe_cond == nullptr || branch_free(*maybe_cond));
}

/// Makes room for `rows` more, or leaves.
void FunctionEmitter::grow_rows(const OpenSink& sink, Value* rows) {
  using runtime::rt_grow_rows;
  Value* index = integer(static_cast<std::uint64_t>(sink.region_index));
  Value* grown = b_.CreateCall(MATCHA_RUNTIME(module_, rt_grow_rows, Effect::Any), {context_, worker_, index, rows});
  llvm::BasicBlock* next = new_block("");
  likely(grown, next, trap_exit_);
  b_.SetInsertPoint(next);
}

/// A loop that keeps items, without a branch on them.
void FunctionEmitter::filter_loop(const ir::For& s, const ir::Expr* maybe_cond, const ir::Yield& kept) {
  const OpenSink& sink = sinks_.at(kept.sink);
  List items = loop_list(*s.lists[0]);
  llvm::BasicBlock* some = new_block("some");
  llvm::BasicBlock* grow = new_block("grow");
  llvm::BasicBlock* ready = new_block("ready");
  llvm::BasicBlock* body = new_block("keep");
  llvm::BasicBlock* end = new_block("");
  b_.CreateCondBr(b_.CreateICmpEQ(items.size, integer(0)), end, some);
  b_.SetInsertPoint(some);
  Value* steps = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, items.size, integer(kLeastItems));
  Value* last = b_.CreateNUWSub(items.size, integer(1));
  Value* count_at = row_buffer(sink.region_index, offsetof(RowBuffer, count));
  Value* count = b_.CreateLoad(i64_, count_at, "rows");
  Value* capacity = b_.CreateLoad(i64_, row_buffer(sink.region_index, offsetof(RowBuffer, capacity)), "capacity");
  likely(b_.CreateICmpULE(b_.CreateAdd(count, steps), capacity), ready, grow);
  b_.SetInsertPoint(grow);
  grow_rows(sink, steps);
  b_.CreateBr(ready);
  b_.SetInsertPoint(ready);
  Value* columns = b_.CreateLoad(ptr_, row_buffer(sink.region_index, offsetof(RowBuffer, columns)), "columns");
  Value* data = b_.CreateLoad(ptr_, columns, "targets");
  b_.CreateBr(body);
  b_.SetInsertPoint(body);
  llvm::PHINode* step = b_.CreatePHI(i64_, 2, "step");
  llvm::PHINode* row = b_.CreatePHI(i64_, 2, "row");
  step->addIncoming(integer(0), ready);
  row->addIncoming(count, ready);
  ++depth_;
  bind_items(s, {&items, 1}, min_u(step, last));
  Value* wanted = b_.CreateICmpULE(step, last);
  in_filter_ = true;
  if (maybe_cond != nullptr) wanted = b_.CreateAnd(wanted, scalar(*maybe_cond));
  in_filter_ = false;
  store_cell({data, Cell::Vid, false, nullptr}, row, scalar(*kept.values[1]));
  --depth_;
  Value* more = b_.CreateNUWAdd(row, b_.CreateZExt(wanted, i64_));
  Value* next = b_.CreateNUWAdd(step, integer(1));
  row->addIncoming(more, b_.GetInsertBlock());
  step->addIncoming(next, b_.GetInsertBlock());
  llvm::BasicBlock* kept_all = new_block("kept");
  b_.CreateCondBr(b_.CreateICmpULT(next, steps), body, kept_all);
  b_.SetInsertPoint(kept_all);
  b_.CreateStore(more, count_at);
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
}

void FunctionEmitter::begin_rows() {
  row_begins_.clear();
  for (const ir::Var* var : region_sinks_) {
    const OpenSink& sink = sinks_.at(var);
    bool rows = sink.counts >= 0;
    row_begins_.push_back(rows ? b_.CreateLoad(i64_, row_buffer(sink.region_index, offsetof(RowBuffer, count)), "begin")
                               : nullptr);
  }
}

/// Writes the number of rows of a position.
void FunctionEmitter::end_rows() {
  for (std::size_t i = 0; i < region_sinks_.size(); ++i) {
    if (row_begins_[i] == nullptr) continue;
    const OpenSink& sink = sinks_.at(region_sinks_[i]);
    Value* rows = b_.CreateLoad(i64_, row_buffer(sink.region_index, offsetof(RowBuffer, count)), "end");
    Value* columns = b_.CreateLoad(ptr_, row_buffer(sink.counts, offsetof(RowBuffer, columns)), "columns");
    Value* counts = b_.CreateLoad(ptr_, columns, "counts");
    b_.CreateStore(b_.CreateNUWSub(rows, row_begins_[i]), gep(i64_, counts, position_));
  }
}

}  // namespace matcha::codegen::jit
