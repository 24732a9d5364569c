#include "frontend/infer.h"

#include <algorithm>

#include "frontend/infer_walk.h"

namespace matcha::frontend {

void infer_types(Program& program, const std::vector<ast::Def*>& order, Diagnostics& diagnostics) {
  infer::Walker walker(program, diagnostics);
  for (ast::Def* def : order) walker.top_def(*def);
  walker.finish();
}

namespace infer {

void Walker::top_def(ast::Def& def) {
  solver_.mute(def.trouble != ast::Trouble::None);
  this->def(def);
  solver_.mute(false);
}

void Walker::def(ast::Def& def) {
  if (solver_.exhausted()) return;
  solver_.enter();
  std::vector<Ty*> args;
  for (ast::Param& param : def.params) {
    Ty* type = param.maybe_type != nullptr ? written(*param.maybe_type) : solver_.var();
    if (param.maybe_default != nullptr) {
      Ty* given = expr(param.maybe_default);
      if (!solver_.fits_written(given, type, param.maybe_default->loc)) {
        error(DiagId::TypeMismatch, param.maybe_default->loc,
              "the default value has type " + quoted(given) + "; the parameter has type " + quoted(type));
      }
    }
    bind(*param.decl, type);
    decls_.push_back(param.decl);
    args.push_back(type);
  }
  Ty* result = def.maybe_result != nullptr ? written(*def.maybe_result) : solver_.var();
  body(def, result);
  Ty* type = solver_.func(std::move(args), result);
  results_.emplace_back(&def, result);
  if (&def == program_.entry) {
    finish_entry(def, type);
    solver_.leave();
    known_[def.decl->id].type = type;
    return;
  }
  Scheme scheme = solver_.generalize(type);
  known_[def.decl->id].scheme = std::move(scheme);
}

void Walker::body(ast::Def& def, Ty* result) {
  bool returned = false;
  for (ast::Stmt& stmt : def.body) {
    switch (stmt.kind) {
      case ast::Stmt::Kind::Assign: assign(stmt); break;
      case ast::Stmt::Kind::Def: this->def(*stmt.def); break;
      case ast::Stmt::Kind::Doc:
      case ast::Stmt::Kind::Broken: break;
      case ast::Stmt::Kind::Return: {
        Ty* type = expr(stmt.value);
        returned = true;
        if (!solver_.fits_written(type, result, stmt.value->loc)) {
          error(DiagId::TypeMismatch, stmt.value->loc,
                quoted(def.decl->name) + " returns " + quoted(type) + "; it is declared to return " + quoted(result));
        }
        break;
      }
    }
  }
  if (!returned) solver_.unify(result, solver_.error_type(), def.loc);
}

void Walker::assign(ast::Stmt& stmt) {
  decls_.push_back(stmt.decl);
  if (stmt.value->kind == ast::Expr::Kind::Lambda) {
    solver_.enter();
    Ty* type = expr(stmt.value);
    known_[stmt.decl->id].scheme = solver_.generalize(type);
    return;
  }
  bind(*stmt.decl, expr(stmt.value));
}

Ty* Walker::lambda(ast::Lambda& lambda, const std::vector<Ty*>& wanted) {
  std::vector<Ty*> args;
  for (std::size_t i = 0; i < lambda.params.size(); ++i) {
    Ty* type = i < wanted.size() ? wanted[i] : solver_.var();
    bind(*lambda.params[i].decl, type);
    decls_.push_back(lambda.params[i].decl);
    args.push_back(type);
  }
  Ty* result = expr(lambda.body);
  return solver_.func(std::move(args), result);
}

Ty* Walker::written(const ast::TypeExpr& type) {
  if (type.name == "int") return solver_.int_type();
  if (type.name == "float") return solver_.float_type();
  if (type.name == "bool") return solver_.bool_type();
  if (type.name == "Graph") return solver_.graph(solver_.var());
  std::vector<Ty*> args;
  for (const ast::TypeExpr* arg : type.args) {
    args.push_back(Solver::find(written(*arg)));
    if (args.back()->kind == Ty::Kind::Error) return args.back();
  }
  if (type.name == "List") {
    if (args[0]->kind != Ty::Kind::Graph) return solver_.list(args[0]);
    return failed(DiagId::BadType, type.loc, "a list cannot hold `Graph`");
  }
  if (type.name == "Table") return written_table(type, args);
  for (Ty* arg : args) {
    if (arg->kind == Ty::Kind::Int || arg->kind == Ty::Kind::Float || arg->kind == Ty::Kind::Bool) continue;
    return failed(DiagId::BadType, type.loc, quoted(type.name) + " takes `int`, `float` or `bool`, not " + quoted(arg));
  }
  if (type.name == "Var") return args[0];
  std::int64_t count = type.count >= 0 ? type.count : static_cast<std::int64_t>(args.size());
  if (count < 1 || count > kMaxTupleSize) {
    return failed(DiagId::BadType, type.loc,
                  "a tuple has 1 to " + std::to_string(kMaxTupleSize) + " positions, not " + std::to_string(count));
  }
  args.resize(static_cast<std::size_t>(count), args[0]);
  return solver_.tuple(std::move(args));
}

/// `Table<K, V>`: each a scalar or a tuple of scalars, the key without floats.
Ty* Walker::written_table(const ast::TypeExpr& type, const std::vector<Ty*>& args) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::vector<Ty*> parts = args[i]->kind == Ty::Kind::Tuple ? args[i]->args : std::vector<Ty*>{args[i]};
    for (Ty* part : parts) {
      const Ty::Kind kind = Solver::find(part)->kind;
      if (kind == Ty::Kind::Int || kind == Ty::Kind::Bool || (i == 1 && kind == Ty::Kind::Float)) continue;
      return failed(i == 0 ? DiagId::KeyType : DiagId::BadType, type.args[i]->loc,
                    i == 0 ? "the key of a table is an int, a bool or a tuple of them, not " + quoted(args[i])
                           : "the value of a table is a scalar or a tuple, not " + quoted(args[i]));
    }
  }
  return solver_.table(args[0]->kind == Ty::Kind::Tuple ? args[0]->args : std::vector<Ty*>{args[0]}, args[1]);
}

void Walker::finish_entry(ast::Def& def, Ty* type) {
  solver_.settle_defaults();
  for (const ast::Param& param : def.params) {
    Ty* type = Solver::find(known_[param.decl->id].type);
    if (type->kind == Ty::Kind::List) solver_.fill_positions(type->elem, param.decl->loc);
  }
  solver_.settle_defaults();
  for (const ast::Param& param : def.params) check_entry_param(param);
  check_entry_result(def, Solver::find(type)->elem);
}

void Walker::check_entry_param(const ast::Param& param) {
  Ty* type = Solver::find(known_[param.decl->id].type);
  std::string name = quoted(param.decl->name);
  Ty* item = type->kind == Ty::Kind::List ? Solver::find(type->elem) : nullptr;
  std::vector<Ty*> columns;
  if (item != nullptr && item->kind == Ty::Kind::Tuple) columns = item->args;
  if (item != nullptr && item->kind != Ty::Kind::Tuple) columns = {item};
  auto is_open = [](Ty* column) { return Solver::is(column, Ty::Kind::Var); };
  if (type->kind == Ty::Kind::Var || std::ranges::any_of(columns, is_open)) {
    std::string known = type->kind == Ty::Kind::Var ? "" : "; it is a " + quoted(type);
    error(DiagId::CannotInfer, param.decl->loc, "the type of " + name + " does not follow from the program" + known,
          "write it, as in `" + std::string(param.decl->name) + ": " +
              (type->kind == Ty::Kind::Var ? "int" : "List<int>") + "`");
    return;
  }
  bool unbindable = std::ranges::any_of(columns, [](Ty* column) {
    return !Solver::is(column, Ty::Kind::Int) && !Solver::is(column, Ty::Kind::Float) &&
           !Solver::is(column, Ty::Kind::Error);
  });
  if (type->kind == Ty::Kind::Func || type->kind == Ty::Kind::Tuple || type->kind == Ty::Kind::Table || unbindable) {
    error(DiagId::EntryParam, param.decl->loc, "no input can be bound to " + name + " of type " + quoted(type),
          "the entry takes graphs, lists of numbers or of tuples of numbers, and scalars");
  }
}

void Walker::check_entry_result(const ast::Def& def, Ty* result) {
  result = Solver::find(result);
  Ty* item = result->kind == Ty::Kind::List ? Solver::find(result->elem) : nullptr;
  bool nested = item != nullptr && item->kind == Ty::Kind::List;
  if (result->kind != Ty::Kind::Func && result->kind != Ty::Kind::Graph && !nested) return;
  error(DiagId::EntryResult, def.loc,
        quoted(def.decl->name) + " returns " + quoted(result) + ", which cannot be printed",
        nested ? "make one list of it with `flatten`" : "return a scalar, a tuple or a list");
}

void Walker::finish() {
  if (solver_.exhausted()) return;
  for (ast::Decl* decl : decls_) {
    const Known& known = known_[decl->id];
    if (known.type != nullptr) decl->type = solver_.ground(known.type, *program_.types);
    Ty* shown = known.type != nullptr ? known.type : known.scheme ? known.scheme->type : nullptr;
    if (shown != nullptr) decl->shown = program_.arena->copy(std::string_view(Solver::show(shown)));
  }
  for (const auto& [def, type] : results_) {
    def->result_type = solver_.ground(type, *program_.types);
    def->shown_result = program_.arena->copy(std::string_view(Solver::show(type)));
  }
  for (const auto& [list, item] : empty_lists_) list->maybe_item = solver_.ground(item, *program_.types);
}

Ty* Walker::expr(ast::Expr* expr) {
  if (solver_.exhausted()) return solver_.error_type();
  switch (expr->kind) {
    case ast::Expr::Kind::Int:
    case ast::Expr::Kind::Label: return solver_.int_type();
    case ast::Expr::Kind::Broken: return solver_.error_type();
    case ast::Expr::Kind::Float: return solver_.float_type();
    case ast::Expr::Kind::Bool: return solver_.bool_type();
    case ast::Expr::Kind::None:
      return failed(DiagId::NoneValue, expr->loc, "`None` is no value", "leave the argument out");
    case ast::Expr::Kind::TypeName:
      return failed(DiagId::TypeValue, expr->loc, "a type is no value",
                    "types stand after `:` and `->`, and in `mk_list` and `mk_tuple`");
    case ast::Expr::Kind::Name: return name(*static_cast<ast::NameExpr*>(expr));
    case ast::Expr::Kind::List: return list(*static_cast<ast::ListExpr*>(expr));
    case ast::Expr::Kind::Unary: return unary(*static_cast<ast::UnaryExpr*>(expr));
    case ast::Expr::Kind::Binary: return binary(*static_cast<ast::BinaryExpr*>(expr));
    case ast::Expr::Kind::Compare: return compare(*static_cast<ast::CompareExpr*>(expr));
    case ast::Expr::Kind::If: return choice(*static_cast<ast::IfExpr*>(expr));
    case ast::Expr::Kind::Lambda: return lambda(*static_cast<ast::Lambda*>(expr), {});
    case ast::Expr::Kind::Call: return call(*static_cast<ast::CallExpr*>(expr));
  }
  return solver_.error_type();
}

Ty* Walker::name(ast::NameExpr& name) {
  if (name.builtin >= 0) {
    return failed(DiagId::FunctionValue, name.loc, "the operator " + quoted(name.name) + " can only be called",
                  "write a function around it, such as `lambda x: " + std::string(name.name) + "(x)`");
  }
  if (name.decl == nullptr) return solver_.error_type();
  const ast::Decl* decl = name.decl;
  if (decl->kind == ast::Decl::Kind::Import || decl->kind == ast::Decl::Kind::Def) {
    if (decl->def == nullptr || decl->def->recursive) return solver_.error_type();
    if (decl->def->trouble != ast::Trouble::None) return solver_.error_type();
    decl = decl->def->decl;
  }
  auto found = known_.find(decl->id);
  if (found == known_.end()) return solver_.error_type();
  if (found->second.scheme) return solver_.instantiate(*found->second.scheme, name.loc);
  return found->second.type == nullptr ? solver_.error_type() : found->second.type;
}

void Walker::require(Constraint::Kind kind, Ty* type, SourceLoc loc, std::string_view text) {
  Constraint c;
  c.kind = kind;
  c.a = type;
  c.loc = loc;
  c.text = text;
  solver_.add(c);
}

Ty* Walker::join(Ty* a, Ty* b, SourceLoc loc, std::string_view text) {
  return given(Constraint::Kind::Join, a, loc, text, b);
}

Ty* Walker::list(ast::ListExpr& list) {
  if (list.items.empty()) return solver_.list(empty_lists_.emplace_back(&list, solver_.var()).second);
  Ty* item = nullptr;
  for (ast::Expr* value : list.items) {
    Ty* type = expr(value);
    require(Constraint::Kind::Item, type, value->loc, "[…]");
    item = item == nullptr ? type : join(item, type, value->loc, "the items of a list");
  }
  return solver_.list(item);
}

Ty* Walker::written_list(ast::ListExpr& list, Ty* item) {
  for (ast::Expr* value : list.items) {
    Ty* type = expr(value);
    if (solver_.fits_written(type, item, value->loc)) continue;
    error(DiagId::TypeMismatch, value->loc, "the item has type " + quoted(type) + "; `type` says " + quoted(item));
  }
  return solver_.list(item);
}

Ty* Walker::unary(ast::UnaryExpr& unary) {
  if (unary.op == ast::UnaryOp::Not) {
    expect_bool(unary.operand, "the operand of `not`");
    return solver_.bool_type();
  }
  Ty* type = expr(unary.operand);
  Ty* found = Solver::find(type);
  bool number = found->kind == Ty::Kind::Int || found->kind == Ty::Kind::Float;
  if (!number && found->kind != Ty::Kind::Var && found->kind != Ty::Kind::Error) {
    return failed(DiagId::OperandType, unary.loc, "`-` works on ints and floats; the operand has type " + quoted(type));
  }
  require(Constraint::Kind::Number, type, unary.loc, "-");
  return type;
}

void Walker::expect_bool(ast::Expr* value, std::string what) {
  Ty* type = expr(value);
  if (solver_.unify(type, solver_.bool_type(), value->loc)) return;
  error(DiagId::OperandType, value->loc, what + " has type " + quoted(type) + "; it must be a `bool`");
}

Ty* Walker::binary(ast::BinaryExpr& binary) {
  if (binary.op == ast::BinaryOp::And || binary.op == ast::BinaryOp::Or) {
    std::string sign = quoted(ast::spelling(binary.op));
    expect_bool(binary.left, "the left side of " + sign);
    expect_bool(binary.right, "the right side of " + sign);
    return solver_.bool_type();
  }
  Ty* left = expr(binary.left);
  Ty* right = expr(binary.right);
  return given(Constraint::Kind::Arith, left, binary.loc, ast::spelling(binary.op), right);
}

Ty* Walker::compare(ast::CompareExpr& compare) {
  Ty* left = expr(compare.operands[0]);
  for (std::size_t i = 0; i < compare.ops.size(); ++i) {
    Constraint c;
    c.kind = Constraint::Kind::Compare;
    c.a = left;
    c.b = left = expr(compare.operands[i + 1]);
    c.loc = compare.op_locs[i];
    c.text = ast::spelling(compare.ops[i]);
    c.order = compare.ops[i] != ast::BinaryOp::Eq && compare.ops[i] != ast::BinaryOp::Ne;
    solver_.add(c);
  }
  return solver_.bool_type();
}

Ty* Walker::choice(ast::IfExpr& choice) {
  Ty* then_type = expr(choice.then_value);
  expect_bool(choice.cond, "the condition");
  Ty* else_type = expr(choice.else_value);
  return join(then_type, else_type, choice.loc, "the two branches");
}

}  // namespace infer
}  // namespace matcha::frontend
