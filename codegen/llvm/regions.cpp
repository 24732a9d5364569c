#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <cstddef>

#include "codegen/cpu/run_state.h"
#include "codegen/llvm/function_emitter.h"
#include "ir/analysis/position_loops.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

/// The function of a region. Its second-level loop takes most of a run, so there is one text of it for RegionBody and
/// RegionInner: both call a function that is given outer positions and the items of the second level. For the body
/// these are all; for the inner function there is one position, whose outer level is derived again without its yields.
namespace matcha::codegen::jit {

using llvm::Value;
using runtime::RegionContext;
using runtime::SetKernels;
using runtime::Worker;

namespace {

constexpr std::uint64_t kWorkerKey = std::uint64_t{1} << 35;

/// Positions whose condition is evaluated before the first of them is walked.
constexpr std::uint64_t kBlock = 1024;

/// Keeps LLVM from unrolling a loop, or walking several of its iterations at once, which takes it long and gains
/// nothing here.
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

Value* FunctionEmitter::worker_field(std::size_t offset, llvm::Type* type, const llvm::Twine& name) {
  return hoisted(kWorkerKey + offset, [&](llvm::IRBuilder<>& at) {
    return at.CreateLoad(type, at.CreateConstInBoundsGEP1_64(i8_, worker_, offset), name);
  });
}

/// Address of a field of the row buffer of a sink.
Value* FunctionEmitter::row_buffer(int sink, std::size_t offset) {
  Value* rows = worker_field(offsetof(Worker, rows), ptr_, "rows");
  return b_.CreateConstInBoundsGEP1_64(i8_, rows,
                                       static_cast<std::uint64_t>(sink) * sizeof(runtime::RowBuffer) + offset);
}

/// Opens the region's sinks: accumulators are locals that start with what the worker's slots hold.
void FunctionEmitter::open_region(const RegionShape& shape) {
  shape_ = &shape;
  batches_.later = module_.later_counts(*shape.region);
  parts_.open(*shape.region);
  done_ = local(i64_, "done");
  entry_.CreateStore(integer(0), done_);
  std::span<const ir::Sink> sinks = shape.region->collect->sinks;
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    OpenSink sink;
    sink.sink = &sinks[i];
    sink.region_index = static_cast<int>(i);
    sink.map = shape.map[i];
    sink.counts = shape.counts[i];
    region_sinks_.push_back(sinks[i].var);
    const ir::Type& type = *sinks[i].var->type;
    if (sinks[i].kind == ir::SinkKind::List) {
      sinks_[sinks[i].var] = sink;
      continue;
    }
    Value* slots = worker_field(offsetof(Worker, slots), ptr_, "slots");
    Value* low = entry_.CreateConstInBoundsGEP1_64(i64_, slots, 2 * i);
    Value* high = entry_.CreateConstInBoundsGEP1_64(i64_, slots, 2 * i + 1);
    llvm::StringRef name = name_of(*sinks[i].var);
    bool bounded = sinks[i].kind == ir::SinkKind::Min || sinks[i].kind == ir::SinkKind::Max;
    if (sinks[i].kind == ir::SinkKind::Sum && type.is_scalar(ir::ScalarKind::F64)) {
      sink.exact = entry_.CreateLoad(ptr_, low, name);
    } else if (sinks[i].kind == ir::SinkKind::Sum) {
      sink.value = sink.whole = local(i128_, name);
      entry_.CreateStore(entry_.CreateAlignedLoad(i128_, low, llvm::Align(8)), sink.value);
      open_sums_.push_back(sinks[i].var);
    } else if (bounded) {
      sink.value = local(register_type(type), name);
      sink.flag = local(i1_, "present");
      entry_.CreateStore(entry_.CreateLoad(register_type(type), low), sink.value);
      entry_.CreateStore(entry_.CreateICmpNE(entry_.CreateLoad(i64_, high), integer(0)), sink.flag);
    } else {
      sink.value = local(i1_, name);
      entry_.CreateStore(entry_.CreateICmpNE(entry_.CreateLoad(i64_, low), integer(0)), sink.value);
    }
    sinks_[sinks[i].var] = sink;
  }
}

/// Writes the accumulators back and counts what was done; in the exit block.
void FunctionEmitter::close_region() {
  flush_all();
  for (std::size_t i = 0; i < region_sinks_.size(); ++i) {
    const OpenSink& sink = sinks_.at(region_sinks_[i]);
    if (sink.value == nullptr) continue;
    Value* slots = worker_field(offsetof(Worker, slots), ptr_, "slots");
    Value* low = b_.CreateConstInBoundsGEP1_64(i64_, slots, 2 * i);
    Value* value = b_.CreateLoad(sink.value->getAllocatedType(), sink.value);
    if (value->getType() == i1_) value = b_.CreateZExt(value, i64_);
    b_.CreateAlignedStore(value, low, llvm::Align(8));
    if (sink.flag == nullptr) continue;
    Value* flag = b_.CreateZExt(b_.CreateLoad(i1_, sink.flag), i64_);
    b_.CreateStore(flag, b_.CreateConstInBoundsGEP1_64(i64_, slots, 2 * i + 1));
  }
  Value* address = b_.CreateConstInBoundsGEP1_64(i8_, worker_, offsetof(Worker, positions_done));
  if (whole_ != nullptr) {
    Value* items = b_.CreateConstInBoundsGEP1_64(i8_, worker_, offsetof(Worker, items_done));
    address = b_.CreateSelect(whole_, address, items);
  }
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(i64_, address), b_.CreateLoad(i64_, done_)), address);
}

void FunctionEmitter::leave_if_stopped() {
  llvm::LoadInst* stop = b_.CreateLoad(i32_, context_, "stop");
  stop->setVolatile(true);
  llvm::BasicBlock* next = new_block("");
  llvm::BasicBlock* stopped = new_block("leave");
  likely(b_.CreateICmpEQ(stop, b_.getInt32(0)), next, stopped);
  b_.SetInsertPoint(stopped);
  parts_.leave();
  b_.SetInsertPoint(next);
}

void FunctionEmitter::region_body(const RegionShape& shape) {
  open_region(shape);
  if (shape.outer == nullptr) {
    position_ = integer(0);
    block(*shape.region->collect->body);
    count_done(nullptr, integer(1));
    return;
  }
  if (!shape.split.empty()) whole_ = entry_.CreateICmpEQ(function_->getArg(5), integer(kAllItems), "whole");
  before_split_ = whole_ != nullptr;
  set_loc(shape.outer->loc);
  std::vector<List> lists;
  for (const ir::Expr* e : shape.outer->lists) lists.push_back(loop_list(*e));
  if (walk_kept(shape, lists)) return;
  walk(*shape.outer, lists, function_->getArg(2), function_->getArg(3), [&] {
    leave_if_stopped();
    begin_rows();
    block(*shape.outer->body);
    end_rows();
    count_done(whole_, integer(1));
  });
}

/// Walks the positions that pass a condition. It is evaluated for a block of them first, without a branch: which
/// vertices of a sparse graph have neighbours enough cannot be foreseen. False if something is done for the others too,
/// or the condition needs a branch itself.
bool FunctionEmitter::walk_kept(const RegionShape& shape, std::span<const List> lists) {
  const ir::For& s = *shape.outer;
  const ir::If* branch = ir::filter_of(s);
  bool rows = std::ranges::any_of(shape.counts, [](int counts) { return counts >= 0; });
  if (branch == nullptr || rows || !branch_free(*branch->cond)) return false;
  llvm::AllocaInst* marks = local(i8_, "marks", integer(kBlock));
  llvm::AllocaInst* kept = local(i32_, "kept", integer(kBlock + cpu::kSlack));
  count_up(function_->getArg(2), function_->getArg(3), kBlock, [&](Value* begin) {
    Value* size = min_u(b_.CreateNUWSub(function_->getArg(3), begin), integer(kBlock));
    // A loop that compilers make one of vectors, as they do not where a count hangs on the condition.
    keep_short(count_up(integer(0), size, 1, [&](Value* at) {
      bind_items(s, lists, b_.CreateNUWAdd(begin, at));
      in_filter_ = true;
      b_.CreateStore(b_.CreateZExt(scalar(*branch->cond), i8_), gep(i8_, marks, at));
      in_filter_ = false;
    }));
    Value* kept_count = call_kernel(offsetof(SetKernels, marked), module_.type_of<decltype(SetKernels::marked)>(),
                                    {marks, size, kept}, "marked", Effect::WritesArguments);
    count_done(whole_, b_.CreateNUWSub(size, kept_count));
    const auto position = [&](Value* i) {
      return b_.CreateNUWAdd(begin, b_.CreateZExt(b_.CreateLoad(i32_, gep(i32_, kept, i)), i64_));
    };
    fetch_kept_rows(*branch->cond, kept_count, [&](Value* i) { bind_items(s, lists, position(i)); });
    count_up(integer(0), kept_count, 1, [&](Value* i) {
      position_ = position(i);
      ++depth_;
      bind_items(s, lists, position_);
      leave_if_stopped();
      block(*branch->then_body);
      count_done(whole_, integer(1));
      --depth_;
    });
  });
  return true;
}

/// What is done once a position, by the function that is given all items.
void FunctionEmitter::if_whole(const std::function<void()>& emit) {
  llvm::BasicBlock* once = new_block("once");
  llvm::BasicBlock* end = new_block("");
  b_.CreateCondBr(whole_, once, end);
  b_.SetInsertPoint(once);
  before_split_ = false;
  emit();
  before_split_ = true;
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
}

/// Asks for the rows whose sizes the condition reads, of all positions that were kept: the loop below them is about to
/// walk those, and how long each takes cannot be foreseen, so the processor would ask for few of them ahead.
void FunctionEmitter::fetch_kept_rows(const ir::Expr& cond, Value* count, const std::function<void(Value*)>& bind) {
  std::vector<const ir::Expr*> rows;
  ir::for_each_node(cond, [&](const ir::Expr& e) {
    if (e.kind == ir::Kind::Neighbors && module_.index_of(*e.operands[0]) == Index::Csr) rows.push_back(&e);
  });
  if (rows.empty()) return;
  keep_short(count_up(integer(0), count, 1, [&](Value* i) {
    bind(i);
    for (const ir::Expr* row : rows) {
      Value* items = list(*row).columns[0].data;
      b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {items->getType()},
                         {items, b_.getInt32(0), b_.getInt32(3), b_.getInt32(1)});
    }
  }));
}

/// Where the worker keeps 1 + the position whose outer level is in its scratch memory.
Value* FunctionEmitter::kept_position() {
  return b_.CreateConstInBoundsGEP1_64(i8_, worker_, offsetof(Worker, kept_position));
}

/// The second-level loop: offered to other workers when it is long, else its items from the first to the last given.
void FunctionEmitter::defer_or_walk(const ir::For& s, std::span<const List> lists, Value* size) {
  Value* address = b_.CreateConstInBoundsGEP1_64(i8_, context_, offsetof(RegionContext, defer_threshold));
  llvm::LoadInst* threshold = b_.CreateLoad(i64_, address, "defer_threshold");
  threshold->setVolatile(true);
  llvm::BasicBlock* is_long = new_block("long");
  llvm::BasicBlock* offer = new_block("offer");
  llvm::BasicBlock* mine = new_block("mine");
  llvm::BasicBlock* end = new_block("");
  likely(b_.CreateICmpULT(size, threshold), mine, is_long);
  b_.SetInsertPoint(is_long);
  b_.CreateCondBr(whole_, offer, mine);
  b_.SetInsertPoint(offer);
  using runtime::rt_defer;
  Value* taken =
      b_.CreateCall(MATCHA_RUNTIME(module_, rt_defer, Effect::Any), {context_, worker_, position_, size}, "taken");
  b_.CreateCondBr(taken, end, mine);
  b_.SetInsertPoint(mine);
  b_.CreateStore(b_.CreateAdd(position_, integer(1)), kept_position());
  before_split_ = false;
  bool holds_loop = holds_for(*s.body);
  open_partial_sums(s);
  Value* part = b_.CreateNot(whole_);
  walk(s, lists, function_->getArg(4), min_u(size, function_->getArg(5)), [&] {
    if (holds_loop) leave_if_stopped();
    block(*s.body);
    count_done(part, integer(1));
  });
  close_partial_sums();
  before_split_ = true;
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
}

/// Counts positions or items, if `maybe_counts` is true or null.
void FunctionEmitter::count_done(Value* maybe_counts, Value* number) {
  Value* more = maybe_counts == nullptr ? number : b_.CreateSelect(maybe_counts, number, integer(0));
  b_.CreateStore(b_.CreateNUWAdd(b_.CreateLoad(i64_, done_), more), done_);
}

}  // namespace matcha::codegen::jit
