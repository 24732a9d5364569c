#include "codegen/llvm/rows.h"

#include <llvm/IR/Intrinsics.h>

#include <cstddef>
#include <span>

#include "codegen/llvm/lists.h"
#include "codegen/llvm/loops.h"
#include "codegen/llvm/scalars.h"
#include "codegen/llvm/sinks.h"
#include "ir/match.h"

namespace matcha::codegen::jit {

using llvm::Value;
using runtime::RowBuffer;

namespace {

/// A filter runs over at least this many items by repeating the last one: short lists then have the same length, and
/// the branch at the end of the loop is predicted.
constexpr std::uint64_t kLeastItems = 4;

}  // namespace

bool GraphRows::loop(const ir::For& s) {
  const ir::Expr* maybe_cond = nullptr;
  const ir::Yield* kept = nullptr;
  if (!keeps(s, maybe_cond, kept)) return false;
  filter(s, maybe_cond, *kept);
  return true;
}

/// True if the loop only yields into the rows of a graph, for the items that pass a condition.
bool GraphRows::keeps(const ir::For& s, const ir::Expr*& maybe_cond, const ir::Yield*& kept) const {
  if (s.lists.size() != 1 || s.maybe_index != nullptr || s.body->body.size() != 1) return false;
  const ir::Stmt* only = s.body->body[0];
  if (const ir::If* branch = ir::as<ir::If>(only)) {
    if (branch->maybe_else != nullptr || branch->then_body->body.size() != 1) return false;
    maybe_cond = branch->cond;
    only = branch->then_body->body[0];
  }
  kept = ir::as<ir::Yield>(only);
  if (kept == nullptr) return false;
  if (!sinks_.is_graph(*kept->sink)) return false;
  return kept->values[1]->kind == ir::Kind::Var && (maybe_cond == nullptr || scalars_.branch_free(*maybe_cond));
}

void GraphRows::filter(const ir::For& s, const ir::Expr* maybe_cond, const ir::Yield& kept) {
  const OpenSink& sink = sinks_.at(*kept.sink);
  List items = lists_.of_loop(*s.lists[0]);
  llvm::BasicBlock* some = f_.new_block("some");
  llvm::BasicBlock* grow = f_.new_block("grow");
  llvm::BasicBlock* ready = f_.new_block("ready");
  llvm::BasicBlock* body = f_.new_block("keep");
  llvm::BasicBlock* end = f_.new_block("");
  b_.CreateCondBr(b_.CreateICmpEQ(items.size, f_.integer(0)), end, some);
  b_.SetInsertPoint(some);
  Value* steps = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, items.size, f_.integer(kLeastItems));
  Value* last = b_.CreateNUWSub(items.size, f_.integer(1));
  Value* count_at = sinks_.row_buffer(sink.region_index, offsetof(RowBuffer, count));
  Value* count = b_.CreateLoad(f_.i64, count_at, "rows");
  Value* capacity =
      b_.CreateLoad(f_.i64, sinks_.row_buffer(sink.region_index, offsetof(RowBuffer, capacity)), "capacity");
  f_.likely(b_.CreateICmpULE(b_.CreateAdd(count, steps), capacity), ready, grow);
  b_.SetInsertPoint(grow);
  sinks_.grow_rows(sink, steps);
  b_.CreateBr(ready);
  b_.SetInsertPoint(ready);
  Value* columns = b_.CreateLoad(f_.ptr, sinks_.row_buffer(sink.region_index, offsetof(RowBuffer, columns)), "columns");
  Value* data = b_.CreateLoad(f_.ptr, columns, "targets");
  b_.CreateBr(body);
  b_.SetInsertPoint(body);
  llvm::PHINode* step = b_.CreatePHI(f_.i64, 2, "step");
  llvm::PHINode* row = b_.CreatePHI(f_.i64, 2, "row");
  step->addIncoming(f_.integer(0), ready);
  row->addIncoming(count, ready);
  loops_.enter();
  loops_.bind_items(s, {&items, 1}, f_.min_u(step, last));
  Value* wanted = b_.CreateICmpULE(step, last);
  if (maybe_cond != nullptr) wanted = b_.CreateAnd(wanted, scalars_.of_unbranched(*maybe_cond));
  f_.store_cell({data, Cell::Vid, false, nullptr}, row, scalars_.of(*kept.values[1]));
  loops_.leave();
  Value* more = b_.CreateNUWAdd(row, b_.CreateZExt(wanted, f_.i64));
  Value* next = b_.CreateNUWAdd(step, f_.integer(1));
  row->addIncoming(more, b_.GetInsertBlock());
  step->addIncoming(next, b_.GetInsertBlock());
  llvm::BasicBlock* kept_all = f_.new_block("kept");
  b_.CreateCondBr(b_.CreateICmpULT(next, steps), body, kept_all);
  b_.SetInsertPoint(kept_all);
  b_.CreateStore(more, count_at);
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
}

void GraphRows::begin() {
  begins_.clear();
  for (const ir::Var* var : sinks_.of_region()) {
    const OpenSink& sink = sinks_.at(*var);
    bool rows = sink.counts >= 0;
    begins_.push_back(
        rows ? b_.CreateLoad(f_.i64, sinks_.row_buffer(sink.region_index, offsetof(RowBuffer, count)), "begin")
             : nullptr);
  }
}

void GraphRows::end() {
  const std::span<const ir::Var* const> sinks = sinks_.of_region();
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    if (begins_[i] == nullptr) continue;
    const OpenSink& sink = sinks_.at(*sinks[i]);
    Value* rows = b_.CreateLoad(f_.i64, sinks_.row_buffer(sink.region_index, offsetof(RowBuffer, count)), "end");
    Value* columns = b_.CreateLoad(f_.ptr, sinks_.row_buffer(sink.counts, offsetof(RowBuffer, columns)), "columns");
    Value* counts = b_.CreateLoad(f_.ptr, columns, "counts");
    b_.CreateStore(b_.CreateNUWSub(rows, begins_[i]), f_.gep(f_.i64, counts, loops_.position()));
  }
}

}  // namespace matcha::codegen::jit
