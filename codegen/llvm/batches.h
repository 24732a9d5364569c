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

/// `yield batched`: a pair of lists is noted and its second list fetched; one call counts all pairs once the queue is
/// full or the function ends. Of a second list that is a row of a graph the vertex is noted and the place of the row
/// fetched; the call reads the places, and fetches the rows before it counts.
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
  /// True if `var` is a count that only a batched yield reads: it is emitted there.
  bool is_later(const ir::Var& var) const { return later_.contains(&var); }
  /// Emits a batched yield: notes the lists if it is into a sum of the region, else counts them in place. False if it
  /// is to be emitted as any other.
  bool put_off(const ir::Yield& s);
  /// Empties the queues into their sums; where the function ends.
  void flush_all();

 private:
  /// Counts that were put off: pairs of lists, for the sum of a region.
  struct Queue {
    const ir::Expr* value = nullptr;      ///< What is added for a pair.
    const ir::Expr* count = nullptr;      ///< The size of a set operation,
    const ir::Expr* known = nullptr;      ///< and what stands for it in the value: itself or its name.
    const ir::Expr* rows = nullptr;       ///< Its second list, if only the vertex of it is noted; null if not.
    llvm::AllocaInst* pairs = nullptr;    ///< `SetPair`s.
    llvm::AllocaInst* counts = nullptr;   ///< Their counts, and behind them the sum so far.
    llvm::AllocaInst* waiting = nullptr;  ///< Their number.
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
  std::unordered_map<const ir::Var*, const ir::Expr*> later_;  ///< Names of counts that are put off.
};

}  // namespace matcha::codegen::jit
