
#include "codegen/plan/function_writer.h"
#include "ir/match.h"

/// Scalar expressions.
namespace matcha::codegen::plan {

using runtime::TrapCode;

Reg FunctionWriter::scalar(const ir::Expr& e) {
  if (const auto counted = counted_.find(&e); counted != counted_.end()) return counted->second;
  if (e.kind == ir::Kind::Var) return variable(static_cast<const ir::Var&>(e));
  if (const auto found = known_.find(&e); found != known_.end()) return found->second;
  const Reg reg = compute(e);
  // The value of a deferred count differs each time, so it is not remembered.
  if (counted_.empty()) remember(e, reg);
  return reg;
}

Reg FunctionWriter::compute(const ir::Expr& e) {
  using ir::Group;
  const auto never = [](const ir::InGroup<Group::GraphList, Group::Literal, Group::SetOp, Group::Slice, Group::Reorder,
                                          Group::Bits> auto&) -> Reg {
    MATCHA_UNREACHABLE("a list where a scalar is expected");
  };
  const auto removed = [](const ir::OneOf<ir::LabelName, ir::CommonNeighbors> auto&) -> Reg {
    MATCHA_UNREACHABLE("a scalar that another step has made");
  };
  const ir::ScalarKind of =
      e.operands.empty() || !e.operands[0]->type->is_scalar() ? e.type->scalar : e.operands[0]->type->scalar;
  return ir::match(
      e, [&](const ir::Var& x) { return variable(x); },
      [&](const ir::ConstInt& x) { return constant(static_cast<Word>(x.value)); },
      [&](const ir::ConstFloat& x) { return constant(word(x.value)); },
      [&](const ir::ConstBool& x) { return constant(x.value ? 1 : 0); },
      [&](const ir::Neg& x) {
        const Reg a = scalar(*x.operands[0]), to = new_reg(2);
        trapping(put(negation(of), to, a), x.loc);
        return to;
      },
      [&](const ir::Not& x) {
        const Reg a = scalar(*x.operands[0]), to = new_reg();
        put(act::negate_bool, to, a);
        return to;
      },
      [&](const ir::OneOf<ir::Log, ir::Sqrt> auto& x) {
        const Reg a = scalar(*x.operands[0]), to = new_reg();
        put(x.kind == ir::Kind::Log ? act::logarithm : act::square_root, to, a);
        return to;
      },
      [&](const ir::InGroup<Group::Comparison> auto& x) { return binary(x, comparison(x.kind, of)); },
      [&](const ir::InGroup<Group::Extremum> auto& x) { return binary(x, extreme(x.kind, of)); },
      [&](const ir::OneOf<ir::Add, ir::Sub, ir::Mul, ir::Div, ir::Mod> auto& x) {
        return binary(x, arithmetic(x.kind, of));
      },
      [&](const ir::OneOf<ir::And, ir::Or> auto& x) { return logic(x); },
      [&](const ir::Select& x) { return select(x); }, [&](const ir::AtMost& x) { return binary(x, act::at_most); },
      [&](const ir::Convert& x) { return convert(x); }, [&](const ir::Size& x) { return size_of(*x.operands[0]); },
      [&](const ir::At& x) { return at(x); }, [&](const ir::Contains& x) { return contains(x); },
      [&](const ir::LowerBound& x) {
        const List items = list(*x.operands[0]);
        const Reg item = scalar(*x.operands[1]), to = new_reg();
        put(search(items.cells[0], false), to, items.base, item);
        return to;
      },
      [&](const ir::FindRow& x) { return find_row(x); },
      [&](const ir::Label& x) {
        const Reg vertex = scalar(*x.operands[1]), view = graph(*x.operands[0]), to = new_reg();
        const bool known = layout_.facts().labelled(x.operands[0]);
        trapping(put(known ? act::label_known : act::label_checked, to, vertex, view), x.loc);
        return to;
      },
      [&](const ir::HasEdge& x) {
        const Reg view = graph(*x.operands[0]), from = scalar(*x.operands[1]), target = scalar(*x.operands[2]);
        const Reg to = new_reg();
        put(act::has_edge, to, view, from, target);
        return to;
      },
      [&](const ir::MaxDegree& x) {
        const Reg view = graph(*x.operands[0]), to = new_reg();
        put(act::load_field, to, view).value = offsetof(runtime::GraphView, max_degree);
        return to;
      },
      never, removed);
}

Reg FunctionWriter::variable(const ir::Var& var) {
  const auto found = scalars_.find(&var);
  Reg value = 0, present = 0;
  if (found != scalars_.end()) {
    value = found->second;
    const auto flag = present_.find(&var);
    if (flag != present_.end()) present = flag->second;
  } else {
    value = frame_words(layout_.frame().slot(var), 2);
    if (layout_.facts().may_be_empty(&var)) present = value + 1;
  }
  if (present != 0) trapping(put(act::trap_unless, 0, present), var.loc).value = static_cast<Word>(TrapCode::EmptyList);
  return value;
}

Reg FunctionWriter::binary(const ir::Expr& e, Action action) {
  const Reg a = scalar(*e.operands[0]);
  const Reg b = scalar(*e.operands[1]);
  const Reg to = new_reg(e.type->is_scalar(ir::ScalarKind::I128) ? 2 : 1);
  trapping(put(action, to, a, b), e.loc);
  return to;
}

Reg FunctionWriter::logic(const ir::Expr& e) {
  const Reg to = new_reg();
  const Label end = new_label();
  put(act::copy, to, scalar(*e.operands[0])).n = 1;
  jump(e.kind == ir::Kind::And ? act::jump_unless : act::jump_if, end, to);
  scoped([&] {
    const Reg second = scalar(*e.operands[1]);
    put(act::copy, to, second).n = 1;
  });
  place(end);
  return to;
}

Reg FunctionWriter::select(const ir::Expr& e) {
  const std::uint32_t words = e.type->is_scalar(ir::ScalarKind::I128) ? 2 : 1;
  const Reg to = new_reg(words);
  const Label other = new_label(), end = new_label();
  branch_unless(*e.operands[0], true, other);
  const auto choose = [&](const ir::Expr& value) {
    scoped([&] {
      const Reg chosen = scalar(value);
      put(act::copy, to, chosen).n = words;
    });
  };
  choose(*e.operands[1]);
  jump(act::jump, end);
  place(other);
  choose(*e.operands[2]);
  place(end);
  return to;
}

Reg FunctionWriter::convert(const ir::Expr& e) {
  const Reg from = scalar(*e.operands[0]);
  const Action action = conversion(e.operands[0]->type->scalar, e.type->scalar);
  if (action == nullptr) return from;
  const Reg to = new_reg(2);
  trapping(put(action, to, from), e.loc);
  return to;
}

Reg FunctionWriter::at(const ir::At& e) {
  const List items = list(*e.operands[0]);
  const Reg index = scalar(*e.operands[1]), to = new_reg();
  trapping(put(act::check_item, 0, index, items.base), e.loc).n = e.operands[0]->type->is_table() ? 1 : 0;
  put(load_cell(items.cells[e.column]), to, items.column(e.column), index);
  return to;
}

Reg FunctionWriter::contains(const ir::Expr& e) {
  const ir::Expr& set = *e.operands[0];
  const Reg x = scalar(*e.operands[1]);
  const Reg to = new_reg();
  if (set.type->bits) {
    const Word bits = bit_table(set);
    put(act::bits_contain, to, x).value = bits;
  } else if (set.kind == ir::Kind::Literal) {
    const Reg items = literal_items(set);
    Op& op = put(act::contains_literal, to, x, items);
    op.n = static_cast<std::uint32_t>(set.operands.size());
    op.value = static_cast<Word>(cell_of(*set.type->columns[0]));
  } else {
    const List items = list(set);
    const bool ascending = layout_.facts().list(&set).ascending;
    put(ascending ? act::contains : act::contains_any, to, items.base, x).n =
        static_cast<std::uint32_t>(items.cells[0]);
  }
  return to;
}

Reg FunctionWriter::find_row(const ir::Expr& e) {
  const List rows = list(*e.operands[0]);
  std::vector<Reg> keys;
  for (const ir::Expr* operand : e.operands.subspan(1)) keys.push_back(scalar(*operand));
  const Reg to = new_reg();
  if (keys.size() == 1 && rows.cells[0] == Cell::Vid) {
    put(act::find_rank, to, rows.base, keys[0]);
    return to;
  }
  put(act::find_row, to, rows.base).value = word(table(keys, rows.cells));
  return to;
}

/// Jumps unless the value of the condition is `wanted`.
void FunctionWriter::branch_unless(const ir::Expr& cond, bool wanted, Label label) {
  if (cond.kind == ir::Kind::Not) return branch_unless(*cond.operands[0], !wanted, label);
  if (cond.kind == (wanted ? ir::Kind::And : ir::Kind::Or)) {
    branch_unless(*cond.operands[0], wanted, label);
    // Behind the branch the second operand may not have been computed.
    return scoped([&] { branch_unless(*cond.operands[1], wanted, label); });
  }
  if (ir::is_comparison(cond.kind) && !known_.contains(&cond)) {
    const Reg a = scalar(*cond.operands[0]), b = scalar(*cond.operands[1]);
    return jump(plan::jump_unless(cond.kind, cond.operands[0]->type->scalar, wanted), label, a, b);
  }
  const Reg value = scalar(cond);
  jump(wanted ? act::jump_unless : act::jump_if, label, value);
}

}  // namespace matcha::codegen::plan
