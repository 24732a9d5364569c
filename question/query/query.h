#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/support/diagnostics.h"
#include "question/read.h"

/// Queries of other languages that are patterns: basic graph patterns of SPARQL, and MATCH of Cypher and GQL.
namespace matcha::query {

/// What a query asks for.
enum class Answer { Count, Rows, Exists };

/// A query as a pattern, with the meaning of its language.
struct Query {
  pattern::PatternSet set;  ///< One pattern, or alternatives.
  pattern::Match match = pattern::Match::Homo;
  Answer answer = Answer::Count;
  std::vector<int> columns;            ///< Of rows: the vertices that they have; beyond the number of vertices,
  std::vector<std::string> variables;  ///< labels of edges: of these variables, `?p`, one after the other.
  std::vector<std::string> headings;   ///< What these are called in the query.
  std::optional<std::uint64_t> limit;
  /// Of two relationships that were taken to lie one each way, as no graph has two of one type one way: the second.
  std::optional<SourceLoc> maybe_twins;
};

/// Reads a query from `file` of the source manager; nothing after an error, which has its place:
/// - SPARQL: `PREFIX`, `SELECT` of variables, of `*` or `(COUNT(*) AS ?n)`, or `ASK`; triples with `;`, `,` and `a`,
///   `FILTER(?a != ?b)`, `LIMIT`. Any map of the variables is a match (homomorphism). An IRI is the name of a vertex or
///   a label as it stands between `<` and `>`.
///   `SELECT` may have variables of predicates.
/// - Cypher: `MATCH (a:T)-[:R]->(b)<-[:S|U]-(c)--(d), …`, `WHERE a <> c AND …`, `RETURN count(*)`, names or `type(r)`,
/// `LIMIT`.
///   No relationship is met twice; one in either direction is there for each relationship that is so, or the other way
///   round, a loop once.
/// All else is refused (`pattern-syntax`).
std::optional<Query> read_query(const SourceManager& sources, std::uint32_t file, Diagnostics& diagnostics);

}  // namespace matcha::query
