#pragma once

#include <functional>
#include <unordered_map>

#include "codegen/host/host_plan.h"
#include "codegen/llvm/function_frame.h"
#include "ir/nodes.h"

namespace matcha::codegen::jit {

class Graphs;
class Lists;
class Loops;
class Regions;
class Scalars;

/// Bit sets of positions in a short list, within one function; their words are computed at each read.
class BitSets {
 public:
  using Value = llvm::Value;

  BitSets(FunctionFrame& frame, Loops& loops, Scalars& scalars, Lists& lists, Graphs& graphs, Regions& regions)
      : f_(frame),
        b_(frame.builder()),
        loops_(loops),
        scalars_(scalars),
        lists_(lists),
        graphs_(graphs),
        regions_(regions) {}

  /// The capacity of a buffer: items, words of bits, or words of rows.
  Value* buffer_cells(const host::BufferPlan& plan);

  void let(const ir::Let& s) { names_[s.var] = s.value; }
  void store_rows(const ir::Store& s);
  void store(const ir::Store& s);
  /// Walks the set bits, word by word: binds the variables, calls `item`.
  void loop(const ir::For& s, const std::function<void()>& item);
  Value* count(const ir::Expr& set);
  Value* contains(const ir::Expr& set, Value* position);

 private:
  /// Rows of bits in a buffer: row i begins at word `i * stride`.
  struct Rows {
    const ir::Expr* value = nullptr;  ///< The `rows` expression.
    llvm::Value* data = nullptr;
    llvm::Value* size = nullptr;    ///< Items of the list whose positions the bits are.
    llvm::Value* stride = nullptr;  ///< Words with a bit for each of them.
  };

  /// A stored bit set: words from `words` on are zero and not stored.
  struct Words {
    llvm::Value* data = nullptr;
    llvm::Value* words = nullptr;
  };

  /// Number of words of a bit set that may not be zero; and one of its words.
  Value* words_of(const ir::Expr& set);
  Value* word_of(const ir::Expr& set, Value* k);
  Value* word_or_zero(const ir::Expr& set, Value* k);
  Value* bits_below(Value* position, Value* k);
  Value* bits_above(Value* position, Value* k);
  Value* words_for(Value* positions);
  const Rows& rows(const ir::Expr& e) { return rows_.at(static_cast<const ir::Var*>(&e)); }
  void for_each(Value* count, const std::function<void(Value*)>& body);
  Value* gep(Value* words, Value* k);

  FunctionFrame& f_;
  llvm::IRBuilder<>& b_;
  Loops& loops_;
  Scalars& scalars_;
  Lists& lists_;
  Graphs& graphs_;
  Regions& regions_;
  std::unordered_map<const ir::Var*, Rows> rows_;
  std::unordered_map<const ir::Var*, Words> stored_;
  std::unordered_map<const ir::Var*, const ir::Expr*> names_;  ///< Values of `let` by variable.
};

}  // namespace matcha::codegen::jit
