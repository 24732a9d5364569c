#include "ir/analysis/first_items.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace matcha::ir {

namespace {

using TermKind = Term::Kind;

/// Texts of conditions, in which items have their own numbers as names.
class Texts {
 public:
  explicit Texts(int item_count) : names_(static_cast<std::size_t>(item_count)) {
    std::iota(names_.begin(), names_.end(), 0);
  }
  void add(const Term& condition) {
    if (condition.is(TermKind::And)) {
      for (const Term& part : condition.parts) add(part);
    } else {
      all_.insert(text_of(condition, names_));
    }
  }
  bool has(const Term& condition) const {
    if (!condition.is(TermKind::And)) return all_.contains(text_of(condition, names_));
    return std::ranges::all_of(condition.parts, [&](const Term& part) { return has(part); });
  }

 private:
  std::vector<int> names_;
  std::set<std::string> all_;
};

bool reads(const Term& term, int item) {
  if (term.is(TermKind::Item) && term.item == item) return true;
  return std::ranges::any_of(term.parts, [&](const Term& part) { return reads(part, item); });
}

void add_parts(const Term& condition, std::vector<Term>& out) {
  if (!condition.is(TermKind::And)) {
    out.push_back(condition);
    return;
  }
  for (const Term& part : condition.parts) add_parts(part, out);
}

/// An item that no item of a list is before.
struct FirstItem {
  int item = 0;
  int other = 0;              ///< Stands for any item of the list,
  std::vector<Term> members;  ///< which are those that meet these conditions.

  std::vector<Term> members_for(int it) const {
    std::vector<Term> all;
    for (const Term& member : members) all.push_back(renamed(member, other, it));
    return all;
  }
};

/// Reads what `none_before` made; nothing if the condition is another one.
std::optional<FirstItem> first_item(const Term& condition) {
  if (!condition.is(TermKind::Operation) || condition.word != "==" || condition.parts.size() != 2) return std::nullopt;
  const Term& fold = condition.parts[0];
  const Term& zero = condition.parts[1];
  if (!zero.is(TermKind::Constant) || zero.word != "0" || !fold.is(TermKind::Fold) || fold.word != "sum" ||
      fold.parts.size() != 1 || fold.parts[0].items.size() != 1) {
    return std::nullopt;
  }
  const std::vector<Term>& parts = fold.parts[0].parts;
  const Term& value = parts.back();
  if (parts.size() < 2 || !value.is(TermKind::Constant) || value.word != "1") return std::nullopt;
  const Term& before = parts[parts.size() - 2];
  const int other = fold.parts[0].items[0];
  if (!before.is(TermKind::Before) || !before.word.empty() || before.parts[0].item != other) return std::nullopt;
  return FirstItem{before.parts[1].item, other, {parts.begin(), parts.end() - 2}};
}

/// Drops the item of the condition at `at` if it may be; whether it was.
bool drop(Nest& nest, std::size_t at, const FirstItem& first, int item_count) {
  const auto reads_it = [&](const Term& term) { return reads(term, first.item); };
  const auto own = std::ranges::find(nest.items, first.item);
  if (own == nest.items.end() || reads_it(nest.value) || std::ranges::any_of(first.members, reads_it)) return false;
  std::vector<Term> mine, others;
  for (std::size_t i = 0; i < nest.conditions.size(); ++i) {
    if (i != at) (reads_it(nest.conditions[i]) ? mine : others).push_back(nest.conditions[i]);
  }
  // Its conditions are that it is in the list.
  const std::vector<Term> members = first.members_for(first.item);
  if (!implies(members, mine, item_count) || !implies(mine, members, item_count)) return false;
  const auto is_member = [&](int it) { return it != first.item && implies(others, first.members_for(it), item_count); };
  if (std::ranges::none_of(nest.items, is_member)) return false;
  nest.items.erase(own);
  nest.conditions = std::move(others);
  return true;
}

}  // namespace

Term none_before(Nest list, int item) {
  list.conditions.push_back(Term::of(TermKind::Before, {Term::of_item(list.items[0]), Term::of_item(item)}));
  return Term::operation("==", {fold_of("sum", {std::move(list)}), Term::constant("0")});
}

bool implies(const std::vector<Term>& known, const std::vector<Term>& wanted, int item_count) {
  Texts texts(item_count);
  for (const Term& condition : known) texts.add(condition);
  return std::ranges::all_of(wanted, [&](const Term& condition) { return texts.has(condition); });
}

void drop_first_items(Nest& nest, int item_count) {
  std::vector<Term> conditions;
  for (const Term& condition : nest.conditions) add_parts(condition, conditions);
  nest.conditions = std::move(conditions);
  for (std::size_t at = 0; at < nest.conditions.size();) {
    const std::optional<FirstItem> first = first_item(nest.conditions[at]);
    at = first && drop(nest, at, *first, item_count) ? 0 : at + 1;
  }
}

}  // namespace matcha::ir
