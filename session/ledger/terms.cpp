#include "session/ledger/terms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "session/ledger/conditions.h"

namespace matcha::session::ledger {

using pattern::Condition;

std::string Lists::name_of(std::size_t place) { return fmt::format("c{}", place); }

std::string Lists::name(const ListKey& key) {
  const auto known = std::ranges::find(keys_, key);
  const std::size_t place = static_cast<std::size_t>(known - keys_.begin());
  if (known == keys_.end()) keys_.push_back(key);
  return name_of(place);
}

std::pair<std::string, std::string> Lists::edges(std::size_t of_class, bool turned) {
  const std::string ends = name({ListKey::Kind::Edges, of_class, turned});
  return {ends, name({ListKey::Kind::Entries, of_class})};
}

std::pair<ListKey::Of, std::string> TermWriter::place(const Condition& column, const Images& images) const {
  if (column.subject.of_edge) return {ListKey::Of::Edge, images.edge(column.subject.index)};
  const auto [edge, is_from] = *images.end(column.subject.index);
  return {is_from ? ListKey::Of::From : ListKey::Of::To, images.edge(edge)};
}

std::string TermWriter::has_values(const Condition& term, const Images& images) {
  std::vector<std::string> all;
  pattern::for_each_column(term, [&](const Condition& column) {
    if (type_of(column, table_) == Type::Vertex || table_.column(column).lacks.empty()) return;
    const auto [of, entry] = place(column, images);
    all.push_back(
        fmt::format("get({}, {}) == 1", lists_.name({ListKey::Kind::HasValue, 0, false, 0, of, column.text}), entry));
  });
  return fmt::format("{}", fmt::join(all, " and "));
}

TermWriter::Range TermWriter::range(const Condition& term) const {
  const auto part = [&](std::size_t at) { return range(term.parts[at]); };
  switch (term.kind) {
    case Condition::Kind::Int: return {term.integer, term.integer};
    case Condition::Kind::Column: return {table_.column(term).least, table_.column(term).most};
    case Condition::Kind::Negative: return {-part(0).most, -part(0).least};
    case Condition::Kind::Sum: return {part(0).least + part(1).least, part(0).most + part(1).most};
    case Condition::Kind::Difference: return {part(0).least - part(1).most, part(0).most - part(1).least};
    case Condition::Kind::Product: {
      const Range a = part(0), b = part(1);
      const __int128 all[] = {a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most};
      return {std::ranges::min(all), std::ranges::max(all)};
    }
    default: return {};
  }
}

/// Whether ints stay within 64 bits, or with `as_float` within those that floats hold.
bool TermWriter::check(const Condition& term, bool as_float) {
  constexpr __int128 kMostExact = __int128{1} << 53;
  for (const Condition& part : term.parts) {
    if (!check(part, as_float)) return false;
  }
  if (type_of(term, table_) != Type::Int) return true;
  const Range values = range(term);
  const __int128 least = as_float ? -kMostExact : INT64_MIN, most = as_float ? kMostExact : INT64_MAX;
  if (values.least >= least && values.most <= most) return true;
  if (failed()) return false;
  diagnostics_.error(
      DiagId::PatternCondition, term.loc,
      as_float ? "an int that may be beyond 2^53 is compared with a float" : "this may be beyond 64 bits",
      as_float ? "write the float as an int, or leave the rows with large numbers out: `x.amount < 1000000`"
               : "the values of the columns are too large to add or multiply");
  return false;
}

std::string TermWriter::value(const Condition& term, bool as_float, const Images& images) {
  const auto part = [&](std::size_t at) { return value(term.parts[at], as_float, images); };
  switch (term.kind) {
    case Condition::Kind::Int: return fmt::format("{}{}", term.integer, as_float ? ".0" : "");
    case Condition::Kind::Bool: return fmt::format("{}", term.integer);
    case Condition::Kind::Text:
      return fmt::format("get({}, 0)", lists_.name({ListKey::Kind::Text, 0, false, 0, ListKey::Of::Edge, term.text}));
    case Condition::Kind::Float: {
      std::string text = fmt::format("{}", term.number);
      std::erase(text, '+');
      return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
    }
    case Condition::Kind::Negative: return fmt::format("(-{})", part(0));
    case Condition::Kind::Sum: return fmt::format("({} + {})", part(0), part(1));
    case Condition::Kind::Difference: return fmt::format("({} - {})", part(0), part(1));
    case Condition::Kind::Product: return fmt::format("({} * {})", part(0), part(1));
    default: break;
  }
  const auto [of, entry] = place(term, images);
  return fmt::format("get({}, {})", lists_.name({ListKey::Kind::Column, 0, as_float, 0, of, term.text}), entry);
}

std::string TermWriter::comparison(const Condition& term, bool of_true, const Images& images) {
  const Type left = type_of(term.parts[0], table_), right = type_of(term.parts[1], table_);
  if (left == Type::Null || right == Type::Null) return "False";
  const char* const sign = term.kind == Condition::Kind::Less     ? "<"
                           : term.kind == Condition::Kind::AtMost ? "<="
                           : term.kind == Condition::Kind::Equal  ? "=="
                                                                  : "!=";
  std::string test;
  if (left == Type::Vertex) {
    test = fmt::format("{} {} {}", images.vertex(term.parts[0].subject.index), sign,
                       images.vertex(term.parts[1].subject.index));
  } else {
    const bool as_float = left == Type::Float || right == Type::Float;
    if (!check(term.parts[0], as_float) || !check(term.parts[1], as_float)) return "False";
    test =
        fmt::format("{} {} {}", value(term.parts[0], as_float, images), sign, value(term.parts[1], as_float, images));
  }
  if (!of_true) test = fmt::format("not ({})", test);
  const std::string there = has_values(term, images);
  return there.empty() ? test : fmt::format("{} and {}", there, test);
}

std::string TermWriter::truth(const Condition& term, bool of_true, const Images& images) {
  switch (term.kind) {
    case Condition::Kind::Null: return "False";
    case Condition::Kind::Bool: return (term.integer != 0) == of_true ? "True" : "False";
    case Condition::Kind::Not: return truth(term.parts[0], !of_true, images);
    case Condition::Kind::And:
    case Condition::Kind::Or: {
      const bool all = (term.kind == Condition::Kind::And) == of_true;
      std::vector<std::string> parts;
      for (const Condition& part : term.parts) parts.push_back("(" + truth(part, of_true, images) + ")");
      return fmt::format("{}", fmt::join(parts, all ? " and " : " or "));
    }
    case Condition::Kind::IsNull: {
      if (type_of(term.parts[0], table_) == Type::Null) return of_true ? "True" : "False";
      const std::string there = has_values(term.parts[0], images);
      if (there.empty()) return of_true ? "False" : "True";
      return of_true ? fmt::format("not ({})", there) : there;
    }
    case Condition::Kind::Column: {
      const auto [of, entry] = place(term, images);
      const std::string there = has_values(term, images);
      return fmt::format("{}{}get({}, {}) == {}", there, there.empty() ? "" : " and ",
                         lists_.name({ListKey::Kind::Column, 0, false, 0, of, term.text}), entry, of_true ? 1 : 0);
    }
    default: return comparison(term, of_true, images);
  }
}

}  // namespace matcha::session::ledger
