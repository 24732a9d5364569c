#pragma once

#include <unordered_map>

#include "codegen/llvm/function_frame.h"

namespace matcha::codegen::jit {

class BitSets;
class Graphs;
class Loops;
class Scalars;
class Sets;

/// Expressions that are lists, as views: nothing is copied, but for literals. And what is asked of a list: its size, an
/// item, where an item stands.
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
  /// The list of a `for`: `vertices(g)` needs no array there.
  List of_loop(const ir::Expr& e);
  /// The number of items; a set operation is counted.
  Value* size_of(const ir::Expr& list_expr);
  /// The item that an `at` reads; traps outside of the list.
  Value* at(const ir::At& e);
  /// Of an ascending list: true if `item` is in it, by binary search.
  Value* holds(const List& list, Value* item);
  /// Position of the first item that is not below `item`, or above `item` if `past_equal`: in place in the outer levels
  /// of a region, by a call in the inner ones, where a program may have many.
  Value* lower_bound(const List& list, Value* item, bool past_equal = false);

  /// From here on `var` is `value`. Variables that are not bound are slots of the frame.
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
