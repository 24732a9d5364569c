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

/// A property graph in memory, as far as a statement reads it: the tables of a run, where a relationship is a row of
/// the table of edges, or a graph.
class Store {
 public:
  /// Reads the tables. Errors are reported; those about columns have their place in `sources`.
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

  /// The relationships that leave a node, or come to it, by type and other end.
  std::span<const std::uint32_t> out(std::uint32_t node) const { return of(node, out_begins_, out_); }
  std::span<const std::uint32_t> in(std::uint32_t node) const { return of(node, in_begins_, in_); }
  /// Those of one type among them, by their other end.
  std::span<const std::uint32_t> typed(std::span<const std::uint32_t> all, std::uint32_t type) const;
  /// Those of one type that join a node with `other`. `are_out`: they leave it.
  std::span<const std::uint32_t> between(std::span<const std::uint32_t> typed, bool are_out, std::uint32_t other) const;
  /// All types that there are.
  std::size_t type_count() const { return type_names_.empty() ? 1 : type_names_.size(); }

  /// The numbers of types that relationships have, of these names.
  std::vector<std::uint32_t> types_of(const std::vector<std::string>& names) const;
  Value type_name(std::uint32_t relationship) const;
  Value labels(std::uint32_t node) const;
  /// A test for labels, by its number; equal tests have one.
  std::size_t add_test(const std::vector<std::vector<std::string>>& labels);
  bool passes(std::size_t test, std::uint32_t node) const { return tests_[test][label_set(node)]; }
  /// The nodes that pass it.
  const std::vector<std::uint32_t>& passing(std::size_t test);

  /// Properties by the numbers of columns.
  std::size_t node_column(const std::string& name) const { return number_of(node_columns_, table_.vertices.at(name)); }
  std::size_t relationship_column(const std::string& name) const {
    return number_of(relationship_columns_, table_.edges.at(name));
  }
  Value node_property(std::size_t column, std::uint32_t node) const { return cell(*node_columns_[column], node); }
  Value relationship_property(std::size_t column, std::uint32_t relationship) const {
    return cell(*relationship_columns_[column], relationship);
  }
  /// The nodes with a value of a column, as groups take it. Empty where text may spell the values of the column.
  std::optional<std::span<const std::uint32_t>> nodes_with(std::size_t column, const Value& value);
  /// The id of a relationship as `--edge-id` names it, else its number.
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
  std::vector<std::uint32_t> ranks_;  ///< Of nodes; empty: a node is its rank.
  std::vector<std::uint64_t> out_begins_, in_begins_;
  Lists out_, in_;
  std::string no_type_;                  ///< Empty: of a relationship without one.
  std::vector<std::string> type_names_;  ///< Ascending.
  std::vector<std::uint32_t> types_;     ///< Of each row; empty: the statement asks for none.
  std::vector<std::vector<std::string>> sets_{{}};
  std::vector<std::uint32_t> set_of_;  ///< Of each node; empty: the statement asks for none.
  std::vector<std::vector<bool>> tests_;
  std::map<std::size_t, Lists> passing_;  ///< By test, once they were asked for.
  std::vector<const ledger::Column*> node_columns_, relationship_columns_;
  std::map<std::size_t, Lists> by_value_;  ///< Nodes in the order of their values of a column, once it was asked for.
};

}  // namespace matcha::session::statement
