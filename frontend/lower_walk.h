#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/asg.h"
#include "frontend/lower_kinds.h"
#include "ir/builder.h"
#include "ir/support/diagnostics.h"

/// Private to lowering: from nodes of the graph to statements and expressions.
namespace matcha::frontend::lowering {

/// Most statements of one program; lowering makes about ten for each node.
inline constexpr std::size_t kMaxStatements = 100'000;
/// Values of at most this many operators are evaluated again instead of being named.
inline constexpr std::uint32_t kCheap = 8;
/// Most operators of one expression; larger ones are split by a `let`.
inline constexpr std::uint32_t kDear = 64;

/// The lowered form of a node: for a scalar or tuple one expression for each column, for a list or graph one in total.
/// A list of lists has no such form; the node itself is passed on to be walked: `maybe_list`.
struct Value {
  std::vector<const ir::Expr*> parts;
  const asg::Node* maybe_list = nullptr;
};

class Lowering {
 public:
  Lowering(const asg::Graph& graph, ir::Context& context, Diagnostics& diagnostics, bool may_loop, bool plain_may_loop);

  std::optional<ir::Module> run();

 private:
  using Exprs = std::vector<const ir::Expr*>;
  using Stmts = std::vector<const ir::Stmt*>;
  using Visit = std::function<void(const Value& item)>;

  /// A block being written, and the values available in it.
  struct Scope {
    enum class Kind : std::uint8_t { Plain, Loop, Branch };
    Kind kind = Kind::Plain;
    Stmts stmts;
    std::unordered_map<const asg::Node*, Value> values;
  };

  ir::Module with_promises(const ir::Module& module);

  // Values
  Value lower(const asg::Node* node);
  Value compute(const asg::Node* node);
  const ir::Expr* scalar(const asg::Node* node) { return lower(node).parts.at(0); }
  const ir::Expr* list(const asg::Node* node) { return lower(node).parts.at(0); }
  const ir::Expr* vertex(const asg::Node* node);
  const ir::Expr* integer(const asg::Node* node);
  Value named(const asg::Node* node, Value value);
  std::uint32_t cost(const ir::Expr* expr);
  const ir::Expr* narrowed(const ir::Expr* expr);
  Value usable_here(Value value);
  const ir::Expr* as_kind(const ir::Expr* value, ir::ScalarKind kind);
  Exprs as_kinds(const Value& value, const Kinds& kinds);
  Value arithmetic(const asg::Node* node, ir::Kind kind);
  Value comparison(const asg::Node* node, ir::Kind kind);
  Value logic(const asg::Node* node);
  Value choice(const asg::Node* node);
  /// The result of lowering `node` in a new block.
  struct Branch {
    Scope scope;
    Value value;
  };
  /// The branch of `node->inputs[input]`.
  Branch branch_of(const asg::Node* node, std::size_t input);
  Value branches(const asg::Node* node, const ir::Expr* cond, Branch& then_branch, Branch& else_branch);
  Value choose_lists(const asg::Node* node);
  /// The table of the rows of a list, named.
  Value table(const asg::Node* node, ir::Fold fold, const ir::Expr* rows);
  Value build_graph(const asg::Node* node);
  const ir::Expr* up_to(const ir::Expr* list, const ir::Expr* x);
  const ir::Expr* part(const asg::Node* node);

  // Lists
  /// Emits a collect with one sink, whose body `fill` emits, and returns its value.
  Value collected(const ir::Var* var, ir::SinkKind kind, SourceLoc loc, const std::function<void()>& fill);
  Value collect_list(const asg::Node* node);
  Value sum(const asg::Node* node);
  Value reduce(const asg::Node* node, ir::SinkKind kind);
  Value size(const asg::Node* node);
  Value literal(const asg::Node* node);
  Value limited(const asg::Node* node);
  Value set_operation(const asg::Node* node);
  Value item(const asg::Node* node);
  /// The same items in columns of `kinds`.
  const ir::Expr* converted_list(const ir::Expr* list, const Kinds& kinds);
  /// Writes code that calls `visit` for every item of the list `node`, in order; `visit` may be called at several
  /// places.
  void walk(const asg::Node* node, const Visit& visit);
  void walk_now(const asg::Node* node, const Visit& visit);
  /// Walks `node->inputs[input]`, one of the lists of an `if`.
  void walk_branch(const asg::Node* node, std::size_t input, const Visit& visit);
  /// The value of `node` as the item of a list; a list is passed on as its node.
  Value item_value(const asg::Node* node);
  void walk_apply(const asg::Node* node, const Visit& visit);
  void walk_rows(const asg::Node* node, const Visit& visit) { walk_list(list(node), node->loc, visit); }
  void walk_list(const ir::Expr* rows, SourceLoc loc, const Visit& visit);
  void bind_operand(const asg::Node* operand, const Value& item) { scopes_.back()->values[operand] = item; }

  // Tables, and lists in order (lower_tables.cpp)
  Value of_list(const asg::Node* node);
  Value fold(const asg::Node* node);
  /// The number of scopes, from the outermost on, in which a table is made: before the first loop whose items it does
  /// not read, but in the branches around that.
  std::size_t home_of(const asg::Node* node) const;
  /// `lower` with the first `count` scopes alone.
  Value lower_in(std::size_t count, const asg::Node* node);
  Value rounds(const asg::Node* node);
  Value rounds_at_top(const asg::Node* node);
  /// The value of `node` with columns of `kinds`.
  Exprs with_kinds(const asg::Node* node, const Kinds& kinds);
  /// True for a table of sums, in which a key that is not there has the value 0; an error if it may be another one too.
  bool has_zeros(const asg::Node* table, SourceLoc loc);
  Value get_key(const asg::Node* node);
  Value column(const asg::Node* node);
  const ir::Expr* sorted_list(const asg::Node* list);
  Value top(const asg::Node* node);
  /// The list of the rows of `list` in columns of `kinds`, followed by the columns `more`.
  const ir::Expr* rows_of(const asg::Node* list, Kinds kinds, const Exprs& more);
  /// The values among the columns of a table that `keys` or `values` takes.
  static Value part(const asg::Node* node, const Exprs& row);

  // Statements
  template <typename F>
  const ir::Block* block(F&& fill, Scope::Kind kind = Scope::Kind::Plain) {
    Scope scope;
    scope.kind = kind;
    scopes_.push_back(&scope);
    fill();
    scopes_.pop_back();
    return builder_.block(scope.stmts);
  }
  void emit(const ir::Stmt* stmt, SourceLoc loc);
  /// Computes named values at the place of their names, if they are needed.
  void lower_named(std::span<const asg::Node* const> named);
  /// The name of `node` in the program, for readers.
  std::string_view name_of(const asg::Node* node, std::string_view otherwise) const;
  const ir::Type* list_type(const Kinds& kinds);
  const ir::Type* scalar_type(ir::ScalarKind kind) { return builder_.context().scalar(kind); }
  bool at_top() const { return scopes_.size() == 1; }
  void fail(DiagId id, SourceLoc loc, std::string message, std::string hint = {});
  Value dummy(const asg::Node* node);

  const asg::Graph& graph_;
  const bool may_loop_;
  const bool plain_may_loop_;
  ir::Builder builder_;
  Diagnostics& diagnostics_;
  ColumnKinds kinds_;
  std::unordered_map<const asg::Node*, int> uses_;
  std::vector<Scope*> scopes_;
  std::unordered_map<const ir::Expr*, const ir::Var*> narrowed_;  ///< Top-level 128-bit values, converted to 64 bits.
  std::unordered_map<const ir::Expr*, std::uint32_t> costs_;
  SourceLoc graph_loc_;  ///< Place of the graph being built, at top level, where no operand is bound.
  std::unordered_map<const asg::Node*, const asg::Node*> rounds_;  ///< The rounds of their value.
  SourceLoc rounds_loc_;  ///< Place of the rounds being made, at top level, where no operand is bound.
  bool in_branch_ = false;
  bool in_step_ = false;
  std::size_t statements_ = 0;
  bool failed_ = false;
};

}  // namespace matcha::frontend::lowering
