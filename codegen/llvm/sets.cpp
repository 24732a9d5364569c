#include <algorithm>
#include <cstddef>

#include "codegen/llvm/function_emitter.h"
#include "codegen/llvm/helpers.h"
#include "ir/analysis/resolve.h"
#include "ir/match.h"
#include "runtime/cpu/common_neighbors.h"
#include "runtime/cpu/general_sets.h"

/// Set operations: which kernel does them, and what is done in place.
namespace matcha::codegen::jit {

using llvm::Value;
using runtime::SetKernels;

namespace {

constexpr std::uint64_t kKernelKey = std::uint64_t{1} << 34;

}  // namespace

/// Calls an entry of the table of set kernels; the pointer is loaded once a call of the function.
Value* FunctionEmitter::call_kernel(std::size_t offset, llvm::FunctionType* type, llvm::ArrayRef<Value*> arguments,
                                    const char* name, Effect effect) {
  Value* kernel = hoisted(kKernelKey + offset, [&](llvm::IRBuilder<>& at) {
    Value* slot = at.CreateConstInBoundsGEP1_64(i8_, context_, offsetof(runtime::RegionContext, sets));
    Value* table = at.CreateLoad(ptr_, slot, "sets");
    return at.CreateLoad(ptr_, at.CreateConstInBoundsGEP1_64(i8_, table, offset), name);
  });
  llvm::CallInst* call = b_.CreateCall(type, kernel, arguments);
  call->setAttributes(module_.attributes(effect));
  return call;
}

std::vector<Value*> FunctionEmitter::literal_items(const ir::Expr& e) {
  std::vector<Value*> items;
  for (const ir::Expr* operand : e.operands) items.push_back(scalar(*operand));
  return items;
}

Value* FunctionEmitter::member_of(std::span<Value* const> items, Value* x, Cell cell) {
  Value* hit = b_.getFalse();
  for (Value* item : items) hit = b_.CreateOr(hit, same(cell, x, item));
  return hit;
}

/// Walks the items of `a`; those for which `keep` says true are counted, and stored if there is an `out`.
Value* FunctionEmitter::filter(const List& a, const List* maybe_out, const std::function<Value*(Value*)>& keep) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* body = new_block("filter");
  llvm::BasicBlock* end = new_block("filtered");
  b_.CreateCondBr(b_.CreateICmpEQ(a.size, integer(0)), end, body);
  b_.SetInsertPoint(body);
  llvm::PHINode* index = b_.CreatePHI(i64_, 2, "i");
  llvm::PHINode* kept = b_.CreatePHI(i64_, 2, "kept");
  index->addIncoming(integer(0), before);
  kept->addIncoming(integer(0), before);
  Value* item = load_cell(a.columns[0], index);
  Value* wanted = keep(item);
  if (maybe_out != nullptr) store_cell(maybe_out->columns[0], kept, item);
  Value* more = b_.CreateAdd(kept, b_.CreateZExt(wanted, i64_));
  Value* next = b_.CreateNUWAdd(index, integer(1));
  llvm::BasicBlock* latch = b_.GetInsertBlock();
  index->addIncoming(next, latch);
  kept->addIncoming(more, latch);
  b_.CreateCondBr(b_.CreateICmpEQ(next, a.size), end, body);
  b_.SetInsertPoint(end);
  llvm::PHINode* result = b_.CreatePHI(i64_, 2, "kept");
  result->addIncoming(integer(0), before);
  result->addIncoming(more, latch);
  return result;
}

List FunctionEmitter::second_list(const ir::Expr& set_operation, bool& ascending) {
  const ir::Expr& e = module_.without_bound(set_operation);
  const auto copy = module_.sorted_copies().find(&e);
  if (copy != module_.sorted_copies().end()) return frame_list(copy->second.slot, *copy->second.type);
  ascending = module_.facts().list(&e).ascending;
  return list(e);
}

/// The number of items of an ascending `a` without repeats that are among the items of a literal: one search for each
/// item that is no repeat of an earlier one.
Value* FunctionEmitter::literal_count(const ir::Expr& e, const List& a) {
  std::vector<Value*> items = literal_items(*e.operands[1]);
  Cell cell = a.columns[0].cell;
  Value* hits = integer(0);
  for (std::size_t i = 0; i < items.size(); ++i) {
    Value* found = contains(a, items[i]);
    for (std::size_t k = 0; k < i; ++k) found = b_.CreateAnd(found, b_.CreateNot(same(cell, items[k], items[i])));
    hits = b_.CreateAdd(hits, b_.CreateZExt(found, i64_));
  }
  return ir::keeps_found(e.kind) ? hits : b_.CreateSub(a.size, hits);
}

Value* FunctionEmitter::count_items(const ir::Expr& e) {
  bool common = ir::keeps_found(e.kind);
  ir::ListFacts facts = module_.facts().list(e.operands[0]);
  if (e.operands[1]->kind == ir::Kind::Literal && facts.ascending && facts.unique &&
      e.operands[0]->kind != ir::Kind::Literal) {
    return literal_count(e, list(*e.operands[0]));
  }
  if (e.operands[1]->kind == ir::Kind::Literal) return store_items(e, List{});
  List a = list(*e.operands[0]);
  bool ascending = true;
  List b = second_list(e, ascending);
  if (!ascending) return store_items(e, List{});
  Value* arguments[] = {a.columns[0].data, a.size, b.columns[0].data, b.size};
  if (module_.kernel_operands(e)) {
    llvm::FunctionType* type = module_.type_of<decltype(SetKernels::intersect_count)>();
    std::size_t offset = common ? offsetof(SetKernels, intersect_count) : offsetof(SetKernels, diff_count);
    const char* name = common ? "intersect_count" : "diff_count";
    return short_or_call(e, a, b, nullptr,
                         [&] { return call_kernel(offset, type, arguments, name, Effect::ReadsArguments); });
  }
  using namespace runtime;
  bool alike = a.columns[0].cell == b.columns[0].cell;
  if (alike && a.columns[0].cell == Cell::Vid) {
    return b_.CreateCall(common ? MATCHA_RUNTIME(module_, rt_intersect_count_sorted_u32, Effect::ReadsArguments)
                                : MATCHA_RUNTIME(module_, rt_diff_count_sorted_u32, Effect::ReadsArguments),
                         arguments);
  }
  if (alike && a.columns[0].cell == Cell::Int) {
    return b_.CreateCall(common ? MATCHA_RUNTIME(module_, rt_intersect_count_sorted_i64, Effect::ReadsArguments)
                                : MATCHA_RUNTIME(module_, rt_diff_count_sorted_i64, Effect::ReadsArguments),
                         arguments);
  }
  return filter(a, nullptr, [&](Value* x) {
    Value* hit = contains(b, x);
    return common ? hit : b_.CreateNot(hit);
  });
}

/// The counters are the worker's, zeros in front of the call and behind it.
Value* FunctionEmitter::common(const ir::Expr& e, const ir::Var& counters) {
  using namespace runtime;
  const List items = list(*e.operands[1]);
  llvm::FunctionCallee count = ir::side_of(e) == ir::Side::Lower
                                   ? MATCHA_RUNTIME(module_, rt_common_below, Effect::Any)
                                   : MATCHA_RUNTIME(module_, rt_common_above, Effect::Any);
  Value* found = b_.CreateCall(count,
                               {context_, graph(*e.operands[0]), items.columns[0].data, items.size,
                                scalar(*e.operands[2]), scalar(*e.operands[3]), buffer(counters).columns[0].data},
                               "shared");
  trap_if(b_.CreateICmpSLT(found, integer(0)), TrapCode::IntegerOverflow, e.loc);
  return found;
}

void FunctionEmitter::check_room(Value* items, const List& out) {
  if (out.capacity != nullptr)
    trap_if(b_.CreateICmpUGT(items, out.capacity), runtime::TrapCode::CapacityExceeded, loc_);
}

Value* FunctionEmitter::store_items(const ir::Expr& e, const List& out) {
  if (module_.stored().contains(&e)) return copy_items(list(e), out);
  if (e.kind == ir::Kind::Sorted) return sort_items(e, out);
  if (!ir::is_set_op(e.kind)) return copy_items(list(e), out);
  bool common = ir::keeps_found(e.kind);
  List a = list(*e.operands[0]);
  Cell cell = a.columns[0].cell;
  const List* maybe_out = out.columns.empty() ? nullptr : &out;
  bool of_vertices = common && e.operands[0]->kind == ir::Kind::Vertices && e.operands[1]->kind != ir::Kind::Literal;
  bool short_result = common && (module_.kernel_operands(e) || of_vertices);
  if (!short_result) check_room(a.size, out);
  if (e.operands[1]->kind == ir::Kind::Literal) {
    std::vector<Value*> items = literal_items(*e.operands[1]);
    return filter(a, maybe_out, [&](Value* x) {
      Value* hit = member_of(items, x, cell);
      return common ? hit : b_.CreateNot(hit);
    });
  }
  bool ascending = true;
  List b = second_list(e, ascending);
  if (of_vertices) check_room(min_u(a.size, b.size), out);
  if (!ascending) {
    return filter(a, maybe_out, [&](Value* x) {
      Value* hits = filter(b, nullptr, [&](Value* y) { return same(cell, x, y); });
      return common ? b_.CreateICmpNE(hits, integer(0)) : b_.CreateICmpEQ(hits, integer(0));
    });
  }
  Value* arguments[] = {a.columns[0].data, a.size, b.columns[0].data, b.size, out.columns[0].data};
  if (module_.kernel_operands(e)) {
    if (!of_vertices && common) check_room(min_u(a.size, b.size), out);
    llvm::FunctionType* type = module_.type_of<decltype(SetKernels::intersect)>();
    std::size_t offset = common ? offsetof(SetKernels, intersect) : offsetof(SetKernels, diff);
    const char* name = common ? "intersect" : "diff";
    return short_or_call(e, a, b, out.columns[0].data,
                         [&] { return call_kernel(offset, type, arguments, name, Effect::WritesArguments); });
  }
  using namespace runtime;
  bool alike = cell == b.columns[0].cell;
  if (alike && cell == Cell::Vid) {
    return b_.CreateCall(of_vertices ? MATCHA_RUNTIME(module_, rt_intersect_distinct_u32, Effect::WritesArguments)
                         : common    ? MATCHA_RUNTIME(module_, rt_intersect_sorted_u32, Effect::WritesArguments)
                                     : MATCHA_RUNTIME(module_, rt_diff_sorted_u32, Effect::WritesArguments),
                         arguments);
  }
  if (alike && cell == Cell::Int) {
    return b_.CreateCall(common ? MATCHA_RUNTIME(module_, rt_intersect_sorted_i64, Effect::WritesArguments)
                                : MATCHA_RUNTIME(module_, rt_diff_sorted_i64, Effect::WritesArguments),
                         arguments);
  }
  return filter(a, maybe_out, [&](Value* x) {
    Value* hit = contains(b, x);
    return common ? hit : b_.CreateNot(hit);
  });
}

/// Copies rows item by item; words of edge information become cells of a list.
Value* FunctionEmitter::copy_items(const List& from, const List& out) {
  check_room(from.size, out);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* body = new_block("copy");
  llvm::BasicBlock* end = new_block("copied");
  b_.CreateCondBr(b_.CreateICmpEQ(from.size, integer(0)), end, body);
  b_.SetInsertPoint(body);
  llvm::PHINode* index = b_.CreatePHI(i64_, 2, "i");
  index->addIncoming(integer(0), before);
  for (std::size_t c = 0; c < out.columns.size(); ++c) {
    store_cell(out.columns[c], index, load_cell(from.columns[c], index));
  }
  Value* next = b_.CreateNUWAdd(index, integer(1));
  index->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpEQ(next, from.size), end, body);
  b_.SetInsertPoint(end);
  return from.size;
}

Value* FunctionEmitter::sort_items(const ir::Expr& e, const List& out) {
  Value* count = store_items(*e.operands[0], out);
  if (!module_.facts().list(e.operands[0]).ascending) sort(out, count);
  return count;
}

Value* FunctionEmitter::fill_list(const ir::Expr& e, std::uint32_t slot, bool sorted) {
  List out = frame_list(slot, *e.type);
  for (Column& column : out.columns) column.constant = false;
  Value* count = store_items(e, out);
  if (sorted) sort(out, count);
  return count;
}

void FunctionEmitter::sort(const List& out, Value* count) {
  using namespace runtime;
  Value* data = out.columns[0].data;
  switch (out.columns[0].cell) {
    case Cell::Vid: b_.CreateCall(MATCHA_RUNTIME(module_, rt_sort_u32, Effect::WritesArguments), {data, count}); break;
    case Cell::Float:
      b_.CreateCall(MATCHA_RUNTIME(module_, matcha_sort_f64, Effect::WritesArguments), {data, count});
      break;
    case Cell::Bool:
      b_.CreateCall(MATCHA_RUNTIME(module_, matcha_sort_bool, Effect::WritesArguments), {data, count});
      break;
    case Cell::Int:
    case Cell::WordVid:
    case Cell::WordBool:
      b_.CreateCall(MATCHA_RUNTIME(module_, rt_sort_i64, Effect::WritesArguments), {data, count});
      break;
  }
}

}  // namespace matcha::codegen::jit
