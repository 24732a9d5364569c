#include "codegen/interp/evaluator.h"

#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen::interp {

void trap(runtime::TrapCode code, SourceLoc loc) { trap(runtime::trap_message(code), loc); }

void trap(std::string message, SourceLoc loc) {
  throw Trap{runtime::Error{runtime::ErrorKind::Runtime, std::move(message), {}, 0, {}}, loc};
}

std::unordered_set<const ir::Expr*> shared_nodes(const ir::Module& module) {
  std::unordered_set<const ir::Expr*> shared;
  std::unordered_set<const ir::Expr*> seen;
  const auto walk = [&](const ir::Expr& e, const auto& self) -> void {
    if (e.operands.empty()) return;
    if (!seen.insert(&e).second) {
      shared.insert(&e);
      return;
    }
    for (const ir::Expr* operand : e.operands) self(*operand, self);
  };
  ir::for_each_stmt(*module.body, [&](const ir::Stmt& stmt) {
    ir::for_each_expr(stmt, [&](const ir::Expr& e) {
      seen.clear();
      walk(e, walk);
    });
  });
  return shared;
}

Value Evaluator::operator()(const ir::Expr& expr) {
  memo_.clear();
  return eval(expr);
}

Value Evaluator::eval(const ir::Expr& e) {
  if (!shared_.contains(&e)) return compute(e);
  const auto found = memo_.find(&e);
  if (found != memo_.end()) return found->second;
  Value value = compute(e);
  memo_.emplace(&e, value);
  return value;
}

Value Evaluator::compute(const ir::Expr& e) {
  using namespace ir;
  return match(
      e, [&](const Var& n) { return variable(n); }, [](const ConstInt& n) { return Value(n.value); },
      [](const ConstFloat& n) { return Value(n.value); }, [](const ConstBool& n) { return Value(n.value); },
      [](const LabelName& n) -> Value { trap("label names are not bound", n.loc); },
      [&](const Neg& n) { return negation(n); }, [&](const Not& n) { return Value(!get<bool>(*n.operands[0])); },
      [&](const Add& n) { return arithmetic(n); }, [&](const Sub& n) { return arithmetic(n); },
      [&](const Mul& n) { return arithmetic(n); }, [&](const Div& n) { return arithmetic(n); },
      [&](const Mod& n) { return arithmetic(n); }, [&](const Eq& n) { return comparison(n); },
      [&](const Ne& n) { return comparison(n); }, [&](const Lt& n) { return comparison(n); },
      [&](const Le& n) { return comparison(n); },
      [&](const And& n) { return Value(get<bool>(*n.operands[0]) && get<bool>(*n.operands[1])); },
      [&](const Or& n) { return Value(get<bool>(*n.operands[0]) || get<bool>(*n.operands[1])); },
      [&](const Min& n) { return extremum(n); }, [&](const Max& n) { return extremum(n); },
      [&](const Log& n) { return Value(runtime::rt_log(get<double>(*n.operands[0]))); },
      [&](const Sqrt& n) { return Value(runtime::rt_sqrt(get<double>(*n.operands[0]))); },
      [&](const AtMost& n) { return at_most(n); },
      [&](const Select& n) { return eval(*n.operands[get<bool>(*n.operands[0]) ? 1 : 2]); },
      [&](const Convert& n) { return conversion(n); },
      [&](const Size& n) { return Value(static_cast<std::int64_t>(list(*n.operands[0])->rows)); },
      [&](const At& n) { return item(n); },
      [&](const Contains& n) {
        std::vector<Value> items = ascending(list(*n.operands[0])->columns[0]);
        return Value(holds(items, eval(*n.operands[1])));
      },
      [&](const LowerBound& n) { return lower_bound(n); }, [&](const FindRow& n) { return find_row(n); },
      [&](const Label& n) { return label(n); }, [&](const HasEdge& n) { return has_edge(n); },
      [&](const MaxDegree& n) { return Value(static_cast<std::int64_t>(graph(*n.operands[0]).max_degree)); },
      [&](const CommonNeighbors& n) { return common(n); }, [&](const Vertices& n) { return vertices(n); },
      [&](const Edges& n) { return edges(n); }, [&](const Neighbors& n) { return neighbors(n); },
      [&](const EdgeInfo& n) { return edge_info(n); }, [&](const Literal& n) { return literal(n); },
      [&](const InGroup<Group::SetOp> auto& n) { return set_operation(n); }, [&](const Cut& n) { return cut(n); },
      [&](const Span& n) { return span(n); }, [&](const Sorted& n) { return sorted(n); },
      [&](const Keyed& n) { return keyed(n); }, [&](const Sequence& n) { return range(n); },
      [&](const Flatten& n) { return flatten(n); }, [&](const BitRows& n) { return rows(n); },
      [&](const BitRow& n) {
        ListPtr all = list(*n.operands[0]);
        std::int64_t position = get<std::int64_t>(*n.operands[1]);
        if (position < 0 || position >= static_cast<std::int64_t>(all->rows)) {
          trap(runtime::TrapCode::IndexOutOfRange, n.loc);
        }
        return all->columns[0][static_cast<std::size_t>(position)];
      },
      [&](const AllBits& n) { return positions_of(list(*n.operands[0])->rows); });
}

}  // namespace matcha::codegen::interp
