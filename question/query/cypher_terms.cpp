#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include "question/query/cypher_reader.h"

namespace matcha::query {

namespace {

constexpr ValueType kScalar{ValueType::Base::Scalar, 0};
/// Parentheses and negations in each other.
constexpr int kMostNestedTerms = 100;
/// Terms in each other, as chains of `+` and of `IS NULL` are.
constexpr int kMostDepth = 1000;
constexpr std::array kAggregates = {"count", "sum", "min", "max", "avg", "collect"};
constexpr std::array kCalls = {"type",     "labels", "length", "nodes",    "relationships", "startNode", "endNode",
                               "size",     "head",   "last",   "coalesce", "exists",        "id",        "date",
                               "datetime", "range",  "abs"};

std::string in_small_letters(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return text;
}

Term compared_by(const std::string& sign, SourceLoc loc, Term left, Term right) {
  const Term::Kind kind = sign == "="                    ? Term::Kind::Equal
                          : sign == "<>"                 ? Term::Kind::Different
                          : sign == "<=" || sign == ">=" ? Term::Kind::AtMost
                                                         : Term::Kind::Less;
  if (sign[0] == '>') std::swap(left, right);
  return made(kind, loc, parts_of(std::move(left), std::move(right)));
}

/// The type that all terms have, or any.
ValueType common_type(const std::vector<Term>& terms) {
  std::optional<ValueType> all;
  for (const Term& term : terms) {
    if (term.kind == Term::Kind::Null) continue;
    if (all && *all != term.type) return {};
    all = term.type;
  }
  return all.value_or(ValueType());
}

}  // namespace

Term made(Term::Kind kind, SourceLoc loc, std::vector<Term> parts, ValueType type) {
  Term term;
  term.kind = kind;
  term.loc = loc;
  term.parts = std::move(parts);
  term.type = type;
  for (const Term& part : term.parts) term.depth = std::max(term.depth, part.depth + 1);
  return term;
}

Term variable_term(std::size_t slot, ValueType type, SourceLoc loc) {
  Term term = made(Term::Kind::Variable, loc, {}, type);
  term.slot = slot;
  return term;
}

std::string name_of(ValueType type) {
  if (type.lists > 1) return "a list of lists";
  const auto one_or_all = [&type](const char* one, const char* all) { return type.lists == 0 ? one : all; };
  switch (type.base) {
    case ValueType::Base::Node: return one_or_all("a node", "a list of nodes");
    case ValueType::Base::Relationship: return one_or_all("a relationship", "a list of relationships");
    case ValueType::Base::Path: return one_or_all("a path", "a list of paths");
    case ValueType::Base::Any:
    case ValueType::Base::Scalar: break;
  }
  return one_or_all("a value", "a list of values");
}

bool is_same(const Term& a, const Term& b) {
  const bool are_plain = a.pattern == nullptr && b.pattern == nullptr;
  const bool has_slot = a.kind == Term::Kind::Variable;
  return are_plain && a.kind == b.kind && a.integer == b.integer && a.number == b.number && a.text == b.text &&
         a.labels == b.labels && a.is_distinct == b.is_distinct && (!has_slot || a.slot == b.slot) &&
         std::ranges::equal(a.parts, b.parts, is_same);
}

void add_conjuncts(Term term, std::vector<Term>& into) {
  if (term.kind != Term::Kind::And) return into.push_back(std::move(term));
  for (Term& part : term.parts) add_conjuncts(std::move(part), into);
}

std::optional<Term> CypherReader::fail(const Word& at, const std::string& message, const std::string& hint) {
  words_.refuse(at, message, hint);
  return std::nullopt;
}

bool CypherReader::refuse(const Word& at, const std::string& message, const std::string& hint) {
  words_.refuse(at, message, hint);
  return false;
}

bool CypherReader::is_name(const Word& word) const {
  return word.kind == Word::Kind::Name || (word.kind == Word::Kind::Quoted && word.quote == '`');
}

bool CypherReader::is_adjacent(const Word& left, const Word& right) const { return left.end == right.begin; }

std::optional<Term> CypherReader::term() {
  if (++depth_ > kMostNestedTerms) return fail(words_.peek(), "the condition is nested too deep");
  Maybe one = chain("OR", Term::Kind::Or, &CypherReader::either);
  if (one) --depth_;
  return one;
}

std::optional<Term> CypherReader::either() { return chain("XOR", Term::Kind::Xor, &CypherReader::conjunction); }

std::optional<Term> CypherReader::conjunction() { return chain("AND", Term::Kind::And, &CypherReader::negated); }

std::optional<Term> CypherReader::chain(const char* keyword, Term::Kind kind, Maybe (CypherReader::*part)()) {
  const Word at = words_.peek();
  std::vector<Term> parts;
  do {
    Maybe one = (this->*part)();
    if (!one) return one;
    parts.push_back(std::move(*one));
  } while (words_.skip_keyword(keyword));
  return parts.size() == 1 ? std::move(parts.front()) : made(kind, at.loc, std::move(parts));
}

std::optional<Term> CypherReader::negated() {
  const Word at = words_.peek();
  if (!words_.skip_keyword("NOT")) return comparison();
  if (++depth_ > kMostNestedTerms) return fail(at, "the condition is nested too deep");
  Maybe one = negated();
  --depth_;
  return one ? made(Term::Kind::Not, at.loc, parts_of(std::move(*one))) : one;
}

std::string CypherReader::comparison_sign() {
  const Word word = words_.peek();
  if (word.kind != Word::Kind::Sign) return {};
  const bool then_equal = words_.peek(1).is("=") && is_adjacent(word, words_.peek(1));
  std::string sign = word.text == "!=" ? "<>" : word.text;
  if (sign != "<>" && sign != "<" && sign != ">" && sign != "=") return {};
  words_.take();
  if (then_equal && (sign == "<" || sign == ">")) sign += words_.take().text;
  return sign;
}

std::optional<Term> CypherReader::comparison() {
  const Word at = words_.peek();
  Maybe left = sum();
  if (left) left = test_behind(std::move(*left));
  if (!left) return left;
  std::vector<Term> parts;
  for (std::string sign = comparison_sign(); !sign.empty(); sign = comparison_sign()) {
    Maybe next = sum();
    if (next) next = test_behind(std::move(*next));
    if (!next) return next;
    parts.push_back(compared_by(sign, at.loc, std::move(*left), *next));
    left = std::move(next);
  }
  if (parts.empty()) return left;
  return parts.size() == 1 ? std::move(parts.front()) : made(Term::Kind::And, at.loc, std::move(parts));
}

/// `IS NULL`, `IN`, `STARTS WITH` and their like.
std::optional<Term> CypherReader::test_behind(Term left) {
  while (true) {
    const Word at = words_.peek();
    if (left.depth > kMostDepth) return fail(at, "the condition is nested too deep");
    const bool is_negated = at.is_keyword("NOT") && words_.peek(1).is_keyword("IN");
    if (is_negated) words_.take();
    std::optional<Term::Kind> kind;
    if (words_.skip_keyword("IS")) {
      const bool is_not = words_.skip_keyword("NOT");
      if (!words_.want_keyword("NULL")) return std::nullopt;
      left = made(Term::Kind::IsNull, at.loc, parts_of(std::move(left)));
      if (is_not) left = made(Term::Kind::Not, at.loc, parts_of(std::move(left)));
      continue;
    }
    if (words_.skip_keyword("IN")) kind = Term::Kind::In;
    if (words_.skip_keyword("CONTAINS")) kind = Term::Kind::Contains;
    if (words_.skip_keyword("STARTS")) kind = Term::Kind::StartsWith;
    if (words_.skip_keyword("ENDS")) kind = Term::Kind::EndsWith;
    if (!kind) return left;
    const bool has_with = *kind == Term::Kind::StartsWith || *kind == Term::Kind::EndsWith;
    if (has_with && !words_.want_keyword("WITH")) return std::nullopt;
    Maybe right = sum();
    if (!right) return right;
    left = made(*kind, at.loc, parts_of(std::move(left), std::move(*right)));
    if (is_negated) left = made(Term::Kind::Not, at.loc, parts_of(std::move(left)));
  }
}

std::optional<Term> CypherReader::sum() {
  Maybe left = product();
  while (left && (words_.peek().is("+") || words_.peek().is("-"))) {
    const Word sign = words_.take();
    if (left->depth > kMostDepth) return fail(sign, "the sum is too long");
    Maybe right = product();
    if (!right) return right;
    left = made(sign.is("+") ? Term::Kind::Sum : Term::Kind::Difference, sign.loc,
                parts_of(std::move(*left), std::move(*right)));
  }
  return left;
}

std::optional<Term> CypherReader::product() {
  Maybe left = power();
  while (left && (words_.peek().is("*") || words_.peek().is("/") || words_.peek().is("%"))) {
    const Word sign = words_.take();
    if (left->depth > kMostDepth) return fail(sign, "the product is too long");
    Maybe right = power();
    if (!right) return right;
    const Term::Kind kind = sign.is("*")   ? Term::Kind::Product
                            : sign.is("/") ? Term::Kind::Quotient
                                           : Term::Kind::Remainder;
    left = made(kind, sign.loc, parts_of(std::move(*left), std::move(*right)));
  }
  return left;
}

/// A value with its sign.
std::optional<Term> CypherReader::power() {
  const Word at = words_.peek();
  if (!at.is("-") && !at.is("+")) return postfix();
  words_.take();
  if (at.is("-") && words_.peek().kind == Word::Kind::Number && is_adjacent(at, words_.peek())) {
    return number(true);
  }
  if (++depth_ > kMostNestedTerms) return fail(at, "the value is nested too deep");
  Maybe one = power();
  --depth_;
  if (!one || at.is("+")) return one;
  return made(Term::Kind::Negative, at.loc, parts_of(std::move(*one)));
}

/// Properties, items and labels stand behind a value.
std::optional<Term> CypherReader::postfix() {
  Maybe left = atom();
  for (int depth = 0; left && !words_.failed(); ++depth) {
    const Word at = words_.peek();
    if (depth > kMostNestedTerms) return fail(at, "the value is nested too deep");
    if (words_.skip(".")) {
      const Word column = words_.take();
      if (!is_name(column)) return fail(column, "expected the name of a property here");
      left = property(std::move(*left), column);
    } else if (words_.skip("[")) {
      Maybe index = term();
      if (!index || !words_.want("]")) return std::nullopt;
      if (left->type.lists == 0 && left->type.base != ValueType::Base::Any) {
        return fail(at, fmt::format("{} has no items", name_of(left->type)), "lists have: `nodes(p)[0]`");
      }
      const ValueType type = left->type.lists == 0 ? ValueType() : ValueType{left->type.base, left->type.lists - 1};
      left = made(Term::Kind::Item, at.loc, parts_of(std::move(*left), std::move(*index)), type);
    } else if (at.is(":") && left->type.is(ValueType::Base::Node)) {
      Term test = made(Term::Kind::HasLabels, at.loc, parts_of(std::move(*left)));
      if (!labels(test.labels)) return std::nullopt;
      left = std::move(test);
    } else {
      return left;
    }
  }
  return left;
}

std::optional<Term> CypherReader::property(Term of, const Word& column) {
  const bool is_node = of.type.is(ValueType::Base::Node);
  if (!is_node && !of.type.is(ValueType::Base::Relationship)) {
    if (of.type == ValueType()) return fail(column, "this may be a node or a relationship, and have no such column");
    return fail(column, fmt::format("{} has nothing called `{}`", name_of(of.type), column.text),
                "nodes and relationships have columns");
  }
  (is_node ? statement_.node_columns : statement_.relationship_columns).try_emplace(column.text, column.loc);
  Term term = made(Term::Kind::Property, column.loc, parts_of(std::move(of)));
  term.text = column.text;
  return term;
}

std::optional<Term> CypherReader::atom() {
  const Word at = words_.peek();
  if (at.kind == Word::Kind::Number) return number(false);
  if (at.is("(")) {
    if (is_pattern() && !in_where_)
      return fail(at, "a pattern is a condition of WHERE", "`exists((a)-->(b))` is a value");
    if (is_pattern()) return pattern_term();
    words_.take();
    Maybe inner = term();
    return inner && words_.want(")") ? std::move(inner) : std::nullopt;
  }
  if (at.is("[")) return list();
  if (at.is("{")) return map();
  if (at.is("$")) {
    words_.take();
    const Word name = words_.take();
    if (!is_name(name) && name.kind != Word::Kind::Number) return fail(name, "expected the name of a parameter here");
    statement_.parameters.try_emplace(name.text, at.loc);
    Term parameter = made(Term::Kind::Parameter, at.loc, {}, {});
    parameter.text = name.text;
    return parameter;
  }
  if (at.kind == Word::Kind::Quoted && at.quote != '`') {
    words_.take();
    if (at.text.find('\\') != std::string::npos) {
      return fail(at, "escapes in text are not read", "text has no backslash");
    }
    Term text = made(Term::Kind::Text, at.loc);
    text.text = at.text;
    return text;
  }
  for (const auto& [word, value] : {std::pair("TRUE", 1), std::pair("FALSE", 0)}) {
    if (!at.is_keyword(word)) continue;
    words_.take();
    Term truth = made(Term::Kind::Bool, at.loc);
    truth.integer = value;
    return truth;
  }
  if (at.is_keyword("NULL")) {
    words_.take();
    return made(Term::Kind::Null, at.loc, {}, {});
  }
  if (at.is_keyword("CASE") && !names_.contains(at.text)) return choice();
  constexpr std::array kNoNames = {"MATCH", "OPTIONAL", "UNWIND", "WHERE", "WITH", "RETURN", "UNION", "ORDER",
                                   "SKIP",  "LIMIT",    "AND",    "OR",    "XOR",  "IN",     "IS",    "AS",
                                   "DESC",  "ASC",      "WHEN",   "THEN",  "ELSE", "END"};
  const bool is_keyword = std::ranges::any_of(kNoNames, [&at](const char* word) { return at.is_keyword(word); });
  if (!is_name(at) || (is_keyword && !names_.contains(at.text))) {
    return fail(at, "expected a value here", "such as `a.name`, `12` or `'text'`");
  }
  if (at.kind == Word::Kind::Name && words_.peek(1).is("(")) return call();
  words_.take();
  const auto found = names_.find(at.text);
  if (found == names_.end()) return fail(at, fmt::format("nothing is called `{}` here", at.text));
  return variable_term(found->second.slot, found->second.type, at.loc);
}

/// `12`, `0.5` or `1e6`: words that touch.
std::optional<Term> CypherReader::number(bool is_negative) {
  const Word at = words_.take();
  std::string text = at.text;
  Word last = at;
  const auto take_adjacent = [&](bool is_wanted) {
    if (!is_wanted || !is_adjacent(last, words_.peek())) return false;
    last = words_.take();
    text += last.text;
    return true;
  };
  if (take_adjacent(words_.peek().is(".") && words_.peek(1).kind == Word::Kind::Number)) {
    take_adjacent(words_.peek().kind == Word::Kind::Number);
  }
  if (take_adjacent(words_.peek().kind == Word::Kind::Name) && (text.ends_with('e') || text.ends_with('E'))) {
    take_adjacent(words_.peek().is("-") || words_.peek().is("+"));
    take_adjacent(words_.peek().kind == Word::Kind::Number);
  }
  const bool is_whole = std::ranges::all_of(text, pattern::is_digit);
  Term number = made(is_whole ? Term::Kind::Int : Term::Kind::Float, at.loc);
  const char* const end = text.data() + text.size();
  std::uint64_t whole = 0;
  const std::from_chars_result read =
      is_whole ? std::from_chars(text.data(), end, whole) : std::from_chars(text.data(), end, number.number);
  // Behind a sign there is one more, which has no positive of its own.
  constexpr std::uint64_t kBeyond = std::uint64_t{1} << 63;
  if (read.ec != std::errc() && read.ec != std::errc::result_out_of_range) {
    return fail(at, fmt::format("`{}` is no number", text));
  }
  if (read.ptr != end) return fail(at, fmt::format("`{}` is no number", text));
  if (read.ec != std::errc() || whole >= kBeyond + (is_negative ? 1 : 0)) {
    return fail(at, fmt::format("`{}` is beyond 64 bits", text));
  }
  number.integer = static_cast<std::int64_t>(is_negative ? 0 - whole : whole);
  if (is_negative) number.number = -number.number;
  return number;
}

std::optional<Term> CypherReader::list() {
  const Word at = words_.take();
  std::vector<Term> items;
  while (!words_.peek().is("]")) {
    Maybe item = term();
    if (!item) return item;
    items.push_back(std::move(*item));
    if (!words_.skip(",")) break;
  }
  if (!words_.want("]")) return std::nullopt;
  ValueType type = common_type(items);
  ++type.lists;
  return made(Term::Kind::List, at.loc, std::move(items), type);
}

std::optional<Term> CypherReader::map() {
  const Word at = words_.take();
  while (!words_.peek().is("}")) {
    const Word name = words_.take();
    if (!is_name(name)) return fail(name, "expected a name here");
    if (!words_.want(":") || !term()) return std::nullopt;
    if (!words_.skip(",")) break;
  }
  if (!words_.want("}")) return std::nullopt;
  if (!maybe_map_) maybe_map_ = at;
  return made(Term::Kind::Map, at.loc);
}

/// `CASE WHEN a.age > 30 THEN 1 ELSE 0 END`, or `CASE a.kind WHEN 'x' THEN 1 END`.
std::optional<Term> CypherReader::choice() {
  const Word at = words_.take();
  std::vector<Term> parts, values;
  const auto add = [&](std::vector<Term>* also) {
    Maybe one = term();
    if (!one) return false;
    if (also != nullptr) also->push_back(*one);
    parts.push_back(std::move(*one));
    return true;
  };
  const bool compares = !words_.peek().is_keyword("WHEN");
  if (compares && !add(nullptr)) return std::nullopt;
  if (!words_.want_keyword("WHEN")) return std::nullopt;
  do {
    if (!add(nullptr) || !words_.want_keyword("THEN") || !add(&values)) return std::nullopt;
  } while (words_.skip_keyword("WHEN"));
  if (words_.skip_keyword("ELSE") && !add(&values)) return std::nullopt;
  if (!words_.want_keyword("END")) return std::nullopt;
  Term found = made(Term::Kind::Case, at.loc, std::move(parts), common_type(values));
  found.integer = compares ? 1 : 0;
  return found;
}

std::optional<Term> CypherReader::call() {
  const Word name = words_.take();
  words_.take();
  const std::string function = in_small_letters(name.text);
  if (std::ranges::find(kAggregates, function) != kAggregates.end()) return aggregate(name);
  if (function == "exists" && is_pattern()) {
    Maybe found = pattern_term();
    return found && words_.want(")") ? std::move(found) : std::nullopt;
  }
  const auto is_meant = [&](const char* one) { return in_small_letters(one) == function; };
  if (std::ranges::any_of(kCalls, is_meant)) return arguments_of(name);
  std::vector<std::string> known(kCalls.begin(), kCalls.end());
  known.insert(known.end(), kAggregates.begin(), kAggregates.end());
  const std::string near = nearest_word(function, known);
  return fail(
      name, fmt::format("the function `{}` is not read", name.text),
      near.empty() ? fmt::format("read are {}", fmt::join(known, ", ")) : fmt::format("did you mean `{}`?", near));
}

std::optional<Term> CypherReader::aggregate(const Word& name) {
  const std::string function = in_small_letters(name.text);
  if (maybe_aggregates_ == nullptr) {
    return fail(name, fmt::format("`{}` is of many rows, and there is one {}", name.text, no_aggregates_),
                "`WITH` and `RETURN` have aggregates");
  }
  Term found = made(Term::Kind::Aggregate, name.loc);
  found.text = function;
  if (function == "count" && words_.skip("*")) {
    if (!words_.want(")")) return std::nullopt;
  } else {
    found.is_distinct = words_.skip_keyword("DISTINCT");
    std::vector<Term>* const outer = std::exchange(maybe_aggregates_, nullptr);
    const char* const place = std::exchange(no_aggregates_, "within an aggregate");
    Maybe of = term();
    maybe_aggregates_ = outer;
    no_aggregates_ = place;
    if (!of || !words_.want(")")) return std::nullopt;
    const ValueType type = of->type;
    if (function == "collect") found.type = {type.base, type.lists + 1};
    if (function == "min" || function == "max") found.type = type;
    found.parts.push_back(std::move(*of));
  }
  found.slot = maybe_aggregates_->size();
  maybe_aggregates_->push_back(found);
  return found;
}

std::optional<Term> CypherReader::arguments_of(const Word& name) {
  Term found = made(Term::Kind::Call, name.loc);
  found.text = in_small_letters(name.text);
  if (found.text == "rels") found.text = "relationships";
  while (!words_.peek().is(")")) {
    Maybe one = term();
    if (!one) return one;
    found.parts.push_back(std::move(*one));
    if (!words_.skip(",")) break;
  }
  if (!words_.want(")")) return std::nullopt;
  const std::optional<ValueType> type = type_of_call(found, name);
  if (!type) return std::nullopt;
  found.type = *type;
  if (found.text == "id") {
    statement_.node_columns.try_emplace(kIdColumn, name.loc);
    found.kind = Term::Kind::Property;
    found.text = kIdColumn;
  }
  if (found.text != "exists") return found;
  Term null = made(Term::Kind::IsNull, name.loc, parts_of(std::move(found.parts.front())));
  return made(Term::Kind::Not, name.loc, parts_of(std::move(null)));
}

std::optional<ValueType> CypherReader::type_of_call(const Term& call, const Word& name) {
  using Base = ValueType::Base;
  struct Function {
    const char* name;
    ValueType of, gives;
  };
  constexpr ValueType kNodes{Base::Node, 1}, kRelationships{Base::Relationship, 1};
  constexpr std::array<Function, 11> kFunctions = {{{"type", {Base::Relationship, 0}, kScalar},
                                                    {"id", {Base::Node, 0}, kScalar},
                                                    {"date", kScalar, kScalar},
                                                    {"datetime", kScalar, kScalar},
                                                    {"abs", kScalar, kScalar},
                                                    {"labels", {Base::Node, 0}, {Base::Scalar, 1}},
                                                    {"length", {Base::Path, 0}, kScalar},
                                                    {"nodes", {Base::Path, 0}, kNodes},
                                                    {"relationships", {Base::Path, 0}, kRelationships},
                                                    {"startnode", {Base::Relationship, 0}, {Base::Node, 0}},
                                                    {"endnode", {Base::Relationship, 0}, {Base::Node, 0}}}};
  const auto wrong = [&](const std::string& what) {
    words_.refuse(name, fmt::format("`{}` {}", name.text, what), "");
    return std::nullopt;
  };
  if (call.text == "coalesce") {
    return call.parts.empty() ? wrong("takes one value or several") : std::optional(common_type(call.parts));
  }
  if (call.text == "range") {
    const auto is_one = [](const Term& part) { return part.type == ValueType() || part.type == kScalar; };
    const bool fits = (call.parts.size() == 2 || call.parts.size() == 3) && std::ranges::all_of(call.parts, is_one);
    return fits ? std::optional(ValueType{Base::Scalar, 1}) : wrong("takes two or three ints");
  }
  const auto known = std::ranges::find_if(kFunctions, [&](const Function& one) { return call.text == one.name; });
  const bool is_of_list = call.text == "size" || call.text == "head" || call.text == "last";
  if (call.parts.size() != 1) return wrong("takes one value");
  const ValueType given = call.parts.front().type;
  const bool is_any = given == ValueType();
  if (call.text == "exists") return kScalar;
  if (is_of_list) {
    const bool may_be_text = call.text == "size" && given.base == Base::Scalar;
    if (given.lists == 0 && !is_any && !may_be_text)
      return wrong(fmt::format("is of a list, and this is {}", name_of(given)));
    if (call.text == "size") return kScalar;
    return is_any ? ValueType() : ValueType{given.base, given.lists - 1};
  }
  if (!is_any && given != known->of) {
    return wrong(fmt::format("is of {}, and this is {}", name_of(known->of), name_of(given)));
  }
  if (call.text == "type") statement_.asks_types = true;
  if (call.text == "labels") statement_.asks_labels = true;
  return known->gives;
}

}  // namespace matcha::query
