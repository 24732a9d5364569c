#pragma once

#include <unordered_map>

#include "codegen/llvm/function_frame.h"

namespace matcha::codegen::jit {

class BitSets;
class Graphs;
class Loops;
class Scalars;
class Sets;

/// Expressions that are lists, as views: only literals are copied. Also reads of a list: its size, an item, the
/// position of an item.
class Lists {
 public:
  using Value = llvm::Value;

  Lists(FunctionFrame& frame, const Loops& loops, Scalars& scalars, Graphs& graphs, Sets& sets, BitSets& bits)
      : f_(frame),
        b_(frame.builder()),
        module_(frame.module()),
        loops_(loops),
        scalars_(scalars),
        graphs_(graphs),
        sets_(sets),
        bits_(bits) {}

  /// A view. Set operations at top level must be among `ModuleEmitter::stored`, others are stored by a `store`.
  List of(const ir::Expr& e);
  /// The list of a `for`; `vertices(g)` needs no array there.
  List of_loop(const ir::Expr& e);
  /// The number of items; for a set operation, emits a count.
  Value* size_of(const ir::Expr& list_expr);
  /// The position of the row with a key; -1: there is none.
  Value* find_row(const ir::Expr& e);
  /// The item of an `at`; traps if the position is outside the list.
  Value* at(const ir::At& e);
  /// True if `item` is in the ascending list, by binary search.
  Value* holds(const List& list, Value* item);
  /// Position of the first item that is not below `item`, or above `item` if `past_equal`. Emitted inline at the outer
  /// levels of a region, as a call at the inner ones, where a program may have many.
  Value* lower_bound(const List& list, Value* item, bool past_equal = false);

  /// Binds `var` to `value` for the following code. Unbound variables are slots of the frame.
  void bind(const ir::Var& var, const List& value) { values_[&var] = value; }
  bool is_bound(const ir::Var& var) const { return values_.contains(&var); }

 private:
  List literal(const ir::Expr& e);
  List span(const ir::Expr& e);
  List slice(const List& list, Value* begin, Value* size);
  List select(const ir::Expr& e);
  Value* search(const List& items, Value* x, bool past_equal);

  FunctionFrame& f_;
  llvm::IRBuilder<>& b_;
  ModuleEmitter& module_;
  const Loops& loops_;
  Scalars& scalars_;
  Graphs& graphs_;
  Sets& sets_;
  BitSets& bits_;
  std::unordered_map<const ir::Var*, List> values_;
};

}  // namespace matcha::codegen::jit
