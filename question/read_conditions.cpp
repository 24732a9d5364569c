#include "question/read_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace matcha::query {

using pattern::Condition;
using pattern::Subject;

namespace {

constexpr const char* kHint =
    "a condition is like `x.amount > 1000`, `x < y < z within 1d`, `a.city <> b.city` or `x.kind in ['a', 'b']`";
constexpr const char* kNoPath = "a path is no condition here";
/// Parentheses and negations in each other.
constexpr int kMostNested = 100;

Condition made(Condition::Kind kind, SourceLoc loc, std::vector<Condition> parts) {
  Condition term;
  term.kind = kind;
  term.loc = loc;
  term.parts = std::move(parts);
  return term;
}

/// The comparison in the signs that terms have.
Condition compared(const std::string& sign, SourceLoc loc, Condition left, Condition right) {
  const bool turned = sign[0] == '>';
  const bool equal = sign.ends_with('=') && sign.size() == 2;
  const Condition::Kind kind = sign == "="    ? Condition::Kind::Equal
                               : sign == "<>" ? Condition::Kind::Different
                               : equal        ? Condition::Kind::AtMost
                                              : Condition::Kind::Less;
  if (turned) std::swap(left, right);
  return made(kind, loc, {std::move(left), std::move(right)});
}

Condition conjunction(SourceLoc loc, std::vector<Condition> parts) {
  return parts.size() == 1 ? std::move(parts.front()) : made(Condition::Kind::And, loc, std::move(parts));
}

/// A unit of time by the word behind a number; empty: it is none.
std::string unit_of(std::string_view word) {
  if (word == "min") return "m";
  constexpr std::array kUnits = {"ns", "us", "ms", "s", "m", "h", "d", "w"};
  return std::ranges::find(kUnits, word) == kUnits.end() ? "" : std::string(word);
}

}  // namespace

std::optional<Condition> ConditionReader::fail(const Word& at, const std::string& message, const std::string& hint) {
  words_.refuse(at, message, hint.empty() ? kHint : hint);
  return std::nullopt;
}

bool ConditionReader::is_adjacent(const Word& left, const Word& right) const {
  return right.kind != Word::Kind::End && left.loc.line == right.loc.line &&
         left.loc.column + left.loc.length == right.loc.column;
}

std::vector<Condition> ConditionReader::list(const std::vector<Subject>& edges) {
  std::vector<Condition> all;
  do {
    Maybe one;
    if (words_.peek().is_keyword("WITHIN")) {
      std::vector<Condition> times;
      for (const Subject edge : edges) {
        times.push_back(made(Condition::Kind::Column, words_.peek().loc, {}));
        times.back().subject = edge;
      }
      if (times.size() < 2) {
        fail(words_.peek(), "`within` alone is for all edges with names, and there are not two", "name them: `-[x]->`");
        return {};
      }
      one = within(std::move(times), false);
    } else {
      one = condition();
    }
    if (!one) return {};
    std::ranges::move(pattern::conjuncts_of(std::move(*one)), std::back_inserter(all));
  } while (words_.skip(","));
  return all;
}

std::vector<Condition> ConditionReader::of_subject(Subject subject) {
  std::vector<Condition> all;
  do {
    subject_ = subject;
    const bool has_colon = words_.peek(1).is(":");
    const Word at = words_.peek();
    if (of_cypher_ && !has_colon) {
      fail(at, "a map has names with their values", "`{age: 3}`; other conditions stand behind WHERE");
      return {};
    }
    Maybe one = has_colon ? name() : condition();
    if (one && has_colon) {
      words_.take();
      if (of_cypher_) subject_.reset();
      Maybe value = sum();
      if (!value) return {};
      one = made(Condition::Kind::Equal, at.loc, {std::move(*one), std::move(*value)});
    }
    if (!one) return {};
    std::ranges::move(pattern::conjuncts_of(std::move(*one)), std::back_inserter(all));
  } while (words_.skip(","));
  return all;
}

std::optional<Condition> ConditionReader::condition() {
  const Word at = words_.peek();
  std::vector<Condition> parts;
  do {
    Maybe one = all_of();
    if (!one) return one;
    parts.push_back(std::move(*one));
  } while (words_.skip_keyword("OR"));
  return parts.size() == 1 ? std::move(parts.front()) : made(Condition::Kind::Or, at.loc, std::move(parts));
}

std::optional<Condition> ConditionReader::all_of() {
  const Word at = words_.peek();
  std::vector<Condition> parts;
  do {
    Maybe one = negated();
    if (!one) return one;
    parts.push_back(std::move(*one));
  } while (words_.skip_keyword("AND"));
  return conjunction(at.loc, std::move(parts));
}

std::optional<Condition> ConditionReader::negated() {
  const Word at = words_.peek();
  if (!at.is_keyword("NOT")) return comparison();
  words_.take();
  if (++depth_ > kMostNested) return fail(at, "the condition is nested too deep");
  Maybe one = negated();
  --depth_;
  if (!one) return one;
  return made(Condition::Kind::Not, at.loc, {std::move(*one)});
}

std::string ConditionReader::comparison_sign() {
  const Word word = words_.peek();
  if (word.kind != Word::Kind::Sign) return {};
  const bool is_double = word.is("=") && of_cypher_;
  const bool then_equal = !is_double && words_.peek(1).is("=") && is_adjacent(word, words_.peek(1));
  std::string sign = word.text;
  if (sign == "!=") sign = "<>";
  if (sign != "<>" && sign != "<" && sign != ">" && sign != "=") return {};
  words_.take();
  if (then_equal && sign.size() == 1) {
    words_.take();
    if (sign != "=") sign += '=';
  }
  return sign;
}

std::optional<Condition> ConditionReader::comparison() {
  const Word at = words_.peek();
  Maybe first = sum();
  if (!first) return first;
  if (words_.skip_keyword("IS")) {
    const bool is_negated = words_.skip_keyword("NOT");
    if (!words_.want_keyword("NULL")) return std::nullopt;
    Condition null = made(Condition::Kind::IsNull, at.loc, {std::move(*first)});
    return is_negated ? made(Condition::Kind::Not, at.loc, {std::move(null)}) : null;
  }
  const bool not_in = words_.peek().is_keyword("NOT") && words_.peek(1).is_keyword("IN");
  if (not_in) words_.take();
  if (words_.skip_keyword("IN")) return in_list(std::move(*first), not_in);
  std::vector<Condition> chain = {std::move(*first)};
  std::vector<Condition> parts;
  bool ascends = true;
  for (std::string sign = comparison_sign(); !sign.empty(); sign = comparison_sign()) {
    if (sign == "<" && is_path_behind(chain.back())) return fail(words_.peek(), kNoPath);
    Maybe next = sum();
    if (!next) return next;
    parts.push_back(compared(sign, at.loc, chain.back(), *next));
    chain.push_back(std::move(*next));
    ascends = ascends && sign[0] == '<' && sign != "<>";
  }
  if (!of_cypher_ && words_.peek().is_keyword("WITHIN")) {
    if (chain.size() < 2) return fail(words_.peek(), "`within` stands behind a chain of edges, or alone");
    Maybe window = within(std::move(chain), ascends);
    if (!window) return window;
    parts.push_back(std::move(*window));
  }
  if (parts.empty()) return std::move(chain.front());
  return conjunction(at.loc, std::move(parts));
}

/// The latest of these times less the earliest is at most the duration. `ascends`: they are in this order.
std::optional<Condition> ConditionReader::within(std::vector<Condition> chain, bool ascends) {
  const Word at = words_.take();
  for (const Condition& edge : chain) {
    const bool is_edge = edge.kind == Condition::Kind::Column && edge.text.empty() && edge.subject.of_edge;
    if (!is_edge) return fail(at, "`within` is about times: the chain before it has names of edges alone");
  }
  Maybe most = duration();
  if (!most) return most;
  std::vector<Condition> parts;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    for (std::size_t j = i + 1; j < chain.size(); ++j) {
      if (ascends && (i != 0 || j + 1 != chain.size())) continue;
      Condition later = made(Condition::Kind::Difference, at.loc, {chain[j], chain[i]});
      parts.push_back(made(Condition::Kind::AtMost, at.loc, {std::move(later), *most}));
      if (ascends) continue;
      Condition earlier = made(Condition::Kind::Difference, at.loc, {chain[i], chain[j]});
      parts.push_back(made(Condition::Kind::AtMost, at.loc, {std::move(earlier), *most}));
    }
  }
  return conjunction(at.loc, std::move(parts));
}

std::optional<Condition> ConditionReader::duration() {
  const Word at = words_.peek();
  Maybe found = at.kind == Word::Kind::Number ? number() : std::nullopt;
  if (words_.failed()) return std::nullopt;
  if (!found || found->kind == Condition::Kind::Float)
    return fail(at, "expected a duration here", "such as `1d`, `90m` or `3600`");
  return found;
}

std::optional<Condition> ConditionReader::in_list(Condition value, bool is_negated) {
  const Word at = words_.peek();
  if (!words_.want("[")) return std::nullopt;
  std::vector<Condition> parts;
  while (!words_.peek().is("]")) {
    Maybe item = sum();
    if (!item) return item;
    parts.push_back(made(Condition::Kind::Equal, at.loc, {value, std::move(*item)}));
    if (!words_.skip(",")) break;
  }
  if (!words_.want("]")) return std::nullopt;
  Condition any = parts.empty()       ? made(Condition::Kind::Bool, at.loc, {})
                  : parts.size() == 1 ? std::move(parts.front())
                                      : made(Condition::Kind::Or, at.loc, std::move(parts));
  return is_negated ? made(Condition::Kind::Not, at.loc, {std::move(any)}) : any;
}

/// Whether a path goes on: `-` behind `(a)-` or `(a)<`.
bool ConditionReader::is_path_behind(const Condition& left) const {
  const bool is_vertex = left.kind == Condition::Kind::Column && left.text.empty() && !left.subject.of_edge;
  return of_cypher_ && is_vertex && words_.peek().is("-");
}

std::optional<Condition> ConditionReader::sum() {
  Maybe left = product();
  while (left && (words_.peek().is("+") || words_.peek().is("-"))) {
    const Word sign = words_.take();
    if (sign.is("-") && is_path_behind(*left)) return fail(sign, kNoPath);
    Maybe right = product();
    if (!right) return right;
    const Condition::Kind kind = sign.is("+") ? Condition::Kind::Sum : Condition::Kind::Difference;
    left = made(kind, sign.loc, {std::move(*left), std::move(*right)});
  }
  return left;
}

std::optional<Condition> ConditionReader::product() {
  Maybe left = factor();
  while (left && (words_.peek().is("*") || words_.peek().is("/") || words_.peek().is("%"))) {
    const Word sign = words_.take();
    if (!sign.is("*")) return fail(sign, fmt::format("`{}` is not read", sign.text), "multiply the other side");
    Maybe right = factor();
    if (!right) return right;
    left = made(Condition::Kind::Product, sign.loc, {std::move(*left), std::move(*right)});
  }
  return left;
}

std::optional<Condition> ConditionReader::factor() {
  const Word at = words_.peek();
  if (at.is("-") || at.is("(")) {
    words_.take();
    if (++depth_ > kMostNested) return fail(at, "the condition is nested too deep");
    Maybe inner = at.is("-") ? factor() : condition();
    --depth_;
    if (!inner) return inner;
    if (at.is("(")) return words_.want(")") ? std::move(inner) : std::nullopt;
    return made(Condition::Kind::Negative, at.loc, {std::move(*inner)});
  }
  if (at.kind == Word::Kind::Number) return number();
  if (at.kind == Word::Kind::Quoted && at.quote != '`') {
    words_.take();
    if (of_cypher_ && at.text.find('\\') != std::string::npos) return fail(at, "escapes in text are not read");
    Condition text = made(Condition::Kind::Text, at.loc, {});
    text.text = at.text;
    return text;
  }
  for (const auto& [word, value] : {std::pair("TRUE", 1), std::pair("FALSE", 0)}) {
    if (!at.is_keyword(word)) continue;
    words_.take();
    Condition truth = made(Condition::Kind::Bool, at.loc, {});
    truth.integer = value;
    return truth;
  }
  if (at.is_keyword("NULL")) {
    words_.take();
    return made(Condition::Kind::Null, at.loc, {});
  }
  if (at.kind != Word::Kind::Name && at.kind != Word::Kind::Quoted) return fail(at, "expected a value here");
  return name();
}

/// `x.amount`, `x`, or `amount` of the subject.
std::optional<Condition> ConditionReader::name() {
  const Word at = words_.take();
  const bool is_name = at.kind == Word::Kind::Name || (at.kind == Word::Kind::Quoted && at.quote == '`');
  if (!is_name) return fail(at, "expected the name of a column here");
  Condition column = made(Condition::Kind::Column, at.loc, {});
  if (subject_) {
    column.subject = *subject_;
    column.text = at.text;
    return column;
  }
  const std::optional<Subject> found = find_(at.text);
  if (!found) {
    return fail(at, fmt::format("no vertex or edge is called `{}`", at.text),
                words_.peek().is("(") ? "functions are not read" : "columns stand behind a name and a dot: `x.amount`");
  }
  column.subject = *found;
  if (!words_.skip(".")) return column;
  const Word of = words_.take();
  if (of.kind != Word::Kind::Name && !(of.kind == Word::Kind::Quoted && of.quote == '`')) {
    return fail(of, "expected the name of a column here");
  }
  column.text = of.text;
  column.loc = of.loc;
  return column;
}

/// `12`, `0.5`, `1e6` or `90m`: words that touch.
std::optional<Condition> ConditionReader::number() {
  Word at = words_.take();
  std::string text = at.text;
  Word last = at;
  const auto take_adjacent = [&](bool wanted) {
    if (!wanted || !is_adjacent(last, words_.peek())) return false;
    last = words_.take();
    text += last.text;
    return true;
  };
  if (take_adjacent(words_.peek().is(".") && words_.peek(1).kind == Word::Kind::Number)) {
    take_adjacent(words_.peek().kind == Word::Kind::Number);
  }
  std::string unit;
  if (words_.peek().kind == Word::Kind::Name && is_adjacent(last, words_.peek())) {
    if (!of_cypher_) unit = unit_of(words_.peek().text);
    if (!unit.empty()) words_.take();
    if (unit.empty() && take_adjacent(true) && (text.ends_with('e') || text.ends_with('E'))) {
      take_adjacent(words_.peek().is("-") || words_.peek().is("+"));
      take_adjacent(words_.peek().kind == Word::Kind::Number);
    }
  }
  at.loc.length = last.loc.column + last.loc.length - at.loc.column;
  const bool is_whole = std::ranges::all_of(text, pattern::is_digit);
  Condition number = made(
      unit.empty() ? is_whole ? Condition::Kind::Int : Condition::Kind::Float : Condition::Kind::Duration, at.loc, {});
  number.text = unit;
  const char* const end = text.data() + text.size();
  const std::from_chars_result read = number.kind == Condition::Kind::Float
                                          ? std::from_chars(text.data(), end, number.number)
                                          : std::from_chars(text.data(), end, number.integer);
  if (read.ec == std::errc::result_out_of_range) return fail(at, fmt::format("`{}` is beyond 64 bits", text));
  if (read.ec != std::errc() || read.ptr != end) {
    return fail(at, fmt::format("`{}` is no number", text),
                "durations are like `90m`, with ns, us, ms, s, m, h, d or w");
  }
  return number;
}

}  // namespace matcha::query
