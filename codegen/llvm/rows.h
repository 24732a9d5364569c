#pragma once

#include <vector>

#include "codegen/llvm/function_frame.h"

namespace matcha::codegen::jit {

class Lists;
class Loops;
class Scalars;
class Sinks;

/// Edges that a region collects only for `build_graph`: in place of a list of pairs, the neighbours of each position
/// are stored one after the other, with their number.
class GraphRows {
 public:
  using Value = llvm::Value;

  GraphRows(FunctionFrame& frame, Loops& loops, Scalars& scalars, Lists& lists, Sinks& sinks)
      : f_(frame), b_(frame.builder()), loops_(loops), scalars_(scalars), lists_(lists), sinks_(sinks) {}

  /// Emits a loop that only keeps items as neighbours, without a branch on them; false if `s` does more.
  bool loop(const ir::For& s);
  /// Around the code of a position: records the start of its neighbours, and writes their number.
  void begin();
  void end();

 private:
  bool keeps(const ir::For& s, const ir::Expr*& maybe_cond, const ir::Yield*& kept) const;
  void filter(const ir::For& s, const ir::Expr* maybe_cond, const ir::Yield& kept);

  FunctionFrame& f_;
  llvm::IRBuilder<>& b_;
  Loops& loops_;
  Scalars& scalars_;
  Lists& lists_;
  Sinks& sinks_;
  std::vector<Value*> begins_;  ///< One for each sink of the region: the start of the current position's rows; null if
                                ///< it is not of a graph.
};

}  // namespace matcha::codegen::jit
