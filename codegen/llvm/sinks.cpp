#include "codegen/llvm/sinks.h"

#include <llvm/IR/Intrinsics.h>

#include <cstddef>

#include "codegen/llvm/helpers.h"
#include "codegen/llvm/lists.h"
#include "codegen/llvm/loops.h"
#include "codegen/llvm/scalars.h"
#include "ir/analysis/sum_bounds.h"
#include "ir/check.h"

namespace matcha::codegen::jit {

using llvm::Value;
using runtime::TrapCode;
using runtime::Worker;

void Sinks::collect(const ir::Collect& s, const std::function<void()>& body) {
  std::size_t outer_sums = sums_.sums();
  llvm::BasicBlock* decided = module_.ends_early(s) ? f_.new_block("decided") : nullptr;
  for (const ir::Sink& sink : s.sinks) {
    OpenSink opened;
    opened.sink = &sink;
    bool whole = sink.var->type->is_scalar(ir::ScalarKind::I64);
    const ir::SumBound total = ir::sum_bound(module_.facts(), *s.body, sink.var);
    llvm::Type* sum_type = total.magnitude <= INT64_MAX ? f_.i64 : f_.i128;
    if (sink.kind == ir::SinkKind::Sum && whole) opened.value = f_.local(sum_type, name_of(*sink.var));
    opened.decided = decided;
    open(opened);
    OpenSink& placed = sinks_[sink.var] = opened;
    if (opened.value != nullptr && sink.kind == ir::SinkKind::Sum) sums_.add_sum(placed);
  }
  ++open_collects_;
  body();
  --open_collects_;
  if (decided != nullptr) {
    b_.CreateBr(decided);
    b_.SetInsertPoint(decided);
  }
  f_.set_loc(s.loc);
  sums_.remove_sums(outer_sums);
  for (const ir::Sink& sink : s.sinks) close(sinks_[sink.var]);
}

void Sinks::open_region(const RegionShape& shape) {
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
    Value* slots = f_.worker_field(offsetof(Worker, slots), f_.ptr, "slots");
    Value* low = f_.entry().CreateConstInBoundsGEP1_64(f_.i64, slots, 2 * i);
    Value* high = f_.entry().CreateConstInBoundsGEP1_64(f_.i64, slots, 2 * i + 1);
    llvm::StringRef name = name_of(*sinks[i].var);
    bool bounded = sinks[i].kind == ir::SinkKind::Min || sinks[i].kind == ir::SinkKind::Max;
    if (sinks[i].kind == ir::SinkKind::Sum && type.is_scalar(ir::ScalarKind::F64)) {
      sink.exact = f_.entry().CreateLoad(f_.ptr, low, name);
    } else if (sinks[i].kind == ir::SinkKind::Sum) {
      sink.value = sink.whole = f_.local(f_.i128, name);
      f_.entry().CreateStore(f_.entry().CreateAlignedLoad(f_.i128, low, llvm::Align(8)), sink.value);
    } else if (bounded) {
      sink.value = f_.local(f_.register_type(type), name);
      sink.flag = f_.local(f_.i1, "present");
      f_.entry().CreateStore(f_.entry().CreateLoad(f_.register_type(type), low), sink.value);
      f_.entry().CreateStore(f_.entry().CreateICmpNE(f_.entry().CreateLoad(f_.i64, high), f_.integer(0)), sink.flag);
    } else {
      sink.value = f_.local(f_.i1, name);
      f_.entry().CreateStore(f_.entry().CreateICmpNE(f_.entry().CreateLoad(f_.i64, low), f_.integer(0)), sink.value);
    }
    OpenSink& placed = sinks_[sinks[i].var] = sink;
    if (sink.whole != nullptr) sums_.add_sum(placed);
  }
}

void Sinks::close_region() {
  for (std::size_t i = 0; i < region_sinks_.size(); ++i) {
    const OpenSink& sink = at(*region_sinks_[i]);
    if (sink.value == nullptr) continue;
    Value* slots = f_.worker_field(offsetof(Worker, slots), f_.ptr, "slots");
    Value* low = b_.CreateConstInBoundsGEP1_64(f_.i64, slots, 2 * i);
    Value* value = b_.CreateLoad(sink.value->getAllocatedType(), sink.value);
    if (value->getType() == f_.i1) value = b_.CreateZExt(value, f_.i64);
    b_.CreateAlignedStore(value, low, llvm::Align(8));
    if (sink.flag == nullptr) continue;
    Value* flag = b_.CreateZExt(b_.CreateLoad(f_.i1, sink.flag), f_.i64);
    b_.CreateStore(flag, b_.CreateConstInBoundsGEP1_64(f_.i64, slots, 2 * i + 1));
  }
}

bool Sinks::is_graph(const ir::Var& var) const {
  const auto found = sinks_.find(&var);
  return found != sinks_.end() && found->second.counts >= 0;
}

void Sinks::take(OpenSink& sink, const ir::Yield& s, std::span<Value* const> values) {
  if (sink.sink->kind != ir::SinkKind::List) {
    add_to(sink, *s.values[0], values[0]);
  } else if (sink.region_index >= 0) {
    append_row(sink, values);
  } else {
    append_item(sink, values);
  }
}

void Sinks::open(OpenSink& sink) {
  const ir::Type& type = *sink.sink->var->type;
  llvm::StringRef name = name_of(*sink.sink->var);
  switch (sink.sink->kind) {
    case ir::SinkKind::Sum:
      if (type.is_scalar(ir::ScalarKind::F64)) {
        llvm::AllocaInst* sum = f_.local(f_.i8, name, f_.integer(exact_sum_bytes()));
        sum->setAlignment(llvm::Align(16));
        sink.exact = sum;
        b_.CreateCall(MATCHA_RUNTIME(module_, matcha_exact_clear, Effect::WritesArguments), {sum});
        return;
      }
      b_.CreateStore(llvm::ConstantInt::get(sink.value->getAllocatedType(), 0), sink.value);
      return;
    case ir::SinkKind::Min:
    case ir::SinkKind::Max:
      sink.value = f_.local(f_.register_type(type), name);
      sink.flag = f_.local(f_.i1, name + ".present");
      b_.CreateStore(llvm::Constant::getNullValue(f_.register_type(type)), sink.value);
      b_.CreateStore(b_.getFalse(), sink.flag);
      return;
    case ir::SinkKind::Any:
    case ir::SinkKind::All:
      sink.value = f_.local(f_.i1, name);
      b_.CreateStore(b_.getInt1(sink.sink->kind == ir::SinkKind::All), sink.value);
      return;
    case ir::SinkKind::List:
      sink.items = f_.buffer(*sink.sink->maybe_buffer);
      sink.value = f_.local(f_.i64, name);
      b_.CreateStore(f_.integer(0), sink.value);
      return;
  }
}

void Sinks::close(OpenSink& sink) {
  const ir::Var* var = sink.sink->var;
  if (sink.sink->kind == ir::SinkKind::List) {
    List items = sink.items;
    items.size = b_.CreateLoad(f_.i64, sink.value, name_of(*var));
    items.capacity = nullptr;
    lists_.bind(*var, items);
    return;
  }
  if (sink.exact != nullptr) {
    scalars_.bind(*var, b_.CreateCall(MATCHA_RUNTIME(module_, matcha_exact_value, Effect::ReadsArguments), {sink.exact},
                                      name_of(*var)));
    return;
  }
  Value* value = b_.CreateLoad(sink.value->getAllocatedType(), sink.value, name_of(*var));
  if (sink.flag != nullptr) scalars_.bind_present(*var, b_.CreateLoad(f_.i1, sink.flag, "present"));
  if (value->getType() == f_.i128) {
    Value* narrow = b_.CreateTrunc(value, f_.i64, name_of(*var));
    f_.trap_if(b_.CreateICmpNE(b_.CreateSExt(narrow, f_.i128), value), TrapCode::IntegerOverflow, f_.loc());
    value = narrow;
  }
  scalars_.bind(*var, value);
}

void Sinks::append_item(OpenSink& sink, std::span<Value* const> values) {
  Value* count = b_.CreateLoad(f_.i64, sink.value);
  f_.trap_if(b_.CreateICmpUGE(count, sink.items.capacity), TrapCode::CapacityExceeded, f_.loc());
  for (std::size_t c = 0; c < values.size(); ++c) f_.store_cell(sink.items.columns[c], count, values[c]);
  b_.CreateStore(b_.CreateNUWAdd(count, f_.integer(1)), sink.value);
}

void Sinks::append_row(const OpenSink& sink, std::span<Value* const> values) {
  Value* index = loops_.position();
  if (!sink.map) {
    Value* count = row_buffer(sink.region_index, offsetof(runtime::RowBuffer, count));
    Value* capacity = row_buffer(sink.region_index, offsetof(runtime::RowBuffer, capacity));
    llvm::BasicBlock* flush = f_.new_block("flush");
    llvm::BasicBlock* next = f_.new_block("");
    Value* full = b_.CreateICmpEQ(b_.CreateLoad(f_.i64, count), b_.CreateLoad(f_.i64, capacity));
    f_.likely(b_.CreateNot(full), next, flush);
    b_.SetInsertPoint(flush);
    using runtime::rt_flush_rows;
    if (sink.counts >= 0) {
      grow_rows(sink, f_.integer(1));
    } else {
      b_.CreateCall(MATCHA_RUNTIME(module_, rt_flush_rows, Effect::Any),
                    {f_.context(), f_.worker(), f_.integer(static_cast<std::uint64_t>(sink.region_index))});
    }
    b_.CreateBr(next);
    b_.SetInsertPoint(next);
    index = b_.CreateLoad(f_.i64, count, "row");
    b_.CreateStore(b_.CreateNUWAdd(index, f_.integer(1)), count);
  }
  Value* columns =
      b_.CreateLoad(f_.ptr, row_buffer(sink.region_index, offsetof(runtime::RowBuffer, columns)), "columns");
  std::span<const ir::Type* const> types = sink.sink->var->type->columns;
  // The source of an edge is the vertex of the position.
  if (sink.counts >= 0) values = values.subspan(1);
  for (std::size_t c = 0; c < values.size(); ++c) {
    Value* data = b_.CreateLoad(f_.ptr, b_.CreateConstInBoundsGEP1_64(f_.ptr, columns, c));
    f_.store_cell({data, cell_of(*types[c]), false, nullptr}, index, values[c]);
  }
}

void Sinks::add_to(OpenSink& sink, const ir::Expr& e, Value* value) {
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
      if (type == f_.i128) value = positive ? b_.CreateZExt(value, f_.i128) : b_.CreateSExt(value, f_.i128);
      b_.CreateStore(b_.CreateAdd(old, value), sink.value);
      return;
    }
    case ir::SinkKind::Min:
    case ir::SinkKind::Max: {
      bool smaller = sink.sink->kind == ir::SinkKind::Min;
      bool real = type == f_.f64;
      llvm::Intrinsic::ID id = real ? (smaller ? llvm::Intrinsic::minimum : llvm::Intrinsic::maximum)
                                    : (smaller ? llvm::Intrinsic::smin : llvm::Intrinsic::smax);
      Value* best = b_.CreateBinaryIntrinsic(id, old, value);
      b_.CreateStore(b_.CreateSelect(b_.CreateLoad(f_.i1, sink.flag), best, value), sink.value);
      b_.CreateStore(b_.getTrue(), sink.flag);
      return;
    }
    case ir::SinkKind::Any:
    case ir::SinkKind::All: {
      bool any = sink.sink->kind == ir::SinkKind::Any;
      Value* both = any ? b_.CreateOr(old, value) : b_.CreateAnd(old, value);
      b_.CreateStore(both, sink.value);
      if (sink.decided == nullptr) return;
      llvm::BasicBlock* next = f_.new_block("");
      b_.CreateCondBr(both, any ? sink.decided : next, any ? next : sink.decided);
      b_.SetInsertPoint(next);
      return;
    }
    case ir::SinkKind::List: break;
  }
  MATCHA_UNREACHABLE("a list sink as a scalar one");
}

void Sinks::grow_rows(const OpenSink& sink, Value* rows) {
  using runtime::rt_grow_rows;
  Value* index = f_.integer(static_cast<std::uint64_t>(sink.region_index));
  Value* grown =
      b_.CreateCall(MATCHA_RUNTIME(module_, rt_grow_rows, Effect::Any), {f_.context(), f_.worker(), index, rows});
  llvm::BasicBlock* next = f_.new_block("");
  f_.likely(grown, next, f_.trap_exit());
  b_.SetInsertPoint(next);
}

Value* Sinks::row_buffer(int sink, std::size_t offset) {
  Value* rows = f_.worker_field(offsetof(Worker, rows), f_.ptr, "rows");
  return b_.CreateConstInBoundsGEP1_64(f_.i8, rows,
                                       static_cast<std::uint64_t>(sink) * sizeof(runtime::RowBuffer) + offset);
}

}  // namespace matcha::codegen::jit
