#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <cstddef>

#include "codegen/llvm/function_emitter.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "runtime/abi.h"

/// `yield batched`: a pair of lists is noted and its second list fetched; one call counts all pairs once the queue is
/// full or the function ends. Of a second list that is a row of a graph the vertex is noted and the place of the row
/// fetched; the call reads the places, and fetches the rows before it counts.
namespace matcha::codegen::jit {

using llvm::Value;
using runtime::CpuGraphView;
using runtime::GraphView;
using runtime::SetKernels;
using runtime::SetPair;
using runtime::SplitOffsets;

namespace {

/// Enough for the fetched lists to arrive, few enough for them to stay in the first cache.
constexpr std::uint64_t kQueueLength = 64;
/// Behind the counts lies the sum so far, 128 bits wide: in memory, so that no loop carries it in registers.
constexpr std::uint64_t kQueueWords = kQueueLength + 2;

/// True if the counts themselves are added up, so that empty lists add nothing.
bool is_plain(const CountQueue& queue) {
  return queue.value == queue.count && queue.count->operands[0]->kind == ir::Kind::Intersect;
}

void prefetch(llvm::IRBuilder<>& at, Value* address) {
  at.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                     {address, at.getInt32(0), at.getInt32(3), at.getInt32(1)});
}

}  // namespace

/// The second list of a set operation if it is a row of a graph, or half of one, that is not at hand yet; null if not.
const ir::Expr* FunctionEmitter::row_of_graph(const ir::Expr& set_operation) const {
  const ir::Expr& list = module_.without_bound(set_operation);
  const ir::Var* var = ir::as<ir::Var>(&list);
  if (var != nullptr && lists_.contains(var)) return nullptr;
  const ir::Expr& row = module_.resolve(list);
  if (row.kind != ir::Kind::Neighbors) return nullptr;
  bool one = module_.resolve(*row.operands[0]).kind == ir::Kind::Var;
  return one && module_.index_of(*row.operands[0]) == Index::Csr ? &row : nullptr;
}

/// Looks up the rows of the waiting pairs and counts them; gives the sum.
Value* FunctionEmitter::count_rows(const CountQueue& queue, Value* waiting) {
  const ir::Expr& graph_expr = *queue.rows->operands[0];
  Value* items = graph_field(graph_expr, offsetof(GraphView, neighbors), ptr_, "neighbors");
  if (ir::is_all_neighbors(*queue.rows)) {
    Value* places = graph_field(graph_expr, offsetof(GraphView, offsets), ptr_, "offsets");
    return call_kernel(offsetof(SetKernels, count_rows), module_.type_of<decltype(SetKernels::count_rows)>(),
                       {queue.pairs, waiting, queue.counts, items, places}, "count_rows", Effect::Any);
  }
  Value* halves = b_.CreateConstInBoundsGEP1_64(i8_, graph(graph_expr), offsetof(CpuGraphView, halves));
  Value* side = integer(ir::side_of(*queue.rows) == ir::Side::Lower ? 0 : 1);
  return call_kernel(offsetof(SetKernels, count_halves), module_.type_of<decltype(SetKernels::count_halves)>(),
                     {queue.pairs, waiting, queue.counts, items, halves, side}, "count_halves", Effect::Any);
}

/// Notes the lists of a batched yield into a sum of the region; false if their count has to be done in place.
bool FunctionEmitter::put_off(const OpenSink& sink, const ir::Yield& s) {
  const ir::Expr* known = module_.later_count(s, batches_.later);
  if (known == nullptr) return false;
  const ir::Var* name = ir::as<ir::Var>(known);
  const ir::Expr& size = name != nullptr ? *batches_.later.at(name) : *known;
  const auto add_in_place = [&] {
    if (name != nullptr) scalars_[name] = scalar(size);
    add_to(sinks_.at(s.sink), *s.values[0], scalar(*s.values[0]));
  };
  if (sink.region_index < 0) {
    add_in_place();
    return true;
  }
  const ir::Expr* count = size.operands[0];
  const ir::Expr* rows = row_of_graph(*count);
  List a = list(*count->operands[0]);
  bool ascending = true;
  List b;
  if (rows == nullptr) b = second_list(*count, ascending);
  auto place = std::ranges::find(batches_.queues, &s, [](const auto& entry) { return entry.first; });
  bool is_new = place == batches_.queues.end();
  if (is_new) place = batches_.queues.emplace(place, &s, CountQueue{});
  CountQueue& queue = place->second;
  if (is_new) {
    queue.value = s.values[0];
    queue.count = &size;
    queue.known = known;
    queue.rows = rows;
    parts_.at_region([&] {
      queue.pairs = local(i8_, "pairs", integer(kQueueLength * sizeof(SetPair)));
      queue.pairs->setAlignment(llvm::Align(16));
      queue.counts = local(i64_, "counts", integer(kQueueWords));
      queue.counts->setAlignment(llvm::Align(16));
      queue.waiting = local(i64_, "waiting");
      queue.total = sink.whole;
      entry_.CreateStore(integer(0), queue.waiting);
      Value* sum = entry_.CreateConstInBoundsGEP1_64(i64_, queue.counts, kQueueLength);
      entry_.CreateStore(llvm::ConstantInt::get(i128_, 0), sum);
    });
  }
  Value* waiting = b_.CreateLoad(i64_, queue.waiting, "waiting");
  Value* pair = gep(i8_, queue.pairs, b_.CreateMul(waiting, integer(sizeof(SetPair))), "pair");
  const auto put = [&](std::size_t offset, Value* value) {
    b_.CreateStore(value, b_.CreateConstInBoundsGEP1_64(i8_, pair, offset));
  };
  put(offsetof(SetPair, a), a.columns[0].data);
  put(offsetof(SetPair, na), a.size);
  // Many lists of a sparse graph are empty; which ones cannot be foreseen.
  Value* taken = integer(1);
  if (rows != nullptr) {
    Value* row = scalar(*rows->operands[1]);
    put(offsetof(SetPair, nb), row);
    if (ir::is_all_neighbors(*rows)) {
      prefetch(b_, gep(i64_, graph_field(*rows->operands[0], offsetof(GraphView, offsets), ptr_, "offsets"), row));
    } else {
      prefetch(b_, half_offsets(*rows->operands[0], row));
    }
  } else {
    put(offsetof(SetPair, b), b.columns[0].data);
    put(offsetof(SetPair, nb), b.size);
    prefetch(b_, b.columns[0].data);
    if (is_plain(queue)) taken = b_.CreateZExt(b_.CreateICmpNE(b.size, integer(0)), i64_);
  }
  Value* more = b_.CreateNUWAdd(waiting, taken);
  b_.CreateStore(more, queue.waiting);
  llvm::BasicBlock* next = new_block("");
  llvm::BasicBlock* full = new_block("full");
  likely(b_.CreateICmpNE(more, integer(kQueueLength)), next, full);
  b_.SetInsertPoint(full);
  flush(queue);
  b_.CreateBr(next);
  b_.SetInsertPoint(next);
  return true;
}

/// Counts the waiting pairs and adds what is made of their counts.
void FunctionEmitter::flush(CountQueue& queue) {
  Value* waiting = b_.CreateLoad(i64_, queue.waiting, "waiting");
  b_.CreateStore(integer(0), queue.waiting);
  Value* total = nullptr;
  if (queue.rows != nullptr) {
    total = count_rows(queue, waiting);
  } else {
    total = call_kernel(offsetof(SetKernels, count_pairs), module_.type_of<decltype(SetKernels::count_pairs)>(),
                        {queue.pairs, waiting, queue.counts}, "count_pairs", Effect::Any);
  }
  Value* sum = b_.CreateConstInBoundsGEP1_64(i64_, queue.counts, kQueueLength);
  const auto add = [&](Value* value, bool positive) {
    Value* wide = positive ? b_.CreateZExt(value, i128_) : b_.CreateSExt(value, i128_);
    b_.CreateStore(b_.CreateAdd(b_.CreateLoad(i128_, sum), wide), sum);
  };
  if (is_plain(queue)) return add(total, true);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* body = new_block("counted");
  llvm::BasicBlock* end = new_block("");
  b_.CreateCondBr(b_.CreateICmpEQ(waiting, integer(0)), end, body);
  b_.SetInsertPoint(body);
  llvm::PHINode* index = b_.CreatePHI(i64_, 2, "i");
  index->addIncoming(integer(0), before);
  Value* count = b_.CreateLoad(i64_, gep(i64_, queue.counts, index), "count");
  if (!ir::keeps_found(queue.count->operands[0]->kind)) {
    Value* pair = gep(i8_, queue.pairs, b_.CreateMul(index, integer(sizeof(SetPair))));
    Value* size = b_.CreateLoad(i64_, b_.CreateConstInBoundsGEP1_64(i8_, pair, offsetof(SetPair, na)), "size");
    count = b_.CreateNUWSub(size, count);
  }
  batches_.counted[queue.known] = count;
  add(scalar(*queue.value), module_.facts().range(queue.value).low >= 0);
  batches_.counted.erase(queue.known);
  Value* next = b_.CreateNUWAdd(index, integer(1));
  index->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpEQ(next, waiting), end, body);
  b_.SetInsertPoint(end);
}

/// Empties the queues into their sums; where the function ends.
void FunctionEmitter::flush_all() {
  for (auto& [site, queue] : batches_.queues) {
    flush(queue);
    Value* sum = b_.CreateLoad(i128_, b_.CreateConstInBoundsGEP1_64(i64_, queue.counts, kQueueLength));
    b_.CreateStore(b_.CreateAdd(b_.CreateLoad(i128_, queue.total), sum), queue.total);
  }
}

}  // namespace matcha::codegen::jit
