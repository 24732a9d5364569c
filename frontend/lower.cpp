#include "frontend/lower.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "frontend/asg_branch.h"
#include "frontend/lower_walk.h"
#include "ir/analysis/facts.h"
#include "ir/analysis/resolve.h"
#include "ir/analysis/walk.h"

namespace matcha::frontend {

std::optional<ir::Module> lower(const asg::Graph& graph, ir::Context& context, Diagnostics& diagnostics, bool may_loop,
                                bool plain_may_loop) {
  return lowering::Lowering(graph, context, diagnostics, may_loop, plain_may_loop).run();
}

namespace lowering {

using asg::Node;
using asg::Op;
using ir::Expr;
using ir::Kind;
using ir::ScalarKind;

Lowering::Lowering(const asg::Graph& graph, ir::Context& context, Diagnostics& diagnostics, bool may_loop,
                   bool plain_may_loop)
    : graph_(graph),
      may_loop_(may_loop),
      plain_may_loop_(plain_may_loop),
      builder_(context),
      diagnostics_(diagnostics),
      kinds_(graph) {
  ++uses_[graph.result];
  for (const Node* node : graph.nodes) {
    for (const Node* input : node->inputs) ++uses_[input];
    if (node->apply == nullptr) continue;
    ++uses_[node->apply->body];
    if (node->apply->maybe_cond != nullptr) ++uses_[node->apply->maybe_cond];
  }
}

std::optional<ir::Module> Lowering::run() {
  Scope top;
  scopes_.push_back(&top);
  std::vector<const ir::Var*> params;
  for (const asg::Param& param : graph_.params) {
    builder_.set_loc(param.loc);
    const ir::Type* type = builder_.context().graph();
    if (param.type->is_list()) type = list_type(kinds_.of(param.node));
    if (param.type->is_scalar()) type = scalar_type(kinds_.of(param.node)[0]);
    params.push_back(builder_.var(type, param.name));
    top.values[param.node] = {{params.back()}};
  }
  for (const asg::Slice& slice : graph_.slices) {
    builder_.set_loc(slice.node->loc);
    params.push_back(builder_.var(builder_.context().graph(), slice.name));
    top.values[slice.node] = {{params.back()}};
  }
  lower_named(graph_.named);
  Value result = lower(graph_.result);
  if (failed_) return std::nullopt;
  emit(builder_.ret(result.parts), graph_.result->loc);
  return with_promises(builder_.module(ir::Stage::Loop, graph_.entry, params, builder_.block(top.stmts)));
}

/// Adds the language's guarantees about the graphs whose arcs the module reads: they have no loops, and no repeated
/// arcs unless edges carry information.
ir::Module Lowering::with_promises(const ir::Module& module) {
  const ir::Facts facts(module);
  std::unordered_set<const ir::Expr*> walked;
  ir::for_each_stmt(*module.body, [&](const ir::Stmt& stmt) {
    ir::for_each_expr(stmt, [&](const ir::Expr& expr) {
      ir::for_each_node(expr, [&](const ir::Expr& node) {
        const bool walks = node.kind == Kind::Neighbors || node.kind == Kind::Edges || node.kind == Kind::HasEdge;
        if (walks) walked.insert(ir::resolve(facts, node.operands[0]));
      });
    });
  });
  ir::Module result = module;
  for (std::size_t i = 0; i < module.params.size(); ++i) {
    if (!walked.contains(module.params[i])) continue;
    const std::size_t own = graph_.params.size();
    const Type& type = i < own ? *graph_.params[i].type : *graph_.slices[i - own].node->type;
    const bool informed = type.elem != nullptr;
    if (informed || i >= own ? may_loop_ : plain_may_loop_) continue;
    const ir::AssumptionKind kind = informed ? ir::AssumptionKind::LoopFree : ir::AssumptionKind::Simple;
    result = builder_.assume(result, {kind, module.params[i]});
  }
  return result;
}

void Lowering::lower_named(std::span<const Node* const> named) {
  for (const Node* node : named) {
    if (uses_.contains(node)) lower(node);
  }
}

void Lowering::fail(DiagId id, SourceLoc loc, std::string message, std::string hint) {
  if (!failed_) diagnostics_.error(id, loc, std::move(message), std::move(hint));
  failed_ = true;
}

/// A value of the right shape, to continue after an error.
Value Lowering::dummy(const Node* node) {
  if (node->type->is_nested_list()) return {{}, node};
  if (node->type->is_graph()) return {{builder_.var(builder_.context().graph(), "error")}};
  const Kinds& kinds = kinds_.of(node);
  if (node->type->is_list()) return {{builder_.literal(list_type(kinds), {})}};
  if (node->type->is_table()) {
    const std::uint32_t keys = static_cast<std::uint32_t>(node->type->positions.size());
    return {{builder_.var(builder_.context().table(list_type(kinds)->columns, keys), "error")}};
  }
  Value out;
  for (ScalarKind kind : kinds) out.parts.push_back(builder_.var(scalar_type(kind), "error"));
  return out;
}

void Lowering::emit(const ir::Stmt* stmt, SourceLoc loc) {
  if (++statements_ > kMaxStatements) {
    fail(DiagId::TooComplex, loc, "the program needs more than " + std::to_string(kMaxStatements) + " statements");
  }
  scopes_.back()->stmts.push_back(stmt);
}

std::string_view Lowering::name_of(const Node* node, std::string_view otherwise) const {
  auto name = graph_.names.find(node);
  return name != graph_.names.end() ? name->second : otherwise;
}

const ir::Type* Lowering::list_type(const Kinds& kinds) {
  std::vector<const ir::Type*> columns;
  for (ScalarKind kind : kinds) columns.push_back(scalar_type(kind));
  return builder_.context().list(columns);
}

namespace {

/// True for 128-bit values and for expressions over them.
bool reads_wide(const Expr& expr) {
  return expr.type->is_scalar(ScalarKind::I128) ||
         std::any_of(expr.operands.begin(), expr.operands.end(),
                     [](const Expr* operand) { return reads_wide(*operand); });
}

}  // namespace

/// Loops and branches read a 128-bit value in 64 bits; the conversion is at top level, where the value is bound.
/// Expressions over one, such as a comparison, are bound there too.
const Expr* Lowering::narrowed(const Expr* expr) {
  if (!reads_wide(*expr)) return expr;
  const ir::Var*& narrow = narrowed_[expr];
  if (narrow == nullptr) {
    bool wide = expr->type->is_scalar(ScalarKind::I128);
    const Expr* value = wide ? builder_.convert(expr, builder_.context().i64()) : expr;
    narrow = builder_.var(value->type, wide ? "count" : "value");
    scopes_.front()->stmts.push_back(builder_.let(narrow, value));
  }
  return narrow;
}

Value Lowering::usable_here(Value value) {
  if (at_top()) return value;
  for (const Expr*& part : value.parts) part = narrowed(part);
  return value;
}

Value Lowering::lower(const Node* node) {
  if (failed_) return dummy(node);
  for (std::size_t i = scopes_.size(); i-- > 0;) {
    auto found = scopes_[i]->values.find(node);
    if (found == scopes_[i]->values.end()) continue;
    bool flat_list = found->second.maybe_list != nullptr && !node->type->is_nested_list();
    if (flat_list) return lower(found->second.maybe_list);
    return i == 0 ? usable_here(found->second) : found->second;
  }
  if (node->type->is_nested_list()) return {{}, node};
  if (const std::size_t home = home_of(node); home < scopes_.size()) return lower_in(home, node);
  SourceLoc saved = builder_.loc();
  builder_.set_loc(node->loc);
  Value value = named(node, compute(node));
  scopes_.back()->values[node] = value;
  builder_.set_loc(saved);
  return value;
}

/// The cost of evaluating `expr` again, in operators; set operations and searches weigh more.
std::uint32_t Lowering::cost(const Expr* expr) {
  auto known = costs_.find(expr);
  if (known != costs_.end()) return known->second;
  bool search = ir::is_set_op(expr->kind) || expr->kind == Kind::HasEdge || expr->kind == Kind::Contains ||
                expr->kind == Kind::Log;
  const bool made = ir::group_of(expr->kind) == ir::Group::Reorder;
  std::uint32_t out = made ? kDear : search ? kCheap : 1;
  for (const Expr* operand : expr->operands) out = std::min(out + cost(operand), kDear);
  costs_.emplace(expr, out);
  return out;
}

/// Names values that are used more than once, unless they are cheap, and splits expressions that grow large.
Value Lowering::named(const Node* node, Value value) {
  if (node->type->is_graph() || failed_) return value;
  for (const Expr*& part : value.parts) {
    bool wide = at_top() && !part->type->is_scalar(ScalarKind::I128) && reads_wide(*part);
    if (!wide && cost(part) <= (uses_[node] < 2 ? kDear - 1 : kCheap)) continue;
    const ir::Var* var = builder_.var(part->type, name_of(node, node->type->is_list() ? "list" : "value"));
    emit(builder_.let(var, part), node->loc);
    part = var;
  }
  return value;
}

const Expr* Lowering::as_kind(const Expr* value, ScalarKind kind) { return builder_.convert(value, scalar_type(kind)); }

Lowering::Exprs Lowering::as_kinds(const Value& value, const Kinds& kinds) {
  Exprs out;
  for (std::size_t i = 0; i < value.parts.size(); ++i) out.push_back(as_kind(value.parts[i], kinds[i]));
  return out;
}

const Expr* Lowering::vertex(const Node* node) { return as_kind(scalar(node), ScalarKind::Vid); }
const Expr* Lowering::integer(const Node* node) { return as_kind(scalar(node), ScalarKind::I64); }

Value Lowering::compute(const Node* node) {
  ir::Context& context = builder_.context();
  auto one = [](const Expr* expr) { return Value{{expr}}; };
  switch (node->op) {
    case Op::Int: return one(builder_.integer(node->int_value));
    case Op::Float: return one(builder_.real(node->float_value));
    case Op::Bool: return one(builder_.boolean(node->int_value != 0));
    case Op::Label: return one(builder_.label_name(node->text));
    case Op::Param:
    case Op::WithLabel:
    case Op::Backwards:
    case Op::Subgraph:
    case Op::Operand:
      if (rounds_loc_.valid()) {
        fail(DiagId::IteratePlace, rounds_loc_, "rounds are computed for each item of a list",
             "compute them outside the functions of `apply`");
        return dummy(node);
      }
      fail(DiagId::GraphPlace, graph_loc_, "a graph is built for each item of a list",
           "build graphs outside the functions of `apply`");
      return dummy(node);
    case Op::Neg: return one(builder_.make(Kind::Neg, {scalar(node->inputs[0])}));
    case Op::Log: return {{builder_.make(Kind::Log, {scalar(node->inputs[0])})}};
    case Op::Sqrt: return {{builder_.make(Kind::Sqrt, {scalar(node->inputs[0])})}};
    case Op::Not: return one(builder_.make(Kind::Not, {scalar(node->inputs[0])}));
    case Op::ToFloat: {
      Value in = lower(node->inputs[0]);
      return {{builder_.convert(in.parts[0], context.f64())}};
    }
    case Op::Add: return arithmetic(node, Kind::Add);
    case Op::Sub: return arithmetic(node, Kind::Sub);
    case Op::Mul: return arithmetic(node, Kind::Mul);
    case Op::Div: return arithmetic(node, Kind::Div);
    case Op::Mod: return arithmetic(node, Kind::Mod);
    case Op::MinOf: return arithmetic(node, Kind::Min);
    case Op::MaxOf: return arithmetic(node, Kind::Max);
    case Op::Eq: return comparison(node, Kind::Eq);
    case Op::Ne: return comparison(node, Kind::Ne);
    case Op::Lt: return comparison(node, Kind::Lt);
    case Op::Le: return comparison(node, Kind::Le);
    case Op::And:
    case Op::Or: return logic(node);
    case Op::If: return node->type->is_list() || node->type->is_table() ? choose_lists(node) : choice(node);
    case Op::MkTuple: {
      Value out;
      for (const Node* input : node->inputs) out.parts.push_back(scalar(input));
      return out;
    }
    case Op::GetPos: {
      Value in = lower(node->inputs[0]);
      return {{in.parts[static_cast<std::size_t>(node->int_value)]}};
    }
    case Op::Vertices: return one(builder_.make(Kind::Vertices, {scalar(node->inputs[0])}));
    case Op::Edges: return one(builder_.make(Kind::Edges, {scalar(node->inputs[0])}));
    case Op::Neighbor: return one(builder_.make(Kind::Neighbors, {scalar(node->inputs[0]), vertex(node->inputs[1])}));
    case Op::EdgeInfo:
      return one(builder_.make(Kind::EdgeInfo, {scalar(node->inputs[0]), vertex(node->inputs[1])},
                               list_type(kinds_.of(node))));
    case Op::UpTo: return one(up_to(list(node->inputs[0]), integer(node->inputs[1])));
    case Op::Part: return one(part(node));
    case Op::VertexLabel: return one(builder_.make(Kind::Label, {scalar(node->inputs[0]), vertex(node->inputs[1])}));
    case Op::HasEdge:
      return one(
          builder_.make(Kind::HasEdge, {scalar(node->inputs[0]), vertex(node->inputs[1]), vertex(node->inputs[2])}));
    case Op::MkGraph: return build_graph(node);
    case Op::MkList: return literal(node);
    case Op::Capacity: return limited(node);
    case Op::GetItem:
      return item(node);
      // clang-format off
#define MATCHA_SET_BUILTIN(Name, word, doc) case Op::Name:
#include "frontend/builtins.def"
      // clang-format on
      return set_operation(node);
    case Op::Iterate:
    case Op::Repeat: return rounds(node);
    default: return of_list(node);
  }
  return dummy(node);
}

Value Lowering::arithmetic(const Node* node, Kind kind) {
  Value left = lower(node->inputs[0]);
  Value right = lower(node->inputs[1]);
  return {{builder_.make(kind, {left.parts[0], right.parts[0]})}};
}

Value Lowering::comparison(const Node* node, Kind kind) {
  for (std::size_t i : {0, 1}) {
    const Node* other = node->inputs[1 - i];
    if (node->inputs[i]->op != Op::Label || kinds_.of(other)[0] != ScalarKind::Vid) continue;
    fail(DiagId::LabelPlace, node->inputs[i]->loc, "a quoted word is compared with a vertex",
         "compare it with `vertex_label(g, v)`");
    return dummy(node);
  }
  return arithmetic(node, kind);
}

/// The second operand is evaluated only if needed: its statements go into a branch.
Value Lowering::logic(const Node* node) {
  bool is_and = node->op == Op::And;
  Value left = lower(node->inputs[0]);
  Branch needed = branch_of(node, 1);
  if (needed.scope.stmts.empty()) {
    return {{builder_.make(is_and ? Kind::And : Kind::Or, {left.parts[0], needed.value.parts[0]})}};
  }
  Branch known;
  known.value = {{builder_.boolean(!is_and)}};
  return is_and ? branches(node, left.parts[0], needed, known) : branches(node, left.parts[0], known, needed);
}

Lowering::Branch Lowering::branch_of(const Node* node, std::size_t input) {
  Branch out;
  out.scope.kind = Scope::Kind::Branch;
  scopes_.push_back(&out.scope);
  const bool outer = std::exchange(in_branch_, true);
  lower_named(asg::named_in(node, input));
  out.value = lower(node->inputs[input]);
  in_branch_ = outer;
  scopes_.pop_back();
  return out;
}

Value Lowering::choice(const Node* node) {
  Value cond = lower(node->inputs[0]);
  Branch then_branch = branch_of(node, 1);
  Branch else_branch = branch_of(node, 2);
  bool pure = then_branch.scope.stmts.empty() && else_branch.scope.stmts.empty();
  if (!pure) return branches(node, cond.parts[0], then_branch, else_branch);
  Exprs then_parts = as_kinds(then_branch.value, kinds_.of(node));
  Exprs else_parts = as_kinds(else_branch.value, kinds_.of(node));
  Value out;
  for (std::size_t i = 0; i < then_parts.size(); ++i) {
    out.parts.push_back(builder_.make(Kind::Select, {cond.parts[0], then_parts[i], else_parts[i]}));
  }
  return out;
}

/// A sink for each column, into which the taken branch yields once: the maximum of one value is that value, and the
/// list of one list's items is that list.
Value Lowering::branches(const Node* node, const Expr* cond, Branch& then_branch, Branch& else_branch) {
  const Kinds& kinds = kinds_.of(node);
  Value out;
  std::vector<ir::Sink> sinks;
  const bool rows = node->type->is_list() || node->type->is_table();
  if (rows) {
    const ir::Var* var = builder_.var(list_type(kinds), "chosen");
    sinks.push_back({var, ir::SinkKind::List, nullptr});
    out.parts.push_back(var);
  } else {
    for (ScalarKind kind : kinds) {
      const ir::Var* var = builder_.var(scalar_type(kind), "chosen");
      sinks.push_back({var, kind == ScalarKind::Bool ? ir::SinkKind::Any : ir::SinkKind::Max, nullptr});
      out.parts.push_back(var);
    }
  }
  auto finish = [&](Branch& branch) {
    scopes_.push_back(&branch.scope);
    if (rows) {
      walk_list(branch.value.parts[0], node->loc,
                [&](const Value& item) { emit(builder_.yield(sinks[0].var, as_kinds(item, kinds)), node->loc); });
    } else {
      Exprs parts = as_kinds(branch.value, kinds);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        emit(builder_.yield(sinks[i].var, std::span<const Expr* const>(&parts[i], 1)), node->loc);
      }
    }
    scopes_.pop_back();
    return builder_.block(branch.scope.stmts);
  };
  const ir::Block* body = block([&] {
    const ir::Block* then_body = finish(then_branch);
    const ir::Block* else_body = finish(else_branch);
    emit(builder_.branch(cond, then_body, else_body), node->loc);
  });
  emit(builder_.collect(sinks, body), node->loc);
  return node->type->is_table() ? table(node, ir::Fold::Max, out.parts[0]) : out;
}

/// The number of items of an ascending list that are at most `x`.
const Expr* Lowering::up_to(const Expr* list, const Expr* x) {
  const Expr* above = builder_.make({Kind::Cut, ir::Side::Upper}, {list, x});
  return builder_.make(Kind::Sub, {builder_.make(Kind::Size, {list}), builder_.make(Kind::Size, {above})});
}

const Expr* Lowering::part(const Node* node) {
  return builder_.make(Kind::Span, {list(node->inputs[0]), integer(node->inputs[1]), integer(node->inputs[2])});
}

Value Lowering::choose_lists(const Node* node) {
  Value cond = lower(node->inputs[0]);
  const Kinds& kinds = kinds_.of(node);
  bool same = kinds_.of(node->inputs[1]) == kinds && kinds_.of(node->inputs[2]) == kinds;
  Branch then_branch = branch_of(node, 1);
  Branch else_branch = branch_of(node, 2);
  if (!same || !then_branch.scope.stmts.empty() || !else_branch.scope.stmts.empty()) {
    return branches(node, cond.parts[0], then_branch, else_branch);
  }
  return {{builder_.make(Kind::Select, {cond.parts[0], then_branch.value.parts[0], else_branch.value.parts[0]})}};
}

Value Lowering::build_graph(const Node* node) {
  std::vector<Scope*> inner = std::exchange(scopes_, {scopes_.front()});
  graph_loc_ = node->loc;
  Kinds pair{ScalarKind::Vid, ScalarKind::Vid};
  const Expr* edges = converted_list(list(node->inputs[0]), pair);
  const Expr* labels = nullptr;
  const Expr* info = node->has_info ? list(node->inputs.back()) : nullptr;
  if (node->has_labels) labels = converted_list(list(node->inputs[1]), {ScalarKind::Vid, ScalarKind::I64});
  if (info != nullptr && kinds_.of(node->inputs.back())[0] == ScalarKind::Vid)
    info = converted_list(info, {ScalarKind::I64});
  const bool timed = node->int_value != 0;
  const ir::Var* var = builder_.var(builder_.context().graph(), name_of(node, timed ? "by_time" : "graph"));
  const ir::RowOrder order = timed ? ir::RowOrder::Info : ir::RowOrder::Target;
  if (!failed_) emit(builder_.build_graph(var, edges, labels, info, ir::GraphIndex::Csr, order), node->loc);
  scopes_.front()->values[node] = {{var}};
  scopes_ = std::move(inner);
  return {{var}};
}

}  // namespace lowering
}  // namespace matcha::frontend
