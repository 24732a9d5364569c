#pragma once

#include <unordered_map>

#include "codegen/llvm/function_frame.h"

namespace matcha::codegen::jit {

class Graphs;
class Lists;
class Sets;

/// Expressions whose value is a scalar. Code goes where the builder of the frame stands; what may trap does.
class Scalars {
 public:
  using Value = llvm::Value;

  Scalars(FunctionFrame& frame, Graphs& graphs, Lists& lists, Sets& sets)
      : f_(frame), b_(frame.builder()), module_(frame.module()), graphs_(graphs), lists_(lists), sets_(sets) {}

  /// The value of `e`, in a register.
  Value* of(const ir::Expr& e);
  /// `of` without a branch; for what is `branch_free`.
  Value* of_unbranched(const ir::Expr& e);
  /// `of` where `known`, a size or a name of one, is `value`.
  Value* of_known(const ir::Expr& e, const ir::Expr& known, Value* value);
  /// True if `e` may be computed for any item, without a branch and a call.
  bool branch_free(const ir::Expr& e) const;

  /// From here on `var` is `value`. Variables that are not bound are slots of the frame.
  void bind(const ir::Var& var, Value* value) { values_[&var] = value; }
  /// `var` has a value only if `present`, an i1, is true; else reading it traps.
  void bind_present(const ir::Var& var, Value* present) { present_[&var] = present; }

 private:
  Value* variable(const ir::Var& var);
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
  std::unordered_map<const ir::Var*, Value*> present_;  ///< Of min and max sinks: i1, there is a value.
  std::unordered_map<const ir::Expr*, Value*> known_;   ///< By `of_known`.
  bool unbranched_ = false;
};

}  // namespace matcha::codegen::jit
