#include "codegen/llvm/regions.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "codegen/cpu/run_state.h"
#include "codegen/llvm/function_emitter.h"
#include "ir/analysis/position_loops.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen::jit {

using llvm::Value;
using runtime::RegionContext;
using runtime::SetKernels;
using runtime::Worker;

namespace {

/// Positions whose condition is evaluated together, before the first of them is walked.
constexpr std::uint64_t kBlock = 1024;

/// Keeps LLVM from unrolling or interleaving a loop: that would slow the compilation and gain nothing here.
void keep_short(llvm::Instruction* latch) {
  llvm::LLVMContext& context = latch->getContext();
  llvm::Metadata* rolled = llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable"));
  llvm::Metadata* one = llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), 1));
  llvm::Metadata* single =
      llvm::MDNode::get(context, {llvm::MDString::get(context, "llvm.loop.interleave.count"), one});
  llvm::MDNode* loop = llvm::MDNode::getDistinct(context, {nullptr, rolled, single});
  loop->replaceOperandWith(0, loop);
  latch->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

}  // namespace

void Regions::open(const RegionShape& shape) {
  shape_ = &shape;
  batches_.open(*shape.region);
  parts_.open(shape);
  done_ = f_.local(f_.i64, "done");
  f_.entry().CreateStore(f_.integer(0), done_);
  sinks_.open_region(shape);
}

/// Writes the accumulators back and counts the finished work; in the exit block.
void Regions::close() {
  batches_.flush_all();
  sinks_.close_region();
  Value* address = b_.CreateConstInBoundsGEP1_64(f_.i8, f_.worker(), offsetof(Worker, positions_done));
  if (whole_ != nullptr) {
    Value* items = b_.CreateConstInBoundsGEP1_64(f_.i8, f_.worker(), offsetof(Worker, items_done));
    address = b_.CreateSelect(whole_, address, items);
  }
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(f_.i64, address), b_.CreateLoad(f_.i64, done_)), address);
}

bool Regions::splits(const ir::For& s) const {
  return shape_ != nullptr && std::ranges::find(shape_->split, &s) != shape_->split.end();
}

Value* Regions::unless_made(Value* count) {
  if (!before_split_ || loops_.depth() != 1) return count;
  Value* kept = b_.CreateLoad(f_.i64, kept_position(), "kept");
  return b_.CreateSelect(b_.CreateICmpEQ(kept, b_.CreateAdd(loops_.position(), f_.integer(1))), f_.integer(0), count);
}

bool Regions::only_yields(const ir::Stmt& s) const {
  const bool may_yield = before_split_ && !sinks_.in_collect() && (s.kind == ir::Kind::For || s.kind == ir::Kind::If);
  return may_yield && !cpu::holds_split(*shape_, s);
}

void Regions::leave_if_stopped() {
  llvm::LoadInst* stop = b_.CreateLoad(f_.i32, f_.context(), "stop");
  stop->setVolatile(true);
  llvm::BasicBlock* next = f_.new_block("");
  llvm::BasicBlock* asked = f_.new_block("asked");
  llvm::BasicBlock* stopped = f_.new_block("leave");
  f_.likely(b_.CreateICmpEQ(stop, b_.getInt32(0)), next, asked);
  b_.SetInsertPoint(asked);
  using runtime::rt_stops;
  b_.CreateCondBr(b_.CreateCall(MATCHA_RUNTIME(module_, rt_stops, Effect::WritesArguments), {f_.context()}, "stops"),
                  stopped, next);
  b_.SetInsertPoint(stopped);
  parts_.leave();
  b_.SetInsertPoint(next);
}

void Regions::body(const RegionShape& shape) {
  open(shape);
  if (shape.outer == nullptr) {
    loops_.set_position(f_.integer(0));
    statements_.block(*shape.region->collect->body);
    count_done(nullptr, f_.integer(1));
    return;
  }
  if (!shape.split.empty()) whole_ = f_.entry().CreateICmpEQ(f_.function()->getArg(5), f_.integer(kAllItems), "whole");
  before_split_ = whole_ != nullptr;
  f_.set_loc(shape.outer->loc);
  std::vector<List> lists;
  for (const ir::Expr* e : shape.outer->lists) lists.push_back(lists_.of_loop(*e));
  if (walk_kept(shape, lists)) return;
  loops_.walk(*shape.outer, lists, f_.function()->getArg(2), f_.function()->getArg(3), [&] {
    leave_if_stopped();
    rows_.begin();
    statements_.block(*shape.outer->body);
    rows_.end();
    count_done(whole_, f_.integer(1));
  });
}

/// Walks the positions that pass a condition. It is evaluated for a block of them first, without a branch, since
/// branches on it would be mispredicted in sparse graphs. False if the other positions need work too, or if the
/// condition itself needs a branch.
bool Regions::walk_kept(const RegionShape& shape, std::span<const List> lists) {
  const ir::For& s = *shape.outer;
  const ir::If* branch = ir::filter_of(s);
  bool rows = std::ranges::any_of(shape.counts, [](int counts) { return counts >= 0; });
  if (branch == nullptr || rows || !scalars_.branch_free(*branch->cond)) return false;
  llvm::AllocaInst* marks = f_.local(f_.i8, "marks", f_.integer(kBlock));
  llvm::AllocaInst* kept = f_.local(f_.i32, "kept", f_.integer(kBlock + cpu::kSlack));
  f_.count_up(f_.function()->getArg(2), f_.function()->getArg(3), kBlock, [&](Value* begin) {
    Value* size = f_.min_u(b_.CreateNUWSub(f_.function()->getArg(3), begin), f_.integer(kBlock));
    // Compilers vectorize this loop; they do not if it also counts the positions that pass.
    keep_short(f_.count_up(f_.integer(0), size, 1, [&](Value* at) {
      loops_.bind_items(s, lists, b_.CreateNUWAdd(begin, at));
      b_.CreateStore(b_.CreateZExt(scalars_.of_unbranched(*branch->cond), f_.i8), f_.gep(f_.i8, marks, at));
    }));
    Value* kept_count = f_.call_kernel(offsetof(SetKernels, marked), module_.type_of<decltype(SetKernels::marked)>(),
                                       {marks, size, kept}, "marked", Effect::WritesArguments);
    count_done(whole_, b_.CreateNUWSub(size, kept_count));
    const auto position = [&](Value* i) {
      return b_.CreateNUWAdd(begin, b_.CreateZExt(b_.CreateLoad(f_.i32, f_.gep(f_.i32, kept, i)), f_.i64));
    };
    fetch_kept_rows(*branch->cond, kept_count, [&](Value* i) { loops_.bind_items(s, lists, position(i)); });
    f_.count_up(f_.integer(0), kept_count, 1, [&](Value* i) {
      loops_.set_position(position(i));
      loops_.enter();
      loops_.bind_items(s, lists, loops_.position());
      leave_if_stopped();
      statements_.block(*branch->then_body);
      count_done(whole_, f_.integer(1));
      loops_.leave();
    });
  });
  return true;
}

void Regions::if_whole(const std::function<void()>& emit) {
  llvm::BasicBlock* once = f_.new_block("once");
  llvm::BasicBlock* end = f_.new_block("");
  b_.CreateCondBr(whole_, once, end);
  b_.SetInsertPoint(once);
  before_split_ = false;
  emit();
  before_split_ = true;
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
}

/// Prefetches the rows whose sizes the condition reads, for all kept positions. The loop below walks them next; its
/// iterations differ in length, so the processor itself would fetch few of them ahead.
void Regions::fetch_kept_rows(const ir::Expr& cond, Value* count, const std::function<void(Value*)>& bind) {
  std::vector<const ir::Expr*> rows;
  ir::for_each_node(cond, [&](const ir::Expr& e) {
    if (e.kind == ir::Kind::Neighbors && module_.index_of(*e.operands[0]) == Index::Csr) rows.push_back(&e);
  });
  if (rows.empty()) return;
  keep_short(f_.count_up(f_.integer(0), count, 1, [&](Value* i) {
    bind(i);
    for (const ir::Expr* row : rows) {
      Value* items = lists_.of(*row).columns[0].data;
      b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {items->getType()},
                         {items, b_.getInt32(0), b_.getInt32(3), b_.getInt32(1)});
    }
  }));
}

/// Address of the worker's field with 1 + the position whose outer level is in its scratch memory.
Value* Regions::kept_position() {
  return b_.CreateConstInBoundsGEP1_64(f_.i8, f_.worker(), offsetof(Worker, kept_position));
}

void Regions::defer_or_walk(const ir::For& s, std::span<const List> lists, Value* size) {
  Value* address = b_.CreateConstInBoundsGEP1_64(f_.i8, f_.context(), offsetof(RegionContext, defer_threshold));
  llvm::LoadInst* threshold = b_.CreateLoad(f_.i64, address, "defer_threshold");
  threshold->setVolatile(true);
  llvm::BasicBlock* is_long = f_.new_block("long");
  llvm::BasicBlock* offer = f_.new_block("offer");
  llvm::BasicBlock* mine = f_.new_block("mine");
  llvm::BasicBlock* end = f_.new_block("");
  f_.likely(b_.CreateICmpULT(size, threshold), mine, is_long);
  b_.SetInsertPoint(is_long);
  b_.CreateCondBr(whole_, offer, mine);
  b_.SetInsertPoint(offer);
  using runtime::rt_defer;
  Value* taken = b_.CreateCall(MATCHA_RUNTIME(module_, rt_defer, Effect::Any),
                               {f_.context(), f_.worker(), loops_.position(), size}, "taken");
  b_.CreateCondBr(taken, end, mine);
  b_.SetInsertPoint(mine);
  b_.CreateStore(b_.CreateAdd(loops_.position(), f_.integer(1)), kept_position());
  before_split_ = false;
  bool holds_loop = holds_for(*s.body);
  sinks_.sums().open(s);
  Value* part = b_.CreateNot(whole_);
  loops_.walk(s, lists, f_.function()->getArg(4), f_.min_u(size, f_.function()->getArg(5)), [&] {
    if (holds_loop) leave_if_stopped();
    statements_.block(*s.body);
    count_done(part, f_.integer(1));
  });
  sinks_.sums().close();
  before_split_ = true;
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
}

/// Counts finished positions or items if `maybe_counts` is true or null.
void Regions::count_done(Value* maybe_counts, Value* number) {
  Value* more = maybe_counts == nullptr ? number : b_.CreateSelect(maybe_counts, number, f_.integer(0));
  b_.CreateStore(b_.CreateNUWAdd(b_.CreateLoad(f_.i64, done_), more), done_);
}

}  // namespace matcha::codegen::jit
