#pragma once

#include "question/collect.h"
#include "question/query/query.h"
#include "question/query/words.h"

/// A reader for each language. They fill the collector, and what they ask for; the vertices of rows are those of the
/// collector until the pattern has an order, and label number i of `Query::variables` is `label_column(i)`.
namespace matcha::query {

void read_sparql(Words& words, pattern::Collector& collector, Query& query);
void read_match(Words& words, pattern::Collector& collector, Query& query);

/// Its own inverse.
constexpr int label_column(int label) { return -1 - label; }
/// A column of rows with the label of an edge whose variable this is, `?p`.
void add_label_column(const std::string& variable, pattern::Collector& collector, Query& query);

/// `LIMIT 10`, if it is next.
void read_limit(Words& words, Query& query);
/// Refuses words behind the end of the query, with the hint.
void read_end(Words& words, const std::string& hint);

}  // namespace matcha::query
