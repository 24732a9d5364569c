#include <algorithm>

#include "codegen/plan/function_writer.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "runtime/common/exact_sum.h"

/// Statements inside functions.
namespace matcha::codegen::plan {

void FunctionWriter::block(const ir::Block& b) {
  for (const ir::Stmt* s : b.body) stmt(*s);
}

/// True for a loop or a branch before the second-level loop that has no effect except yields into the region. Parts of
/// a position skip it.
bool FunctionWriter::only_yields(const ir::Stmt& s) const {
  const bool may_yield = before_split_ && open_collects_ == 0 && (s.kind == ir::Kind::For || s.kind == ir::Kind::If);
  return may_yield && !cpu::holds_split(*shape_, s);
}

void FunctionWriter::stmt(const ir::Stmt& s) {
  if (only_yields(s)) return if_whole([&] { stmt(s); });
  set_loc(s.loc);
  const auto never = [](const ir::OneOf<ir::BuildGraph, ir::Repeat, ir::Again, ir::Return, ir::Region> auto&) {
    MATCHA_UNREACHABLE("a top-level statement inside a function");
  };
  ir::match(
      s, [&](const ir::Block& x) { block(x); }, [&](const ir::Let& x) { let(x); },
      [&](const ir::Store& x) { store(x); }, [&](const ir::For& x) { loop(x); }, [&](const ir::If& x) { branch(x); },
      [&](const ir::Collect& x) { collect(x); }, [&](const ir::Yield& x) { yield(x); }, never);
}

void FunctionWriter::let(const ir::Let& s) {
  if (later_.contains(s.var)) return;
  if (s.var->type->bits) {
    bit_names_[s.var] = s.value;
  } else if (s.var->type->is_scalar()) {
    scalars_[s.var] = scalar(*s.value);
  } else if (s.var->type->is_list()) {
    lists_[s.var] = list(*s.value);
  }
}

void FunctionWriter::store(const ir::Store& s) {
  if (s.var->type->bits) return store_bits(s);
  if (s.var->type->is_bit_rows()) return store_rows(s);
  if (s.value->kind == ir::Kind::CommonNeighbors) {
    scalars_[s.var] = common(s);
    return;
  }
  const List out = buffer(*s.buffer);
  const Reg count = store_items(*s.value, &out);
  const std::uint32_t width = static_cast<std::uint32_t>(out.cells.size());
  const List items{new_reg(1 + width), out.cells, 0};
  put(act::copy, items.base, count).n = 1;
  put(act::copy, items.column(0), out.column(0)).n = width;
  lists_[s.var] = items;
}

void FunctionWriter::branch(const ir::If& s) {
  const Label other = new_label();
  branch_unless(*s.cond, true, other);
  scoped([&] { block(*s.then_body); });
  if (s.maybe_else == nullptr) return place(other);
  const Label end = new_label();
  jump(act::jump, end);
  place(other);
  scoped([&] { block(*s.maybe_else); });
  place(end);
}

// Loops

Reg FunctionWriter::common_length(std::span<const List> lists) {
  for (std::size_t i = 1; i < lists.size(); ++i) trapping(put(act::check_equal, 0, lists[i].base, lists[0].base), loc_);
  return lists[0].base;
}

bool FunctionWriter::is_bound(const ir::Expr& e) const {
  bool bound = true;
  ir::for_each_node(e, [&](const ir::Expr& node) {
    const ir::Var* var = ir::as<ir::Var>(&node);
    if (var == nullptr) return;
    const bool known = scalars_.contains(var) || lists_.contains(var) || layout_.facts().top_level(var);
    bound = bound && known && !present_.contains(var) && !layout_.facts().may_be_empty(var);
  });
  return bound;
}

/// Looks up, in front of the loop, the rows of graphs that it reads for every item and that do not depend on the item.
void FunctionWriter::find_invariants(const ir::For& s) {
  if (!in_region_) return;
  ir::for_each_stmt(*s.body, [&](const ir::Stmt& inner) {
    ir::for_each_expr(inner, [&](const ir::Expr& e) {
      ir::for_each_node(e, [&](const ir::Expr& node) {
        const bool row = node.kind == ir::Kind::Neighbors && node.operands[1]->kind == ir::Kind::Var &&
                         layout_.resolve(*node.operands[0]).kind == ir::Kind::Var;
        if (row && !known_.contains(&node) && !layout_.stored().contains(&node) && is_bound(node)) list(node);
      });
    });
  });
}

/// Walks positions from `begin` up to `end` of the lists: binds the variables, calls `item`.
void FunctionWriter::walk(const ir::For& s, std::span<const List> lists, Reg begin, Reg end,
                          const std::function<void()>& item) {
  find_invariants(s);
  const Reg index = new_reg();
  const Label body = new_label(), after = new_label();
  const Cell* maybe_cell = s.vars.empty() ? nullptr : &lists[0].cells[0];
  const Reg first = maybe_cell != nullptr ? new_reg() : 0;
  const auto step = [&](Action action, Label label) {
    jumps_.emplace_back(ops_.size(), label);
    put(action, index, begin, end, first).d = lists[0].column(0);
  };
  step(loop_begin(maybe_cell), after);
  place(body);
  if (depth_ == 0) position_ = index;
  ++depth_;
  scoped([&] {
    std::size_t var = 0;
    for (const List& items : lists) {
      for (std::size_t c = 0; c < items.cells.size(); ++c) {
        Reg value = first;
        if (var != 0) {
          value = new_reg();
          put(load_cell(items.cells[c]), value, items.column(c), index);
        }
        scalars_[s.vars[var++]] = value;
      }
    }
    if (s.maybe_index != nullptr) scalars_[s.maybe_index] = index;
    index_ = index;
    item();
  });
  --depth_;
  step(loop_next(maybe_cell), body);
  place(after);
}

void FunctionWriter::loop(const ir::For& s) {
  if (s.lists[0]->type->bits) return bits_loop(s);
  std::vector<List> lists;
  for (const ir::Expr* e : s.lists) lists.push_back(loop_list(*e));
  const Reg size = common_length(lists);
  if (shape_ != nullptr && std::ranges::find(shape_->split, &s) != shape_->split.end()) {
    return offer_or_walk(s, lists, size);
  }
  const bool may_leave = in_region_ && (cpu::holds_for(*s.body) || depth_ == 0);
  walk(s, lists, constant(0), size, [&] {
    if (may_leave) leave_if_stopped();
    block(*s.body);
  });
}

// Sinks

void FunctionWriter::collect(const ir::Collect& s) {
  const bool early = layout_.ends_early(s);
  const Label decided = early ? new_label() : 0;
  for (const ir::Sink& sink : s.sinks) {
    Sink opened;
    opened.sink = &sink;
    opened.ends_early = early;
    opened.decided = decided;
    open(opened);
    sinks_[sink.var] = opened;
  }
  ++open_collects_;
  scoped([&] { block(*s.body); });
  --open_collects_;
  if (early) place(decided);
  set_loc(s.loc);
  for (const ir::Sink& sink : s.sinks) close(sinks_[sink.var]);
}

void FunctionWriter::open(Sink& sink) {
  const Reg zero = constant(0);
  switch (sink.sink->kind) {
    case ir::SinkKind::Sum:
      if (sink.sink->var->type->is_scalar(ir::ScalarKind::F64)) {
        sink.value = area(sizeof(runtime::ExactSum));
        put(act::clear_exact, 0, sink.value);
        return;
      }
      [[fallthrough]];
    case ir::SinkKind::Min:
    case ir::SinkKind::Max:
      sink.value = new_reg(2);
      put(act::copy, sink.value, zero).n = 1;
      put(act::copy, sink.value + 1, zero).n = 1;
      return;
    case ir::SinkKind::Any:
    case ir::SinkKind::All:
      sink.value = new_reg();
      put(act::copy, sink.value, constant(sink.sink->kind == ir::SinkKind::All ? 1 : 0)).n = 1;
      return;
    case ir::SinkKind::List: {
      sink.items = buffer(*sink.sink->maybe_buffer);
      const std::uint32_t width = static_cast<std::uint32_t>(sink.items.cells.size());
      sink.value = new_reg(1 + width);
      put(act::copy, sink.value, zero).n = 1;
      put(act::copy, sink.value + 1, sink.items.column(0)).n = width;
      return;
    }
  }
}

void FunctionWriter::close(Sink& sink) {
  const ir::Var* var = sink.sink->var;
  switch (sink.sink->kind) {
    case ir::SinkKind::List: lists_[var] = {sink.value, sink.items.cells, 0}; return;
    case ir::SinkKind::Sum: {
      const Reg to = new_reg();
      if (var->type->is_scalar(ir::ScalarKind::F64)) {
        put(act::exact_value, to, sink.value);
      } else if (var->type->is_scalar(ir::ScalarKind::I128)) {
        scalars_[var] = sink.value;
        return;
      } else {
        trapping(put(act::check_fits, to, sink.value), loc_);
      }
      scalars_[var] = to;
      return;
    }
    case ir::SinkKind::Min:
    case ir::SinkKind::Max: present_[var] = sink.value + 1; [[fallthrough]];
    case ir::SinkKind::Any:
    case ir::SinkKind::All: scalars_[var] = sink.value; return;
  }
}

void FunctionWriter::yield(const ir::Yield& s) {
  const Sink& sink = sinks_.at(s.sink);
  if (sink.region_index >= 0 && before_split_) return if_whole([&] { yield(s); });
  if (s.batched && put_off(sink, s)) return;
  if (sink.sink->kind == ir::SinkKind::List) return append(sink, s);
  add_to(sink, scalar(*s.values[0]));
}

void FunctionWriter::append(const Sink& sink, const ir::Yield& s) {
  std::vector<Reg> values;
  std::vector<Cell> cells;
  for (const ir::Expr* e : s.values) values.push_back(scalar(*e));
  for (const ir::Type* type : sink.sink->var->type->columns) cells.push_back(cell_of(*type));
  const Word row = word(table(values, cells));
  if (sink.region_index < 0) {
    trapping(put(act::append_item, 0, sink.value, sink.items.capacity), loc_).value = row;
    return;
  }
  Op& op = put(sink.map ? act::map_row : sink.counts >= 0 ? act::append_edge : act::append_row, 0, position_);
  op.n = static_cast<std::uint32_t>(sink.region_index);
  op.value = row;
}

void FunctionWriter::add_to(const Sink& sink, Reg value) {
  const bool is_real = sink.sink->var->type->is_scalar(ir::ScalarKind::F64);
  const bool inside = sink.region_index < 0;
  const auto add = [&](Action in_register, Action in_slot) {
    put(inside ? in_register : in_slot, sink.value, value).value = inside ? 0 : static_cast<Word>(sink.region_index);
  };
  switch (sink.sink->kind) {
    case ir::SinkKind::Sum:
      if (is_real && inside) {
        put(act::add_exact, 0, sink.value, value);
      } else {
        add(act::add, is_real ? act::add_exact_slot : act::add_slot);
      }
      return;
    case ir::SinkKind::Min: return add(act::extreme(true, is_real), act::extreme_slot(true, is_real));
    case ir::SinkKind::Max: return add(act::extreme(false, is_real), act::extreme_slot(false, is_real));
    case ir::SinkKind::Any:
    case ir::SinkKind::All: {
      const bool is_any = sink.sink->kind == ir::SinkKind::Any;
      add(is_any ? act::any : act::all, is_any ? act::any_slot : act::all_slot);
      if (sink.ends_early) jump(is_any ? act::jump_if : act::jump_unless, sink.decided, sink.value);
      return;
    }
    case ir::SinkKind::List: break;
  }
  MATCHA_UNREACHABLE("a list sink as a scalar one");
}

}  // namespace matcha::codegen::plan
