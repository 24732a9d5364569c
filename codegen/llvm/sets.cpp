#include "codegen/llvm/sets.h"

#include <cstddef>

#include "codegen/llvm/bits.h"
#include "codegen/llvm/graphs.h"
#include "codegen/llvm/helpers.h"
#include "codegen/llvm/lists.h"
#include "codegen/llvm/scalars.h"
#include "ir/match.h"
#include "runtime/cpu/common_neighbors.h"
#include "runtime/cpu/general_sets.h"
#include "runtime/cpu/keyed_rows.h"

namespace matcha::codegen::jit {

using llvm::Value;
using runtime::SetKernels;

Value* Sets::count(const ir::Expr& e) {
  bool common = ir::keeps_found(e.kind);
  ir::ListFacts facts = module_.facts().list(e.operands[0]);
  if (e.operands[1]->kind == ir::Kind::Literal && facts.ascending && facts.unique &&
      e.operands[0]->kind != ir::Kind::Literal) {
    return literal_count(e, lists_.of(*e.operands[0]));
  }
  if (e.operands[1]->kind == ir::Kind::Literal) return store(e, List{});
  List a = lists_.of(*e.operands[0]);
  bool ascending = true;
  List b = second_list(e, ascending);
  if (!ascending) return store(e, List{});
  Value* arguments[] = {a.columns[0].data, a.size, b.columns[0].data, b.size};
  if (module_.kernel_operands(e)) {
    llvm::FunctionType* type = module_.type_of<decltype(SetKernels::intersect_count)>();
    std::size_t offset = common ? offsetof(SetKernels, intersect_count) : offsetof(SetKernels, diff_count);
    const char* name = common ? "intersect_count" : "diff_count";
    return small_.count(e, a, b, nullptr,
                        [&] { return f_.call_kernel(offset, type, arguments, name, Effect::ReadsArguments); });
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
    Value* hit = lists_.holds(b, x);
    return common ? hit : b_.CreateNot(hit);
  });
}

Value* Sets::contains(const ir::Expr& e) {
  const ir::Expr& set = *e.operands[0];
  Value* x = scalars_.of(*e.operands[1]);
  if (set.type->bits) return bits_.contains(set, x);
  if (set.kind == ir::Kind::Literal) {
    return member_of(literal_items(set), x, cell_of(*set.type->columns[0]));
  }
  List items = lists_.of(set);
  if (module_.facts().list(&set).ascending) return lists_.holds(items, x);
  Cell cell = items.columns[0].cell;
  Value* hits = filter(items, nullptr, [&](Value* item) { return f_.same(cell, item, x); });
  return b_.CreateICmpNE(hits, f_.integer(0));
}

Value* Sets::store(const ir::Expr& e, const List& out) {
  if (module_.stored().contains(&e)) return copy_items(lists_.of(e), out);
  if (e.kind == ir::Kind::Sequence) return range(e, out);
  if (e.kind == ir::Kind::Keyed || (e.kind == ir::Kind::Sorted && host::sorted_by_rows(*e.type)))
    return fold_rows(e, out);
  if (e.kind == ir::Kind::Sorted) return sort_items(e, out);
  if (!ir::is_set_op(e.kind)) return copy_items(lists_.of(e), out);
  bool common = ir::keeps_found(e.kind);
  List a = lists_.of(*e.operands[0]);
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
  if (of_vertices) check_room(f_.min_u(a.size, b.size), out);
  if (!ascending) {
    return filter(a, maybe_out, [&](Value* x) {
      Value* hits = filter(b, nullptr, [&](Value* y) { return f_.same(cell, x, y); });
      return common ? b_.CreateICmpNE(hits, f_.integer(0)) : b_.CreateICmpEQ(hits, f_.integer(0));
    });
  }
  Value* arguments[] = {a.columns[0].data, a.size, b.columns[0].data, b.size, out.columns[0].data};
  if (module_.kernel_operands(e)) {
    if (!of_vertices && common) check_room(f_.min_u(a.size, b.size), out);
    llvm::FunctionType* type = module_.type_of<decltype(SetKernels::intersect)>();
    std::size_t offset = common ? offsetof(SetKernels, intersect) : offsetof(SetKernels, diff);
    const char* name = common ? "intersect" : "diff";
    return small_.count(e, a, b, out.columns[0].data,
                        [&] { return f_.call_kernel(offset, type, arguments, name, Effect::WritesArguments); });
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
    Value* hit = lists_.holds(b, x);
    return common ? hit : b_.CreateNot(hit);
  });
}

Value* Sets::fill(const ir::Expr& e, std::uint32_t slot, bool sorted) {
  List out = f_.frame_list(slot, *e.type);
  for (Column& column : out.columns) column.constant = false;
  Value* count = store(e, out);
  if (sorted) sort(out, count);
  return count;
}

Value* Sets::common(const ir::Expr& e, const ir::Var& counters) {
  using namespace runtime;
  const List items = lists_.of(*e.operands[1]);
  llvm::FunctionCallee count = ir::side_of(e) == ir::Side::Lower
                                   ? MATCHA_RUNTIME(module_, rt_common_below, Effect::Any)
                                   : MATCHA_RUNTIME(module_, rt_common_above, Effect::Any);
  Value* found =
      b_.CreateCall(count,
                    {f_.context(), graphs_.view(*e.operands[0]), items.columns[0].data, items.size,
                     scalars_.of(*e.operands[2]), scalars_.of(*e.operands[3]), f_.buffer(counters).columns[0].data},
                    "shared");
  f_.trap_if(b_.CreateICmpSLT(found, f_.integer(0)), TrapCode::IntegerOverflow, e.loc);
  return found;
}

List Sets::second_list(const ir::Expr& set_operation, bool& ascending) {
  const ir::Expr& e = module_.without_bound(set_operation);
  const auto copy = module_.sorted_copies().find(&e);
  if (copy != module_.sorted_copies().end()) return f_.frame_list(copy->second.slot, *copy->second.type);
  ascending = module_.facts().list(&e).ascending;
  return lists_.of(e);
}

void Sets::check_room(Value* items, const List& out) {
  if (out.capacity != nullptr)
    f_.trap_if(b_.CreateICmpUGT(items, out.capacity), runtime::TrapCode::CapacityExceeded, f_.loc());
}

/// Copies rows item by item; words of edge information become cells of a list.
Value* Sets::copy_items(const List& from, const List& out) {
  check_room(from.size, out);
  f_.count_up(f_.integer(0), from.size, 1, [&](Value* index) {
    for (std::size_t c = 0; c < out.columns.size(); ++c) {
      f_.store_cell(out.columns[c], index, f_.load_cell(from.columns[c], index));
    }
  });
  return from.size;
}

Value* Sets::sort_items(const ir::Expr& e, const List& out) {
  Value* count = store(*e.operands[0], out);
  if (!module_.facts().list(e.operands[0]).ascending) sort(out, count);
  return count;
}

Value* Sets::fold_rows(const ir::Expr& e, const List& out) {
  using namespace runtime;
  const List from = lists_.of(*e.operands[0]);
  check_room(from.size, out);
  const ir::Keyed* keyed = ir::as<ir::Keyed>(&e);
  llvm::StructType* type = llvm::StructType::get(module_.context(), {f_.ptr, f_.ptr, f_.i32});
  Value* columns = f_.local(type, "columns", f_.integer(out.columns.size()));
  for (std::size_t c = 0; c < out.columns.size(); ++c) {
    Value* column = f_.gep(type, columns, f_.integer(c));
    b_.CreateStore(from.columns[c].data, b_.CreateStructGEP(type, column, 0));
    b_.CreateStore(out.columns[c].data, b_.CreateStructGEP(type, column, 1));
    b_.CreateStore(b_.getInt32(static_cast<std::uint32_t>(host::element_kind(*e.type->columns[c]))),
                   b_.CreateStructGEP(type, column, 2));
  }
  const RowFold fold = keyed != nullptr ? host::row_fold(keyed->fold) : RowFold::Keep;
  Value* count = b_.CreateCall(MATCHA_RUNTIME(module_, rt_fold_rows, Effect::Any),
                               {columns, b_.getInt32(static_cast<std::uint32_t>(out.columns.size())),
                                b_.getInt32(e.type->keys), b_.getInt32(static_cast<std::uint32_t>(fold)), from.size},
                               "rows");
  const auto failed = [&](std::int64_t code) {
    return b_.CreateICmpEQ(count, f_.integer(static_cast<std::uint64_t>(code)));
  };
  f_.trap_if(failed(kRowsOverflow), TrapCode::IntegerOverflow, e.loc);
  f_.trap_if(failed(kRowsMemory), TrapCode::OutOfMemory, e.loc);
  return count;
}

Value* Sets::range(const ir::Expr& e, const List& out) {
  Value* begin = scalars_.of(*e.operands[0]);
  Value* size = lists_.size_of(e);
  check_room(size, out);
  f_.count_up(f_.integer(0), size, 1, [&](Value* i) { f_.store_cell(out.columns[0], i, b_.CreateAdd(begin, i)); });
  return size;
}

void Sets::sort(const List& out, Value* count) {
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

/// Walks the items of `a`, counts those for which `keep` is true, and stores them if `maybe_out` is not null.
Value* Sets::filter(const List& a, const List* maybe_out, const std::function<Value*(Value*)>& keep) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* body = f_.new_block("filter");
  llvm::BasicBlock* end = f_.new_block("filtered");
  b_.CreateCondBr(b_.CreateICmpEQ(a.size, f_.integer(0)), end, body);
  b_.SetInsertPoint(body);
  llvm::PHINode* index = b_.CreatePHI(f_.i64, 2, "i");
  llvm::PHINode* kept = b_.CreatePHI(f_.i64, 2, "kept");
  index->addIncoming(f_.integer(0), before);
  kept->addIncoming(f_.integer(0), before);
  Value* item = f_.load_cell(a.columns[0], index);
  Value* wanted = keep(item);
  if (maybe_out != nullptr) f_.store_cell(maybe_out->columns[0], kept, item);
  Value* more = b_.CreateAdd(kept, b_.CreateZExt(wanted, f_.i64));
  Value* next = b_.CreateNUWAdd(index, f_.integer(1));
  llvm::BasicBlock* latch = b_.GetInsertBlock();
  index->addIncoming(next, latch);
  kept->addIncoming(more, latch);
  b_.CreateCondBr(b_.CreateICmpEQ(next, a.size), end, body);
  b_.SetInsertPoint(end);
  llvm::PHINode* result = b_.CreatePHI(f_.i64, 2, "kept");
  result->addIncoming(f_.integer(0), before);
  result->addIncoming(more, latch);
  return result;
}

std::vector<Value*> Sets::literal_items(const ir::Expr& e) {
  std::vector<Value*> items;
  for (const ir::Expr* operand : e.operands) items.push_back(scalars_.of(*operand));
  return items;
}

Value* Sets::member_of(std::span<Value* const> items, Value* x, Cell cell) {
  Value* hit = b_.getFalse();
  for (Value* item : items) hit = b_.CreateOr(hit, f_.same(cell, x, item));
  return hit;
}

/// The number of items of `a`, ascending and without repeats, that are in a literal: one search for each item of the
/// literal that does not repeat an earlier one.
Value* Sets::literal_count(const ir::Expr& e, const List& a) {
  std::vector<Value*> items = literal_items(*e.operands[1]);
  Cell cell = a.columns[0].cell;
  Value* hits = f_.integer(0);
  for (std::size_t i = 0; i < items.size(); ++i) {
    Value* found = lists_.holds(a, items[i]);
    for (std::size_t k = 0; k < i; ++k) found = b_.CreateAnd(found, b_.CreateNot(f_.same(cell, items[k], items[i])));
    hits = b_.CreateAdd(hits, b_.CreateZExt(found, f_.i64));
  }
  return ir::keeps_found(e.kind) ? hits : b_.CreateSub(a.size, hits);
}

}  // namespace matcha::codegen::jit
