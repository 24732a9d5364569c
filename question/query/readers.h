#pragma once

#include <array>
#include <optional>

#include "question/collect.h"
#include "question/query/query.h"
#include "question/query/words.h"

/// A reader for each language. They fill the collector and the query; the columns of vertices are the collector's
/// indices until the pattern has an order, and label number i of `Query::variables` is `label_column(i)`.
namespace matcha::query {

void read_sparql(Words& words, pattern::Collector& collector, Query& query);
void read_match(Words& words, pattern::Collector& collector, Query& query);

/// Clauses of Cypher that are not read.
inline constexpr std::array kClausesNotRead = {"CREATE", "MERGE", "DELETE",  "DETACH", "SET",
                                               "REMOVE", "CALL",  "FOREACH", "LOAD"};

/// The column of a label; its own inverse.
constexpr int label_column(int label) { return -1 - label; }
/// Adds a column with the label of the edge of this variable, `?p`.
void add_label_column(const std::string& variable, pattern::Collector& collector, Query& query);

/// The word of a label, in its form; empty after an error. `of_node`: `;` stands between the labels of a node.
std::optional<Word> take_label(Words& words, bool of_node);

/// Reads `LIMIT 10`, if it is next.
void read_limit(Words& words, Query& query);
/// Reports words behind the end of the query, with the hint.
void read_end(Words& words, const std::string& hint);

}  // namespace matcha::query
