#include <cstddef>

#include "codegen/llvm/function_emitter.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

/// The functions of a parallel region: RegionBody and RegionInner.
namespace matcha::codegen::jit {

using llvm::Value;
using runtime::RegionContext;
using runtime::Worker;

namespace {

constexpr std::uint64_t kWorkerKey = std::uint64_t{1} << 35;

}  // namespace

bool holds_for(const ir::Block& block) {
  bool found = false;
  ir::for_each_stmt(block, [&](const ir::Stmt& inner) { found = found || inner.kind == ir::Kind::For; });
  return found;
}

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
  find_later_counts(*shape.region);
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
  std::size_t counter = in_inner_ ? offsetof(Worker, items_done) : offsetof(Worker, positions_done);
  Value* address = b_.CreateConstInBoundsGEP1_64(i8_, worker_, counter);
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(i64_, address), b_.CreateLoad(i64_, done_)), address);
}

void FunctionEmitter::leave_if_stopped() {
  llvm::LoadInst* stop = b_.CreateLoad(i32_, context_, "stop");
  stop->setVolatile(true);
  llvm::BasicBlock* next = new_block("");
  llvm::BasicBlock* leave = new_block("leave");
  likely(b_.CreateICmpEQ(stop, b_.getInt32(0)), next, leave);
  b_.SetInsertPoint(leave);
  for (std::size_t i = partial_sums_.size(); i-- > 0;) add_partial(partial_sums_[i]);
  b_.CreateBr(exit_);
  b_.SetInsertPoint(next);
}

void FunctionEmitter::region_body(const RegionShape& shape) {
  open_region(shape);
  if (shape.outer == nullptr) {
    position_ = integer(0);
    block(*shape.region->collect->body);
    count_done();
    return;
  }
  set_loc(shape.outer->loc);
  std::vector<List> lists;
  for (const ir::Expr* e : shape.outer->lists) lists.push_back(loop_list(*e));
  walk(*shape.outer, lists, function_->getArg(2), function_->getArg(3), [&] {
    leave_if_stopped();
    begin_rows();
    block(*shape.outer->body);
    end_rows();
    count_done();
  });
}

/// The second-level loop in RegionBody: offered to other workers when it is long.
void FunctionEmitter::defer_or_walk(const ir::For& s, std::span<const List> lists, Value* size) {
  Value* address = b_.CreateConstInBoundsGEP1_64(i8_, context_, offsetof(RegionContext, defer_threshold));
  llvm::LoadInst* threshold = b_.CreateLoad(i64_, address, "defer_threshold");
  threshold->setVolatile(true);
  llvm::BasicBlock* offer = new_block("offer");
  llvm::BasicBlock* mine = new_block("mine");
  llvm::BasicBlock* end = new_block("");
  likely(b_.CreateICmpULT(size, threshold), mine, offer);
  b_.SetInsertPoint(offer);
  using runtime::rt_defer;
  Value* taken =
      b_.CreateCall(MATCHA_RUNTIME(module_, rt_defer, Effect::Any), {context_, worker_, position_, size}, "taken");
  b_.CreateCondBr(taken, end, mine);
  b_.SetInsertPoint(mine);
  bool holds_loop = holds_for(*s.body);
  open_partial_sums(s);
  walk(s, lists, integer(0), size, [&] {
    if (holds_loop) leave_if_stopped();
    block(*s.body);
  });
  close_partial_sums();
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
}

/// Where the worker keeps 1 + the position whose outer level is in its scratch memory.
Value* FunctionEmitter::kept_position() {
  return b_.CreateConstInBoundsGEP1_64(i8_, worker_, offsetof(Worker, kept_position));
}

/// The second-level loop in RegionInner: only the items that it was given.
void FunctionEmitter::walk_part(const ir::For& s, std::span<const List> lists) {
  before_split_ = false;
  b_.CreateStore(b_.CreateAdd(position_, integer(1)), kept_position());
  bool holds_loop = holds_for(*s.body);
  open_partial_sums(s);
  walk(s, lists, function_->getArg(3), function_->getArg(4), [&] {
    if (holds_loop) leave_if_stopped();
    block(*s.body);
    count_done();
  });
  close_partial_sums();
  before_split_ = true;
}

void FunctionEmitter::count_done() { b_.CreateStore(b_.CreateNUWAdd(b_.CreateLoad(i64_, done_), integer(1)), done_); }

/// Walks the outer body up to the second-level loop without yielding into the region, then the items of that loop.
void FunctionEmitter::region_inner(const RegionShape& shape) {
  in_inner_ = true;
  open_region(shape);
  leave_if_stopped();
  set_loc(shape.outer->loc);
  std::vector<List> lists;
  for (const ir::Expr* e : shape.outer->lists) lists.push_back(loop_list(*e));
  position_ = function_->getArg(2);
  bind_items(*shape.outer, lists, position_);
  depth_ = 1;
  before_split_ = true;
  block(*shape.outer->body);
}

}  // namespace matcha::codegen::jit
