#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "ir/analysis/facts.h"
#include "ir/builder.h"
#include "ir/rewriter.h"

namespace matcha::passes {

/// Sets of vertices as bit sets of positions in one list, their base. Keeps the position of each walked vertex, the
/// named sets, and the rows of bits of the base's vertices (see bitset_neighborhood.h).
class PositionSets {
 public:
  /// If not `subset`, the bits are only those of the set's items in the base.
  struct Bits {
    const ir::Expr* bits;
    bool subset;
  };
  using MaybeBits = std::optional<Bits>;

  /// The base has the first items of `whole`. `owner`: sets may be cut at the vertex whose neighbours the base is.
  /// `rows_side`: the side of the neighbours in rows.
  PositionSets(ir::Builder& builder, const ir::Facts& facts, const ir::Expr* whole, bool owner, ir::Side rows_side);

  const ir::Var* base() const { return base_; }
  /// The items of `e`, which has no repeats, that are in the base; empty if bits cannot represent them.
  MaybeBits of(const ir::Expr* e);
  /// The neighbours of a vertex that are in the base.
  MaybeBits row(ir::Side side, const ir::Expr* graph, const ir::Expr* vertex);
  /// The slice of the base that corresponds to `list`, a slice of `whole`; null for other lists.
  const ir::Expr* slice_of_base(const ir::Expr* list);

  // Known facts
  /// The position of a vertex in the base; null if unknown.
  const ir::Expr* position_of(const ir::Expr* vertex) const;
  /// True if two vertices of the base are equal exactly if their positions are.
  bool positions_identify() const { return facts_.list(given_).unique; }
  void set_position(const ir::Var* vertex, const ir::Var* position) { positions_[vertex] = position; }
  /// Binds `list` to that set for the following code.
  void name(const ir::Var* list, Bits set) { names_.insert_or_assign(list, set); }
  bool is_named(const ir::Var* list) const { return names_.contains(list); }

  // Gains
  void enter_bit_loop() { ++bit_loops_; }
  void leave_bit_loop() { --bit_loops_; }
  /// Loops over bit sets around the current place.
  int bit_loops() const { return bit_loops_; }
  /// Counts a look-up or a set operation replaced by bits, if it is in a loop over bit sets.
  void count_gain() { gains_ += bit_loops_ > 0; }
  /// True if at least one was counted, and there are rows.
  bool is_profitable() const { return gains_ > 0 && maybe_graph_ != nullptr; }
  /// The common side of all neighbour lists that became rows; empty: they differ.
  std::optional<ir::Side> only_side() const {
    return sides_.size() == 1 ? std::optional(*sides_.begin()) : std::nullopt;
  }
  /// Binds the rows, and the position of the vertex whose neighbours are the base, if it is read. Requires: pay().
  ir::Stmts definitions();

 private:
  MaybeBits without(Bits set, const ir::Expr& items);
  MaybeBits cut(ir::Side side, MaybeBits set, const ir::Expr* position);
  bool is_owner(const ir::Expr* vertex) const;
  MaybeBits cut_at_owner(ir::Side side, MaybeBits set);
  MaybeBits prefix(const ir::Expr* e);
  const ir::Expr* meet(const ir::Expr* a, const ir::Expr* b);
  const ir::Expr* without_needless_cut(const ir::Expr* a, const ir::Expr* b) const;

  ir::Builder& builder_;
  const ir::Facts& facts_;
  const ir::Expr* given_;
  const ir::Expr* whole_;  ///< The same without its names.
  bool owner_;
  ir::Side rows_side_;
  const ir::Var* base_;
  const ir::Var* rows_;
  const ir::Expr* maybe_graph_ = nullptr;  ///< The graph of the rows' neighbours.
  const ir::Var* maybe_own_ = nullptr;     ///< The position that the vertex whose neighbours are the base would have,
                                           ///< if it is read.
  std::unordered_set<ir::Side> sides_;     ///< Sides of neighbour lists that became rows.
  std::unordered_map<const ir::Var*, const ir::Expr*> positions_;
  std::unordered_map<const ir::Var*, Bits> names_;
  int bit_loops_ = 0;
  int gains_ = 0;
};

}  // namespace matcha::passes
