#include <algorithm>
#include <unordered_set>
#include <utility>

#include "frontend/lower_walk.h"
#include "ir/check.h"

/// Tables, and lists in order.
namespace matcha::frontend::lowering {

using asg::Node;
using asg::Op;
using ir::Expr;
using ir::Kind;
using ir::ScalarKind;

namespace {

ir::Fold fold_of(Op op) { return op == Op::MinBy ? ir::Fold::Min : op == Op::MaxBy ? ir::Fold::Max : ir::Fold::Sum; }

}  // namespace

bool Lowering::has_zeros(const Node* table, SourceLoc loc) {
  bool sums = false, others = false;
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> stack = {table};
  while (!stack.empty()) {
    const Node* one = stack.back();
    stack.pop_back();
    if (!seen.insert(one).second) continue;
    switch (one->op) {
      case Op::SumBy:
      case Op::CountBy: sums = true; break;
      case Op::If: stack.insert(stack.end(), {one->inputs[1], one->inputs[2]}); break;
      case Op::Operand: stack.push_back(rounds_.at(one)); break;
      case Op::Iterate:
      case Op::Repeat: stack.insert(stack.end(), {one->inputs[0], one->apply->body}); break;
      default: others = true;
    }
  }
  if (sums && others) {
    fail(DiagId::TypeMismatch, loc, "a missing key has the value 0 in some of these tables, and ends the run in others",
         "say its value: `default=`");
  }
  return sums;
}

Lowering::Exprs Lowering::with_kinds(const Node* node, const Kinds& kinds) {
  const Value value = lower(node);
  const bool rows = node->type->is_list() || node->type->is_table();
  if (!rows) return as_kinds(value, kinds);
  if (failed_ || kinds_.of(node) == kinds) return value.parts;
  const Expr* list = converted_list(value.parts[0], kinds);
  return node->type->is_table() ? table(node, ir::Fold::Max, list).parts : Exprs{list};
}

namespace {

/// Visits the nodes that `node` is computed of, each once.
void for_each_part(const Node* node, std::unordered_set<const Node*>& seen,
                   const std::function<void(const Node*)>& visit) {
  if (node == nullptr || !seen.insert(node).second) return;
  visit(node);
  for (const Node* input : node->inputs) for_each_part(input, seen, visit);
  if (node->apply == nullptr) return;
  for_each_part(node->apply->body, seen, visit);
  for_each_part(node->apply->maybe_cond, seen, visit);
}

/// The items of functions around `node` that it reads.
std::unordered_set<const Node*> free_operands(const Node* node) {
  std::unordered_set<const Node*> seen, own, read;
  for_each_part(node, seen, [&](const Node* part) {
    if (part->op == Op::Operand) read.insert(part);
    if (part->apply != nullptr) own.insert(part->apply->operands.begin(), part->apply->operands.end());
  });
  std::erase_if(read, [&](const Node* operand) { return own.contains(operand); });
  return read;
}

}  // namespace

std::size_t Lowering::home_of(const Node* node) const {
  const std::size_t here = scopes_.size();
  const bool fold = node->op == Op::SumBy || node->op == Op::CountBy || node->op == Op::MinBy || node->op == Op::MaxBy;
  if (!fold || here == 1) return here;
  std::unordered_set<const Node*> open = free_operands(node);
  std::size_t home = 0;
  for (std::size_t i = 0; i < here; ++i) {
    const std::size_t before = open.size();
    std::erase_if(open, [&](const Node* operand) { return scopes_[i]->values.contains(operand); });
    if (open.size() != before) home = i;
  }
  for (std::size_t i = home + 1; i < here; ++i) {
    if (scopes_[i]->kind == Scope::Kind::Loop) return home + 1;
    if (scopes_[i]->kind == Scope::Kind::Branch) home = i;
  }
  return here;
}

Value Lowering::lower_in(std::size_t count, const Node* node) {
  std::vector<Scope*> all = scopes_;
  scopes_.resize(count);
  Value value = lower(node);
  scopes_ = std::move(all);
  return count == 1 ? usable_here(std::move(value)) : value;
}

/// The statements of a round are at top level, between `repeat` and `again`, also if the result is first needed in a
/// loop. A branch would need them only sometimes.
Value Lowering::rounds(const Node* node) {
  if (in_branch_ || in_step_) {
    fail(DiagId::IteratePlace, node->loc,
         in_branch_ ? "rounds are computed in a branch" : "rounds are computed in the step of other rounds",
         "compute them at the top of the program, and name the result");
    return dummy(node);
  }
  std::vector<Scope*> inner = std::exchange(scopes_, {scopes_.front()});
  const SourceLoc outer = std::exchange(rounds_loc_, node->loc);
  // Other rounds that a step reads come before it.
  std::unordered_set<const Node*> seen;
  for_each_part(node->apply->body, seen, [&](const Node* part) {
    if ((part->op == Op::Iterate || part->op == Op::Repeat) && free_operands(part).empty()) lower(part);
  });
  const Value result = rounds_at_top(node);
  rounds_loc_ = outer;
  scopes_.front()->values[node] = result;
  scopes_ = std::move(inner);
  return usable_here(result);
}

Value Lowering::rounds_at_top(const Node* node) {
  const Node* state = node->apply->operands[0];
  const Kinds& kinds = kinds_.of(node);
  const Exprs starts = with_kinds(node->inputs[0], kinds);
  const Expr* times = integer(node->inputs[1]);
  if (failed_) return dummy(node);
  const auto names = [&](std::string_view otherwise) {
    std::vector<const ir::Var*> vars;
    for (const Expr* start : starts) vars.push_back(builder_.var(start->type, name_of(node, otherwise)));
    return vars;
  };
  const std::vector<const ir::Var*> states = names(state->text);
  builder_.set_loc(node->loc);
  emit(builder_.repeat(states, starts, times), node->loc);
  rounds_[state] = node;
  bind_operand(state, Value{{states.begin(), states.end()}});
  in_step_ = true;
  lower_named(node->apply->named);
  const Exprs next = with_kinds(node->apply->body, kinds);
  in_step_ = false;
  if (failed_) return dummy(node);
  const std::vector<const ir::Var*> results = names("result");
  builder_.set_loc(node->loc);
  emit(builder_.again(results, next, node->op == Op::Iterate), node->loc);
  return Value{{results.begin(), results.end()}};
}

Value Lowering::of_list(const Node* node) {
  switch (node->op) {
    case Op::Apply:
    case Op::Flatten: return collect_list(node);
    case Op::Sum: return sum(node);
    case Op::Size: return size(node);
    case Op::Min: return reduce(node, ir::SinkKind::Min);
    case Op::Max: return reduce(node, ir::SinkKind::Max);
    case Op::Any: return reduce(node, ir::SinkKind::Any);
    case Op::All: return reduce(node, ir::SinkKind::All);
    case Op::GetKey: return get_key(node);
    case Op::Keys:
    case Op::Values: return column(node);
    case Op::Entries: return lower(node->inputs[0]);
    case Op::Range: return {{builder_.make(Kind::Sequence, {integer(node->inputs[0]), integer(node->inputs[1])})}};
    case Op::Sort: return {{sorted_list(node->inputs[0])}};
    case Op::Top: return top(node);
    case Op::SumBy:
    case Op::CountBy:
    case Op::MinBy:
    case Op::MaxBy: return fold(node);
    default: MATCHA_UNREACHABLE("an operator of scalars or graphs");
  }
}

Value Lowering::table(const Node* node, ir::Fold fold, const Expr* rows) {
  const Expr* made = builder_.keyed(fold, rows, static_cast<std::uint32_t>(node->type->positions.size()));
  const ir::Var* var = builder_.var(made->type, name_of(node, "table"));
  emit(builder_.let(var, made), node->loc);
  return {{var}};
}

const Expr* Lowering::rows_of(const Node* node, Kinds kinds, const Exprs& more) {
  const bool walked = uses_[node] < 2 && (node->op == Op::Apply || node->op == Op::Flatten);
  if (more.empty() && !walked) return converted_list(list(node), kinds);
  // Lists are computed before the collect, so that its body is one loop.
  for (const Node* input : walked ? node->inputs : std::span<const Node* const>(&node, 1)) {
    if (!input->type->is_nested_list()) lower(input);
  }
  Kinds all = kinds;
  for (const Expr* value : more) all.push_back(value->type->scalar);
  const ir::Var* var = builder_.var(list_type(all), "rows");
  collected(var, ir::SinkKind::List, node->loc, [&] {
    walk(node, [&](const Value& item) {
      Exprs row = as_kinds(item, kinds);
      row.insert(row.end(), more.begin(), more.end());
      emit(builder_.yield(var, row), node->loc);
    });
  });
  return var;
}

Value Lowering::fold(const Node* node) {
  Kinds kinds = kinds_.of(node);
  Exprs more;
  if (node->op == Op::CountBy) {
    kinds.pop_back();
    more.push_back(builder_.integer(1));
  }
  const Expr* rows = rows_of(node->inputs[0], kinds, more);
  return failed_ ? dummy(node) : table(node, fold_of(node->op), rows);
}

Value Lowering::get_key(const Node* node) {
  const Node* of = node->inputs[0];
  const Expr* rows = list(of);
  Exprs operands = {rows};
  const std::size_t keys = of->type->positions.size();
  for (std::size_t i = 0; i < keys; ++i) operands.push_back(as_kind(scalar(node->inputs[i + 1]), kinds_.of(of)[i]));
  if (failed_) return dummy(node);
  const ir::Var* row = builder_.var(builder_.context().i64(), "row");
  emit(builder_.let(row, builder_.make(Kind::FindRow, operands)), node->loc);
  const Kinds& kinds = kinds_.of(node);
  Value found;
  for (std::uint32_t i = 0; i < kinds.size(); ++i)
    found.parts.push_back(as_kind(builder_.at(rows, row, static_cast<std::uint32_t>(keys) + i), kinds[i]));
  Value otherwise;
  if (node->has_info) {
    otherwise.parts = as_kinds(lower(node->inputs.back()), kinds);
  } else if (has_zeros(of, node->loc)) {
    for (ScalarKind kind : kinds)
      otherwise.parts.push_back(kind == ScalarKind::F64 ? builder_.real(0) : builder_.integer(0));
  } else {
    return found;
  }
  const Expr* there = builder_.make(Kind::Le, {builder_.integer(0), row});
  Value out;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    out.parts.push_back(builder_.make(Kind::Select, {there, found.parts[i], otherwise.parts[i]}));
  return out;
}

Value Lowering::part(const Node* node, const Exprs& row) {
  const std::ptrdiff_t keys = static_cast<std::ptrdiff_t>(node->inputs[0]->type->positions.size());
  if (node->op == Op::Keys) return {{row.begin(), row.begin() + keys}};
  return {{row.begin() + keys, row.end()}};
}

/// The keys or the values of a table as a list.
Value Lowering::column(const Node* node) {
  lower(node->inputs[0]);
  const ir::Var* var = builder_.var(list_type(kinds_.of(node)), name_of(node, "list"));
  return collected(var, ir::SinkKind::List, node->loc, [&] {
    walk_now(node, [&](const Value& item) { emit(builder_.yield(var, item.parts), node->loc); });
  });
}

const Expr* Lowering::sorted_list(const Node* node) {
  const Expr* rows = converted_list(list(node), kinds_.of(node));
  return failed_ ? rows : builder_.make(Kind::Sorted, {rows});
}

/// The items at the end of the ascending list, from the last one on.
Value Lowering::top(const Node* node) {
  const Expr* most = integer(node->inputs[0]);
  const Expr* all = sorted_list(node->inputs[1]);
  if (failed_) return dummy(node);
  const ir::Var* ascending = builder_.var(all->type, "ascending");
  emit(builder_.let(ascending, all), node->loc);
  const Expr* size = builder_.make(Kind::Size, {ascending});
  const Expr* places = builder_.make(Kind::Sequence, {builder_.integer(0), builder_.make(Kind::Min, {size, most})});
  const ir::Var* var = builder_.var(all->type, name_of(node, "top"));
  return collected(var, ir::SinkKind::List, node->loc, [&] {
    walk_list(places, node->loc, [&](const Value& place) {
      const Expr* last = builder_.make(Kind::Sub, {builder_.make(Kind::Size, {ascending}), builder_.integer(1)});
      Exprs row;
      for (std::uint32_t c = 0; c < all->type->columns.size(); ++c)
        row.push_back(builder_.at(ascending, builder_.make(Kind::Sub, {last, place.parts[0]}), c));
      emit(builder_.yield(var, row), node->loc);
    });
  });
}

}  // namespace matcha::frontend::lowering
