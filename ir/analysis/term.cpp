#include "ir/analysis/term.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ir/check.h"

namespace matcha::ir {

namespace {

using TermKind = Term::Kind;

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
    case TermKind::Item:
    case TermKind::Constant:
    case TermKind::Operation:
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

Term renamed(Term term, int from, int to) {
  rename_in(term, from, to);
  return term;
}

bool compares(const Term& term) {
  if (term.kind == TermKind::Fold && term.is_free) return false;
  return term.kind == TermKind::Before || std::any_of(term.parts.begin(), term.parts.end(), compares);
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

std::string text_of(const Term& term, const std::vector<int>& names) { return TermText(names).write(term); }

void settle(const Term& condition, std::vector<Term>& out) { add_conditions(settled(condition, false), out); }

}  // namespace matcha::ir
