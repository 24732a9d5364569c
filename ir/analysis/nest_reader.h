#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/analysis/built_graphs.h"
#include "ir/analysis/facts.h"
#include "ir/analysis/nests.h"
#include "ir/analysis/products.h"
#include "ir/analysis/term.h"

/// How ir/analysis/nests.h reads a module; only its own files include this.
namespace matcha::ir {

/// A column of a row: a vertex, whose term is its item, or a value.
struct RowValue {
  Term term;
  std::vector<Product> products;  ///< The value as their sum, for given items of the row.
  bool is_opaque = true;          ///< It has no such form.
};

/// Rows of a list: one for all items that meet the conditions.
struct Row {
  std::vector<int> items;
  std::vector<Term> conditions;
  std::vector<RowValue> columns;
};

/// Removes the presence conditions whose numbers are in `implied`, and those numbers.
void drop_presences(std::vector<Term>& conditions, std::vector<int>& implied);

/// A sink during the walk of its block.
struct OpenSink {
  SinkKind kind = SinkKind::Sum;
  bool top = false;
  std::size_t items = 0, conditions = 0;  ///< Numbers of surrounding items and conditions.
  std::vector<Nest> nests;                ///< Relative to those; of a list, of vertices or pairs of them.
  std::vector<Nest> expanded;             ///< The same sum with its values multiplied out.
  bool is_opaque = false;                 ///< It has no such form.
  std::vector<Row> rows;                  ///< The rows of a list.
  bool is_of_vertices = true;             ///< A list whose `nests` are all of its rows.
  const Expr* maybe_source = nullptr;     ///< A list has one row for each item of this other list, in its order.
};

/// Reads the nests of a module.
///
/// **Rows.** The walk of a list that other loops filled is the walk of those loops: a row for all items that meet its
/// conditions, as often as the list has it. Lists that were made of the same list, item by item, are walked in step as
/// that one.
///
/// **Tables.** A table of sums by vertices is a function T of its keys: T(k) is the sum over all rows with the keys k,
/// and 0 where there is none, as is `get` of a key that is not there. So a look-up is a sum of rows with the condition
/// that their keys are those. The keys of a table are all k with T(k) != 0: the walk of a table is one of all vertices
/// with that condition, its *presence*. A polynomial of products that each have a T(k) as a factor is 0 where T(k) is,
/// so it needs no such condition: `vanishing` of a product has the numbers of the conditions that it implies.
///
/// **First items.** Only the first item of a list may be read, where an item of the nest is in the list, which is
/// therefore not empty. An item that has to be the first one is dropped from expanded nests (`drop_first_items`).
class NestReader {
 public:
  NestReader(const Module& module, const std::vector<std::string>* maybe_labels, bool has_arcs);

  ModuleNests run();

 private:
  /// Terms are trees, which shared values can make large.
  static constexpr int kMostSteps = 20000;
  static constexpr int kMostTexts = 20000;  ///< Orders of items that show that divisions are exact.
  static constexpr int kDeepest = 200;
  static constexpr std::size_t kMostProducts = 64;
  /// Parts of terms of lists and sums, which are written out wherever one is read: in a chain of lists that each read
  /// the one before twice they are exponentially many.
  static constexpr std::size_t kMostParts = 200'000;

  bool failed() const { return !found_.problem.empty(); }
  Term give_up(std::string_view why, SourceLoc loc);
  bool may_go_on(SourceLoc loc);
  /// Whether the nests of a list or sum may be written out once more.
  bool may_copy(const std::vector<Nest>& nests, SourceLoc loc);

  /// Tracks the depth of a value during its read.
  class Deeper {
   public:
    explicit Deeper(int& depth) : depth_(depth) { ++depth_; }
    ~Deeper() { --depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    int& depth_;
  };

  // Statements (nests.cpp).
  bool may_fail(const Expr& expr);
  void check_trap(const Expr& expr);
  void walk(const Block& block);
  void walk_for(const For& loop);
  void walk_graph(const BuildGraph& build);
  void walk_if(const If& branch);
  void walk_collect(const Collect& collect);
  void walk_yield(const Yield& yield);
  void expand_yield(const Yield& yield, OpenSink& sink, std::vector<Nest>& out);
  void check_orders(SinkNests& sink);
  Nest nest_of(const OpenSink& sink, const Product& product) const;

  // Sets of vertices (nest_sets.cpp).
  const Var* graph_var(const Expr* graph);
  void check_graph(const Expr* graph);
  std::string walked_label(const Expr* graph);
  Term edge(const Expr* graph, int from, int to);
  void check_set(const Expr* list);
  static Term pair(Term::Kind kind, int a, int b);
  int item(const Expr* expr);
  void add_members(const Expr* set, int it, std::vector<Term>& out);
  void add_filtered(const Var& list, int it, std::vector<Term>& out);
  Nest nest_of_set(const Expr* set);
  static bool is_filter(const OpenSink& sink);
  bool is_vertex_set(const Expr* list) const;
  const Expr* list_of_first(const Expr* vertex) const;
  bool has_item(const Expr* list);
  Term is_first(const Expr* list, int it);

  // Lists of rows and tables (nest_rows.cpp).
  const Expr* source_of(const Expr* list) const;
  const Expr* source_of(const Collect& collect, const Var* sink) const;
  void walk_rows(const For& loop, const std::vector<Row>& rows);
  void walk_in_step(const For& loop);
  void walk_source(const Expr* list);
  void bind(const Var* var, const RowValue& column);
  void yield_row(const Yield& yield, OpenSink& sink);
  std::vector<Row> rows_with(const std::vector<Row>& begun, std::span<const Expr* const> values);
  std::vector<Row> with_vertex(const std::vector<Row>& begun, const Expr* vertex);
  std::optional<std::vector<Row>> rows_of(const Expr* list);
  std::optional<std::vector<Row>> rows_of_table(const Expr& table);
  std::vector<Nest> counted_rows(const std::vector<Row>& rows);
  Row fresh(const Row& row);
  Product fresh(const Product& product);
  RowValue looked_up(const std::vector<Row>& rows, const std::vector<Row>& wanted, std::size_t keys, std::size_t column,
                     SourceLoc loc);
  std::optional<RowValue> look_up(const Expr& value);
  /// `select(0 <= find_row(t, k…), at<c>(t, find_row(t, k…)), 0)`: the find_row; null if `value` is something else.
  const Expr* look_up_of(const Expr& value) const;

  // Scalars (nest_values.cpp).
  std::optional<std::vector<Nest>> summands(const Expr* value, bool fully = false);
  bool expand(const Expr* value, bool fully, std::vector<Product>& out);
  bool expand_operation(const Expr* value, std::vector<Product>& out);
  bool expand_quotient(const Expr* value, std::vector<Product>& out);
  bool expand_choice(const Expr* value, std::vector<Product>& out);
  bool expand_column(const RowValue& column, std::vector<Product>& out);
  Product product_of(const Nest& nest);
  Term read(const Expr* expr);
  Term read_or(const Expr& expr);
  Term read_var(const Var& var);
  Term read_operation(const Expr& expr);

  const Module& module_;
  Facts facts_;
  const Var* graph_ = nullptr;
  bool has_arcs_;
  bool is_labelled_;                                    ///< There may be several edges between two vertices, and
  std::unordered_map<const Var*, std::string> labels_;  ///< the graphs of these variables have those with a label.
  std::unordered_map<const Var*, int> item_of_;
  std::unordered_map<const Var*, RowValue> value_of_;  ///< The values of variables that are columns of rows.
  std::unordered_map<const Var*, OpenSink> sinks_;
  std::unordered_map<const Var*, std::size_t> top_;  ///< Sinks of the module's own block other than lists.
  BuiltGraphs built_;
  std::vector<int> items_;  ///< Items of the surrounding loops, with their conditions.
  std::vector<Term> conditions_;
  int next_item_ = 0;
  int next_presence_ = 0;
  int loops_ = 0;  ///< Around the statement.
  int steps_ = 0;
  int texts_ = kMostTexts;
  int depth_ = 0;
  std::size_t parts_ = 0;  ///< Written out so far.
  ModuleNests found_;
};

}  // namespace matcha::ir
