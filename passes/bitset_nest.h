#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "ir/analysis/facts.h"
#include "ir/rewriter.h"
#include "passes/needs.h"

namespace matcha::passes {

/// A loop nest rewritten over bit sets of positions in one list, its base (see bitset_neighborhood.h).
class BitsetNest {
 public:
  struct Allowed {
    bool lists;  ///< Set operations on lists may stay in loops over bits.
    bool owner;  ///< Sets may be cut at the vertex whose neighbours the base holds.
  };
  /// `whole` is the list: an expression that is there in front of the loop.
  BitsetNest(ir::Builder& builder, const ir::Facts& facts, const ir::Expr* whole, Allowed allowed)
      : builder_(builder), facts_(facts), effects_(facts), given_(whole), allowed_(allowed) {}

  /// The statements that take the place of `loop`, which walks a slice of the base, if that has at most `end` items, a
  /// number with a known bound; empty if the nest reads anything that is no bit set, or would gain nothing.
  ir::Stmts rewrite(const ir::For& loop, const ir::Expr* end);

 private:
  /// A set in terms of positions. If not `subset`, the bits are those of its items that are in the base.
  struct Bits {
    const ir::Expr* bits;
    bool subset;
  };
  using MaybeBits = std::optional<Bits>;
  /// The number of items of a set that has a name.
  struct NamedSize {
    const ir::Var* name;
    int bit_loops;  ///< Around the name.
  };

  ir::Stmts attempt(const ir::For& loop, const ir::Expr* end, ir::Side rows_side);
  const ir::For* outer_loop(const ir::For& loop);
  const ir::Expr* sliced(const ir::Expr* list);

  const ir::Block* block(const ir::Block& b);
  void stmt(const ir::Stmt& s, ir::Stmts& out);
  void let(const ir::Let& s, ir::Stmts& out);
  void name_size(const ir::Var* list, const ir::Expr* set, ir::Stmts& out);
  void branch(const ir::If& s, ir::Stmts& out);
  const ir::Expr* needed_condition(const ir::If& s);
  const ir::For* loop(const ir::For& s);
  const ir::For* bit_loop(const ir::For& s, const ir::Expr* bits);
  const ir::Collect* collect(const ir::Collect& s);

  const ir::Expr* expr(const ir::Expr* e);
  const ir::Expr* fail(const ir::Expr* e);
  bool is_plain(const ir::Expr* list) const;

  MaybeBits bits(const ir::Expr* e);
  MaybeBits without(Bits set, const ir::Expr& items);
  MaybeBits row(ir::Side side, const ir::Expr* graph, const ir::Expr* vertex);
  MaybeBits cut(ir::Side side, MaybeBits set, const ir::Expr* position);
  bool is_owner(const ir::Expr* vertex) const;
  MaybeBits cut_at_owner(ir::Side side, MaybeBits set);
  MaybeBits prefix(const ir::Expr* e);
  const ir::Expr* meet(const ir::Expr* a, const ir::Expr* b);
  const ir::Expr* without_needless_cut(const ir::Expr* a, const ir::Expr* b) const;
  const ir::Expr* position_of(const ir::Expr* vertex) const;
  const ir::Var* renamed(const ir::Var* var);

  ir::Builder& builder_;
  const ir::Facts& facts_;
  EffectNeeds effects_;
  const ir::Expr* given_;
  Allowed allowed_;
  const ir::Expr* whole_ = nullptr;  ///< The base behind its names.
  const ir::Var* base_ = nullptr;
  const ir::Var* rows_ = nullptr;
  ir::Side rows_side_ = ir::Side::All;
  const ir::Expr* maybe_graph_ = nullptr;  ///< Whose neighbours the rows are.
  const ir::Var* maybe_own_ = nullptr;     ///< Where the vertex would be whose neighbours the base is, once asked for.
  std::unordered_set<ir::Side> sides_;     ///< Sides of neighbour lists that became rows.
  std::unordered_map<const ir::Var*, const ir::Expr*> renamed_;
  std::unordered_map<const ir::Var*, const ir::Expr*> positions_;
  std::unordered_map<const ir::Var*, Bits> sets_;
  std::unordered_map<const ir::Var*, NamedSize> sizes_;
  std::unordered_set<const ir::Var*> droppable_;  ///< New names that go if nothing reads them.
  int bit_loops_ = 0;
  int gains_ = 0;  ///< Set operations and look-ups in loops over bit sets.
  bool failed_ = false;
};

}  // namespace matcha::passes
