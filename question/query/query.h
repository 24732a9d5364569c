#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/support/diagnostics.h"
#include "question/read.h"

/// Queries of other languages that are patterns: basic graph patterns of SPARQL, and MATCH of Cypher and GQL.
namespace matcha::query {

struct Statement;

/// The kind of a query's answer.
enum class Answer { Count, Rows, Exists };

/// A query as a pattern, with the meaning of its language.
struct Query {
  pattern::PatternSet set;  ///< One pattern, or alternatives.
  pattern::Match match = pattern::Match::Homo;
  Answer answer = Answer::Count;
  std::vector<int> columns;            ///< Columns of rows: vertices; beyond the number of vertices,
  std::vector<std::string> variables;  ///< labels of edges: of these variables, `?p`, in order.
  std::vector<std::string> headings;   ///< The names of the columns in the query.
  std::optional<std::uint64_t> limit;
  /// If two relationships were assumed to have opposite directions, because no graph has two of one type in one
  /// direction: the place of the second.
  std::optional<SourceLoc> maybe_second_of_pair;
  /// The statement of a query that is more than one pattern; then the set has a location and no pattern. Null: the set
  /// is the query.
  std::shared_ptr<const Statement> maybe_statement;
};

/// Reads a query from `file` of the source manager; empty after an error, which has its place:
/// - SPARQL: `PREFIX`, `SELECT` of variables (of predicates too), of `*` or `(COUNT(*) AS ?n)`, or `ASK`; triples with
///   `;`, `,` and `a`, `FILTER(?a != ?b)`, `LIMIT`. Any map of the variables is a match (homomorphism). An IRI is the
///   name of a vertex or a label, as written between `<` and `>`.
/// - Cypher: `MATCH (a:T)-[:R]->(b)<-[:S|U]-(c)--(d), …`, `WHERE a <> c AND …`, `RETURN count(*)`, names or `type(r)`,
///   `LIMIT` are a pattern. A match uses no relationship twice. A relationship without a direction matches both
///   directions, a loop once. Several `MATCH`, `OPTIONAL MATCH`, `WITH` and other columns are a statement, and so are
///   conditions unless the graph `has_tables`.
/// Anything else is refused (`pattern-syntax`).
std::optional<Query> read_query(const SourceManager& sources, std::uint32_t file, bool has_tables,
                                Diagnostics& diagnostics);

/// For those that answer patterns alone: an error if the query is a statement, and true.
bool refuse_statement(const Query& query, Diagnostics& diagnostics);

}  // namespace matcha::query
