#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "passes/membership.h"

namespace matcha::passes {

/// A set of vertices as what its items are in, what they are not in, and what they lie between: `below(s, x)` of
/// `diff(intersect(a, b), c)`, however it is nested. Every list that items are in ascends and repeats nothing, so their
/// order does not matter.
struct SetTerm {
  struct Part {
    const ir::Expr* set;       ///< The values of names in their place; of an item that is left out the item.
    const ir::Expr* spelling;  ///< As the program has it.
    bool without = false;
    bool is_item = false;  ///< One item of a literal, which `without` leaves out.
  };

  std::vector<Part> parts;
  std::vector<const ir::Expr*> upper;  ///< Items are less than these.
  std::vector<const ir::Expr*> lower;  ///< Items are greater than these.

  /// Parts other than single items: what takes a walk.
  int set_count() const;
};

/// Finds the terms of sets and compares them.
class SetTerms {
 public:
  /// Everything is kept by reference.
  SetTerms(const ir::Facts& facts, const Order& order, Membership& members)
      : facts_(facts), order_(order), members_(members) {}

  /// The term of a set of vertices; null if the order of its operands may matter, or if it may trap.
  const SetTerm* of(const ir::Expr* set);
  /// The positions in `wanted` of the parts of `stored`, if `stored` has all items of `wanted`.
  std::optional<std::vector<std::size_t>> shared(const SetTerm& stored, const SetTerm& wanted) const;
  /// True if what is less (`above`: greater) than all of `bounds` is less (greater) than `bound`.
  bool implied(std::span<const ir::Expr* const> bounds, const ir::Expr* bound, bool above) const;
  /// The bounds without those that others imply.
  std::vector<const ir::Expr*> tightest(std::span<const ir::Expr* const> bounds, bool above) const;

 private:
  bool add(const ir::Expr* set, SetTerm& term) const;
  bool add_span(const ir::Expr* span, SetTerm& term) const;
  void leave_out(const ir::Expr* set, SetTerm& term) const;
  /// What is left out of `wanted`, without what is needless there: slices at its bounds, and that items are in one of
  /// its parts.
  const ir::Expr* bare(const ir::Expr* set, const SetTerm& wanted) const;

  const ir::Facts& facts_;
  const Order& order_;
  Membership& members_;
  std::unordered_map<const ir::Expr*, std::optional<SetTerm>> terms_;
};

}  // namespace matcha::passes
