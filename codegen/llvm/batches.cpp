#include "codegen/llvm/batches.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <cstddef>

#include "codegen/llvm/graphs.h"
#include "codegen/llvm/lists.h"
#include "codegen/llvm/parts.h"
#include "codegen/llvm/scalars.h"
#include "codegen/llvm/sets.h"
#include "codegen/llvm/sinks.h"
#include "ir/match.h"
#include "runtime/abi.h"

namespace matcha::codegen::jit {

using llvm::Value;
using runtime::CpuGraphView;
using runtime::GraphView;
using runtime::SetKernels;
using runtime::SetPair;

namespace {

/// Enough for the prefetched lists to arrive, few enough for them to stay in the L1 cache.
constexpr std::uint64_t kQueueLength = 64;
/// Behind the counts is the 128-bit sum so far: in memory, so that no loop carries it in registers.
constexpr std::uint64_t kQueueWords = kQueueLength + 2;

void prefetch(llvm::IRBuilder<>& at, Value* address) {
  at.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                     {address, at.getInt32(0), at.getInt32(3), at.getInt32(1)});
}

}  // namespace

/// True if the counts themselves are added, so that empty lists add nothing.
bool Batches::is_plain(const Queue& queue) {
  return queue.value == queue.count && queue.count->operands[0]->kind == ir::Kind::Intersect;
}

bool Batches::put_off(const ir::Yield& s) {
  OpenSink& sink = sinks_.at(*s.sink);
  const ir::Expr* known = module_.later_count(s, later_);
  if (known == nullptr) return false;
  const ir::Var* name = ir::as<ir::Var>(known);
  const ir::Expr& size = name != nullptr ? *later_.at(name) : *known;
  if (sink.region_index < 0) {
    if (name != nullptr) scalars_.bind(*name, scalars_.of(size));
    Value* values[] = {scalars_.of(*s.values[0])};
    sinks_.take(sink, s, values);
    return true;
  }
  const ir::Expr* count = size.operands[0];
  const ir::Expr* rows = row_of_graph(*count);
  List a = lists_.of(*count->operands[0]);
  bool ascending = true;
  List b;
  if (rows == nullptr) b = sets_.second_list(*count, ascending);
  Queue made;
  made.value = s.values[0];
  made.count = &size;
  made.known = known;
  made.rows = rows;
  made.total = sink.whole;
  Queue& queue = queue_of(s, made);
  note(queue, a, b);
  return true;
}

/// The second list of a set operation if it is a row of a graph, or half of one, that was not looked up yet; else null.
const ir::Expr* Batches::row_of_graph(const ir::Expr& set_operation) const {
  const ir::Expr& list = module_.without_bound(set_operation);
  const ir::Var* var = ir::as<ir::Var>(&list);
  if (var != nullptr && lists_.is_bound(*var)) return nullptr;
  const ir::Expr& row = module_.resolve(list);
  if (row.kind != ir::Kind::Neighbors) return nullptr;
  bool one = module_.resolve(*row.operands[0]).kind == ir::Kind::Var;
  return one && module_.index_of(*row.operands[0]) == Index::Csr ? &row : nullptr;
}

/// Looks up the rows of the waiting pairs and counts them; returns the sum.
Value* Batches::count_rows(const Queue& queue, Value* waiting) {
  const ir::Expr& graph_expr = *queue.rows->operands[0];
  Value* items = graphs_.field(graph_expr, offsetof(GraphView, neighbors), f_.ptr, "neighbors");
  if (ir::is_all_neighbors(*queue.rows)) {
    Value* places = graphs_.field(graph_expr, offsetof(GraphView, offsets), f_.ptr, "offsets");
    return f_.call_kernel(offsetof(SetKernels, count_rows), module_.type_of<decltype(SetKernels::count_rows)>(),
                          {queue.pairs, waiting, queue.counts, items, places}, "count_rows", Effect::Any);
  }
  Value* halves = b_.CreateConstInBoundsGEP1_64(f_.i8, graphs_.view(graph_expr), offsetof(CpuGraphView, halves));
  Value* side = f_.integer(ir::side_of(*queue.rows) == ir::Side::Lower ? 0 : 1);
  return f_.call_kernel(offsetof(SetKernels, count_halves), module_.type_of<decltype(SetKernels::count_halves)>(),
                        {queue.pairs, waiting, queue.counts, items, halves, side}, "count_halves", Effect::Any);
}

/// The queue of a yield; `made`, with room for pairs, if this is its first emission.
Batches::Queue& Batches::queue_of(const ir::Yield& s, Queue made) {
  const auto place = std::ranges::find(queues_, &s, [](const auto& entry) { return entry.first; });
  if (place != queues_.end()) return place->second;
  parts_.at_region([&] {
    made.pairs = f_.local(f_.i8, "pairs", f_.integer(kQueueLength * sizeof(SetPair)));
    made.pairs->setAlignment(llvm::Align(16));
    made.counts = f_.local(f_.i64, "counts", f_.integer(kQueueWords));
    made.counts->setAlignment(llvm::Align(16));
    made.waiting = f_.local(f_.i64, "waiting");
    f_.entry().CreateStore(f_.integer(0), made.waiting);
    Value* sum = f_.entry().CreateConstInBoundsGEP1_64(f_.i64, made.counts, kQueueLength);
    f_.entry().CreateStore(llvm::ConstantInt::get(f_.i128, 0), sum);
  });
  return queues_.emplace_back(&s, made).second;
}

/// Adds a pair to the queue, with `b` unless it is an unread row, and counts the waiting pairs once there are enough.
void Batches::note(Queue& queue, const List& a, const List& b) {
  Value* waiting = b_.CreateLoad(f_.i64, queue.waiting, "waiting");
  Value* pair = f_.gep(f_.i8, queue.pairs, b_.CreateMul(waiting, f_.integer(sizeof(SetPair))), "pair");
  const auto put = [&](std::size_t offset, Value* value) {
    b_.CreateStore(value, b_.CreateConstInBoundsGEP1_64(f_.i8, pair, offset));
  };
  put(offsetof(SetPair, a), a.columns[0].data);
  put(offsetof(SetPair, na), a.size);
  // Many lists of a sparse graph are empty, and branches on that would be mispredicted.
  Value* taken = f_.integer(1);
  if (queue.rows != nullptr) {
    Value* row = scalars_.of(*queue.rows->operands[1]);
    put(offsetof(SetPair, nb), row);
    if (ir::is_all_neighbors(*queue.rows)) {
      prefetch(b_,
               f_.gep(f_.i64, graphs_.field(*queue.rows->operands[0], offsetof(GraphView, offsets), f_.ptr, "offsets"),
                      row));
    } else {
      prefetch(b_, graphs_.half_offsets(*queue.rows->operands[0], row));
    }
  } else {
    put(offsetof(SetPair, b), b.columns[0].data);
    put(offsetof(SetPair, nb), b.size);
    prefetch(b_, b.columns[0].data);
    if (is_plain(queue)) taken = b_.CreateZExt(b_.CreateICmpNE(b.size, f_.integer(0)), f_.i64);
  }
  Value* more = b_.CreateNUWAdd(waiting, taken);
  b_.CreateStore(more, queue.waiting);
  llvm::BasicBlock* next = f_.new_block("");
  llvm::BasicBlock* full = f_.new_block("full");
  f_.likely(b_.CreateICmpNE(more, f_.integer(kQueueLength)), next, full);
  b_.SetInsertPoint(full);
  flush(queue);
  b_.CreateBr(next);
  b_.SetInsertPoint(next);
}

/// Counts the waiting pairs and adds the values made of their counts.
void Batches::flush(Queue& queue) {
  Value* waiting = b_.CreateLoad(f_.i64, queue.waiting, "waiting");
  b_.CreateStore(f_.integer(0), queue.waiting);
  Value* total = nullptr;
  if (queue.rows != nullptr) {
    total = count_rows(queue, waiting);
  } else {
    total = f_.call_kernel(offsetof(SetKernels, count_pairs), module_.type_of<decltype(SetKernels::count_pairs)>(),
                           {queue.pairs, waiting, queue.counts}, "count_pairs", Effect::Any);
  }
  Value* sum = b_.CreateConstInBoundsGEP1_64(f_.i64, queue.counts, kQueueLength);
  const auto add = [&](Value* value, bool positive) {
    Value* wide = positive ? b_.CreateZExt(value, f_.i128) : b_.CreateSExt(value, f_.i128);
    b_.CreateStore(b_.CreateAdd(b_.CreateLoad(f_.i128, sum), wide), sum);
  };
  if (is_plain(queue)) return add(total, true);
  f_.count_up(f_.integer(0), waiting, 1, [&](Value* index) {
    Value* count = b_.CreateLoad(f_.i64, f_.gep(f_.i64, queue.counts, index), "count");
    if (!ir::keeps_found(queue.count->operands[0]->kind)) {
      Value* pair = f_.gep(f_.i8, queue.pairs, b_.CreateMul(index, f_.integer(sizeof(SetPair))));
      Value* size = b_.CreateLoad(f_.i64, b_.CreateConstInBoundsGEP1_64(f_.i8, pair, offsetof(SetPair, na)), "size");
      count = b_.CreateNUWSub(size, count);
    }
    add(scalars_.of_known(*queue.value, *queue.known, count), module_.facts().range(queue.value).low >= 0);
  });
}

void Batches::flush_all() {
  for (auto& [site, queue] : queues_) {
    flush(queue);
    Value* sum = b_.CreateLoad(f_.i128, b_.CreateConstInBoundsGEP1_64(f_.i64, queue.counts, kQueueLength));
    b_.CreateStore(b_.CreateAdd(b_.CreateLoad(f_.i128, queue.total), sum), queue.total);
  }
}

}  // namespace matcha::codegen::jit
