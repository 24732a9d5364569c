#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "codegen/llvm/function_frame.h"

namespace matcha::codegen::jit {

class Graphs;
class Lists;
class Parts;
class Scalars;
class Sets;
class Sinks;

/// `yield batched`: a pair of lists is added to a queue and its second list prefetched. One call counts all pairs once
/// the queue is full or the function ends. If the second list is a row of a graph, the queue holds the vertex and the
/// row's offsets are prefetched; the call reads the offsets and prefetches the rows before it counts.
class Batches {
 public:
  using Value = llvm::Value;

  Batches(FunctionFrame& frame, Scalars& scalars, Lists& lists, Graphs& graphs, Sets& sets, Sinks& sinks, Parts& parts)
      : f_(frame),
        b_(frame.builder()),
        module_(frame.module()),
        scalars_(scalars),
        lists_(lists),
        graphs_(graphs),
        sets_(sets),
        sinks_(sinks),
        parts_(parts) {}

  /// Before the body of a region is emitted.
  void open(const ir::Region& region) { later_ = module_.later_counts(region); }
  /// True if `var` is a count that only a batched yield reads; the yield emits it.
  bool is_later(const ir::Var& var) const { return later_.contains(&var); }
  /// Emits a batched yield: queues the lists for a sum of the region, else counts them in place. False if it has to be
  /// emitted as a plain yield.
  bool put_off(const ir::Yield& s);
  /// Empties the queues into their sums, at the end of the function.
  void flush_all();

 private:
  /// Deferred counts: pairs of lists, for a sum of the region.
  struct Queue {
    const ir::Expr* value = nullptr;      ///< The value added for a pair.
    const ir::Expr* count = nullptr;      ///< The size of a set operation.
    const ir::Expr* known = nullptr;      ///< Its expression in the value: itself or its variable.
    const ir::Expr* rows = nullptr;       ///< Its second list, if only the vertex of it is queued; else null.
    llvm::AllocaInst* pairs = nullptr;    ///< `SetPair`s.
    llvm::AllocaInst* counts = nullptr;   ///< Counts of the pairs, followed by the sum so far.
    llvm::AllocaInst* waiting = nullptr;  ///< Number of pairs.
    llvm::AllocaInst* total = nullptr;    ///< The accumulator of the sum.
  };

  const ir::Expr* row_of_graph(const ir::Expr& set_operation) const;
  Queue& queue_of(const ir::Yield& s, Queue made);
  void note(Queue& queue, const List& a, const List& b);
  Value* count_rows(const Queue& queue, Value* waiting);
  void flush(Queue& queue);
  static bool is_plain(const Queue& queue);

  FunctionFrame& f_;
  llvm::IRBuilder<>& b_;
  ModuleEmitter& module_;
  Scalars& scalars_;
  Lists& lists_;
  Graphs& graphs_;
  Sets& sets_;
  Sinks& sinks_;
  Parts& parts_;
  std::vector<std::pair<const ir::Yield*, Queue>> queues_;
  std::unordered_map<const ir::Var*, const ir::Expr*> later_;  ///< Variables of deferred counts.
};

}  // namespace matcha::codegen::jit
