#pragma once

#include <functional>
#include <span>

#include "codegen/llvm/function_frame.h"

namespace matcha::codegen::jit {

class Batches;
class FunctionEmitter;
class GraphRows;
class Lists;
class Loops;
class Parts;
class Scalars;
class Sinks;

/// The function of a region. Its second-level loop takes most of a run, so there is one text of it for RegionBody and
/// RegionInner: both call a function that is given outer positions and the items of the second level (RegionWalk). For
/// the body these are all; for the inner function there is one position, whose outer level is derived again without its
/// yields. Knows where in the region code goes: before the second-level loop, or in it.
class Regions {
 public:
  using Value = llvm::Value;

  Regions(FunctionFrame& frame, Loops& loops, Scalars& scalars, Lists& lists, Sinks& sinks, GraphRows& rows,
          Batches& batches, Parts& parts, FunctionEmitter& statements)
      : f_(frame),
        b_(frame.builder()),
        module_(frame.module()),
        loops_(loops),
        scalars_(scalars),
        lists_(lists),
        sinks_(sinks),
        rows_(rows),
        batches_(batches),
        parts_(parts),
        statements_(statements) {}

  /// RegionBody, or if the region is split, what it and RegionInner call (RegionWalk).
  void body(const RegionShape& shape);
  /// Writes the accumulators back and counts what was done; in the exit block.
  void close();

  /// True if `s` is a second-level loop, for which `defer_or_walk` is to be called.
  bool splits(const ir::For& s) const;
  /// The second-level loop: offered to other workers when it is long, else its items from the first to the last given.
  void defer_or_walk(const ir::For& s, std::span<const List> lists, Value* size);
  /// True where code is derived again for a part of the items, so that nothing may be yielded into the region.
  bool before_split() const { return before_split_; }
  /// True for what the part of a position does not need: a loop or a branch before the second-level loop that gives
  /// nothing but what it yields into the region.
  bool only_yields(const ir::Stmt& s) const;
  /// What is done once a position, by the function that is given all items.
  void if_whole(const std::function<void()>& emit);
  /// `count`, or 0 if a task of the same position has made what lies in the worker's scratch memory, for what is made
  /// there at the outer level.
  Value* unless_made(Value* count);
  /// Ends the function here if the run is to stop.
  void leave_if_stopped();

 private:
  void open(const RegionShape& shape);
  void count_done(Value* maybe_counts, Value* number);
  bool walk_kept(const RegionShape& shape, std::span<const List> lists);
  void fetch_kept_rows(const ir::Expr& cond, Value* count, const std::function<void(Value*)>& bind);
  Value* kept_position();

  FunctionFrame& f_;
  llvm::IRBuilder<>& b_;
  ModuleEmitter& module_;
  Loops& loops_;
  Scalars& scalars_;
  Lists& lists_;
  Sinks& sinks_;
  GraphRows& rows_;
  Batches& batches_;
  Parts& parts_;
  FunctionEmitter& statements_;
  const RegionShape* shape_ = nullptr;
  Value* done_ = nullptr;   ///< Alloca: positions or items done.
  Value* whole_ = nullptr;  ///< If the region is split: i1, the function is given all items of the second level.
  bool before_split_ = false;
};

}  // namespace matcha::codegen::jit
