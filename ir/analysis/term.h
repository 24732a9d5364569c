#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/check.h"

namespace matcha::ir {

/// A value or a condition of a loop nest as a formula over the items of the loops, independent of the statements that
/// compute it. Items are numbers; an item bound by a `Fold` is bound nowhere else.
struct Term {
  enum class Kind {
    Item,      ///< `item`.
    Constant,  ///< `word`: a number, a parameter, a result of an earlier step.
    Yes,
    No,
    Before,    ///< Two items: the first is the smaller one by id, or by `word`, which is another order of all vertices.
    Adjacent,  ///< Two items, in any order: joined by an edge, with the label `word` if it is not empty.
    Same,      ///< Two items, in any order.
    Not,
    And,
    Or,
    Operation,  ///< `word` of the values of `parts`; `joined`: true if some edge with the given label joins the item.
    Fold,       ///< `word` (`sum`, `min`, …) of the values that `parts`, which are nests, yield.
    Nest,       ///< Inside a Fold: the last of `parts`, for all `items` that meet the other parts.
  };

  Kind kind = Kind::Yes;
  int item = 0;
  std::string word;
  std::vector<int> items;
  std::vector<Term> parts;
  bool is_free = false;  ///< A Fold whose value provably does not depend on the order of items.

  static Term of_item(int item);
  static Term constant(std::string word);
  static Term of(Kind kind, std::vector<Term> parts);
  static Term operation(std::string word, std::vector<Term> parts);

  bool is(Kind wanted) const { return kind == wanted; }
};

/// A loop nest: the value, for all items that meet the conditions.
struct Nest {
  std::vector<int> items;  ///< Outermost loop first.
  std::vector<Term> conditions;
  Term value;
  std::int64_t weight = kOne;  ///< Factor of the value, in units that most divisions leave whole.
  /// Numbers of presence conditions (ir/analysis/nest_reader.h) of loops around it, without which the value is zero.
  std::vector<int> vanishing;

  static constexpr std::int64_t kOne = 5040;
};

/// The condition that an edge with the label joins two items; of any label if that is empty.
Term adjacent(std::string label, int a, int b);

/// `word` of the values of nests.
Term fold_of(std::string_view word, const std::vector<Nest>& nests);

/// The condition that there is an arc from one item to another, which are different vertices.
Term arc(int from, int to);
bool is_arc(const Term& term);

/// Removes the condition that some edge joins an item (`joined`) if another condition implies it.
void drop_implied_joins(std::vector<Term>& conditions);

/// The number of terms in the conditions and the value of a nest.
std::size_t size_of(const Nest& nest);

/// `term` with `from` replaced by `to`.
Term renamed(Term term, int from, int to);

/// True if `term` depends on the order of items.
bool compares(const Term& term);
/// True if it depends on the order of their ids.
bool compares_ids(const Term& term);
/// True if `term` is only about the order of items.
bool only_compares(const Term& term);

/// True if `term` holds when `rank_of(i)` is the rank of item i. Requires: `only_compares`.
template <typename RankOf>
bool holds(const Term& term, const RankOf& rank_of) {
  const auto part = [&](const Term& inner) { return holds(inner, rank_of); };
  switch (term.kind) {
    case Term::Kind::Before: return rank_of(term.parts[0].item) < rank_of(term.parts[1].item);
    case Term::Kind::Not: return !part(term.parts[0]);
    case Term::Kind::And: return std::ranges::all_of(term.parts, part);
    case Term::Kind::Or: return std::ranges::any_of(term.parts, part);
    case Term::Kind::Yes: return true;
    case Term::Kind::No:
    case Term::Kind::Item:
    case Term::Kind::Constant:
    case Term::Kind::Adjacent:
    case Term::Kind::Same:
    case Term::Kind::Operation:
    case Term::Kind::Fold:
    case Term::Kind::Nest: return false;
  }
  MATCHA_UNREACHABLE("a kind of term");
}

/// True for the condition that two items are adjacent, by an edge of any label.
bool is_any_edge(const Term& term);

/// True if a condition says that two items are different ones.
bool must_differ(const std::vector<Term>& conditions, int a, int b);

/// True for the condition that an item has at least some number of neighbours, of all or of those on one side of an
/// order.
bool is_least_degree(const Term& term);

/// Removes such conditions where the other conditions give the item as many neighbours. Requires: items differ.
void drop_implied_degrees(std::vector<Term>& conditions);

/// A text that two terms have in common only if they mean the same when item i is called `names[i]`. Operands of
/// commutative operations are sorted, bound items are named by their depth.
std::string text_of(const Term& term, const std::vector<int>& names);

/// Adds the parts of `condition` to `out`, none of which is an `And`; items that are not bound inside are different.
/// Adds `No` if it cannot be met.
void settle(const Term& condition, std::vector<Term>& out);

}  // namespace matcha::ir
