#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <utility>

#include "question/query/cypher_reader.h"
#include "question/query/readers.h"

namespace matcha::query {

namespace {

constexpr const char* kClauses = "read are MATCH, OPTIONAL MATCH, UNWIND, WITH, RETURN and UNION";

/// The most parts of a branch, and the most branches. Lists of each part may be in a list of the next part.
constexpr std::size_t kMostParts = 100;

bool has_aggregate(const Term& term) {
  return term.kind == Term::Kind::Aggregate || std::ranges::any_of(term.parts, has_aggregate);
}

/// A variable, or a pattern, beside the aggregates of a term; null: there is none.
const Term* maybe_beside_aggregates(const Term& term) {
  if (term.kind == Term::Kind::Aggregate) return nullptr;
  if (term.kind == Term::Kind::Variable || term.kind == Term::Kind::Matches) return &term;
  for (const Term& part : term.parts) {
    if (const Term* const found = maybe_beside_aggregates(part); found != nullptr) return found;
  }
  return nullptr;
}

/// The first variable of a slot before `base`, or an aggregate; null: there is none. Others are numbered from 0.
const Term* maybe_foreign(Term& term, std::size_t base) {
  if (term.kind == Term::Kind::Aggregate || term.kind == Term::Kind::Matches) return &term;
  if (term.kind == Term::Kind::Variable) {
    if (term.slot < base) return &term;
    term.slot -= base;
  }
  for (Term& part : term.parts) {
    if (const Term* const found = maybe_foreign(part, base); found != nullptr) return found;
  }
  return nullptr;
}

/// Terms that are columns become these.
void put_columns(const std::vector<Projection::Column>& columns, std::size_t base, Term& term) {
  for (std::size_t at = 0; at < columns.size(); ++at) {
    if (!is_same(columns[at].term, term)) continue;
    term = variable_term(base + at, term.type, term.loc);
    return;
  }
  for (Term& part : term.parts) put_columns(columns, base, part);
}

}  // namespace

std::optional<Statement> CypherReader::run() {
  statement_.loc = words_.peek().loc;
  while (!words_.failed()) {
    const Word at = words_.peek();
    if (words_.skip_keyword("OPTIONAL")) {
      if (!words_.want_keyword("MATCH") || !match_clause(true)) return std::nullopt;
    } else if (words_.skip_keyword("MATCH")) {
      if (!match_clause(false)) return std::nullopt;
    } else if (words_.skip_keyword("UNWIND")) {
      if (!unwind()) return std::nullopt;
    } else if (words_.skip_keyword("WITH")) {
      if (!projection(false)) return std::nullopt;
    } else if (words_.skip_keyword("RETURN")) {
      if (!projection(true)) return std::nullopt;
      const std::optional<bool> goes_on = end_branch();
      if (!goes_on) return std::nullopt;
      if (*goes_on) continue;
      words_.skip(";");
      if (refuse_clause()) return std::nullopt;
      if (words_.peek().kind != Word::Kind::End) {
        words_.refuse("the end of the query", "one query is read, which `LIMIT` and `;` may end");
        return std::nullopt;
      }
      if (maybe_map_) {
        words_.refuse(*maybe_map_, "a map is not read as a value", "`{…}` stands in a pattern");
        return std::nullopt;
      }
      statement_.parts = std::move(branches_.front());
      statement_.others.assign(std::make_move_iterator(branches_.begin() + 1),
                               std::make_move_iterator(branches_.end()));
      return std::move(statement_);
    } else if (!refuse_clause()) {
      fail(at, "expected `,`, `WHERE`, `MATCH`, `WITH` or `RETURN` here", kClauses);
    }
  }
  return std::nullopt;
}

/// Whether a clause is next that is not read, which is an error.
bool CypherReader::refuse_clause() {
  const Word at = words_.peek();
  for (const char* const word : kClausesNotRead) {
    if (!at.is_keyword(word)) continue;
    fail(at, fmt::format("`{}` is not read", word), kClauses);
    return true;
  }
  return false;
}

bool CypherReader::match_clause(bool is_optional) {
  MatchClause clause;
  clause.is_optional = is_optional;
  clause.loc = words_.last().loc;
  here_.clear();
  no_aggregates_ = "in MATCH";
  do {
    std::optional<PathPattern> one = path(clause);
    if (!one) return false;
    clause.paths.push_back(std::move(*one));
  } while (words_.skip(","));
  if (words_.skip_keyword("WHERE") && !where(clause.conditions)) return false;
  part_.matches.push_back(std::move(clause));
  return true;
}

bool CypherReader::unwind() {
  MatchClause clause;
  clause.loc = words_.last().loc;
  no_aggregates_ = "in UNWIND";
  const Word begin = words_.peek();
  Maybe list = term();
  if (!list || !words_.want_keyword("AS")) return false;
  const bool is_any = list->type == ValueType();
  if (list->type.lists == 0 && !is_any) {
    return refuse(begin, fmt::format("this is {}, and `UNWIND` takes a list", name_of(list->type)), "such as `[1, 2]`");
  }
  const Word name = words_.take();
  if (!is_name(name)) return refuse(name, "expected a name here");
  if (names_.contains(name.text)) return refuse(name, fmt::format("`{}` has a value already", name.text));
  const ValueType type = is_any ? ValueType() : ValueType{list->type.base, list->type.lists - 1};
  names_.emplace(name.text, Variable{new_slot(clause), type});
  clause.maybe_list = std::move(list);
  part_.matches.push_back(std::move(clause));
  return true;
}

std::optional<bool> CypherReader::end_branch() {
  const Projection& end = part_.projection;
  Word at;
  at.loc = end.loc;
  if (!branches_.empty()) {
    const auto is_same_name = [](const Projection::Column& a, const Projection::Column& b) { return a.name == b.name; };
    if (!std::ranges::equal(end.columns, branches_.front().back().projection.columns, is_same_name)) {
      fail(at, "the columns of both sides of `UNION` have the same names, in one order", "`AS` gives a name");
      return std::nullopt;
    }
  }
  statement_.parts.push_back(std::move(part_));
  branches_.push_back(std::exchange(statement_.parts, {}));
  part_ = {};
  names_.clear();
  const Word word = words_.peek();
  if (!words_.skip_keyword("UNION")) return false;
  const bool is_all = words_.skip_keyword("ALL");
  if (branches_.size() > 1 && is_all != statement_.keeps_repeats) {
    fail(word, "`UNION` and `UNION ALL` do not stand in one query", "`RETURN DISTINCT` leaves out repeats of one side");
    return std::nullopt;
  }
  statement_.keeps_repeats = is_all;
  if (branches_.size() < kMostParts) return true;
  fail(word, fmt::format("the query has more than {} UNION", kMostParts - 1));
  return std::nullopt;
}

bool CypherReader::where(std::vector<Term>& into) {
  no_aggregates_ = "in WHERE";
  in_where_ = true;
  Maybe condition = term();
  in_where_ = false;
  if (!condition) return false;
  add_conjuncts(std::move(*condition), into);
  return true;
}

bool CypherReader::projection(bool is_last) {
  Projection& into = part_.projection;
  into.loc = words_.last().loc;
  into.is_distinct = words_.skip_keyword("DISTINCT");
  maybe_aggregates_ = &into.aggregates;
  const bool is_read = columns(into, is_last);
  maybe_aggregates_ = nullptr;
  if (!is_read) return false;
  if (words_.skip_keyword("ORDER") && (!words_.want_keyword("BY") || !order(into))) return false;
  if (words_.skip_keyword("SKIP") && !count_of("SKIP", into.skip)) return false;
  if (words_.skip_keyword("LIMIT") && !count_of("LIMIT", into.limit.emplace())) return false;
  if (is_last) return true;
  if (statement_.parts.size() == kMostParts) {
    words_.refuse(words_.last(), fmt::format("the query has more than {} WITH", kMostParts), "");
    return false;
  }
  const Projection given = into;
  begin_part(given);
  return !words_.skip_keyword("WHERE") || where(statement_.parts.back().projection.conditions);
}

/// The columns are the first slots of the next part.
void CypherReader::begin_part(const Projection& given) {
  statement_.parts.push_back(std::move(part_));
  part_ = {};
  names_.clear();
  for (const Projection::Column& column : given.columns) {
    names_.emplace(column.name, Variable{part_.slots++, column.term.type});
  }
}

bool CypherReader::columns(Projection& into, bool is_last) {
  const Word at = words_.peek();
  if (words_.skip("*")) {
    for (const auto& [name, variable] : names_) {
      into.columns.push_back({variable_term(variable.slot, variable.type, at.loc), name});
    }
    if (names_.empty()) return refuse(at, "nothing has a name here");
    if (!words_.skip(",")) return true;
  }
  do {
    if (!column(into, is_last)) return false;
  } while (words_.skip(","));
  return true;
}

bool CypherReader::column(Projection& into, bool is_last) {
  const Word begin = words_.peek();
  Maybe one = term();
  if (!one) return false;
  std::string name(words_.between(begin.begin, words_.last().end));
  std::ranges::replace_if(name, pattern::is_space, ' ');
  if (one->kind == Term::Kind::Variable && is_name(begin)) name = begin.text;
  if (words_.skip_keyword("AS")) {
    const Word alias = words_.take();
    if (!is_name(alias)) return refuse(alias, "expected a name here");
    name = alias.text;
  } else if (!is_last && one->kind != Term::Kind::Variable) {
    return refuse(begin, "WITH gives a name to what it computes", "such as `count(*) AS n`");
  }
  const auto has_name = [&](const Projection::Column& other) { return other.name == name; };
  if (std::ranges::any_of(into.columns, has_name)) {
    return refuse(begin, fmt::format("two columns are called `{}`", name), "`AS` gives a name");
  }
  const Term* const other = has_aggregate(*one) ? maybe_beside_aggregates(*one) : nullptr;
  if (other != nullptr) {
    return refuse(begin, "a value of one row stands beside an aggregate, which is of many",
                  "make it a column of a WITH");
  }
  into.columns.push_back({std::move(*one), std::move(name)});
  return true;
}

bool CypherReader::order(Projection& into) {
  const std::size_t base = part_.slots;
  const Names names = names_;
  for (std::size_t at = 0; at < into.columns.size(); ++at) {
    names_.insert_or_assign(into.columns[at].name, Variable{base + at, into.columns[at].term.type});
  }
  into.orders_columns = into.is_distinct || !into.aggregates.empty();
  std::vector<Term> aggregates;
  maybe_aggregates_ = into.aggregates.empty() ? nullptr : &aggregates;
  no_aggregates_ = "in ORDER BY";
  bool is_read = true;
  do {
    const Word at = words_.peek();
    Maybe key = term();
    is_read = key && (!into.orders_columns || order_of_columns(into, *key));
    if (is_read && part_.slots != base) is_read = refuse(at, "a pattern is not read in ORDER BY");
    if (!is_read) break;
    const bool descends = words_.skip_keyword("DESC") || words_.skip_keyword("DESCENDING");
    if (!descends && !words_.skip_keyword("ASC")) words_.skip_keyword("ASCENDING");
    into.order.push_back({std::move(*key), descends});
  } while (words_.skip(","));
  maybe_aggregates_ = nullptr;
  names_ = names;
  return is_read;
}

/// The key becomes a term of the columns.
bool CypherReader::order_of_columns(const Projection& of, Term& key) {
  put_columns(of.columns, part_.slots, key);
  const Term* const other = maybe_foreign(key, part_.slots);
  if (other == nullptr) return true;
  Word at;
  at.loc = other->loc;
  return refuse(at, "this is of rows that are no longer there",
                "behind aggregates and DISTINCT, ORDER BY takes columns");
}

bool CypherReader::count_of(const char* word, std::uint64_t& out) {
  const Word number = words_.take();
  const char* const end = number.text.data() + number.text.size();
  const std::from_chars_result read = std::from_chars(number.text.data(), end, out);
  if (number.kind == Word::Kind::Number && read.ec == std::errc() && read.ptr == end) return true;
  return refuse(number, fmt::format("expected a number behind `{}` here", word));
}

}  // namespace matcha::query
