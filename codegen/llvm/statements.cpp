#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <cstddef>

#include "codegen/llvm/function_emitter.h"
#include "codegen/llvm/helpers.h"
#include "ir/analysis/sum_bounds.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

/// Statements inside functions.
namespace matcha::codegen::jit {

using llvm::Value;
using runtime::TrapCode;

void FunctionEmitter::block(const ir::Block& b) {
  if (parts_.divides(b)) return parts_.block(b);
  for (const ir::Stmt* s : b.body) stmt(*s);
}

/// True for what the part of a position does not need: a loop or a branch before the second-level loop that gives
/// nothing but what it yields into the region.
bool FunctionEmitter::only_yields(const ir::Stmt& s) const {
  const bool may_yield = before_split_ && open_collects_ == 0 && (s.kind == ir::Kind::For || s.kind == ir::Kind::If);
  return may_yield && !cpu::holds_split(*shape_, s);
}

void FunctionEmitter::stmt(const ir::Stmt& s) {
  if (only_yields(s)) return if_whole([&] { stmt(s); });
  set_loc(s.loc);
  const auto never = [](const ir::OneOf<ir::BuildGraph, ir::Return, ir::Region> auto&) {
    MATCHA_UNREACHABLE("a top-level statement inside a function");
  };
  ir::match(
      s, [&](const ir::Block& x) { block(x); }, [&](const ir::Let& x) { let(x); },
      [&](const ir::Store& x) { store(x); }, [&](const ir::For& x) { loop(x); }, [&](const ir::If& x) { branch(x); },
      [&](const ir::Collect& x) { collect(x); }, [&](const ir::Yield& x) { yield(x); }, never);
}

void FunctionEmitter::let(const ir::Let& s) {
  if (batches_.later.contains(s.var)) return;
  if (s.var->type->bits) {
    bits_.let(s);
  } else if (s.var->type->is_scalar()) {
    Value* value = scalar(*s.value);
    if (!value->hasName() && !llvm::isa<llvm::Constant>(value)) value->setName(name_of(*s.var));
    scalars_[s.var] = value;
  } else if (s.var->type->is_list()) {
    lists_[s.var] = list(*s.value);
  }
}

void FunctionEmitter::store(const ir::Store& s) {
  if (s.var->type->bits) return bits_.store(s);
  if (s.var->type->is_bit_rows()) return bits_.store_rows(s);
  if (s.value->kind == ir::Kind::CommonNeighbors) {
    scalars_[s.var] = common(*s.value, *s.buffer);
    return;
  }
  List items = buffer(*s.buffer);
  items.size = store_items(*s.value, items);
  items.capacity = nullptr;
  lists_[s.var] = items;
}

void FunctionEmitter::branch(const ir::If& s) {
  llvm::BasicBlock* then_block = new_block("then");
  llvm::BasicBlock* end = new_block("");
  llvm::BasicBlock* else_block = s.maybe_else != nullptr ? new_block("else") : end;
  b_.CreateCondBr(scalar(*s.cond), then_block, else_block);
  b_.SetInsertPoint(then_block);
  block(*s.then_body);
  b_.CreateBr(end);
  if (s.maybe_else != nullptr) {
    b_.SetInsertPoint(else_block);
    block(*s.maybe_else);
    b_.CreateBr(end);
  }
  b_.SetInsertPoint(end);
}

// Loops

Value* FunctionEmitter::common_length(std::span<const List> lists) {
  for (std::size_t i = 1; i < lists.size(); ++i) {
    trap_if(b_.CreateICmpNE(lists[i].size, lists[0].size), TrapCode::LengthMismatch, loc_);
  }
  return lists[0].size;
}

void FunctionEmitter::bind_items(const ir::For& s, std::span<const List> lists, Value* index) {
  std::size_t var = 0;
  for (const List& items : lists) {
    for (const Column& column : items.columns) {
      scalars_[s.vars[var]] = load_cell(column, index, name_of(*s.vars[var]));
      ++var;
    }
  }
  if (s.maybe_index != nullptr) scalars_[s.maybe_index] = index;
}

/// A loop over begin, begin + step, … below `end`; gives the branch at its end.
llvm::Instruction* FunctionEmitter::count_up(Value* begin, Value* end, std::uint64_t step,
                                             const std::function<void(Value*)>& item) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* body = new_block("for");
  llvm::BasicBlock* after = new_block("done");
  b_.CreateCondBr(b_.CreateICmpULT(begin, end), body, after);
  b_.SetInsertPoint(body);
  llvm::PHINode* index = b_.CreatePHI(i64_, 2, "i");
  index->addIncoming(begin, before);
  item(index);
  Value* next = b_.CreateNUWAdd(index, integer(step));
  index->addIncoming(next, b_.GetInsertBlock());
  llvm::Instruction* latch = b_.CreateCondBr(b_.CreateICmpULT(next, end), body, after);
  b_.SetInsertPoint(after);
  return latch;
}

void FunctionEmitter::walk(const ir::For& s, std::span<const List> lists, Value* begin, Value* end,
                           const std::function<void()>& item) {
  count_up(begin, end, 1, [&](Value* index) {
    if (s.maybe_index != nullptr) index->setName(name_of(*s.maybe_index));
    if (depth_ == 0) position_ = index;
    ++depth_;
    bind_items(s, lists, index);
    item();
    --depth_;
  });
}

void FunctionEmitter::loop(const ir::For& s) {
  if (s.lists[0]->type->bits) return bits_.loop(s);
  const ir::Expr* maybe_cond = nullptr;
  const ir::Yield* kept = nullptr;
  if (keeps_rows(s, maybe_cond, kept)) return filter_loop(s, maybe_cond, *kept);
  std::vector<List> lists;
  for (const ir::Expr* e : s.lists) lists.push_back(loop_list(*e));
  Value* size = common_length(lists);
  if (shape_ != nullptr && std::ranges::find(shape_->split, &s) != shape_->split.end()) {
    return defer_or_walk(s, lists, size);
  }
  bool may_leave = worker_ != nullptr && (holds_for(*s.body) || depth_ == 0);
  open_partial_sums(s);
  walk(s, lists, integer(0), size, [&] {
    if (may_leave) leave_if_stopped();
    block(*s.body);
  });
  close_partial_sums();
}

// Sinks

void FunctionEmitter::collect(const ir::Collect& s) {
  std::size_t outer_sums = open_sums_.size();
  llvm::BasicBlock* decided = module_.ends_early(s) ? new_block("decided") : nullptr;
  for (const ir::Sink& sink : s.sinks) {
    OpenSink opened;
    opened.sink = &sink;
    bool whole = sink.var->type->is_scalar(ir::ScalarKind::I64);
    const ir::SumBound total = ir::sum_bound(module_.facts(), *s.body, sink.var);
    llvm::Type* sum_type = total.magnitude <= INT64_MAX ? i64_ : i128_;
    if (sink.kind == ir::SinkKind::Sum && whole) opened.value = local(sum_type, name_of(*sink.var));
    opened.decided = decided;
    open(opened);
    sinks_[sink.var] = opened;
    if (opened.value != nullptr && sink.kind == ir::SinkKind::Sum) open_sums_.push_back(sink.var);
  }
  ++open_collects_;
  block(*s.body);
  --open_collects_;
  if (decided != nullptr) {
    b_.CreateBr(decided);
    b_.SetInsertPoint(decided);
  }
  set_loc(s.loc);
  open_sums_.resize(outer_sums);
  for (const ir::Sink& sink : s.sinks) close(sinks_[sink.var]);
}

void FunctionEmitter::open(OpenSink& sink) {
  const ir::Type& type = *sink.sink->var->type;
  llvm::StringRef name = name_of(*sink.sink->var);
  switch (sink.sink->kind) {
    case ir::SinkKind::Sum:
      if (type.is_scalar(ir::ScalarKind::F64)) {
        llvm::AllocaInst* sum = local(i8_, name, integer(exact_sum_bytes()));
        sum->setAlignment(llvm::Align(16));
        sink.exact = sum;
        b_.CreateCall(MATCHA_RUNTIME(module_, matcha_exact_clear, Effect::WritesArguments), {sum});
        return;
      }
      b_.CreateStore(llvm::ConstantInt::get(sink.value->getAllocatedType(), 0), sink.value);
      return;
    case ir::SinkKind::Min:
    case ir::SinkKind::Max:
      sink.value = local(register_type(type), name);
      sink.flag = local(i1_, name + ".present");
      b_.CreateStore(llvm::Constant::getNullValue(register_type(type)), sink.value);
      b_.CreateStore(b_.getFalse(), sink.flag);
      return;
    case ir::SinkKind::Any:
    case ir::SinkKind::All:
      sink.value = local(i1_, name);
      b_.CreateStore(b_.getInt1(sink.sink->kind == ir::SinkKind::All), sink.value);
      return;
    case ir::SinkKind::List:
      sink.items = buffer(*sink.sink->maybe_buffer);
      sink.value = local(i64_, name);
      b_.CreateStore(integer(0), sink.value);
      return;
  }
}

void FunctionEmitter::close(OpenSink& sink) {
  const ir::Var* var = sink.sink->var;
  if (sink.sink->kind == ir::SinkKind::List) {
    List items = sink.items;
    items.size = b_.CreateLoad(i64_, sink.value, name_of(*var));
    items.capacity = nullptr;
    lists_[var] = items;
    return;
  }
  if (sink.exact != nullptr) {
    scalars_[var] =
        b_.CreateCall(MATCHA_RUNTIME(module_, matcha_exact_value, Effect::ReadsArguments), {sink.exact}, name_of(*var));
    return;
  }
  Value* value = b_.CreateLoad(sink.value->getAllocatedType(), sink.value, name_of(*var));
  if (sink.flag != nullptr) present_[var] = b_.CreateLoad(i1_, sink.flag, "present");
  if (value->getType() == i128_) {
    Value* narrow = b_.CreateTrunc(value, i64_, name_of(*var));
    trap_if(b_.CreateICmpNE(b_.CreateSExt(narrow, i128_), value), TrapCode::IntegerOverflow, loc_);
    value = narrow;
  }
  scalars_[var] = value;
}

void FunctionEmitter::yield(const ir::Yield& s) {
  OpenSink& sink = sinks_.at(s.sink);
  if (sink.region_index >= 0 && before_split_) return if_whole([&] { yield(s); });
  if (s.batched && put_off(sink, s)) return;
  std::vector<Value*> values;
  for (const ir::Expr* e : s.values) values.push_back(scalar(*e));
  if (sink.sink->kind != ir::SinkKind::List) {
    add_to(sink, *s.values[0], values[0]);
  } else if (sink.region_index >= 0) {
    append_row(sink, values);
  } else {
    append_item(sink, values);
  }
}

void FunctionEmitter::append_item(OpenSink& sink, std::span<Value* const> values) {
  Value* count = b_.CreateLoad(i64_, sink.value);
  trap_if(b_.CreateICmpUGE(count, sink.items.capacity), TrapCode::CapacityExceeded, loc_);
  for (std::size_t c = 0; c < values.size(); ++c) store_cell(sink.items.columns[c], count, values[c]);
  b_.CreateStore(b_.CreateNUWAdd(count, integer(1)), sink.value);
}

void FunctionEmitter::append_row(const OpenSink& sink, std::span<Value* const> values) {
  Value* index = position_;
  if (!sink.map) {
    Value* count = row_buffer(sink.region_index, offsetof(runtime::RowBuffer, count));
    Value* capacity = row_buffer(sink.region_index, offsetof(runtime::RowBuffer, capacity));
    llvm::BasicBlock* flush = new_block("flush");
    llvm::BasicBlock* next = new_block("");
    Value* full = b_.CreateICmpEQ(b_.CreateLoad(i64_, count), b_.CreateLoad(i64_, capacity));
    likely(b_.CreateNot(full), next, flush);
    b_.SetInsertPoint(flush);
    using runtime::rt_flush_rows;
    if (sink.counts >= 0) {
      grow_rows(sink, integer(1));
    } else {
      b_.CreateCall(MATCHA_RUNTIME(module_, rt_flush_rows, Effect::Any),
                    {context_, worker_, integer(static_cast<std::uint64_t>(sink.region_index))});
    }
    b_.CreateBr(next);
    b_.SetInsertPoint(next);
    index = b_.CreateLoad(i64_, count, "row");
    b_.CreateStore(b_.CreateNUWAdd(index, integer(1)), count);
  }
  Value* columns = b_.CreateLoad(ptr_, row_buffer(sink.region_index, offsetof(runtime::RowBuffer, columns)), "columns");
  std::span<const ir::Type* const> types = sink.sink->var->type->columns;
  // The source of an edge is the vertex of the position.
  if (sink.counts >= 0) values = values.subspan(1);
  for (std::size_t c = 0; c < values.size(); ++c) {
    Value* data = b_.CreateLoad(ptr_, b_.CreateConstInBoundsGEP1_64(ptr_, columns, c));
    store_cell({data, cell_of(*types[c]), false, nullptr}, index, values[c]);
  }
}

void FunctionEmitter::add_to(OpenSink& sink, const ir::Expr& e, Value* value) {
  using runtime::rt_sum_f64;
  if (sink.exact != nullptr) {
    b_.CreateCall(MATCHA_RUNTIME(module_, rt_sum_f64, Effect::WritesArguments), {sink.exact, value});
    return;
  }
  llvm::Type* type = sink.value->getAllocatedType();
  Value* old = b_.CreateLoad(type, sink.value);
  switch (sink.sink->kind) {
    case ir::SinkKind::Sum: {
      bool positive = module_.facts().range(&e).low >= 0;
      if (type == i128_) value = positive ? b_.CreateZExt(value, i128_) : b_.CreateSExt(value, i128_);
      b_.CreateStore(b_.CreateAdd(old, value), sink.value);
      return;
    }
    case ir::SinkKind::Min:
    case ir::SinkKind::Max: {
      bool smaller = sink.sink->kind == ir::SinkKind::Min;
      bool real = type == f64_;
      llvm::Intrinsic::ID id = real ? (smaller ? llvm::Intrinsic::minimum : llvm::Intrinsic::maximum)
                                    : (smaller ? llvm::Intrinsic::smin : llvm::Intrinsic::smax);
      Value* best = b_.CreateBinaryIntrinsic(id, old, value);
      b_.CreateStore(b_.CreateSelect(b_.CreateLoad(i1_, sink.flag), best, value), sink.value);
      b_.CreateStore(b_.getTrue(), sink.flag);
      return;
    }
    case ir::SinkKind::Any:
    case ir::SinkKind::All: {
      bool any = sink.sink->kind == ir::SinkKind::Any;
      Value* both = any ? b_.CreateOr(old, value) : b_.CreateAnd(old, value);
      b_.CreateStore(both, sink.value);
      if (sink.decided == nullptr) return;
      llvm::BasicBlock* next = new_block("");
      b_.CreateCondBr(both, any ? sink.decided : next, any ? next : sink.decided);
      b_.SetInsertPoint(next);
      return;
    }
    case ir::SinkKind::List: break;
  }
  MATCHA_UNREACHABLE("a list sink as a scalar one");
}

}  // namespace matcha::codegen::jit
