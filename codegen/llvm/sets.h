#pragma once

#include <functional>
#include <span>
#include <vector>

#include "codegen/llvm/function_frame.h"
#include "codegen/llvm/small_sets.h"

namespace matcha::codegen::jit {

class BitSets;
class Graphs;
class Lists;
class Scalars;

/// Set operations on lists, by a kernel or inline. Has no state.
class Sets {
 public:
  using Value = llvm::Value;

  Sets(FunctionFrame& frame, Scalars& scalars, Lists& lists, Graphs& graphs, BitSets& bits)
      : f_(frame),
        b_(frame.builder()),
        module_(frame.module()),
        scalars_(scalars),
        lists_(lists),
        graphs_(graphs),
        bits_(bits),
        small_(frame) {}

  /// The number of items of a set operation.
  Value* count(const ir::Expr& e);
  /// The value of a `contains`, i1.
  Value* contains(const ir::Expr& e);
  /// Writes the items of any list to `out` and returns their number; traps if there is no room. If `out` has no
  /// columns, they are only counted.
  Value* store(const ir::Expr& e, const List& out);
  /// Writes the items of a list that the host keeps at `slot`, sorted if `sorted`; returns their number.
  Value* fill(const ir::Expr& e, std::uint32_t slot, bool sorted);
  /// The sum of a `common_below` or `common_above`. The counters belong to the worker and are zero before and after it.
  Value* common(const ir::Expr& e, const ir::Var& counters);
  /// The second list of a set operation, without a bound that the first list implies. Sets `ascending` to false if it
  /// is not known to ascend.
  List second_list(const ir::Expr& set_operation, bool& ascending);

 private:
  /// The rows of `sorted` and `keyed`.
  Value* fold_rows(const ir::Expr& e, const List& out);
  Value* range(const ir::Expr& e, const List& out);
  Value* copy_items(const List& from, const List& out);
  Value* sort_items(const ir::Expr& e, const List& out);
  void sort(const List& out, Value* count);
  Value* literal_count(const ir::Expr& e, const List& a);
  Value* filter(const List& a, const List* maybe_out, const std::function<Value*(Value*)>& keep);
  Value* member_of(std::span<Value* const> items, Value* x, Cell cell);
  std::vector<Value*> literal_items(const ir::Expr& e);
  void check_room(Value* items, const List& out);

  FunctionFrame& f_;
  llvm::IRBuilder<>& b_;
  ModuleEmitter& module_;
  Scalars& scalars_;
  Lists& lists_;
  Graphs& graphs_;
  BitSets& bits_;
  SmallSets small_;
};

}  // namespace matcha::codegen::jit
