#include <algorithm>
#include <utility>

#include "frontend/asg_branch.h"
#include "frontend/lower_walk.h"
#include "frontend/set_ops.h"

/// Collecting, walking and reducing lists.
namespace matcha::frontend::lowering {

using asg::Node;
using asg::Op;
using ir::Expr;
using ir::Kind;
using ir::ScalarKind;

Value Lowering::collected(const ir::Var* var, ir::SinkKind kind, SourceLoc loc, const std::function<void()>& fill) {
  const ir::Block* body = block(fill);
  const ir::Sink sink{var, kind, nullptr};
  emit(builder_.collect(std::span<const ir::Sink>(&sink, 1), body), loc);
  return {{var}};
}

/// A list that is not one expression: its items are appended one by one.
Value Lowering::collect_list(const Node* node) {
  const Kinds& kinds = kinds_.of(node);
  // Lists are computed before the collect, so that its body is one loop.
  for (const Node* input : node->inputs) {
    if (!input->type->is_nested_list()) lower(input);
  }
  const ir::Var* var = builder_.var(list_type(kinds), name_of(node, "list"));
  return collected(var, ir::SinkKind::List, node->loc, [&] {
    walk_now(node, [&](const Value& item) { emit(builder_.yield(var, as_kinds(item, kinds)), node->loc); });
  });
}

Value Lowering::sum(const Node* node) {
  Value out;
  std::vector<ir::Sink> sinks;
  Kinds kinds;
  for (ScalarKind kind : kinds_.of(node)) {
    bool wide = kind == ScalarKind::I64 && at_top();
    const ir::Var* var = builder_.var(scalar_type(wide ? ScalarKind::I128 : kind), name_of(node, "sum"));
    sinks.push_back({var, ir::SinkKind::Sum, nullptr});
    out.parts.push_back(var);
    kinds.push_back(kind);
  }
  const Expr* rows = list(node->inputs[0]);
  const ir::Block* body = block([&] {
    walk_list(rows, node->loc, [&](const Value& item) {
      Exprs parts = as_kinds(item, kinds);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        emit(builder_.yield(sinks[i].var, std::span<const Expr* const>(&parts[i], 1)), node->loc);
      }
    });
  });
  emit(builder_.collect(sinks, body), node->loc);
  return out;
}

Value Lowering::reduce(const Node* node, ir::SinkKind kind) {
  ScalarKind column = kinds_.of(node)[0];
  const ir::Var* var = builder_.var(scalar_type(column), name_of(node, ir::keyword(kind)));
  const Expr* rows = list(node->inputs[0]);
  return collected(var, kind, node->loc, [&] {
    walk_list(rows, node->loc, [&](const Value& item) {
      Exprs parts = as_kinds(item, {column});
      emit(builder_.yield(var, parts), node->loc);
    });
  });
}

Value Lowering::size(const Node* node) {
  const Node* list_node = node->inputs[0];
  if (!list_node->type->is_nested_list()) return {{builder_.make(Kind::Size, {list(list_node)})}};
  const ir::Var* var = builder_.var(builder_.context().i64(), name_of(node, "size"));
  return collected(var, ir::SinkKind::Sum, node->loc, [&] {
    walk(list_node, [&](const Value&) {
      const Expr* one = builder_.integer(1);
      emit(builder_.yield(var, std::span<const Expr* const>(&one, 1)), node->loc);
    });
  });
}

Value Lowering::literal(const Node* node) {
  const Kinds& kinds = kinds_.of(node);
  Exprs items;
  for (const Node* input : node->inputs) {
    Exprs parts = as_kinds(lower(input), kinds);
    items.insert(items.end(), parts.begin(), parts.end());
  }
  return {{builder_.literal(list_type(kinds), items)}};
}

/// A list with a capacity: all of its items, after a check that they fit.
Value Lowering::limited(const Node* node) {
  const Expr* items = list(node->inputs[0]);
  const Expr* capacity = scalar(node->inputs[1]);
  if (failed_) return dummy(node);
  const ir::Var* all = builder_.var(items->type, name_of(node, "list"));
  const ir::Var* size = builder_.var(builder_.context().i64(), "size");
  emit(builder_.let(all, items), node->loc);
  emit(builder_.let(size, builder_.make(Kind::AtMost, {builder_.make(Kind::Size, {all}), capacity})), node->loc);
  return {{builder_.make(Kind::Span, {all, builder_.integer(0), size})}};
}

const Expr* Lowering::converted_list(const Expr* list, const Kinds& kinds) {
  const ir::Type* wanted = list_type(kinds);
  if (list->type == wanted || failed_) return list;
  const ir::Var* var = builder_.var(wanted, "list");
  std::vector<const ir::Var*> columns;
  for (const ir::Type* column : list->type->columns) columns.push_back(builder_.var(column, "x"));
  collected(var, ir::SinkKind::List, builder_.loc(), [&] {
    const ir::Block* loop_body = block([&] {
      Value item;
      item.parts.assign(columns.begin(), columns.end());
      emit(builder_.yield(var, as_kinds(item, kinds)), builder_.loc());
    });
    emit(builder_.loop(columns, std::span<const Expr* const>(&list, 1), nullptr, loop_body), builder_.loc());
  });
  return var;
}

/// A set of vertices and a set of plain ints are combined as plain ints; the result has the kind of the first.
Value Lowering::set_operation(const Node* node) {
  const Kind kind = *set_kind(node->op);
  const Expr* left = list(node->inputs[0]);
  const Expr* right = list(node->inputs[1]);
  if (failed_ || left->type == right->type) return {{builder_.make(kind, {left, right})}};
  if (left->type->columns[0]->is_scalar(ScalarKind::I64)) {
    return {{builder_.make(kind, {left, converted_list(right, {ScalarKind::I64})})}};
  }
  const ir::Var* var = builder_.var(left->type, "list");
  return collected(var, ir::SinkKind::List, node->loc, [&] {
    walk_list(left, node->loc, [&](const Value& item) {
      const Expr* found = builder_.make(Kind::Contains, {right, as_kind(item.parts[0], ScalarKind::I64)});
      if (!ir::keeps_found(kind)) found = builder_.make(Kind::Not, {found});
      const ir::Block* kept = block([&] { emit(builder_.yield(var, item.parts), node->loc); });
      emit(builder_.branch(found, kept), node->loc);
    });
  });
}

Value Lowering::item(const Node* node) {
  if (node->inputs[0]->type->is_nested_list()) {
    fail(DiagId::StoredNest, node->loc, "an item of a list of lists cannot be read",
         "walk the list with `apply`, or make one list of it with `flatten`");
    return dummy(node);
  }
  const Expr* from = list(node->inputs[0]);
  const Expr* position = integer(node->inputs[1]);
  Value out;
  for (std::uint32_t i = 0; i < kinds_.of(node).size(); ++i) out.parts.push_back(builder_.at(from, position, i));
  return out;
}

/// Walks a list value, row by row.
void Lowering::walk_list(const Expr* rows, SourceLoc loc, const Visit& visit) {
  std::vector<const ir::Var*> columns;
  for (const ir::Type* column : rows->type->columns) columns.push_back(builder_.var(column, "x"));
  const ir::Block* body = block(
      [&] {
        Value item;
        item.parts.assign(columns.begin(), columns.end());
        visit(item);
      },
      Scope::Kind::Loop);
  emit(builder_.loop(columns, std::span<const Expr* const>(&rows, 1), nullptr, body), loc);
}

void Lowering::walk(const Node* node, const Visit& visit) {
  bool shared = uses_[node] > 1 && !node->type->is_nested_list();
  if (shared) return walk_rows(node, visit);
  walk_now(node, visit);
}

void Lowering::walk_branch(const Node* node, std::size_t input, const Visit& visit) {
  const bool outer = std::exchange(in_branch_, true);
  lower_named(asg::named_in(node, input));
  walk(node->inputs[input], [&](const Value& item) {
    const bool inner = std::exchange(in_branch_, outer);
    visit(item);
    in_branch_ = inner;
  });
  in_branch_ = outer;
}

Value Lowering::item_value(const Node* node) { return node->type->is_list() ? Value{{}, node} : lower(node); }

void Lowering::walk_now(const Node* node, const Visit& visit) {
  if (failed_) return;
  if (++statements_ > kMaxStatements) {
    return fail(DiagId::TooComplex, node->loc,
                "the program needs more than " + std::to_string(kMaxStatements) + " statements");
  }
  builder_.set_loc(node->loc);
  switch (node->op) {
    case Op::Apply: return walk_apply(node, visit);
    case Op::Keys:
    case Op::Values:
      return walk_list(list(node->inputs[0]), node->loc, [&](const Value& row) { visit(part(node, row.parts)); });
    case Op::Flatten: return walk(node->inputs[0], [&](const Value& inner) { walk(inner.maybe_list, visit); });
    case Op::If: {
      const Expr* cond = scalar(node->inputs[0]);
      const ir::Block* then_body = block([&] { walk_branch(node, 1, visit); }, Scope::Kind::Branch);
      const ir::Block* else_body = block([&] { walk_branch(node, 2, visit); }, Scope::Kind::Branch);
      return emit(builder_.branch(cond, then_body, else_body), node->loc);
    }
    default: break;
  }
  if (!node->type->is_nested_list()) return walk_rows(node, visit);
  switch (node->op) {
    case Op::Operand: return walk(lower(node).maybe_list, visit);
    case Op::Capacity:
      return fail(DiagId::ListCapacity, node->loc, "the capacity of a list of lists cannot be checked",
                  "state it for the list that `flatten` makes of it");
    case Op::MkList:
      for (const Node* input : node->inputs) visit(item_value(input));
      return;
    default:
      fail(DiagId::StoredNest, node->loc, "a list of lists cannot be stored", "make one list of it with `flatten`");
  }
}

void Lowering::walk_apply(const Node* node, const Visit& visit) {
  const asg::Apply& apply = *node->apply;
  auto visit_item = [&] {
    lower_named(apply.named);
    visit(item_value(apply.body));
  };
  auto visit_body = [&] {
    if (apply.maybe_cond == nullptr) return visit_item();
    lower_named(apply.cond_named);
    const Expr* cond = scalar(apply.maybe_cond);
    const ir::Block* kept = block(visit_item, Scope::Kind::Branch);
    emit(builder_.branch(cond, kept), apply.maybe_cond->loc);
  };
  bool nested = std::any_of(node->inputs.begin(), node->inputs.end(),
                            [](const Node* list) { return list->type->is_nested_list(); });
  if (nested) {
    if (node->inputs.size() > 1) {
      return fail(DiagId::StoredNest, node->loc, "a list of lists cannot be walked in step with another list",
                  "make one list of it with `flatten`");
    }
    return walk(node->inputs[0], [&](const Value& item) {
      // A separate scope: the same block may bind another item to the operand.
      Scope scope;
      scopes_.push_back(&scope);
      bind_operand(apply.operands[0], item);
      visit_body();
      scopes_.pop_back();
      for (const ir::Stmt* stmt : scope.stmts) scopes_.back()->stmts.push_back(stmt);
    });
  }
  std::vector<const Expr*> lists;
  std::vector<const ir::Var*> columns;
  std::vector<Value> items;
  std::unordered_map<const Node*, Value> tables;  ///< Their rows: `keys(t)` and `values(t)` are one walk.
  for (std::size_t i = 0; i < node->inputs.size(); ++i) {
    const Node* input = node->inputs[i];
    const bool of_table = input->op == Op::Keys || input->op == Op::Values;
    const Node* walked = of_table ? input->inputs[0] : input;
    if (const auto known = tables.find(walked); of_table && known != tables.end()) {
      items.push_back(part(input, known->second.parts));
      continue;
    }
    lists.push_back(list(walked));
    Value item;
    const ir::Type* type = lists.back()->type;
    for (std::size_t c = 0; c < type->columns.size(); ++c) {
      std::string hint(apply.operands[i]->text);
      if (type->columns.size() > 1) hint += std::to_string(c);
      columns.push_back(builder_.var(type->columns[c], hint));
      item.parts.push_back(columns.back());
    }
    if (of_table) {
      items.push_back(part(input, item.parts));
      tables.emplace(walked, std::move(item));
    } else {
      items.push_back(std::move(item));
    }
  }
  const ir::Block* body = block(
      [&] {
        for (std::size_t i = 0; i < items.size(); ++i) bind_operand(apply.operands[i], items[i]);
        visit_body();
      },
      Scope::Kind::Loop);
  emit(builder_.loop(columns, lists, nullptr, body), node->loc);
}

}  // namespace matcha::frontend::lowering
