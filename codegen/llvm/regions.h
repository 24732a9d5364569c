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

/// The function of a region. Its second-level loop takes most of a run, so RegionBody and RegionInner share its code:
/// both call a function with outer positions and items of the second level (RegionWalk). For RegionBody these are all
/// items; for RegionInner they belong to one position, whose outer level is evaluated again without its yields. This
/// class tracks whether code is before the second-level loop or inside it.
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

  /// Emits a RegionBody, or, if the region is split, the function that it and RegionInner call (RegionWalk).
  void body(const RegionShape& shape);
  /// Writes the accumulators back and counts the finished work; in the exit block.
  void close();

  /// True if `s` is a second-level loop, which has to be emitted by `defer_or_walk`.
  bool splits(const ir::For& s) const;
  /// Emits the second-level loop: offered to other workers if it is long, else its items from the first to the last
  /// given.
  void defer_or_walk(const ir::For& s, std::span<const List> lists, Value* size);
  /// True in code that is evaluated again for a part of the items, so that it must not yield into the region.
  bool before_split() const { return before_split_; }
  /// True for a loop or a branch before the second-level loop that has no effect except yields into the region. Parts
  /// of a position skip it.
  bool only_yields(const ir::Stmt& s) const;
  /// Emits code that runs once for each position, in the function with all items.
  void if_whole(const std::function<void()>& emit);
  /// `count`, or 0 if a task of the same position has already filled the worker's scratch memory at the outer level.
  Value* unless_made(Value* count);
  /// Returns from the function if the run is to stop.
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
  Value* done_ = nullptr;   ///< Alloca: finished positions or items.
  Value* whole_ = nullptr;  ///< If the region is split: i1, the function has all items of the second level.
  bool before_split_ = false;
};

}  // namespace matcha::codegen::jit
