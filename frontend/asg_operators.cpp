#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "frontend/asg_build.h"
#include "frontend/set_ops.h"

/// Evaluates calls of built-in operators and `apply`.
namespace matcha::frontend::asg {
namespace {

bool absent(const ast::Arg* arg) { return arg == nullptr || arg->value->kind == ast::Expr::Kind::None; }

}  // namespace

Value Evaluator::call(const ast::CallExpr& call, const Env& env) {
  if (call.callee->kind == ast::Expr::Kind::Name) {
    const ast::NameExpr& name = *static_cast<const ast::NameExpr*>(call.callee);
    if (name.builtin >= 0) {
      const Builtin& builtin = builtins()[static_cast<std::size_t>(name.builtin)];
      if (builtin.id == BuiltinId::Apply) return {apply(call, env), nullptr};
      if (builtin.id == BuiltinId::Get) return {get(call, env), nullptr};
      return {this->builtin(call, builtin, env), nullptr};
    }
  }
  Value callee = eval(call.callee, env);
  if (stopped_ || callee.closure == nullptr) {
    stop(DiagId::NotCallable, call.callee->loc, "the value cannot be called");
    return {};
  }
  std::span<const ast::Param> params = callee.closure->params();
  std::vector<const ast::Arg*> unknown;
  std::vector<const ast::Arg*> repeated;
  auto find = [&](std::string_view word) {
    for (std::size_t i = 0; i < params.size(); ++i) {
      if (params[i].decl->name == word) return static_cast<int>(i);
    }
    return -1;
  };
  BoundArgs args = bind_args(call, params.size(), find, unknown, repeated);
  std::vector<Value> values;
  for (const ast::Arg* arg : args.by_param) values.push_back(arg == nullptr ? Value{} : eval(arg->value, env));
  if (stopped_) return {};
  return invoke(*callee.closure, std::move(values), call.loc);
}

const Node* Evaluator::builtin(const ast::CallExpr& call, const Builtin& builtin, const Env& env) {
  std::vector<const ast::Arg*> unknown;
  std::vector<const ast::Arg*> repeated;
  auto find = [&](std::string_view word) { return find_param(builtin, word); };
  BoundArgs args = bind_args(call, builtin.params.size(), find, unknown, repeated);
  switch (builtin.id) {
    case BuiltinId::MkTuple: return mk_tuple(call, args, env);
    case BuiltinId::MkList: return mk_list(call, args, env);
    case BuiltinId::MkGraph: return mk_graph(call, args, env);
    case BuiltinId::SumBy:
    case BuiltinId::MinBy:
    case BuiltinId::MaxBy: return fold(call, builtin, args, env);
    case BuiltinId::Iterate: return rounds(call, args, Op::Iterate, env);
    case BuiltinId::Repeat: return rounds(call, args, Op::Repeat, env);
    default: break;
  }
  std::vector<const Node*> in;
  for (std::size_t i = 0; i < args.by_param.size(); ++i) {
    const ast::Arg* const arg = args.by_param[i];
    if (arg == nullptr) continue;
    in.push_back(node(arg->value, env));
    if (builtin.params[i].name != "label") number(in.back(), arg->value->loc);
  }
  if (stopped_) return integer(0, call.loc);
  if (const std::optional<Op> op = set_op(builtin.id)) {
    level(in[0], in[1]);
    return make(*op, in[0]->type, in, call.loc);
  }
  if (builtin.id == BuiltinId::Symmetric) {
    graph_.symmetric.push_back(in[0]);
    return in[0];
  }
  if (!in.empty() && in[0]->op == Op::Subgraph) return of_subgraph(builtin.id, in, call.loc);
  const Type* int_type = types_.int_type();
  const Type* bool_type = types_.bool_type();
  const Type* first = in[0]->type;
  switch (builtin.id) {
    case BuiltinId::Neighbor: return neighbor(in, call.loc);
    case BuiltinId::Sources: return neighbor(in, call.loc, true);
    case BuiltinId::Labels: return labels(in, call.loc);
    case BuiltinId::EdgeInfo: return edge_info(in, call.loc);
    case BuiltinId::VertexLabel: return make(Op::VertexLabel, int_type, in, call.loc);
    case BuiltinId::Vertices: return vertices(in, call.loc);
    case BuiltinId::Edges: return make(Op::Edges, types_.list(types_.int_pair()), in, call.loc);
    case BuiltinId::Arcs: return make(Op::Edges, types_.list(types_.int_pair()), in, call.loc, {.text = "arcs"});
    case BuiltinId::HasEdge: return make(Op::HasEdge, bool_type, in, call.loc);
    case BuiltinId::Sum: return make(Op::Sum, sum_type(first->elem), in, call.loc);
    case BuiltinId::Size:
      if (first->is_tuple()) return integer(static_cast<std::int64_t>(first->positions.size()), call.loc);
      return make(Op::Size, int_type, in, call.loc);
    case BuiltinId::Min:
    case BuiltinId::Max: {
      bool min = builtin.id == BuiltinId::Min;
      if (in.size() == 1) return make(min ? Op::Min : Op::Max, first->elem, in, call.loc);
      level(in[0], in[1]);
      return make(min ? Op::MinOf : Op::MaxOf, in[0]->type, in, call.loc);
    }
    case BuiltinId::Any: return make(Op::Any, bool_type, in, call.loc);
    case BuiltinId::All: return make(Op::All, bool_type, in, call.loc);
    case BuiltinId::CountBy:
      return make(Op::CountBy,
                  types_.table(first->elem->is_tuple() ? first->elem->positions : std::span(&first->elem, 1), int_type),
                  in, call.loc);
    case BuiltinId::Keys: return make(Op::Keys, types_.list(types_.key_of(*first)), in, call.loc);
    case BuiltinId::Values: return make(Op::Values, types_.list(first->elem), in, call.loc);
    case BuiltinId::Subgraph: return make(Op::Subgraph, types_.graph(nullptr), in, call.loc);
    case BuiltinId::Range:
      if (in.size() == 1) in.insert(in.begin(), integer(0, call.loc));
      return make(Op::Range, types_.list(int_type), in, call.loc);
    case BuiltinId::Log:
    case BuiltinId::Sqrt: {
      const Type* real = types_.float_type();
      return make(builtin.id == BuiltinId::Log ? Op::Log : Op::Sqrt, real, {adapt(in[0], real)}, call.loc);
    }
    case BuiltinId::Sort: return make(Op::Sort, first, in, call.loc);
    case BuiltinId::Top: return make(Op::Top, in[1]->type, in, call.loc);
    case BuiltinId::Flatten: return first->elem->is_list() ? make(Op::Flatten, first->elem, in, call.loc) : in[0];
    default: return integer(0, call.loc);
  }
}

/// Bools are counted; tuples are added position by position.
const Type* Evaluator::sum_type(const Type* item) {
  if (!item->is_tuple()) return item->kind == Type::Kind::Bool ? types_.int_type() : item;
  std::vector<const Type*> positions;
  for (const Type* position : item->positions) positions.push_back(sum_type(position));
  return types_.tuple(positions);
}

const Type* Evaluator::table_type(const Type* row, std::size_t keys, bool sums) {
  std::vector<const Type*> values;
  for (const Type* value : row->positions.subspan(keys)) values.push_back(sums ? sum_type(value) : value);
  return types_.table(row->positions.first(keys), values.size() == 1 ? values[0] : types_.tuple(values));
}

const Node* Evaluator::fold(const ast::CallExpr& call, const Builtin& builtin, const BoundArgs& args, const Env& env) {
  const Node* rows = node(args.by_param[0]->value, env);
  if (stopped_) return rows;
  Payload payload;
  payload.int_value = absent(args.by_param[1]) ? 1 : static_cast<ast::IntExpr*>(args.by_param[1]->value)->value;
  const bool sums = builtin.id == BuiltinId::SumBy;
  if (!rows->type->elem->is_tuple()) {  // An empty list whose items nothing describes.
    const std::vector<const Type*> row(static_cast<std::size_t>(payload.int_value) + 1, types_.int_type());
    rows = make(Op::MkList, types_.list(types_.tuple(row)), {}, call.loc);
  }
  const Type* type = table_type(rows->type->elem, static_cast<std::size_t>(payload.int_value), sums);
  const Op op = sums ? Op::SumBy : builtin.id == BuiltinId::MinBy ? Op::MinBy : Op::MaxBy;
  return make(op, type, {rows}, call.loc, payload);
}

const Node* Evaluator::get(const ast::CallExpr& call, const Env& env) {
  std::vector<const ast::Arg*> unknown;
  std::vector<const ast::Arg*> repeated;
  const GetArgs args = bind_get_args(call, unknown, repeated);
  const Node* from = node(args.from->value, env);
  std::vector<const Node*> in = {from};
  for (const ast::Arg* key : args.keys) in.push_back(node(key->value, env));
  Payload table;
  table.has_info = args.maybe_default != nullptr;
  if (table.has_info) in.push_back(node(args.maybe_default->value, env));
  if (stopped_) return from;
  const Node* position = in[1];
  if (from->type->is_table() && position->type->is_tuple()) {
    const Node* value = table.has_info ? adapt(in.back(), from->type->elem) : nullptr;
    in = {from};
    for (std::size_t i = 0; i < position->type->positions.size(); ++i)
      in.push_back(get_position(position, i, call.loc));
    if (value != nullptr) in.push_back(value);
    return make(Op::GetKey, from->type->elem, in, call.loc, table);
  }
  if (from->type->is_table()) {
    for (std::size_t i = 0; i < args.keys.size(); ++i) number(in[i + 1], args.keys[i]->value->loc);
    if (table.has_info) in.back() = adapt(in.back(), from->type->elem);
    return make(Op::GetKey, from->type->elem, in, call.loc, table);
  }
  if (from->type->is_list()) {
    return make(Op::GetItem, from->type->elem, {from, number(position, args.keys[0]->value->loc)}, call.loc);
  }
  if (!from->type->is_tuple()) return integer(0, call.loc);  // Of an empty list whose items nothing describes.
  return get_position(from, static_cast<std::size_t>(position->int_value), call.loc);
}

const Node* Evaluator::get_position(const Node* tuple, std::size_t position, SourceLoc loc) {
  if (tuple->op == Op::MkTuple) return tuple->inputs[position];
  Payload payload;
  payload.int_value = static_cast<std::int64_t>(position);
  return make(Op::GetPos, tuple->type->positions[position], {tuple}, loc, payload);
}

const Node* Evaluator::mk_tuple(const ast::CallExpr& call, const BoundArgs& args, const Env& env) {
  const Type* dtype = nullptr;
  if (!absent(args.by_param[1])) dtype = written(*static_cast<ast::TypeNameExpr*>(args.by_param[1]->value)->type);
  std::vector<const Node*> items;
  if (absent(args.by_param[2])) {
    std::int64_t count = static_cast<ast::IntExpr*>(args.by_param[0]->value)->value;
    const Node* zero = integer(0, call.loc);
    if (dtype->kind == Type::Kind::Bool) zero = make(Op::Bool, dtype, {}, call.loc);
    items.assign(static_cast<std::size_t>(count), adapt(zero, dtype));
  } else {
    for (ast::Expr* value : static_cast<ast::ListExpr*>(args.by_param[2]->value)->items) {
      items.push_back(adapt(node(value, env), dtype));
    }
  }
  if (stopped_) return integer(0, call.loc);
  std::vector<const Type*> positions;
  for (const Node* item : items) positions.push_back(item->type);
  return make(Op::MkTuple, types_.tuple(positions), items, call.loc);
}

/// `list` with items of type `item`, the type written in the program, which may be float for ints.
const Node* Evaluator::map_list(const Node* list, const Type* item) {
  bool widen = list->type->elem->kind == Type::Kind::Int && item->kind == Type::Kind::Float;
  if (!widen) return adapt(list, types_.list(item));
  const Node* operand = maker_.operand(list->type->elem, 0, "x", list->loc);
  const Node* body = make(Op::ToFloat, item, {operand}, list->loc);
  return each(list, operand, body, list->loc);
}

const Node* Evaluator::mk_list(const ast::CallExpr& call, const BoundArgs& args, const Env& env) {
  const Type* item = nullptr;
  if (!absent(args.by_param[1])) item = written(*static_cast<ast::TypeNameExpr*>(args.by_param[1]->value)->type);
  const Node* list = nullptr;
  if (absent(args.by_param[2])) {
    list = make(Op::MkList, types_.list(item == nullptr ? types_.int_type() : item), {}, call.loc);
  } else if (args.by_param[2]->value->kind == ast::Expr::Kind::List) {
    list = this->list(*static_cast<ast::ListExpr*>(args.by_param[2]->value), env, item);
  } else {
    list = node(args.by_param[2]->value, env);
    if (!stopped_ && item != nullptr) list = map_list(list, item);
  }
  if (absent(args.by_param[0])) return list;
  const Node* capacity = number(node(args.by_param[0]->value, env), args.by_param[0]->value->loc);
  if (stopped_) return list;
  if (capacity->op == Op::Int && capacity->int_value < 0) {
    failed_ = true;
    diagnostics_.error(DiagId::ListCapacity, capacity->loc, "the capacity of a list is not negative");
    return list;
  }
  if (capacity->op != Op::Int || list->op != Op::MkList)
    return make(Op::Capacity, list->type, {list, capacity}, call.loc);
  if (static_cast<std::int64_t>(list->inputs.size()) > capacity->int_value) {
    failed_ = true;
    diagnostics_.error(DiagId::ListCapacity, list->loc,
                       "the list has " + std::to_string(list->inputs.size()) + " items; `nitems` says at most " +
                           std::to_string(capacity->int_value));
  }
  return list;
}

const Node* Evaluator::mk_graph(const ast::CallExpr& call, const BoundArgs& args, const Env& env) {
  std::vector<const Node*> in;
  const Type* pairs = types_.list(types_.int_pair());
  const Type* info = nullptr;
  Payload payload;
  in.push_back(adapt(node(args.by_param[0]->value, env), pairs));
  if (!absent(args.by_param[1])) {
    in.push_back(adapt(node(args.by_param[1]->value, env), pairs));
    payload.has_labels = true;
  }
  if (!absent(args.by_param[2])) {
    in.push_back(node(args.by_param[2]->value, env));
    payload.has_info = true;
    info = in.back()->type->elem;
  }
  if (stopped_) return integer(0, call.loc);
  return make(Op::MkGraph, types_.graph(info), in, call.loc, payload);
}

const Node* Evaluator::rounds(const ast::CallExpr& call, const BoundArgs& args, Op op, const Env& env) {
  const Value step = eval(args.by_param[0]->value, env);
  const Node* start = node(args.by_param[1]->value, env);
  const Node* most = number(node(args.by_param[2]->value, env), args.by_param[2]->value->loc);
  if (stopped_ || step.closure == nullptr) {
    stop(DiagId::NotCallable, args.by_param[0]->value->loc, "the step of rounds is a function");
    return integer(0, call.loc);
  }
  number(start, args.by_param[1]->value->loc);
  const ast::Decl& name = *step.closure->params()[0].decl;
  const Node* state = maker_.operand(start->type, 0, name.name, name.loc);
  Names named;
  Names* outer = std::exchange(named_, &named);
  const Value next = invoke(*step.closure, {{state, nullptr}}, call.loc);
  named_ = outer;
  if (stopped_ || next.node == nullptr) return integer(0, call.loc);
  Apply function;
  function.operands = std::span(&state, 1);
  function.body = adapt(next.node, start->type);
  named = needed(named, function.body);
  function.named = named;
  const std::array<const Node*, 2> in = {start, most};
  named_->push_back(checked(maker_.apply(start->type, in, function, call.loc, op)));
  return named_->back();
}

const Node* Evaluator::apply(const ast::CallExpr& call, const Env& env) {
  std::vector<const ast::Arg*> unknown;
  std::vector<const ast::Arg*> repeated;
  BoundArgs args = bind_apply_args(call, unknown, repeated);
  Value func = eval(args.by_param[0]->value, env);
  Value cond = args.by_param[1] == nullptr ? Value{} : eval(args.by_param[1]->value, env);
  std::vector<const Node*> lists;
  for (const ast::Arg* arg : args.rest) lists.push_back(node(arg->value, env));
  if (stopped_) return integer(0, call.loc);
  if (func.closure == nullptr) {
    stop(DiagId::NotCallable, args.by_param[0]->value->loc, "`func` of `apply` is a function");
    return integer(0, call.loc);
  }
  std::vector<const Node*> operands;
  std::vector<Value> items;
  std::span<const ast::Param> params = func.closure->params();
  for (std::size_t i = 0; i < lists.size(); ++i) {
    operands.push_back(
        maker_.operand(lists[i]->type->elem, static_cast<std::int64_t>(i), params[i].decl->name, params[i].decl->loc));
    walked_[operands.back()] = lists[i];
    items.push_back({operands.back(), nullptr});
  }
  const Node* maybe_cond = nullptr;
  Names cond_named, named;
  Names* outer = std::exchange(named_, &cond_named);
  if (cond.closure != nullptr) maybe_cond = invoke(*cond.closure, items, call.loc).node;
  named_ = &named;
  Value body = invoke(*func.closure, items, call.loc);
  named_ = outer;
  if (stopped_ || body.node == nullptr) {
    stop(DiagId::FunctionValue, call.loc, "the function of `apply` gives a function");
    return integer(0, call.loc);
  }
  Apply function;
  function.operands = operands;
  function.body = body.node;
  function.maybe_cond = maybe_cond;
  named = needed(named, body.node);
  cond_named = needed(cond_named, maybe_cond);
  function.named = named;
  function.cond_named = cond_named;
  return checked(maker_.apply(types_.list(body.node->type), lists, function, call.loc));
}

}  // namespace matcha::frontend::asg
