#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/ast.h"
#include "frontend/builtins.h"
#include "frontend/frontend.h"
#include "frontend/infer_types.h"

/// Private to type inference: the walk over the tree.
namespace matcha::frontend::infer {

class Walker {
 public:
  Walker(Program& program, Diagnostics& diagnostics) : program_(program), solver_(diagnostics) {}

  /// Infers a function of a file; reports nothing if it has syntax errors.
  void top_def(ast::Def& def);
  /// Writes the inferred types into the tree; the entry's parameters must be known.
  void finish();

 private:
  struct Known {
    Ty* type = nullptr;
    std::optional<Scheme> scheme;
  };

  // Functions
  void def(ast::Def& def);
  void body(ast::Def& def, Ty* result);
  void assign(ast::Stmt& stmt);
  Ty* lambda(ast::Lambda& lambda, const std::vector<Ty*>& wanted);
  void finish_entry(ast::Def& def, Ty* type);
  void check_entry_param(const ast::Param& param);
  void check_entry_result(const ast::Def& def, Ty* result);
  /// True if an argument of type `given` fits `maybe_param` (null: unknown) of type `type`.
  bool fits_param(Ty* given, Ty* type, const ast::Param* maybe_param, SourceLoc loc);
  /// The type as written; reports unknown types.
  Ty* written(const ast::TypeExpr& type);
  Ty* written_table(const ast::TypeExpr& type, const std::vector<Ty*>& args);
  void bind(const ast::Decl& decl, Ty* type) { known_[decl.id].type = type; }

  // Expressions
  Ty* expr(ast::Expr* expr);
  Ty* name(ast::NameExpr& name);
  Ty* list(ast::ListExpr& list);
  /// A list whose items have the type written in the program.
  Ty* written_list(ast::ListExpr& list, Ty* item);
  Ty* unary(ast::UnaryExpr& unary);
  Ty* binary(ast::BinaryExpr& binary);
  Ty* compare(ast::CompareExpr& compare);
  Ty* choice(ast::IfExpr& choice);
  /// Requires `value` to be a bool.
  void expect_bool(ast::Expr* value, std::string what);
  Ty* join(Ty* a, Ty* b, SourceLoc loc, std::string_view text);
  void require(Constraint::Kind kind, Ty* type, SourceLoc loc, std::string_view text);

  // Calls
  Ty* call(ast::CallExpr& call);
  Ty* call_value(ast::CallExpr& call);
  Ty* call_known(ast::CallExpr& call, std::string_view name, std::span<ast::Param> params, Ty* type);
  Ty* builtin(ast::CallExpr& call, const Builtin& builtin);
  /// The type of a call with bound arguments.
  Ty* builtin_result(ast::CallExpr& call, const Builtin& builtin, const BoundArgs& args);
  Ty* table_result(ast::CallExpr& call, const Builtin& builtin, const BoundArgs& args);
  Ty* apply(ast::CallExpr& call);
  Ty* function_arg(ast::Expr* func, const std::vector<Ty*>& items, SourceLoc call, Ty* result, std::string_view role,
                   std::string_view of = "apply");
  Ty* mk_tuple(ast::CallExpr& call, const BoundArgs& args);
  /// The types of the positions in the order of `values`; each fits `maybe_dtype`.
  std::vector<Ty*> tuple_positions(const ast::ListExpr& values, Ty* maybe_dtype);
  Ty* mk_list(ast::CallExpr& call, const BoundArgs& args);
  Ty* mk_graph(const BoundArgs& args);
  Ty* edges_of(ast::CallExpr& call, const Builtin& builtin, const BoundArgs& args);
  Ty* get(ast::CallExpr& call);
  /// The table that `sum_by` and its kin make.
  Ty* fold(ast::CallExpr& call, const Builtin& builtin, const BoundArgs& args);
  /// The type that a constraint of this kind gives, of a value of type `a`, or two of types `a` and `maybe_b`.
  Ty* given(Constraint::Kind kind, Ty* a, SourceLoc loc, std::string_view text, Ty* maybe_b = nullptr);
  Ty* set_operation(const Builtin& builtin, const BoundArgs& args);
  Ty* min_max(ast::CallExpr& call, const BoundArgs& args, std::string_view name);
  void report_args(const std::vector<const ast::Arg*>& unknown, const std::vector<const ast::Arg*>& repeated,
                   std::string_view name, const std::vector<std::string>& known);
  /// The type of argument `index` of an operator; it is required to fit `wanted`.
  Ty* arg(const Builtin& builtin, const BoundArgs& args, std::size_t index, Ty* wanted);
  /// Requires that all given arguments of an operator fit `wanted`; returns `result`.
  Ty* given_args(const Builtin& builtin, const BoundArgs& args, std::initializer_list<Ty*> wanted, Ty* result);
  bool absent(const ast::Arg* arg) const { return arg == nullptr || arg->value->kind == ast::Expr::Kind::None; }

  void error(DiagId id, SourceLoc loc, std::string message, std::string hint = {}) {
    solver_.report(id, loc, std::move(message), std::move(hint));
  }
  Ty* failed(DiagId id, SourceLoc loc, std::string message, std::string hint = {}) {
    error(id, loc, std::move(message), std::move(hint));
    return solver_.error_type();
  }

  Program& program_;
  Solver solver_;
  std::unordered_map<std::uint32_t, Known> known_;
  std::vector<ast::Decl*> decls_;
  std::vector<std::pair<ast::Def*, Ty*>> results_;
  std::vector<std::pair<ast::ListExpr*, Ty*>> empty_lists_;  ///< With the types of their items.
};

}  // namespace matcha::frontend::infer
