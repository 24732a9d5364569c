#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "question/query/statement.h"
#include "question/query/words.h"

namespace matcha::query {

/// Reads a statement of Cypher from words. Errors go to the collector of the words.
class CypherReader {
 public:
  explicit CypherReader(Words& words) : words_(words) {}

  /// Empty after an error.
  std::optional<Statement> run();

 private:
  using Maybe = std::optional<Term>;
  struct Variable {
    std::size_t slot = 0;
    ValueType type;
  };
  using Names = std::map<std::string, Variable, std::less<>>;
  enum class Role : std::uint8_t { Node, Relationship, Trail, Path };

  // Clauses.
  bool refuse_clause();
  bool match_clause(bool is_optional);
  bool unwind();
  /// Ends a branch of the statement. Whether `UNION` has a further one; nothing after an error.
  std::optional<bool> end_branch();
  bool projection(bool is_last);
  bool columns(Projection& into, bool is_last);
  bool column(Projection& into, bool is_last);
  bool order(Projection& into);
  bool order_of_columns(const Projection& of, Term& key);
  bool count_of(const char* word, std::uint64_t& out);
  void begin_part(const Projection& given);
  /// A condition of `WHERE`, as conjuncts.
  bool where(std::vector<Term>& into);

  // Patterns.
  std::optional<PathPattern> path(MatchClause& clause);
  bool chain(MatchClause& clause, PathPattern& into);
  std::optional<NodePattern> node(MatchClause& clause);
  std::optional<RelationshipPattern> relationship(MatchClause& clause);
  bool relationship_inside(MatchClause& clause, RelationshipPattern& into);
  bool range(RelationshipPattern& into);
  bool labels(std::vector<std::vector<std::string>>& into);
  /// `{name: value}`, as conditions on a variable.
  bool map_of(const Term& subject, std::vector<Term>& into);
  /// The slot of a name, which may have a value already. Nothing after an error.
  std::optional<std::size_t> slot_of(const Word& name, Role role, MatchClause& clause);
  std::size_t new_slot(MatchClause& clause);
  bool is_pattern() const;

  // Terms.
  Maybe term();
  Maybe either();
  Maybe conjunction();
  Maybe negated();
  /// Parts with the keyword between them; one alone is itself.
  Maybe chain(const char* keyword, Term::Kind kind, Maybe (CypherReader::*part)());
  Maybe comparison();
  Maybe sum();
  Maybe product();
  Maybe power();
  Maybe postfix();
  Maybe atom();
  /// `is_negative`: behind a sign that touches it.
  Maybe number(bool is_negative);
  Maybe list();
  Maybe map();
  Maybe choice();
  Maybe call();
  Maybe aggregate(const Word& name);
  Maybe arguments_of(const Word& name);
  Maybe property(Term of, const Word& column);
  Maybe pattern_term();
  Maybe test_behind(Term left);
  std::string comparison_sign();
  /// The type of a call. Nothing after an error.
  std::optional<ValueType> type_of_call(const Term& call, const Word& name);

  Maybe fail(const Word& at, const std::string& message, const std::string& hint = {});
  bool refuse(const Word& at, const std::string& message, const std::string& hint = {});
  bool is_name(const Word& word) const;
  bool is_adjacent(const Word& left, const Word& right) const;

  Words& words_;
  Statement statement_;
  StatementPart part_;
  std::vector<std::vector<StatementPart>> branches_;  ///< Those that were read.
  Names names_;
  std::set<std::size_t> here_;  ///< Relationships of the clause that is read.
  std::vector<Term>* maybe_aggregates_ = nullptr;
  const char* no_aggregates_ = "here";  ///< The place that has none.
  bool in_where_ = false;
  bool in_condition_ = false;  ///< A pattern in a condition gives no name to anything.
  int depth_ = 0;
  std::size_t elements_ = 0;  ///< The number of elements of all patterns.
  std::optional<Word> maybe_map_;
};

/// A term of this kind.
Term made(Term::Kind kind, SourceLoc loc, std::vector<Term> parts = {}, ValueType type = {ValueType::Base::Scalar, 0});
/// The parts of a term, which are moved: a list in braces copies them.
template <class... Terms>
std::vector<Term> parts_of(Terms... terms) {
  std::vector<Term> all;
  (all.push_back(std::move(terms)), ...);
  return all;
}
/// The term for the variable in `slot`.
Term variable_term(std::size_t slot, ValueType type, SourceLoc loc);
/// `a node`, `a list of nodes`.
std::string name_of(ValueType type);
/// Whether they are one term, wherever they stand.
bool is_same(const Term& a, const Term& b);
/// The conjuncts of a condition, behind those that are there.
void add_conjuncts(Term term, std::vector<Term>& into);

}  // namespace matcha::query
