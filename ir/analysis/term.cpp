#include "ir/analysis/term.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "ir/check.h"

namespace matcha::ir {

namespace {

using TermKind = Term::Kind;

constexpr std::string_view kArc = "arc";

bool commutes(const Term& term) {
  switch (term.kind) {
    case TermKind::Adjacent:
    case TermKind::Same:
    case TermKind::And:
    case TermKind::Or:
    case TermKind::Fold: return true;
    case TermKind::Operation:
      return term.word == "+" || term.word == "*" || term.word == "==" || term.word == "!=" || term.word == "min" ||
             term.word == "max";
    case TermKind::Item:
    case TermKind::Constant:
    case TermKind::Yes:
    case TermKind::No:
    case TermKind::Before:
    case TermKind::Not:
    case TermKind::Nest: return false;
  }
  MATCHA_UNREACHABLE("a kind of term");
}

/// Writes terms; bound items have negative names.
class TermText {
 public:
  explicit TermText(const std::vector<int>& names) : names_(names) {}

  std::string write(const Term& term) {
    if (term.kind == TermKind::Item) return fmt::format("v{}", name(term.item));
    if (term.kind == TermKind::Nest) return nest(term);
    std::vector<std::string> parts;
    for (const Term& part : term.parts) parts.push_back(write(part));
    if (commutes(term)) std::sort(parts.begin(), parts.end());
    return fmt::format("{}:{}({})", static_cast<int>(term.kind), term.word, fmt::join(parts, ","));
  }

 private:
  int name(int item) const {
    for (std::size_t at = 0; at < bound_.size(); ++at) {
      if (bound_[at] == item) return -1 - static_cast<int>(at);
    }
    return names_[static_cast<std::size_t>(item)];
  }

  std::string nest(const Term& term) {
    bound_.insert(bound_.end(), term.items.begin(), term.items.end());
    std::vector<std::string> conditions;
    for (std::size_t at = 0; at + 1 < term.parts.size(); ++at) conditions.push_back(write(term.parts[at]));
    std::sort(conditions.begin(), conditions.end());
    conditions.erase(std::unique(conditions.begin(), conditions.end()), conditions.end());
    const std::string value = write(term.parts.back());
    bound_.resize(bound_.size() - term.items.size());
    return fmt::format("all{}[{}]{}", term.items.size(), fmt::join(conditions, ","), value);
  }

  const std::vector<int>& names_;
  std::vector<int> bound_;
};

/// `term`, or `not term`, without parts that are decided if all items differ.
Term settled(const Term& term, bool negated) {
  const auto verdict = [negated](bool value) { return Term::of(value != negated ? TermKind::Yes : TermKind::No, {}); };
  const auto plain = [&]() { return negated ? Term::of(TermKind::Not, {term}) : term; };
  switch (term.kind) {
    case TermKind::Yes: return verdict(true);
    case TermKind::No: return verdict(false);
    case TermKind::Not: return settled(term.parts[0], !negated);
    case TermKind::Same: return verdict(term.parts[0].item == term.parts[1].item);
    case TermKind::Adjacent:
    case TermKind::Before: return term.parts[0].item == term.parts[1].item ? verdict(false) : plain();
    case TermKind::And:
    case TermKind::Or: break;
    case TermKind::Operation:
      return is_arc(term) && term.parts[0].item == term.parts[1].item ? verdict(false) : plain();
    case TermKind::Item:
    case TermKind::Constant:
    case TermKind::Fold:
    case TermKind::Nest: return plain();
  }
  const TermKind kind = (term.kind == TermKind::And) != negated ? TermKind::And : TermKind::Or;
  const TermKind deciding = kind == TermKind::And ? TermKind::No : TermKind::Yes;
  std::vector<Term> parts;
  for (const Term& part : term.parts) {
    Term simple = settled(part, negated);
    if (simple.is(deciding)) return simple;
    if (!simple.is(TermKind::Yes) && !simple.is(TermKind::No)) parts.push_back(std::move(simple));
  }
  if (parts.empty()) return Term::of(kind == TermKind::And ? TermKind::Yes : TermKind::No, {});
  if (parts.size() == 1) return parts[0];
  return Term::of(kind, std::move(parts));
}

void add_conditions(Term term, std::vector<Term>& out) {
  if (term.is(TermKind::Yes)) return;
  if (!term.is(TermKind::And)) {
    out.push_back(std::move(term));
    return;
  }
  for (Term& part : term.parts) add_conditions(std::move(part), out);
}

/// Changes the term in place: terms are large trees, and each level would copy all levels below.
void rename_in(Term& term, int from, int to) {
  if (term.kind == TermKind::Item && term.item == from) term.item = to;
  for (Term& part : term.parts) rename_in(part, from, to);
}

enum class Sides { Both, Earlier, Later };

/// The condition that an item has at least `neighbors` neighbours, counting those before it, those after it, or all.
struct LeastDegree {
  int item = 0;
  std::int64_t neighbors = 0;
  Sides side = Sides::Both;
};

/// Nothing if `term` is another condition.
std::optional<LeastDegree> least_degree(const Term& term) {
  if (!term.is(TermKind::Operation) || (term.word != "<=" && term.word != "<") || !term.parts[0].is(TermKind::Constant))
    return std::nullopt;
  const Term& fold = term.parts[1];
  if (!fold.is(TermKind::Fold) || fold.word != "sum" || fold.parts.size() != 1) return std::nullopt;
  const Term& nest = fold.parts[0];
  const std::size_t size = nest.parts.size();
  const bool counts = nest.items.size() == 1 && (size == 2 || (size == 3 && nest.parts[1].is(TermKind::Before))) &&
                      is_any_edge(nest.parts[0]) && nest.parts.back().is(TermKind::Constant) &&
                      nest.parts.back().word == "1";
  const std::string& number = term.parts[0].word;
  const bool is_number = number.size() < 10 && number.find_first_not_of("0123456789") == std::string::npos;
  if (!counts || !is_number) return std::nullopt;
  const auto is_own = [&](const Term& end) { return end.item == nest.items[0]; };
  if (std::ranges::none_of(nest.parts[0].parts, is_own)) return std::nullopt;
  const auto other_of = [&](const Term& pair) {
    return pair.parts[0].item == nest.items[0] ? pair.parts[1].item : pair.parts[0].item;
  };
  LeastDegree least{other_of(nest.parts[0]), std::stoll(number) + (term.word == "<" ? 1 : 0)};
  if (size == 2) return least;
  if (std::ranges::none_of(nest.parts[1].parts, is_own) || other_of(nest.parts[1]) != least.item) return std::nullopt;
  least.side = nest.parts[1].parts[0].item == least.item ? Sides::Later : Sides::Earlier;
  return least;
}

}  // namespace

Term Term::of_item(int item) {
  Term term;
  term.kind = TermKind::Item;
  term.item = item;
  return term;
}

Term Term::constant(std::string word) {
  Term term;
  term.kind = TermKind::Constant;
  term.word = std::move(word);
  return term;
}

Term Term::of(TermKind kind, std::vector<Term> parts) {
  Term term;
  term.kind = kind;
  term.parts = std::move(parts);
  return term;
}

Term Term::operation(std::string word, std::vector<Term> parts) {
  Term term = of(TermKind::Operation, std::move(parts));
  term.word = std::move(word);
  return term;
}

std::size_t size_of(const Nest& nest) {
  const auto add = [](const auto& self, const Term& term) -> std::size_t {
    std::size_t all = 1;
    for (const Term& part : term.parts) all += self(self, part);
    return all;
  };
  std::size_t all = add(add, nest.value);
  for (const Term& condition : nest.conditions) all += add(add, condition);
  return all;
}

Term renamed(Term term, int from, int to) {
  rename_in(term, from, to);
  return term;
}

bool compares(const Term& term) {
  if (term.kind == TermKind::Fold && term.is_free) return false;
  return term.kind == TermKind::Before || std::any_of(term.parts.begin(), term.parts.end(), compares);
}

bool compares_ids(const Term& term) {
  return (term.is(TermKind::Before) && term.word.empty()) || std::ranges::any_of(term.parts, compares_ids);
}

bool only_compares(const Term& term) {
  switch (term.kind) {
    case TermKind::Before:
    case TermKind::Yes:
    case TermKind::No: return true;
    case TermKind::Not:
    case TermKind::And:
    case TermKind::Or: return std::all_of(term.parts.begin(), term.parts.end(), only_compares);
    case TermKind::Item:
    case TermKind::Constant:
    case TermKind::Adjacent:
    case TermKind::Same:
    case TermKind::Operation:
    case TermKind::Fold:
    case TermKind::Nest: return false;
  }
  MATCHA_UNREACHABLE("a kind of term");
}

bool is_any_edge(const Term& term) { return term.is(TermKind::Adjacent) && term.word.empty(); }

Term adjacent(std::string label, int a, int b) {
  Term term = Term::of(TermKind::Adjacent, {Term::of_item(a), Term::of_item(b)});
  term.word = std::move(label);
  return term;
}

Term arc(int from, int to) { return Term::operation(std::string(kArc), {Term::of_item(from), Term::of_item(to)}); }

bool is_arc(const Term& term) { return term.is(TermKind::Operation) && term.word == kArc; }

Term fold_of(std::string_view word, const std::vector<Nest>& nests) {
  Term term = Term::of(TermKind::Fold, {});
  term.word = word;
  for (const Nest& nest : nests) {
    Term part = Term::of(TermKind::Nest, nest.conditions);
    part.items = nest.items;
    part.parts.push_back(nest.value);
    term.parts.push_back(std::move(part));
  }
  return term;
}

void drop_implied_joins(std::vector<Term>& conditions) {
  const auto is_joined = [](const Term& term) { return term.is(TermKind::Operation) && term.word == "joined"; };
  for (std::size_t at = 0; at < conditions.size();) {
    const auto says = [&](const Term& other) {
      const std::vector<Term>& joined = conditions[at].parts;
      const auto is_it = [&](const Term& item) { return item.item == joined[1].item; };
      return other.is(TermKind::Adjacent) && other.word == joined[0].word && std::ranges::any_of(other.parts, is_it);
    };
    if (is_joined(conditions[at]) && std::ranges::any_of(conditions, says)) {
      conditions.erase(conditions.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      ++at;
    }
  }
}

bool must_differ(const std::vector<Term>& conditions, int a, int b) {
  const auto is_pair = [&](const Term& relation) {
    const int first = relation.parts[0].item, second = relation.parts[1].item;
    return (first == a && second == b) || (first == b && second == a);
  };
  const auto says = [&](const Term& term, const auto& self) -> bool {
    switch (term.kind) {
      case TermKind::Adjacent:
      case TermKind::Before: return is_pair(term);
      case TermKind::Not: return term.parts[0].is(TermKind::Same) && is_pair(term.parts[0]);
      case TermKind::And: return std::ranges::any_of(term.parts, [&](const Term& part) { return self(part, self); });
      case TermKind::Operation: return is_arc(term) && is_pair(term);
      case TermKind::Item:
      case TermKind::Constant:
      case TermKind::Yes:
      case TermKind::No:
      case TermKind::Same:
      case TermKind::Or:
      case TermKind::Fold:
      case TermKind::Nest: return false;
    }
    MATCHA_UNREACHABLE("a kind of term");
  };
  return std::ranges::any_of(conditions, [&](const Term& condition) { return says(condition, says); });
}

bool is_least_degree(const Term& term) { return least_degree(term).has_value(); }

void drop_implied_degrees(std::vector<Term>& conditions) {
  const auto is_implied = [&](const Term& condition) {
    const std::optional<LeastDegree> least = least_degree(condition);
    if (!least) return false;
    std::set<int> near;
    for (const Term& edge : conditions) {
      if (!is_any_edge(edge)) continue;
      const int a = edge.parts[0].item, b = edge.parts[1].item;
      if (a != least->item && b != least->item) continue;
      const int other = a == least->item ? b : a;
      const auto is_before = [&](const Term& term) {
        const int first = least->side == Sides::Later ? least->item : other;
        return term.is(TermKind::Before) && term.parts[0].item == first &&
               term.parts[1].item == least->item + other - first;
      };
      if (least->side == Sides::Both || std::ranges::any_of(conditions, is_before)) near.insert(other);
    }
    return least->neighbors <= static_cast<std::int64_t>(near.size());
  };
  std::vector<Term> kept;
  for (const Term& condition : conditions) {
    if (!is_implied(condition)) kept.push_back(condition);
  }
  conditions = std::move(kept);
}

std::string text_of(const Term& term, const std::vector<int>& names) { return TermText(names).write(term); }

void settle(const Term& condition, std::vector<Term>& out) { add_conditions(settled(condition, false), out); }

}  // namespace matcha::ir
