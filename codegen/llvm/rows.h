#pragma once

#include <vector>

#include "codegen/llvm/function_frame.h"

namespace matcha::codegen::jit {

class Lists;
class Loops;
class Scalars;
class Sinks;

/// Edges that a region collects for `build_graph` and nothing else: no list of pairs is made, but the neighbours of
/// each position one after the other, and their number.
class GraphRows {
 public:
  using Value = llvm::Value;

  GraphRows(FunctionFrame& frame, Loops& loops, Scalars& scalars, Lists& lists, Sinks& sinks)
      : f_(frame), b_(frame.builder()), loops_(loops), scalars_(scalars), lists_(lists), sinks_(sinks) {}

  /// Emits a loop that does nothing but keep items as neighbours, without a branch on them; false if `s` does more.
  bool loop(const ir::For& s);
  /// Around what is done for a position: notes where its neighbours begin, and writes their number.
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
  std::vector<Value*> begins_;  ///< A sink of the region: the rows before the position at hand, null if of no graph.
};

}  // namespace matcha::codegen::jit
