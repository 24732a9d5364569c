#include <algorithm>

#include "frontend/infer_walk.h"

namespace matcha::frontend::infer {
namespace {

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// The parameters of the function that `name` refers to; empty if the function is unknown.
std::span<const ast::Param> known_params(const ast::NameExpr& name) {
  if (name.decl == nullptr || name.decl->def == nullptr) return {};
  return name.decl->def->params;
}

}  // namespace

Ty* Walker::call(ast::CallExpr& call) {
  if (call.callee->kind != ast::Expr::Kind::Name) return call_value(call);
  ast::NameExpr& name = *static_cast<ast::NameExpr*>(call.callee);
  if (name.builtin >= 0) {
    const Builtin& builtin = builtins()[static_cast<std::size_t>(name.builtin)];
    if (builtin.id == BuiltinId::Get) return get(call);
    return builtin.id == BuiltinId::Apply ? apply(call) : this->builtin(call, builtin);
  }
  if (name.decl == nullptr) return call_value(call);
  if (name.decl->def != nullptr && name.decl->def->trouble == ast::Trouble::Header) {
    for (const ast::Arg& arg : call.args) expr(arg.value);
    return solver_.error_type();
  }
  if (name.decl->def != nullptr) return call_known(call, name.name, name.decl->def->params, expr(&name));
  if (name.decl->value != nullptr && name.decl->value->kind == ast::Expr::Kind::Lambda) {
    return call_known(call, name.name, static_cast<ast::Lambda*>(name.decl->value)->params, expr(&name));
  }
  return call_value(call);
}

/// A call of a value: a parameter, or the result of a call.
Ty* Walker::call_value(ast::CallExpr& call) {
  Ty* callee = Solver::find(expr(call.callee));
  std::vector<Ty*> args;
  for (const ast::Arg& arg : call.args) {
    if (!arg.name.empty()) {
      error(DiagId::UnknownKeyword, arg.loc, "no keyword arguments here: the names of the parameters are not known");
    }
    args.push_back(expr(arg.value));
  }
  callee = Solver::find(callee);
  switch (callee->kind) {
    case Ty::Kind::Error: return callee;
    case Ty::Kind::Var: {
      Ty* result = solver_.var();
      solver_.unify(callee, solver_.func(std::move(args), result), call.loc);
      return result;
    }
    case Ty::Kind::Func: break;
    case Ty::Kind::Int:
    case Ty::Kind::Float:
    case Ty::Kind::Bool:
    case Ty::Kind::Tuple:
    case Ty::Kind::List:
    case Ty::Kind::Table:
    case Ty::Kind::Graph:
    case Ty::Kind::NoInfo:
      return failed(DiagId::NotCallable, call.callee->loc, "a value of type " + quoted(callee) + " cannot be called");
  }
  if (callee->args.size() != args.size()) {
    return failed(
        DiagId::ArgCount, call.loc,
        "the function takes " + counted(callee->args.size(), "argument") + "; it gets " + std::to_string(args.size()));
  }
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (fits_param(args[i], callee->args[i], nullptr, call.args[i].value->loc)) continue;
    error(DiagId::TypeMismatch, call.args[i].value->loc,
          "the argument has type " + quoted(args[i]) + "; the function takes " + quoted(callee->args[i]),
          Solver::float_hint(args[i], callee->args[i]));
  }
  return callee->elem;
}

bool Walker::fits_param(Ty* given, Ty* type, const ast::Param* maybe_param, SourceLoc loc) {
  bool is_written = maybe_param != nullptr && maybe_param->maybe_type != nullptr;
  return is_written ? solver_.fits_written(given, type, loc) : solver_.unify(given, type, loc);
}

void Walker::report_args(const std::vector<const ast::Arg*>& unknown, const std::vector<const ast::Arg*>& repeated,
                         std::string_view name, const std::vector<std::string>& known) {
  for (const ast::Arg* arg : unknown) {
    std::string near = nearest_word(arg->name, known);
    error(DiagId::UnknownKeyword, arg->loc, quoted(name) + " has no parameter " + quoted(arg->name),
          near.empty() ? "" : "did you mean `" + near + "`?");
    expr(arg->value);
  }
  for (const ast::Arg* arg : repeated) {
    error(DiagId::DuplicateArg, arg->loc, quoted(arg->name) + " of " + quoted(name) + " is given twice");
    expr(arg->value);
  }
}

Ty* Walker::call_known(ast::CallExpr& call, std::string_view name, std::span<ast::Param> params, Ty* type) {
  std::vector<std::string> known;
  for (const ast::Param& param : params) known.emplace_back(param.decl->name);
  std::vector<const ast::Arg*> unknown;
  std::vector<const ast::Arg*> repeated;
  auto find = [&](std::string_view word) {
    auto at = std::find(known.begin(), known.end(), word);
    return at == known.end() ? -1 : static_cast<int>(at - known.begin());
  };
  BoundArgs args = bind_args(call, params.size(), find, unknown, repeated);
  report_args(unknown, repeated, name, known);
  type = Solver::find(type);
  bool is_func = type->kind == Ty::Kind::Func && type->args.size() == params.size();
  std::size_t missing = 0;
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (args.by_param[i] == nullptr) {
      missing += params[i].maybe_default == nullptr ? 1 : 0;
      continue;
    }
    ast::Expr* value = args.by_param[i]->value;
    Ty* given = expr(value);
    if (!is_func || fits_param(given, type->args[i], &params[i], value->loc)) continue;
    error(DiagId::TypeMismatch, value->loc,
          "argument " + quoted(known[i]) + " of " + quoted(name) + " has type " + quoted(given) + "; expected " +
              quoted(type->args[i]),
          Solver::float_hint(given, type->args[i]));
  }
  for (const ast::Arg* arg : args.rest) expr(arg->value);
  if (!args.rest.empty() || (missing > 0 && unknown.empty() && repeated.empty())) {
    error(DiagId::ArgCount, call.loc,
          quoted(name) + " takes " + counted(params.size(), "argument") + "; it gets " +
              std::to_string(call.args.size()));
  }
  return is_func ? type->elem : solver_.error_type();
}

Ty* Walker::arg(const Builtin& builtin, const BoundArgs& args, std::size_t index, Ty* wanted) {
  ast::Expr* value = args.by_param[index]->value;
  Ty* type = expr(value);
  if (!solver_.unify(type, wanted, value->loc)) {
    error(DiagId::ArgType, value->loc,
          "argument " + quoted(builtin.params[index].name) + " of " + quoted(builtin.name) + " has type " +
              quoted(type) + "; expected " + quoted(wanted));
  }
  return type;
}

Ty* Walker::given_args(const Builtin& builtin, const BoundArgs& args, std::initializer_list<Ty*> wanted, Ty* result) {
  std::size_t index = 0;
  for (Ty* const type : wanted) {
    if (args.by_param[index] != nullptr) arg(builtin, args, index, type);
    ++index;
  }
  return result;
}

Ty* Walker::builtin(ast::CallExpr& call, const Builtin& builtin) {
  std::vector<std::string> known;
  for (const BuiltinParam& param : builtin.params) known.emplace_back(param.name);
  std::vector<const ast::Arg*> unknown;
  std::vector<const ast::Arg*> repeated;
  auto find = [&](std::string_view word) { return find_param(builtin, word); };
  BoundArgs args = bind_args(call, builtin.params.size(), find, unknown, repeated);
  report_args(unknown, repeated, builtin.name, known);
  bool complete = args.rest.empty();
  for (std::size_t i = 0; i < builtin.params.size(); ++i) {
    complete = complete && (builtin.params[i].optional || args.by_param[i] != nullptr);
  }
  if (!complete) {
    for (const ast::Arg& arg : call.args) expr(arg.value);
    if (!unknown.empty() || !repeated.empty()) return solver_.error_type();
    std::size_t least = builtin.required();
    std::size_t most = builtin.params.size();
    std::string count = least == most ? "" : std::to_string(least) + " to ";
    return failed(DiagId::ArgCount, call.loc,
                  quoted(builtin.name) + " takes " + count + counted(most, "argument") + "; it gets " +
                      std::to_string(call.args.size()));
  }
  return builtin_result(call, builtin, args);
}

Ty* Walker::builtin_result(ast::CallExpr& call, const Builtin& builtin, const BoundArgs& args) {
  Ty* int_type = solver_.int_type();
  switch (builtin.id) {
    case BuiltinId::MkTuple: return mk_tuple(call, args);
    case BuiltinId::MkList: return mk_list(call, args);
    case BuiltinId::MkGraph: return mk_graph(args);
    case BuiltinId::SumBy:
    case BuiltinId::MinBy:
    case BuiltinId::MaxBy:
    case BuiltinId::CountBy:
    case BuiltinId::Keys:
    case BuiltinId::Values:
    case BuiltinId::Iterate:
    case BuiltinId::Repeat:
    case BuiltinId::Subgraph:
    case BuiltinId::Range:
    case BuiltinId::Log:
    case BuiltinId::Sqrt:
    case BuiltinId::Sort:
    case BuiltinId::Size:
    case BuiltinId::Any:
    case BuiltinId::All:
    case BuiltinId::Flatten:
    case BuiltinId::Top: return table_result(call, builtin, args);
    case BuiltinId::Min:
    case BuiltinId::Max: return min_max(call, args, builtin.name);
    case BuiltinId::Neighbor:
    case BuiltinId::Sources: edges_of(call, builtin, args); return solver_.list(int_type);
    case BuiltinId::Labels:
      return given_args(builtin, args, {solver_.graph(int_type), int_type, int_type}, solver_.list(int_type));
    case BuiltinId::EdgeInfo:
      return solver_.list(given(Constraint::Kind::EdgeInfo, edges_of(call, builtin, args), call.loc, "edge_info"));
    case BuiltinId::VertexLabel: return given_args(builtin, args, {solver_.graph(solver_.var()), int_type}, int_type);
    case BuiltinId::Vertices: {
      Ty* const info = args.by_param[1] != nullptr ? int_type : solver_.var();
      return given_args(builtin, args, {solver_.graph(info), int_type}, solver_.list(int_type));
    }
    case BuiltinId::Arcs:
    case BuiltinId::Edges: arg(builtin, args, 0, solver_.graph(solver_.var())); return solver_.list(solver_.int_pair());
    case BuiltinId::Symmetric: {
      Ty* const graph = solver_.graph(solver_.var());
      return given_args(builtin, args, {graph}, graph);
    }
    case BuiltinId::HasEdge:
      return given_args(builtin, args, {solver_.graph(solver_.var()), int_type, int_type}, solver_.bool_type());
      // clang-format off
#define MATCHA_SET_BUILTIN(Name, word, doc) case BuiltinId::Name:
#include "frontend/builtins.def"
      // clang-format on
      return set_operation(builtin, args);
    case BuiltinId::Sum: {
      Ty* item = solver_.var();
      arg(builtin, args, 0, solver_.list(item));
      return given(Constraint::Kind::Sum, item, call.loc, builtin.name);
    }
    case BuiltinId::Get:
    case BuiltinId::Apply: break;
  }
  return solver_.error_type();
}

/// The arguments of an operator on the edges of a vertex: all of them, those with a label, or those between two times.
/// The type of the information on edges.
Ty* Walker::edges_of(ast::CallExpr& call, const Builtin& builtin, const BoundArgs& args) {
  const bool labelled = builtin.id != BuiltinId::EdgeInfo && args.by_param[3] == nullptr;
  if (!labelled && (args.by_param[2] == nullptr) != (args.by_param[3] == nullptr)) {
    error(DiagId::ArgCount, call.loc, quoted(builtin.name) + " takes both ends of a span of times, or neither");
  }
  Ty* info = solver_.var();
  arg(builtin, args, 0, solver_.graph(info));
  arg(builtin, args, 1, solver_.int_type());
  for (const std::size_t i : {2, 3}) {
    if (args.by_param[i] != nullptr) arg(builtin, args, i, solver_.int_type());
  }
  if (args.by_param[2] != nullptr && !solver_.unify(info, solver_.int_type(), call.loc)) {
    error(DiagId::ArgType, args.by_param[0]->value->loc,
          "labels and times of edges are of type `int`; the information on the edges here has type " + quoted(info));
  }
  return info;
}

/// The type of a call about tables, parts of graphs and lists in order.
Ty* Walker::table_result(ast::CallExpr& call, const Builtin& builtin, const BoundArgs& args) {
  Ty* int_type = solver_.int_type();
  switch (builtin.id) {
    case BuiltinId::SumBy:
    case BuiltinId::MinBy:
    case BuiltinId::MaxBy: return fold(call, builtin, args);
    case BuiltinId::CountBy: {
      Ty* item = solver_.var();
      arg(builtin, args, 0, solver_.list(item));
      return given(Constraint::Kind::Count, item, args.by_param[0]->value->loc, builtin.name);
    }
    case BuiltinId::Keys:
    case BuiltinId::Values: {
      Ty* table = expr(args.by_param[0]->value);
      const bool keys = builtin.id == BuiltinId::Keys;
      return solver_.list(given(keys ? Constraint::Kind::Keys : Constraint::Kind::Values, table,
                                args.by_param[0]->value->loc, builtin.name));
    }
    case BuiltinId::Iterate:
    case BuiltinId::Repeat: {
      Ty* state = expr(args.by_param[1]->value);
      require(Constraint::Kind::State, state, args.by_param[1]->value->loc, builtin.name);
      arg(builtin, args, 2, int_type);
      function_arg(args.by_param[0]->value, {state}, call.loc, state, "step", builtin.name);
      return state;
    }
    case BuiltinId::Subgraph:
      return given_args(builtin, args, {solver_.graph(solver_.var()), solver_.list(int_type)},
                        solver_.graph(solver_.no_info()));
    case BuiltinId::Range: return given_args(builtin, args, {int_type, int_type}, solver_.list(int_type));
    case BuiltinId::Log:
    case BuiltinId::Sqrt: {
      ast::Expr* x = args.by_param[0]->value;
      Ty* type = expr(x);
      if (solver_.unify(type, solver_.float_type(), x->loc)) return solver_.float_type();
      error(DiagId::OperandType, x->loc, quoted(builtin.name) + " takes a float; it gets " + quoted(type),
            Solver::is(type, Ty::Kind::Int) ? "`1.0 * x` is `x` as a float" : "");
      return solver_.float_type();
    }
    case BuiltinId::Sort:
    case BuiltinId::Top: {
      const std::size_t at = builtin.id == BuiltinId::Sort ? 0 : 1;
      if (at == 1) arg(builtin, args, 0, int_type);
      Ty* item = solver_.var();
      arg(builtin, args, at, solver_.list(item));
      require(Constraint::Kind::Row, item, args.by_param[at]->value->loc, builtin.name);
      return solver_.list(item);
    }
    case BuiltinId::Size:
      require(Constraint::Kind::Size, expr(args.by_param[0]->value), call.loc, "size");
      return int_type;
    case BuiltinId::Any:
    case BuiltinId::All: return given_args(builtin, args, {solver_.list(solver_.bool_type())}, solver_.bool_type());
    case BuiltinId::Flatten: {
      Ty* item = solver_.var();
      arg(builtin, args, 0, solver_.list(solver_.list(item)));
      return solver_.list(item);
    }
    default: return solver_.error_type();
  }
}

Ty* Walker::set_operation(const Builtin& builtin, const BoundArgs& args) {
  Ty* item = solver_.var();
  Ty* left = arg(builtin, args, 0, solver_.list(item));
  require(Constraint::Kind::Scalar, item, args.by_param[0]->value->loc, builtin.name);
  arg(builtin, args, 1, solver_.list(item));
  return Solver::is(left, Ty::Kind::List) ? left : solver_.list(item);
}

Ty* Walker::get(ast::CallExpr& call) {
  const Builtin& builtin = builtins()[static_cast<std::size_t>(BuiltinId::Get)];
  std::vector<const ast::Arg*> unknown;
  std::vector<const ast::Arg*> repeated;
  const GetArgs args = bind_get_args(call, unknown, repeated);
  report_args(unknown, repeated, builtin.name, {"t", "pos", "default"});
  if (args.from == nullptr || args.keys.empty()) {
    for (const ast::Arg& arg : call.args) expr(arg.value);
    if (!unknown.empty() || !repeated.empty()) return solver_.error_type();
    return failed(DiagId::ArgCount, call.loc, "`get` takes a tuple, a list or a table, and a position or the keys");
  }
  Constraint c;
  c.kind = Constraint::Kind::Get;
  c.a = expr(args.from->value);
  std::vector<Ty*> keys;
  for (const ast::Arg* key : args.keys) keys.push_back(expr(key->value));
  const ast::Expr* position = args.keys[0]->value;
  // A position is an int; a bool, and a tuple of all positions of a key, are keys of a table.
  const bool may_be_key =
      Solver::is(keys[0], Ty::Kind::Var) || Solver::is(keys[0], Ty::Kind::Bool) || Solver::is(keys[0], Ty::Kind::Tuple);
  if (keys.size() == 1 && !may_be_key && !solver_.unify(keys[0], solver_.int_type(), position->loc)) {
    return failed(DiagId::ArgType, position->loc,
                  "the position of `get` has type " + quoted(keys[0]) + "; expected `int`");
  }
  if (position->kind == ast::Expr::Kind::Int) c.position = static_cast<const ast::IntExpr*>(position)->value;
  c.b = solver_.tuple(std::move(keys));
  c.r = solver_.var();
  c.loc = call.loc;
  c.text = "get";
  c.order = args.maybe_default != nullptr;
  solver_.add(c);
  if (args.maybe_default == nullptr) return c.r;
  return join(c.r, expr(args.maybe_default->value), args.maybe_default->value->loc, "the value and its default");
}

Ty* Walker::given(Constraint::Kind kind, Ty* a, SourceLoc loc, std::string_view text, Ty* maybe_b) {
  Constraint c;
  c.kind = kind;
  c.a = a;
  c.b = maybe_b;
  c.r = solver_.var();
  c.loc = loc;
  c.text = text;
  solver_.add(c);
  return c.r;
}

Ty* Walker::fold(ast::CallExpr& call, const Builtin& builtin, const BoundArgs& args) {
  Constraint c;
  c.kind = Constraint::Kind::Fold;
  c.position = 1;
  if (!absent(args.by_param[1])) {
    ast::Expr* keys = args.by_param[1]->value;
    if (keys->kind != ast::Expr::Kind::Int)
      return failed(DiagId::TupleSize, keys->loc, "`keys` of " + quoted(builtin.name) + " is a literal int");
    c.position = static_cast<ast::IntExpr*>(keys)->value;
  }
  c.a = solver_.var();
  arg(builtin, args, 0, solver_.list(c.a));
  c.r = solver_.var();
  c.loc = call.loc;
  c.text = builtin.name;
  c.order = builtin.id == BuiltinId::SumBy;
  solver_.add(c);
  return c.r;
}

Ty* Walker::min_max(ast::CallExpr& call, const BoundArgs& args, std::string_view name) {
  Ty* first = expr(args.by_param[0]->value);
  if (args.by_param[1] == nullptr) {
    Ty* item = solver_.var();
    if (!solver_.unify(first, solver_.list(item), call.loc)) {
      return failed(DiagId::ArgType, args.by_param[0]->value->loc,
                    quoted(name) + " takes a list or two numbers; it gets " + quoted(first));
    }
    require(Constraint::Kind::Number, item, args.by_param[0]->value->loc, name);
    return item;
  }
  Ty* second = expr(args.by_param[1]->value);
  Ty* result = join(first, second, call.loc, name == "min" ? "the arguments of `min`" : "the arguments of `max`");
  require(Constraint::Kind::Number, result, call.loc, name);
  return result;
}

Ty* Walker::mk_tuple(ast::CallExpr& call, const BoundArgs& args) {
  std::optional<std::int64_t> count;
  if (!absent(args.by_param[0])) {
    ast::Expr* value = args.by_param[0]->value;
    if (value->kind != ast::Expr::Kind::Int) {
      return failed(DiagId::TupleSize, value->loc, "`nvars` of `mk_tuple` is a literal int");
    }
    count = static_cast<ast::IntExpr*>(value)->value;
    if (*count < 1 || *count > kMaxTupleSize) {
      return failed(DiagId::TupleSize, value->loc,
                    "a tuple has 1 to " + std::to_string(kMaxTupleSize) + " positions, not " + std::to_string(*count));
    }
  }
  Ty* dtype = nullptr;
  if (!absent(args.by_param[1])) {
    ast::Expr* value = args.by_param[1]->value;
    if (value->kind != ast::Expr::Kind::TypeName) {
      return failed(DiagId::ArgType, value->loc, "`dtype` of `mk_tuple` is `int`, `float` or `bool`");
    }
    dtype = written(*static_cast<ast::TypeNameExpr*>(value)->type);
    require(Constraint::Kind::Scalar, dtype, value->loc, "mk_tuple");
  }
  if (absent(args.by_param[2])) {
    if (count && dtype != nullptr) {
      return solver_.tuple(std::vector<Ty*>(static_cast<std::size_t>(*count), dtype));
    }
    return failed(DiagId::TupleSize, call.loc, "`mk_tuple` needs `val`, or both `nvars` and `dtype`");
  }
  ast::Expr* val = args.by_param[2]->value;
  if (val->kind != ast::Expr::Kind::List) {
    return failed(DiagId::ArgType, val->loc, "`val` of `mk_tuple` is a list of its values, written as `[…]`");
  }
  std::vector<Ty*> positions = tuple_positions(*static_cast<ast::ListExpr*>(val), dtype);
  std::size_t size = positions.size();
  if (size == 0 || size > kMaxTupleSize || (count && static_cast<std::size_t>(*count) != size)) {
    return failed(
        DiagId::TupleSize, val->loc,
        count ? "`nvars` says " + std::to_string(*count) + " positions, but `val` has " + std::to_string(size)
              : "a tuple has 1 to " + std::to_string(kMaxTupleSize) + " positions, not " + std::to_string(size));
  }
  return solver_.tuple(std::move(positions));
}

std::vector<Ty*> Walker::tuple_positions(const ast::ListExpr& values, Ty* maybe_dtype) {
  std::vector<Ty*> positions;
  for (ast::Expr* value : values.items) {
    Ty* type = expr(value);
    require(Constraint::Kind::Scalar, type, value->loc, "mk_tuple");
    positions.push_back(maybe_dtype == nullptr ? type : maybe_dtype);
    if (solver_.fits_written(type, positions.back(), value->loc)) continue;
    error(DiagId::TypeMismatch, value->loc,
          "the value at position " + std::to_string(positions.size() - 1) + " of the tuple has type " + quoted(type) +
              "; `dtype` says " + quoted(maybe_dtype));
  }
  return positions;
}

Ty* Walker::mk_list(ast::CallExpr& call, const BoundArgs& args) {
  Ty* item = nullptr;
  if (!absent(args.by_param[0]))
    arg(builtins()[static_cast<std::size_t>(BuiltinId::MkList)], args, 0, solver_.int_type());
  if (!absent(args.by_param[1])) {
    ast::Expr* value = args.by_param[1]->value;
    if (value->kind != ast::Expr::Kind::TypeName) {
      return failed(DiagId::ArgType, value->loc, "`type` of `mk_list` is a type, such as `int` or `Tuple<int, 2>`");
    }
    item = written(*static_cast<ast::TypeNameExpr*>(value)->type);
    require(Constraint::Kind::Item, item, value->loc, "mk_list");
  }
  if (absent(args.by_param[2])) {
    if (!absent(args.by_param[0])) return solver_.list(item == nullptr ? solver_.var() : item);
    return failed(DiagId::ListBound, call.loc, "the list has no bound: neither `val` nor `nitems` is given",
                  "write `mk_list(val=[…])`, or `nitems` and `type`");
  }
  ast::Expr* val = args.by_param[2]->value;
  if (item != nullptr && val->kind == ast::Expr::Kind::List) {
    return written_list(*static_cast<ast::ListExpr*>(val), item);
  }
  Ty* type = expr(val);
  Ty* found = solver_.var();
  if (!solver_.unify(type, solver_.list(found), val->loc)) {
    return failed(DiagId::ArgType, val->loc,
                  "argument `val` of `mk_list` has type " + quoted(type) + "; expected a list");
  }
  if (item == nullptr) return type;
  if (!solver_.fits_written(found, item, val->loc)) {
    return failed(DiagId::TypeMismatch, val->loc,
                  "the items of the list have type " + quoted(found) + "; `type` says " + quoted(item));
  }
  return solver_.list(item);
}

Ty* Walker::mk_graph(const BoundArgs& args) {
  const Builtin& builtin = builtins()[static_cast<std::size_t>(BuiltinId::MkGraph)];
  Ty* pairs = solver_.list(solver_.int_pair());
  arg(builtin, args, 0, pairs);
  if (!absent(args.by_param[1])) arg(builtin, args, 1, pairs);
  if (absent(args.by_param[2])) return solver_.graph(solver_.no_info());
  Ty* info = solver_.var();
  arg(builtin, args, 2, solver_.list(info));
  require(Constraint::Kind::Scalar, info, args.by_param[2]->value->loc, "mk_graph");
  return solver_.graph(info);
}

/// The type of `func` applied to one item of each list. `result`: its required type, or null.
Ty* Walker::function_arg(ast::Expr* func, const std::vector<Ty*>& items, SourceLoc call, Ty* result,
                         std::string_view role, std::string_view of) {
  std::string words = quoted(role) + " of " + quoted(of);
  Ty* type = nullptr;
  std::span<const ast::Param> params;
  if (func->kind == ast::Expr::Kind::Name) params = known_params(*static_cast<ast::NameExpr*>(func));
  if (func->kind == ast::Expr::Kind::Lambda) {
    ast::Lambda& lambda = *static_cast<ast::Lambda*>(func);
    std::vector<Ty*> wanted = lambda.params.size() == items.size() ? items : std::vector<Ty*>();
    type = this->lambda(lambda, wanted);
  } else {
    type = expr(func);
  }
  type = Solver::find(type);
  if (type->kind == Ty::Kind::Error) return type;
  if (type->kind == Ty::Kind::Var) {
    Ty* out = result != nullptr ? result : solver_.var();
    solver_.unify(type, solver_.func(items, out), func->loc);
    return out;
  }
  if (type->kind != Ty::Kind::Func) {
    return failed(DiagId::NotCallable, func->loc, words + " is a function; it has type " + quoted(type));
  }
  if (type->args.size() != items.size()) {
    return failed(DiagId::ArgCount, func->loc,
                  words + " takes " + counted(type->args.size(), "item") + ", but " + counted(items.size(), "list") +
                      (items.size() == 1 ? " is" : " are") + " walked");
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const ast::Param* param = params.size() == items.size() ? &params[i] : nullptr;
    if (fits_param(items[i], type->args[i], param, func->loc)) continue;
    error(DiagId::TypeMismatch, func->loc,
          words + " takes " + quoted(type->args[i]) + "; the items of list " + std::to_string(i + 1) + " have type " +
              quoted(items[i]),
          Solver::float_hint(items[i], type->args[i]));
  }
  if (result != nullptr && !solver_.unify(type->elem, result, call)) {
    error(DiagId::TypeMismatch, func->loc, words + " gives " + quoted(type->elem) + "; expected " + quoted(result));
  }
  return type->elem;
}

Ty* Walker::apply(ast::CallExpr& call) {
  std::vector<const ast::Arg*> unknown;
  std::vector<const ast::Arg*> repeated;
  BoundArgs args = bind_apply_args(call, unknown, repeated);
  report_args(unknown, repeated, "apply", {"func", "cond"});
  std::vector<Ty*> items;
  for (const ast::Arg* arg : args.rest) {
    Ty* type = expr(arg->value);
    Ty* item = solver_.var();
    if (!solver_.unify(type, solver_.list(item), arg->value->loc)) {
      error(DiagId::ApplyLists, arg->value->loc, "`apply` walks lists; this argument has type " + quoted(type));
      item = solver_.error_type();
    }
    items.push_back(item);
  }
  if (args.by_param[0] == nullptr || items.empty()) {
    if (args.by_param[0] != nullptr) expr(args.by_param[0]->value);
    if (args.by_param[1] != nullptr && !absent(args.by_param[1])) expr(args.by_param[1]->value);
    return failed(DiagId::ArgCount, call.loc, "`apply` takes a function, perhaps a condition, and one or more lists");
  }
  if (!absent(args.by_param[1])) function_arg(args.by_param[1]->value, items, call.loc, solver_.bool_type(), "cond");
  Ty* out = function_arg(args.by_param[0]->value, items, call.loc, nullptr, "func");
  require(Constraint::Kind::Item, out, call.loc, "apply");
  return solver_.list(out);
}

}  // namespace matcha::frontend::infer
