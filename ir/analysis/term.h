#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace matcha::ir {

/// A value or a condition of a loop nest as mathematics: what it says of the items of the loops, whatever statements
/// compute it. Items are numbers; an item that a `Fold` binds is bound nowhere else.
struct Term {
  enum class Kind {
    Item,      ///< `item`.
    Constant,  ///< `word`: a number, a parameter, a result of an earlier step.
    Yes,
    No,
    Before,    ///< Two items: the first is the smaller one.
    Adjacent,  ///< Two items, in any order; by an edge of the label `word`, if there is one.
    Same,      ///< Two items, in any order.
    Not,
    And,
    Or,
    Operation,  ///< `word` of the values of `parts`; `joined`: a label and an item that some edge with it joins.
    Fold,       ///< `word` (`sum`, `min`, …) of what `parts`, which are nests, yield.
    Nest,       ///< Inside a Fold: for all `items` that meet all `parts` but the last, the last.
  };

  Kind kind = Kind::Yes;
  int item = 0;
  std::string word;
  std::vector<int> items;
  std::vector<Term> parts;
  bool is_free = false;  ///< Of a Fold: the order of items is known not to change it.

  static Term of_item(int item);
  static Term constant(std::string word);
  static Term of(Kind kind, std::vector<Term> parts);
  static Term operation(std::string word, std::vector<Term> parts);

  bool is(Kind wanted) const { return kind == wanted; }
};

/// A loop nest: for all items that meet the conditions, the value.
struct Nest {
  std::vector<int> items;  ///< Outermost loop first.
  std::vector<Term> conditions;
  Term value;
  std::int64_t weight = kOne;  ///< How often the value counts, in parts that most divisions leave whole.

  static constexpr std::int64_t kOne = 5040;
};

/// `term` with `to` for the item `from`.
Term renamed(Term term, int from, int to);

/// True if the order of items decides anything in `term`.
bool compares(const Term& term);

/// A text that two terms share only if they mean the same when item i is called `names[i]`. Operands of what commutes
/// are sorted, bound items are called by their depth.
std::string text_of(const Term& term, const std::vector<int>& names);

/// Adds what `condition` says to `out`, as conditions that are no `And`. Items that are not bound inside differ from
/// each other. Adds `No` if it cannot be met.
void settle(const Term& condition, std::vector<Term>& out);

}  // namespace matcha::ir
