#include "frontend/asg_build.h"

#include <algorithm>

namespace matcha::frontend::asg {

/// The values of the names of one function's call, by ascending id of their declarations.
struct Env {
  const Env* parent = nullptr;
  std::vector<std::pair<std::uint32_t, Value>> values;

  void bind(const ast::Decl& decl, Value value) { values.emplace_back(decl.id, value); }

  const Value* find(std::uint32_t id) const {
    for (const Env* env = this; env != nullptr; env = env->parent) {
      auto at = std::lower_bound(
          env->values.begin(), env->values.end(), id,
          [](const std::pair<std::uint32_t, Value>& entry, std::uint32_t wanted) { return entry.first < wanted; });
      if (at != env->values.end() && at->first == id) return &at->second;
    }
    return nullptr;
  }
};

std::span<const ast::Param> Closure::params() const { return def != nullptr ? def->params : lambda->params; }

Evaluator::Evaluator(Graph& graph, Diagnostics& diagnostics)
    : graph_(graph), maker_(graph), types_(*graph.types), diagnostics_(diagnostics) {}

Evaluator::~Evaluator() = default;

bool Evaluator::stop(DiagId id, SourceLoc loc, std::string message, std::string hint) {
  if (!stopped_) diagnostics_.error(id, loc, std::move(message), std::move(hint));
  stopped_ = true;
  failed_ = true;
  return false;
}

const Type* Evaluator::adopt(const Type* type) {
  if (type == nullptr) return nullptr;
  switch (type->kind) {
    case Type::Kind::Int: return types_.int_type();
    case Type::Kind::Float: return types_.float_type();
    case Type::Kind::Bool: return types_.bool_type();
    case Type::Kind::Table:
    case Type::Kind::Tuple: {
      std::vector<const Type*> positions;
      for (const Type* position : type->positions) positions.push_back(adopt(position));
      return type->is_tuple() ? types_.tuple(positions) : types_.table(positions, adopt(type->elem));
    }
    case Type::Kind::List: return types_.list(adopt(type->elem));
    case Type::Kind::Graph: return types_.graph(adopt(type->elem));
  }
  return nullptr;
}

const Type* Evaluator::written(const ast::TypeExpr& type) {
  if (type.name == "int") return types_.int_type();
  if (type.name == "float") return types_.float_type();
  if (type.name == "bool") return types_.bool_type();
  if (type.name == "Graph") return types_.graph(nullptr);
  std::vector<const Type*> args;
  for (const ast::TypeExpr* arg : type.args) args.push_back(written(*arg));
  if (type.name == "Var") return args[0];
  if (type.name == "List") return types_.list(args[0]);
  if (type.count >= 0) args.resize(static_cast<std::size_t>(type.count), args[0]);
  return types_.tuple(args);
}

bool Evaluator::run(ast::Def& entry) {
  graph_.entry = std::string(entry.decl->name);
  envs_.push_back(std::make_unique<Env>());
  Env& env = *envs_.back();
  std::int64_t index = 0;
  for (const ast::Param& param : entry.params) add_param(param, index++, env);
  named_ = &graph_.named;
  Value result = body(entry, env);
  if (stopped_) return false;
  graph_.result = number(adapt(result.node, adopt(entry.result_type)), result.node->loc);
  if (const Type* type = graph_.result->type; type->is_table()) {
    std::vector<const Type*> row(type->positions.begin(), type->positions.end());
    if (type->elem->is_tuple()) {
      row.insert(row.end(), type->elem->positions.begin(), type->elem->positions.end());
    } else {
      row.push_back(type->elem);
    }
    graph_.result = make(Op::Entries, types_.list(types_.tuple(row)), {graph_.result}, graph_.result->loc);
  }
  collect_nodes();
  collect_slices();
  return !failed_;
}

void Evaluator::add_param(const ast::Param& param, std::int64_t index, Env& env) {
  Param out;
  out.name = std::string(param.decl->name);
  out.type = adopt(param.decl->type);
  out.loc = param.decl->loc;
  Payload payload;
  payload.int_value = index;
  payload.text = param.decl->name;
  out.node = make(Op::Param, out.type, {}, out.loc, payload);
  if (param.maybe_default != nullptr) out.maybe_default = constant(adapt(node(param.maybe_default, env), out.type));
  env.bind(*param.decl, {out.node, nullptr});
  graph_.params.push_back(std::move(out));
}

/// A default value as one constant; it may be a negative number, or an int for a float.
const Node* Evaluator::constant(const Node* value) {
  if (value->op != Op::Neg && value->op != Op::ToFloat) return value;
  const Node* const inner = constant(value->inputs[0]);
  Payload payload;
  payload.float_value = inner->op == Op::Float ? inner->float_value : static_cast<double>(inner->int_value);
  if (value->op == Op::Neg) payload.float_value = -payload.float_value;
  return make(Op::Float, value->type, {}, value->loc, payload);
}

/// Keeps the nodes that the result needs, in order of creation.
void Evaluator::collect_nodes() {
  std::unordered_map<const Node*, bool> seen;
  std::vector<const Node*> stack{graph_.result};
  auto visit = [&](const Node* node) {
    if (node != nullptr && !seen[node]) {
      seen[node] = true;
      stack.push_back(node);
    }
  };
  seen[graph_.result] = true;
  for (const Param& param : graph_.params) visit(param.node);
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    graph_.nodes.push_back(node);
    for (const Node* input : node->inputs) visit(input);
    if (node->apply == nullptr) continue;
    for (const Node* operand : node->apply->operands) visit(operand);
    visit(node->apply->body);
    visit(node->apply->maybe_cond);
  }
  std::sort(graph_.nodes.begin(), graph_.nodes.end(), [](const Node* a, const Node* b) { return a->id < b->id; });
}

const Node* Evaluator::checked(const Node* node) {
  if (maker_.size() > kMaxGraphSize) {
    stop(DiagId::TooComplex, node->loc,
         "the program needs more than " + std::to_string(kMaxGraphSize) + " nodes when its calls are inlined");
  }
  if (node->depth > kMaxNodeDepth) {
    stop(DiagId::TooDeep, node->loc,
         "more than " + std::to_string(kMaxNodeDepth) + " operators depend on one another in a chain");
  }
  return node;
}

const Node* Evaluator::make(Op op, const Type* type, std::initializer_list<const Node*> inputs, SourceLoc loc,
                            const Payload& payload) {
  return checked(maker_.make(op, type, inputs, loc, payload));
}

const Node* Evaluator::make(Op op, const Type* type, std::span<const Node* const> inputs, SourceLoc loc,
                            const Payload& payload) {
  return checked(maker_.make(op, type, inputs, loc, payload));
}

const Node* Evaluator::integer(std::int64_t value, SourceLoc loc) {
  Payload payload;
  payload.int_value = value;
  return make(Op::Int, types_.int_type(), {}, loc, payload);
}

const Node* Evaluator::adapt(const Node* node, const Type* wanted) {
  if (wanted == nullptr || node == nullptr || node->type == wanted) return node;
  if (node->type->kind == Type::Kind::Int && wanted->kind == Type::Kind::Float) {
    number(node, node->loc);
    return make(Op::ToFloat, wanted, {node}, node->loc);
  }
  bool empty_list = node->op == Op::MkList && node->inputs.empty();
  if (empty_list && wanted->is_list()) return make(Op::MkList, wanted, {}, node->loc);
  return node;
}

void Evaluator::level(const Node*& a, const Node*& b) {
  if (a->type == b->type) return;
  bool a_wider = a->type->kind == Type::Kind::Float || (b->op == Op::MkList && b->inputs.empty());
  const Type* wanted = a_wider ? a->type : b->type;
  a = adapt(a, wanted);
  b = adapt(b, wanted);
}

const Node* Evaluator::number(const Node* node, SourceLoc loc) {
  if (node->op != Op::Label) return node;
  for (const Diagnostic& d : diagnostics_.all()) {
    if (d.id == DiagId::LabelPlace && d.loc == loc) return node;
  }
  failed_ = true;
  diagnostics_.error(DiagId::LabelPlace, loc, "a quoted word names a label; here a number is needed",
                     "compare it with `vertex_label(g, v)`");
  return node;
}

Value Evaluator::eval(ast::Expr* expr, const Env& env) {
  if (stopped_) return {integer(0, expr->loc), nullptr};
  if (++depth_ > kMaxEvalDepth) {
    stop(DiagId::TooDeep, expr->loc,
         "calls and expressions are nested more than " + std::to_string(kMaxEvalDepth) + " deep");
  }
  Value out = stopped_ ? Value{} : eval_now(expr, env);
  --depth_;
  if (stopped_) return {integer(0, expr->loc), nullptr};
  return out;
}

const Node* Evaluator::node(ast::Expr* expr, const Env& env) {
  Value value = eval(expr, env);
  if (value.node != nullptr) return value.node;
  stop(DiagId::FunctionValue, expr->loc, "a function stands where a value is needed");
  return integer(0, expr->loc);
}

Value Evaluator::eval_now(ast::Expr* expr, const Env& env) {
  Payload payload;
  switch (expr->kind) {
    case ast::Expr::Kind::Int: return {integer(static_cast<ast::IntExpr*>(expr)->value, expr->loc), nullptr};
    case ast::Expr::Kind::Float:
      payload.float_value = static_cast<ast::FloatExpr*>(expr)->value;
      return {make(Op::Float, types_.float_type(), {}, expr->loc, payload), nullptr};
    case ast::Expr::Kind::Bool:
      payload.int_value = static_cast<ast::BoolExpr*>(expr)->value ? 1 : 0;
      return {make(Op::Bool, types_.bool_type(), {}, expr->loc, payload), nullptr};
    case ast::Expr::Kind::Label:
      payload.text = static_cast<ast::LabelExpr*>(expr)->word;
      return {make(Op::Label, types_.int_type(), {}, expr->loc, payload), nullptr};
    case ast::Expr::Kind::None:
    case ast::Expr::Kind::TypeName:
    case ast::Expr::Kind::Broken: return {};
    case ast::Expr::Kind::Name: return name(*static_cast<ast::NameExpr*>(expr), env);
    case ast::Expr::Kind::List: return {list(*static_cast<ast::ListExpr*>(expr), env, nullptr), nullptr};
    case ast::Expr::Kind::Unary: {
      const ast::UnaryExpr& unary = *static_cast<ast::UnaryExpr*>(expr);
      const Node* operand = node(unary.operand, env);
      if (unary.op == ast::UnaryOp::Not) return {make(Op::Not, types_.bool_type(), {operand}, expr->loc), nullptr};
      return {make(Op::Neg, operand->type, {number(operand, unary.operand->loc)}, expr->loc), nullptr};
    }
    case ast::Expr::Kind::Binary: return {binary(*static_cast<ast::BinaryExpr*>(expr), env), nullptr};
    case ast::Expr::Kind::Compare: return {compare(*static_cast<ast::CompareExpr*>(expr), env), nullptr};
    case ast::Expr::Kind::If: return {choice(*static_cast<ast::IfExpr*>(expr), env), nullptr};
    case ast::Expr::Kind::Lambda:
      return {nullptr, arena_.make<Closure>(Closure{nullptr, static_cast<ast::Lambda*>(expr), &env})};
    case ast::Expr::Kind::Call: return call(*static_cast<ast::CallExpr*>(expr), env);
  }
  return {};
}

Value Evaluator::name(const ast::NameExpr& name, const Env& env) {
  if (const Value* bound = env.find(name.decl->id)) return *bound;
  const Closure*& global = globals_[name.decl->def];
  if (global == nullptr) global = arena_.make<Closure>(Closure{name.decl->def, nullptr, nullptr});
  return {nullptr, global};
}

const Node* Evaluator::list(const ast::ListExpr& list, const Env& env, const Type* maybe_item) {
  std::vector<const Node*> items;
  const Type* item = maybe_item;
  for (ast::Expr* value : list.items) {
    items.push_back(node(value, env));
    const Type* type = items.back()->type;
    bool empty_list = items.back()->op == Op::MkList && items.back()->inputs.empty();
    if (item == nullptr || (maybe_item == nullptr && item->is_list() && !empty_list)) item = type;
  }
  if (item == nullptr) item = list.maybe_item != nullptr ? adopt(list.maybe_item) : types_.int_type();
  for (const Node*& value : items) value = adapt(value, item);
  return make(Op::MkList, types_.list(item), items, list.loc);
}

const Node* Evaluator::binary(const ast::BinaryExpr& binary, const Env& env) {
  const Node* left = node(binary.left, env);
  if (binary.op == ast::BinaryOp::And || binary.op == ast::BinaryOp::Or) {
    Names names;
    const Node* right = branch(binary.right, env, names);
    names = kept(names, right);
    const Op op = binary.op == ast::BinaryOp::And ? Op::And : Op::Or;
    return make(op, types_.bool_type(), {left, right}, binary.loc, {.named = {names}});
  }
  const Node* right = node(binary.right, env);
  Op op = Op::Add;
  switch (binary.op) {
    case ast::BinaryOp::Sub: op = Op::Sub; break;
    case ast::BinaryOp::Mul: op = Op::Mul; break;
    case ast::BinaryOp::Div: op = Op::Div; break;
    case ast::BinaryOp::Mod: op = Op::Mod; break;
    default: break;
  }
  number(left, binary.left->loc);
  number(right, binary.right->loc);
  level(left, right);
  return make(op, left->type, {left, right}, binary.loc);
}

const Node* Evaluator::compare(const ast::CompareExpr& compare, const Env& env) {
  const Node* out = nullptr;
  const Node* left = node(compare.operands[0], env);
  for (std::size_t i = 0; i < compare.ops.size(); ++i) {
    Names names;
    ast::Expr* operand = compare.operands[i + 1];
    const Node* right = i == 0 ? node(operand, env) : branch(operand, env, names);
    if (compare.ops[i] != ast::BinaryOp::Eq && compare.ops[i] != ast::BinaryOp::Ne) {
      number(left, compare.operands[i]->loc);
      number(right, compare.operands[i + 1]->loc);
    }
    const Node* pair = compare_pair(compare.ops[i], left, right, compare.loc);
    names = kept(names, pair);
    out = i == 0 ? pair : make(Op::And, types_.bool_type(), {out, pair}, compare.loc, {.named = {names}});
    left = right;
  }
  return out;
}

const Node* Evaluator::compare_pair(ast::BinaryOp op, const Node* left, const Node* right, SourceLoc loc) {
  Op out = Op::Eq;
  switch (op) {
    case ast::BinaryOp::Ne: out = Op::Ne; break;
    case ast::BinaryOp::Lt: out = Op::Lt; break;
    case ast::BinaryOp::Le: out = Op::Le; break;
    case ast::BinaryOp::Gt: out = Op::Lt; break;
    case ast::BinaryOp::Ge: out = Op::Le; break;
    default: break;
  }
  level(left, right);
  if (op == ast::BinaryOp::Gt || op == ast::BinaryOp::Ge) std::swap(left, right);
  return make(out, types_.bool_type(), {left, right}, loc);
}

const Node* Evaluator::choice(const ast::IfExpr& choice, const Env& env) {
  const Node* cond = node(choice.cond, env);
  Names then_names, else_names;
  const Node* then_value = branch(choice.then_value, env, then_names);
  const Node* else_value = branch(choice.else_value, env, else_names);
  level(then_value, else_value);
  then_names = kept(then_names, then_value);
  else_names = kept(else_names, else_value);
  return make(Op::If, then_value->type, {cond, then_value, else_value}, choice.loc,
              {.named = {then_names, else_names}});
}

Value Evaluator::invoke(const Closure& closure, std::vector<Value> args, SourceLoc loc) {
  if (++calls_ > kMaxCalls) {
    stop(DiagId::TooComplex, loc, "more than " + std::to_string(kMaxCalls) + " calls would be inlined");
    return {integer(0, loc), nullptr};
  }
  envs_.push_back(std::make_unique<Env>());
  Env& env = *envs_.back();
  env.parent = closure.env;
  std::span<const ast::Param> params = closure.params();
  for (std::size_t i = 0; i < params.size(); ++i) {
    Value value = i < args.size() ? args[i] : Value{};
    bool absent = value.node == nullptr && value.closure == nullptr;
    if (absent && params[i].maybe_default != nullptr) value.node = node(params[i].maybe_default, env);
    if (value.node != nullptr) value.node = adapt(value.node, adopt(params[i].decl->type));
    env.bind(*params[i].decl, value);
  }
  depth_ += kCallDepth;
  Value out = closure.lambda != nullptr ? eval(closure.lambda->body, env) : body(*closure.def, env);
  depth_ -= kCallDepth;
  if (closure.def != nullptr && out.node != nullptr) out.node = adapt(out.node, adopt(closure.def->result_type));
  return out;
}

Value Evaluator::body(const ast::Def& def, Env& env) {
  for (const ast::Stmt& stmt : def.body) {
    switch (stmt.kind) {
      case ast::Stmt::Kind::Assign: {
        Value value = eval(stmt.value, env);
        if (value.node != nullptr) {
          graph_.names.try_emplace(value.node, graph_.arena->copy(stmt.decl->name));
          if (value.node->type->is_scalar() || value.node->type->is_tuple()) named_->push_back(value.node);
        }
        env.bind(*stmt.decl, value);
        break;
      }
      case ast::Stmt::Kind::Def:
        env.bind(*stmt.def->decl, {nullptr, arena_.make<Closure>(Closure{stmt.def, nullptr, &env})});
        break;
      case ast::Stmt::Kind::Return: return eval(stmt.value, env);
      case ast::Stmt::Kind::Doc:
      case ast::Stmt::Kind::Broken: break;
    }
  }
  return {integer(0, def.loc), nullptr};
}

}  // namespace matcha::frontend::asg
