#include <algorithm>

#include "codegen/plan/function_writer.h"
#include "ir/analysis/facts.h"
#include "ir/match.h"

/// Bit sets: each is a table of its rows, stored sets and bounds.
namespace matcha::codegen::plan {

Reg FunctionWriter::words_for(Reg positions) {
  const Reg to = new_reg();
  put(act::words_for, to, positions);
  return to;
}

Reg FunctionWriter::buffer_cells(const host::BufferPlan& plan) {
  const Reg items = scalar(*plan.buffer->capacity);
  if (plan.form == host::BufferForm::Bits) return words_for(items);
  if (plan.form != host::BufferForm::BitRows) return items;
  const Reg to = new_reg();
  put(act::multiply, to, items, words_for(items));
  return to;
}

/// One call for each row: the positions of the list's items that are neighbours of one item. For neighbours below an
/// item only the items in front of it are searched.
void FunctionWriter::store_rows(const ir::Store& s) {
  const List out = buffer(*s.buffer);
  const ir::Expr& value = *s.value;
  const List items = list(*value.operands[1]);
  const Reg view = graph(*value.operands[0]);
  const Rows made{&value, out.column(0), items.base, words_for(items.base)};
  rows_[s.var] = made;
  const ir::Side side = ir::side_of(value);
  Op& op = trapping(put(act::store_rows, made.data, items.base, view, made.stride), s.loc);
  op.d = out.capacity;
  if (side == ir::Side::Lower) op.n = kLowerRows;
  if (side == ir::Side::Upper) op.n = kUpperRows;
  // Tasks that walk parts of one position one after the other make its rows once.
  if (before_split_ && depth_ == 1) {
    op.n |= kOuterLevel;
    op.value = position_;
  }
}

BitTable FunctionWriter::bits(const ir::Expr& set) {
  const auto add = [](BitTable& to, BitTable more) {
    const auto append = [](auto& into, auto& from) { into.insert(into.end(), from.begin(), from.end()); };
    append(to.words, more.words);
    append(to.limits, more.limits);
    append(to.below, more.below);
    append(to.above, more.above);
    append(to.minus, more.minus);
  };
  BitTable result;
  if (ir::is_set_op(set.kind)) {
    result = bits(*set.operands[0]);
    switch (ir::set_op(set.kind)) {
      case ir::SetOp::Intersect: add(result, bits(*set.operands[1])); break;
      case ir::SetOp::Diff: result.minus.push_back(bits(*set.operands[1])); break;
    }
    return result;
  }
  switch (set.kind) {
    case ir::Kind::Var: {
      const ir::Var* var = static_cast<const ir::Var*>(&set);
      const auto named = bit_names_.find(var);
      if (named != bit_names_.end()) return bits(*named->second);
      const Stored& stored = stored_bits_.at(var);
      result.words.push_back(stored.data);
      result.limits.push_back(stored.words);
      return result;
    }
    case ir::Kind::BitRow: {
      const Rows& all = rows_.at(static_cast<const ir::Var*>(set.operands[0]));
      const Reg position = scalar(*set.operands[1]);
      const auto found = known_.find(&set);
      Reg row = 0;
      if (found != known_.end()) {
        row = found->second;
      } else {
        row = new_reg(2);
        put(act::bit_row, row, all.data, position, all.stride);
        const bool lower = ir::side_of(*all.value) == ir::Side::Lower;
        if (lower) {
          put(act::words_for, row + 1, position);
        } else {
          put(act::copy, row + 1, all.stride).n = 1;
        }
        remember(set, row);
      }
      result.words.push_back(row);
      result.limits.push_back(row + 1);
      return result;
    }
    case ir::Kind::AllBits:
      result.below.push_back(rows_.at(static_cast<const ir::Var*>(set.operands[0])).size);
      return result;
    case ir::Kind::Cut:
      result = bits(*set.operands[0]);
      (ir::is_below(set) ? result.below : result.above).push_back(scalar(*set.operands[1]));
      return result;
    default: break;
  }
  MATCHA_UNREACHABLE("no bit set");
}

Word FunctionWriter::bit_table(const ir::Expr& set) { return word(&function_->bit_tables.emplace_back(bits(set))); }

void FunctionWriter::store_bits(const ir::Store& s) {
  const List out = buffer(*s.buffer);
  const Word set = bit_table(*s.value);
  const Stored stored{out.column(0), new_reg()};
  trapping(put(act::bits_store, stored.words, stored.data, out.capacity), s.loc).value = set;
  stored_bits_[s.var] = stored;
}

Reg FunctionWriter::bits_count(const ir::Expr& set) {
  const BitTable found = bits(set);
  const Reg to = new_reg();
  if (found.words.size() == 2 && found.below.empty() && found.above.empty() && found.minus.empty()) {
    put(act::bits_count_two(), to, found.words[0], found.words[1], found.limits[0]).d = found.limits[1];
  } else {
    put(act::bits_count, to).value = word(&function_->bit_tables.emplace_back(found));
  }
  return to;
}

/// A loop over a bit set whose body is a single operation, such as the innermost one of a clique:
/// `yield %sum, size(intersect(set, bit_row(rows, item)))`.
bool FunctionWriter::sums_common(const ir::For& s) {
  const ir::Yield* yield = s.body->body.size() == 1 ? ir::as<ir::Yield>(s.body->body[0]) : nullptr;
  if (yield == nullptr || s.maybe_index != nullptr) return false;
  const Sink& sink = sinks_.at(yield->sink);
  const ir::Expr& value = *yield->values[0];
  const bool sums = sink.sink->kind == ir::SinkKind::Sum && !yield->sink->type->is_scalar(ir::ScalarKind::F64);
  if (!sums || yield->batched || value.kind != ir::Kind::Size || value.operands[0]->kind != ir::Kind::Intersect)
    return false;
  const auto is_row = [&](const ir::Expr& e) { return e.kind == ir::Kind::BitRow && e.operands[1] == s.vars[0]; };
  const std::span<const ir::Expr* const> sets = value.operands[0]->operands;
  if (is_row(*sets[0]) == is_row(*sets[1])) return false;
  const ir::Expr& row = is_row(*sets[0]) ? *sets[0] : *sets[1];
  const ir::Expr& other = is_row(*sets[0]) ? *sets[1] : *sets[0];
  std::vector<const ir::Var*> reads;
  ir::free_vars(other, reads);
  if (std::ranges::find(reads, s.vars[0]) != reads.end()) return false;
  const BitTable found = bits(other);
  if (found.words.size() != 1 || !found.below.empty() || !found.above.empty() || !found.minus.empty()) return false;
  const Rows& rows = rows_.at(static_cast<const ir::Var*>(row.operands[0]));
  CommonForm form;
  form.set = bits(*s.lists[0]);
  form.words = found.words[0];
  form.limit = found.limits[0];
  form.rows = rows.data;
  form.stride = rows.stride;
  form.lower = ir::side_of(*rows.value) == ir::Side::Lower;
  form.slot = sink.region_index;
  put(act::bits_sum_common(), sink.value).value = word(&function_->common_forms.emplace_back(form));
  return true;
}

/// Walks the set bits, word by word.
void FunctionWriter::bits_loop(const ir::For& s) {
  if (sums_common(s)) return;
  const Word set = bit_table(*s.lists[0]);
  const Reg item = new_reg(), state = new_reg(3), ordinal = s.maybe_index != nullptr ? new_reg() : 0;
  const Label body = new_label(), after = new_label();
  find_invariants(s);
  const auto step = [&](Action action, Label label) {
    jumps_.emplace_back(ops_.size(), label);
    put(action, item, state, ordinal).value = set;
  };
  step(act::bits_begin, after);
  place(body);
  scalars_[s.vars[0]] = item;
  if (ordinal != 0) scalars_[s.maybe_index] = ordinal;
  ++depth_;
  scoped([&] {
    if (in_region_ && cpu::holds_for(*s.body)) leave_if_stopped();
    block(*s.body);
  });
  --depth_;
  step(act::bits_next, body);
  place(after);
}

}  // namespace matcha::codegen::plan
