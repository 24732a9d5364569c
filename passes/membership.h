#pragma once

#include <optional>
#include <unordered_map>

#include "ir/analysis/facts.h"
#include "ir/builder.h"
#include "passes/slices.h"

namespace matcha::passes {

/// Facts about loop items that follow from the lists walked: items of `intersect(s, t)` are in s and in t, those of
/// `diff(s, t)` are in s and not in t, and a slice of s has items of s.
class Membership {
 public:
  /// The arguments are kept by reference and must outlive this object.
  Membership(const ir::Facts& facts, const Order& order, ir::Builder& builder)
      : facts_(facts), order_(order), builder_(builder) {}

  /// Whether `item` is in `set`; empty if unknown.
  std::optional<bool> contains(const ir::Expr* set, const ir::Expr* item) { return member(expanded(set), item, 0); }
  /// True if every item of `list` is in `set`.
  bool subset_of(const ir::Expr* list, const ir::Expr* set) { return is_subset(expanded(list), expanded(set), 0); }
  /// True if no item of `list` is in `set`.
  bool disjoint(const ir::Expr* list, const ir::Expr* set) { return is_disjoint(expanded(list), expanded(set), 0); }
  /// True if the two are never equal.
  bool differ(const ir::Expr* a, const ir::Expr* b) {
    return order_.less(a, b) || order_.less(b, a) || is_neighbor(a, b) || is_neighbor(b, a);
  }
  /// The item of the loop over `list`, or over its first items, with the position `index`; else null.
  const ir::Var* item_at(const ir::Expr* index, const ir::Expr* list);
  /// The expression with variables replaced by their values.
  const ir::Expr* expanded(const ir::Expr* e);

 private:
  std::optional<bool> member(const ir::Expr* set, const ir::Expr* item, int depth);
  const ir::Expr* walked(const ir::Expr* item);
  std::optional<bool> walked_member(const ir::Expr* set, const ir::Expr* item, int depth);
  bool is_neighbor(const ir::Expr* item, const ir::Expr* vertex);
  bool is_subset(const ir::Expr* list, const ir::Expr* set, int depth);
  bool is_disjoint(const ir::Expr* list, const ir::Expr* set, int depth);

  const ir::Facts& facts_;
  const Order& order_;
  ir::Builder& builder_;
  std::unordered_map<const ir::Expr*, const ir::Expr*> expanded_;
};

}  // namespace matcha::passes
