#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "frontend/asg_maker.h"
#include "frontend/ast.h"
#include "frontend/builtins.h"
#include "ir/support/diagnostics.h"

/// Private to the front end: evaluates a checked program into the nodes of a graph. Calls are inlined, so no functions
/// remain.
namespace matcha::frontend::asg {

/// Most nodes and shapes of one program; a hand-written program has some hundreds.
inline constexpr std::size_t kMaxGraphSize = 200'000;
/// Most inlined calls.
inline constexpr std::size_t kMaxCalls = 200'000;
/// Most nested expressions, with a call counting as `kCallDepth`; limits the recursion to a thread's stack.
inline constexpr std::size_t kMaxEvalDepth = 1'500;
inline constexpr std::size_t kCallDepth = 5;
/// Longest path of the graph, which later stages walk recursively.
inline constexpr std::uint32_t kMaxNodeDepth = 1'200;

struct Env;

/// A function and its environment.
struct Closure {
  ast::Def* def = nullptr;
  ast::Lambda* lambda = nullptr;
  const Env* env = nullptr;

  std::span<const ast::Param> params() const;
};

/// The value of an expression while the graph is made: a node or a function; neither for `None`.
struct Value {
  const Node* node = nullptr;
  const Closure* closure = nullptr;
};

class Evaluator {
 public:
  Evaluator(Graph& graph, Diagnostics& diagnostics);
  ~Evaluator();

  /// Fills the graph from `entry`; false after an error.
  bool run(ast::Def& entry);

 private:
  const Type* adopt(const Type* type);
  const Type* written(const ast::TypeExpr& type);
  void add_param(const ast::Param& param, std::int64_t index, Env& env);
  void collect_nodes();

  // Expressions
  Value eval(ast::Expr* expr, const Env& env);
  Value eval_now(ast::Expr* expr, const Env& env);
  Value name(const ast::NameExpr& name, const Env& env);
  const Node* node(ast::Expr* expr, const Env& env);
  const Node* list(const ast::ListExpr& list, const Env& env, const Type* maybe_item);
  const Node* binary(const ast::BinaryExpr& binary, const Env& env);
  const Node* compare(const ast::CompareExpr& compare, const Env& env);
  const Node* compare_pair(ast::BinaryOp op, const Node* left, const Node* right, SourceLoc loc);
  const Node* choice(const ast::IfExpr& choice, const Env& env);

  // Branches (asg_branches.cpp)
  using Names = std::vector<const Node*>;
  /// The value of an operand that may not be needed; `names` gets the values that it binds to names.
  const Node* branch(ast::Expr* expr, const Env& env, Names& names);
  /// The names that the branch of `value` keeps; the loops in them that cannot end the run are named outside too.
  Names kept(const Names& names, const Node* value);
  /// The `names` from which `root` is computed.
  static Names needed(const Names& names, const Node* root);
  /// Names the loops that `node` surely needs and that cannot end the run.
  void name_loops(const Node* node, std::unordered_set<const Node*>& seen);
  /// True if the value may end the run, other than by an int beyond 64 bits.
  bool may_end(const Node* node);
  bool may_end_itself(const Node& node) const;
  /// True if all ints of the value are vertices by its form.
  bool is_of_vertices(const Node* node) const;

  // Calls
  Value call(const ast::CallExpr& call, const Env& env);
  Value invoke(const Closure& closure, std::vector<Value> args, SourceLoc loc);
  Value body(const ast::Def& def, Env& env);
  const Node* builtin(const ast::CallExpr& call, const Builtin& builtin, const Env& env);
  const Node* apply(const ast::CallExpr& call, const Env& env);
  const Node* rounds(const ast::CallExpr& call, const BoundArgs& args, Op op, const Env& env);
  const Type* sum_type(const Type* item);
  /// The type of the table of rows of type `row`, of which the first `keys` positions are the key.
  const Type* table_type(const Type* row, std::size_t keys, bool sums);
  const Node* fold(const ast::CallExpr& call, const Builtin& builtin, const BoundArgs& args, const Env& env);
  const Node* map_list(const Node* list, const Type* item);
  const Node* mk_tuple(const ast::CallExpr& call, const BoundArgs& args, const Env& env);
  const Node* mk_list(const ast::CallExpr& call, const BoundArgs& args, const Env& env);
  const Node* mk_graph(const ast::CallExpr& call, const BoundArgs& args, const Env& env);
  const Node* get(const ast::CallExpr& call, const Env& env);
  const Node* get_position(const Node* tuple, std::size_t position, SourceLoc loc);

  // Subgraphs (asg_subgraphs.cpp)
  /// A call of an operator on a subgraph.
  const Node* of_subgraph(BuiltinId operation, std::vector<const Node*> in, SourceLoc loc);
  /// `v`, or the end of the run if it is not in `list`.
  const Node* member(const Node* v, const Node* list, SourceLoc loc);
  const Node* is_member(const Node* v, const Node* list, SourceLoc loc);
  /// True if the items of `list` are items of `whole` by its form.
  bool is_part(const Node* list, const Node* whole) const;
  /// True if `list` ascends and has vertices of a graph alone, each once, by its form.
  bool is_vertex_set(const Node* list) const;
  const Node* arcs_of(const Node* subgraph, SourceLoc loc);

  // Labels of edges
  /// The graph of the edges with `label`, or all edges reversed (`maybe_label` null). Null if the graph or the label is
  /// unknown before the run.
  const Node* slice(Op op, const Node* graph, const Node* maybe_label, SourceLoc loc);
  /// Every arc of the graph backwards.
  const Node* turned(const Node* graph, SourceLoc loc);
  /// The neighbours of `v` along edges with the label, found among all of its edges.
  const Node* filtered(const Node* graph, const Node* v, const Node* label, SourceLoc loc);
  /// `back`: along the edges that end at the vertex.
  const Node* neighbor(std::span<const Node* const> in, SourceLoc loc, bool back = false);
  const Node* edge_info(std::span<const Node* const> in, SourceLoc loc);
  /// `op`, Neighbor or EdgeInfo, of the edges of `in[1]` in graph `in[0]` with in[2] < time <= in[3], by time.
  const Node* timed(Op op, std::span<const Node* const> in, SourceLoc loc);
  /// The graph, with the edges of each vertex by time.
  const Node* by_time(const Node* graph, SourceLoc loc);
  /// Of the neighbours and the information on edges: those of one whose other is equal to `wanted`; `tested`: 0 for
  /// the neighbours, 1 for the information.
  const Node* where_equal(const Node* graph, const Node* v, std::size_t tested, const Node* wanted, SourceLoc loc);
  /// `body` for each item of a list, which it reads as `operand`.
  const Node* each(const Node* list, const Node* operand, const Node* body, SourceLoc loc,
                   const Node* maybe_cond = nullptr);
  const Node* vertices(std::span<const Node* const> in, SourceLoc loc);
  const Node* labels(std::span<const Node* const> in, SourceLoc loc);
  void collect_slices();

  // Nodes
  const Node* make(Op op, const Type* type, std::initializer_list<const Node*> inputs, SourceLoc loc,
                   const Payload& payload = {});
  const Node* make(Op op, const Type* type, std::span<const Node* const> inputs, SourceLoc loc,
                   const Payload& payload = {});
  const Node* checked(const Node* node);
  const Node* integer(std::int64_t value, SourceLoc loc);
  /// `node` converted to type `wanted`: an int to a float, an empty list to a list of any type.
  const Node* adapt(const Node* node, const Type* wanted);
  const Node* constant(const Node* value);
  /// Gives two numbers the same type.
  void level(const Node*& a, const Node*& b);
  /// Reports a quoted word where a number is needed.
  const Node* number(const Node* node, SourceLoc loc);
  bool stop(DiagId id, SourceLoc loc, std::string message, std::string hint = {});

  Graph& graph_;
  Maker maker_;
  TypeTable& types_;
  Diagnostics& diagnostics_;
  Arena arena_;  ///< Closures.
  std::vector<std::unique_ptr<Env>> envs_;
  std::unordered_map<const ast::Def*, const Closure*> globals_;
  Names* named_ = nullptr;                               ///< The list that collects named values at this place.
  std::unordered_map<const Node*, const Node*> walked_;  ///< The list of an operand.
  std::unordered_map<const Node*, bool> ends_;           ///< `may_end` of nodes.
  std::size_t depth_ = 0;
  std::size_t calls_ = 0;
  bool stopped_ = false;
  bool failed_ = false;
};

}  // namespace matcha::frontend::asg
