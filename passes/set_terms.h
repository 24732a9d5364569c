#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "passes/membership.h"

namespace matcha::passes {

/// A set of vertices described by the sets that contain its items, the sets that do not, and its bounds: `below(s, x)`
/// of `diff(intersect(a, b), c)`, in any nesting. Every containing list ascends without repeats, so their order does
/// not matter.
struct SetTerm {
  struct Part {
    const ir::Expr* set;       ///< With variables replaced by their values; for an excluded item, the item.
    const ir::Expr* spelling;  ///< As written in the program.
    bool without = false;
    bool is_item = false;  ///< One item of a literal that `without` excludes.
  };

  std::vector<Part> parts;
  std::vector<const ir::Expr*> upper;  ///< Items are less than these.
  std::vector<const ir::Expr*> lower;  ///< Items are greater than these.

  /// Number of parts other than single items, each of which needs a walk.
  int set_count() const;
};

/// Finds the terms of sets and compares them.
class SetTerms {
 public:
  /// The arguments are kept by reference and must outlive this object.
  SetTerms(const ir::Facts& facts, const Order& order, Membership& members)
      : facts_(facts), order_(order), members_(members) {}

  /// The term of a set of vertices; null if the order of its operands may matter, or if it may trap.
  const SetTerm* of(const ir::Expr* set);
  /// The positions in `wanted` of the parts of `stored`, if `stored` has all items of `wanted`.
  std::optional<std::vector<std::size_t>> shared(const SetTerm& stored, const SetTerm& wanted) const;
  /// True if a value less (`above`: greater) than all of `bounds` is less (greater) than `bound`.
  bool implied(std::span<const ir::Expr* const> bounds, const ir::Expr* bound, bool above) const;
  /// The bounds that are not implied by others.
  std::vector<const ir::Expr*> tightest(std::span<const ir::Expr* const> bounds, bool above) const;

 private:
  bool add(const ir::Expr* set, SetTerm& term) const;
  bool add_span(const ir::Expr* span, SetTerm& term) const;
  void leave_out(const ir::Expr* set, SetTerm& term) const;
  /// The sets excluded from `wanted`, without redundant parts: slices at its bounds, and intersections with its own
  /// parts.
  const ir::Expr* bare(const ir::Expr* set, const SetTerm& wanted) const;

  const ir::Facts& facts_;
  const Order& order_;
  Membership& members_;
  std::unordered_map<const ir::Expr*, std::optional<SetTerm>> terms_;
};

}  // namespace matcha::passes
