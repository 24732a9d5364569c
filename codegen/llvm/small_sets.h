#pragma once

#include <functional>

#include "codegen/llvm/function_frame.h"

namespace matcha::codegen::jit {

/// Set operations whose first list fits one register, emitted inline: most lists of a sparse graph are that short, and
/// a call would cost more than the comparison. Only for processors that compare two registers in one instruction
/// (VP2INTERSECT); a run with another tier makes the call. Has no state.
class SmallSets {
 public:
  using Value = llvm::Value;

  explicit SmallSets(FunctionFrame& frame) : f_(frame), b_(frame.builder()) {}

  /// The number of items of the set operation `e` of two lists of ranks, ascending and without repeats. Two versions
  /// are emitted: inline for a short `a`, and `call` for long lists and other tiers. The inline version stores the
  /// items at `maybe_out`, with room for at least 16, unless it is null.
  Value* count(const ir::Expr& e, const List& a, const List& b, Value* maybe_out, const std::function<Value*()>& call);

 private:
  Value* in_place(const ir::Expr& e, const List& a, const List& b, Value* maybe_out);
  Value* load_lanes(Value* data, Value* count);
  Value* low_lanes(Value* count);

  FunctionFrame& f_;
  llvm::IRBuilder<>& b_;
};

}  // namespace matcha::codegen::jit
