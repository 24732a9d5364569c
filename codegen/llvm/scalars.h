#pragma once

#include <unordered_map>

#include "codegen/llvm/function_frame.h"

namespace matcha::codegen::jit {

class Graphs;
class Lists;
class Sets;

/// Scalar expressions. Code is emitted at the insertion point of the frame, with traps where needed.
class Scalars {
 public:
  using Value = llvm::Value;

  Scalars(FunctionFrame& frame, Graphs& graphs, Lists& lists, Sets& sets)
      : f_(frame), b_(frame.builder()), module_(frame.module()), graphs_(graphs), lists_(lists), sets_(sets) {}

  /// The value of `e`, in a register.
  Value* of(const ir::Expr& e);
  /// `of` without a branch. Requires: `branch_free(e)`.
  Value* of_unbranched(const ir::Expr& e);
  /// `of` with the value `value` for `known`, a size or its variable.
  Value* of_known(const ir::Expr& e, const ir::Expr& known, Value* value);
  /// True if `e` can be computed for any item, without a branch or a call.
  bool branch_free(const ir::Expr& e) const;

  /// Binds `var` to `value` for the following code. Unbound variables are slots of the frame.
  void bind(const ir::Var& var, Value* value) { values_[&var] = value; }
  /// Reading `var` traps unless `present`, an i1, is true.
  void bind_present(const ir::Var& var, Value* present) { present_[&var] = present; }

 private:
  Value* variable(const ir::Var& var);
  Value* real_function(const ir::Expr& e);
  Value* at_most(const ir::Expr& e);
  Value* has_edge(const ir::Expr& e);
  Value* arithmetic(const ir::Expr& e);
  Value* whole_arithmetic(const ir::Expr& e, Value* a, Value* b);
  Value* whole_division(const ir::Expr& e, Value* a, Value* b);
  Value* real_arithmetic(const ir::Expr& e, Value* a, Value* b);
  Value* negate(const ir::Expr& e);
  Value* compare(const ir::Expr& e);
  Value* extreme(const ir::Expr& e);
  Value* logic(const ir::Expr& e);
  Value* select(const ir::Expr& e);
  Value* convert(const ir::Expr& e);
  Value* original_id(Value* rank);
  Value* rank_of(Value* id, SourceLoc loc);
  bool overflows(const ir::Expr& e) const;
  bool speculable(const ir::Expr& e) const;

  FunctionFrame& f_;
  llvm::IRBuilder<>& b_;
  ModuleEmitter& module_;
  Graphs& graphs_;
  Lists& lists_;
  Sets& sets_;
  std::unordered_map<const ir::Var*, Value*> values_;
  std::unordered_map<const ir::Var*, Value*> present_;  ///< Min and max sinks: i1, true if there is a value.
  std::unordered_map<const ir::Expr*, Value*> known_;   ///< Values given by `of_known`.
  bool unbranched_ = false;
};

}  // namespace matcha::codegen::jit
