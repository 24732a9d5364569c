#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "question/query/statement.h"
#include "session/ledger/table.h"
#include "session/query/value.h"
#include "session/resident_graph.h"

namespace matcha::session::statement {

/// The parts of a property graph that a statement reads, in memory. It is made of the tables of a run, where a
/// relationship is a row of the table of edges, or of a graph.
class Store {
 public:
  /// Reads the tables. Errors are reported; those about columns have their location in `sources`.
  Status read(const query::Statement& statement, const SourceManager& sources, const BindOptions& options,
              const runtime::IoOptions& io, const Reporter& log);
  /// Takes a graph in memory, which has labels and no columns. A relationship is an edge, by its place among all.
  /// Errors are reported: if the graph lacks data that the statement reads, or has dropped edges.
  Status take(const query::Statement& statement, const SourceManager& sources, ResidentGraph& resident,
              const Reporter& log);

  std::uint32_t nodes() const { return node_count_; }
  /// The rank of a node in the universe of the table.
  std::uint32_t rank(std::uint32_t node) const { return ranks_.empty() ? node : ranks_[node]; }
  std::uint64_t relationships() const { return table_.rows; }
  const ledger::Table& table() const { return table_; }
  std::uint32_t source(std::uint32_t relationship) const { return table_.sources[relationship]; }
  std::uint32_t target(std::uint32_t relationship) const { return table_.targets[relationship]; }
  std::uint32_t type(std::uint32_t relationship) const { return types_.empty() ? 0 : types_[relationship]; }

  /// The outgoing and the incoming relationships of a node, sorted by type and other end.
  std::span<const std::uint32_t> out(std::uint32_t node) const { return of(node, out_begins_, out_); }
  std::span<const std::uint32_t> in(std::uint32_t node) const { return of(node, in_begins_, in_); }
  /// The relationships of one type among `all`, sorted by their other end.
  std::span<const std::uint32_t> typed(std::span<const std::uint32_t> all, std::uint32_t type) const;
  /// The relationships of `typed` that join the node with `other`. `are_out`: they are outgoing.
  std::span<const std::uint32_t> between(std::span<const std::uint32_t> typed, bool are_out, std::uint32_t other) const;
  /// The number of types.
  std::size_t type_count() const { return type_names_.empty() ? 1 : type_names_.size(); }

  /// The numbers of the types with these names; names that no relationship has are left out.
  std::vector<std::uint32_t> types_of(const std::vector<std::string>& names) const;
  Value type_name(std::uint32_t relationship) const;
  Value labels(std::uint32_t node) const;
  /// Adds a test for labels, and returns its number; equal tests have the same number.
  std::size_t add_test(const std::vector<std::vector<std::string>>& labels);
  bool passes(std::size_t test, std::uint32_t node) const { return tests_[test][label_set(node)]; }
  /// The nodes that pass a test.
  const std::vector<std::uint32_t>& passing(std::size_t test);

  /// Properties by the numbers of columns.
  std::size_t node_column(const std::string& name) const {
    const auto found = table_.vertices.find(name);
    return number_of(node_columns_,
                     found != table_.vertices.end() ? found->second : table_.vertices.at(query::kIdColumn));
  }
  std::size_t relationship_column(const std::string& name) const {
    return number_of(relationship_columns_, table_.edges.at(name));
  }
  Value node_property(std::size_t column, std::uint32_t node) const { return cell(*node_columns_[column], node); }
  Value relationship_property(std::size_t column, std::uint32_t relationship) const {
    return cell(*relationship_columns_[column], relationship);
  }
  /// The nodes with a value of a column, compared as for groups. Nothing if text may spell the values of the column.
  std::optional<std::span<const std::uint32_t>> nodes_with(std::size_t column, const Value& value);
  /// The value of the column of `--edge-id` for a relationship, else its number.
  Value relationship_id(std::uint32_t relationship) const;

 private:
  using Lists = std::vector<std::uint32_t>;

  Status take_rows(const Reporter& log);
  Status check(const query::Statement& statement, const SourceManager& sources, const runtime::Graph& graph,
               bool has_types, const Reporter& log) const;
  void take_edges(const runtime::Graph& graph);
  void take_types(const runtime::Graph& graph);
  void take_labels(const runtime::Graph& graph);
  void take_labels();
  Status take_ids(const Reporter& log);
  void sort(bool by_source, std::vector<std::uint64_t>& begins, Lists& list) const;
  Value cell(const ledger::Column& column, std::uint64_t row) const;
  std::uint32_t label_set(std::uint32_t node) const { return set_of_.empty() ? 0 : set_of_[node]; }
  static std::span<const std::uint32_t> of(std::uint32_t node, const std::vector<std::uint64_t>& begins,
                                           const Lists& list) {
    return std::span(list).subspan(begins[node], begins[node + 1] - begins[node]);
  }
  static std::size_t number_of(const std::vector<const ledger::Column*>& all, const ledger::Column& one);

  ledger::Table table_;
  std::uint32_t node_count_ = 0;
  std::vector<std::uint32_t> ranks_;  ///< The rank of each node; empty: a node is its rank.
  std::vector<std::uint64_t> out_begins_, in_begins_;
  Lists out_, in_;
  std::string no_type_;                  ///< The empty text, the type of a relationship without one.
  std::vector<std::string> type_names_;  ///< Ascending.
  std::vector<std::uint32_t> types_;     ///< The type of each row; empty: the statement reads no types.
  std::vector<std::vector<std::string>> sets_{{}};
  std::vector<std::uint32_t> set_of_;  ///< The set of labels of each node; empty: the statement reads no labels.
  std::vector<std::vector<bool>> tests_;
  std::map<std::size_t, Lists> passing_;  ///< By test, the results of `passing`.
  std::vector<const ledger::Column*> node_columns_, relationship_columns_;
  std::map<std::size_t, Lists> by_value_;  ///< By column, the nodes in the order of its values, for `nodes_with`.
};

}  // namespace matcha::session::statement
