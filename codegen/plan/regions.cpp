#include <algorithm>

#include "codegen/plan/function_writer.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

/// The function of a region: it walks outer positions, and items of the second level of one of them. For a part of the
/// items it evaluates the outer level again without its yields.
namespace matcha::codegen::plan {

void FunctionWriter::open_region(const cpu::RegionShape& shape) {
  shape_ = &shape;
  later_ = layout_.later_counts(*shape.region);
  const std::span<const ir::Sink> sinks = shape.region->collect->sinks;
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    Sink sink;
    sink.sink = &sinks[i];
    sink.region_index = static_cast<int>(i);
    sink.map = shape.map[i];
    sink.counts = shape.counts[i];
    sinks_[sinks[i].var] = sink;
  }
}

void FunctionWriter::region(const cpu::RegionShape& shape) {
  open_region(shape);
  if (shape.outer == nullptr) {
    position_ = constant(0);
    scoped([&] { block(*shape.region->collect->body); });
    put(act::count_position);
    return;
  }
  before_split_ = !shape.split.empty();
  set_loc(shape.outer->loc);
  std::vector<List> lists;
  for (const ir::Expr* e : shape.outer->lists) lists.push_back(loop_list(*e));
  walk(*shape.outer, lists, kBegin, kEnd, [&] {
    leave_if_stopped();
    std::vector<std::pair<const Sink*, Reg>> begun;
    for (const ir::Sink& sink : shape.region->collect->sinks) {
      const Sink& open = sinks_.at(sink.var);
      if (open.counts < 0) continue;
      begun.emplace_back(&open, new_reg());
      put(act::begin_rows, begun.back().second).n = static_cast<std::uint32_t>(open.region_index);
    }
    block(*shape.outer->body);
    for (const auto& [sink, rows] : begun) {
      put(act::end_rows, 0, rows, position_, static_cast<Reg>(sink->counts)).n =
          static_cast<std::uint32_t>(sink->region_index);
    }
    put(act::count_position);
  });
}

/// Writes code that runs once for each position, in the function with all items.
void FunctionWriter::if_whole(const std::function<void()>& write) {
  const Label end = new_label();
  jump(act::jump_if_part, end);
  before_split_ = false;
  scoped(write);
  before_split_ = true;
  place(end);
}

void FunctionWriter::leave_if_stopped() { jump(act::leave_if_stopped, exit_); }

/// The second-level loop: offered to other workers if it is long, else its items from the first to the last given.
/// Native code that was compiled meanwhile walks the rest of them.
void FunctionWriter::offer_or_walk(const ir::For& s, std::span<const List> lists, Reg size) {
  const Label end = new_label(), taken = new_label();
  jump(act::offer, end, size, position_);
  put(act::keep_position, 0, position_);
  const Reg last = new_reg();
  put(act::min_unsigned, last, size, kLast);
  before_split_ = false;
  const bool holds_loop = cpu::holds_for(*s.body);
  const Reg position = position_;
  scoped([&] {
    walk(s, lists, kFirst, last, [&] {
      if (holds_loop) leave_if_stopped();
      jumps_.emplace_back(ops_.size(), taken);
      put(act::take_over, 0, position, index_, last);
      block(*s.body);
      put(act::count_item);
    });
  });
  jump(act::jump, end);
  place(taken);
  // A stopped loop does not count as done.
  leave_if_stopped();
  before_split_ = true;
  place(end);
}

// Deferred counts

bool FunctionWriter::is_plain(const Queue& queue) const {
  return queue.yield->values[0] == queue.known && queue.known->kind == ir::Kind::Size &&
         queue.count->kind == ir::Kind::Intersect;
}

/// The second list of a set operation if it is a row of a graph, or half of one, that was not looked up yet; else null.
const ir::Expr* FunctionWriter::row_of_graph(const ir::Expr& set_operation) const {
  const ir::Expr& list = layout_.without_bound(set_operation);
  const ir::Var* var = ir::as<ir::Var>(&list);
  if (var != nullptr && lists_.contains(var)) return nullptr;
  const ir::Expr& row = layout_.resolve(list);
  if (row.kind != ir::Kind::Neighbors || known_.contains(&row)) return nullptr;
  const bool one = layout_.resolve(*row.operands[0]).kind == ir::Kind::Var;
  return one && layout_.index_of(*row.operands[0]) == cpu::Index::Csr ? &row : nullptr;
}

/// Queues the lists of a batched yield into a sum of the region; false if there is no count in it.
bool FunctionWriter::put_off(const Sink& sink, const ir::Yield& s) {
  const ir::Expr* known = layout_.later_count(s, later_);
  if (known == nullptr) return false;
  const ir::Var* name = ir::as<ir::Var>(known);
  const ir::Expr& size = name != nullptr ? *later_.at(name) : *known;
  if (sink.region_index < 0) {
    if (name != nullptr) scalars_[name] = scalar(size);
    add_to(sink, scalar(*s.values[0]));
    return true;
  }
  Queue queue;
  queue.yield = &s;
  queue.known = known;
  queue.count = size.operands[0];
  queue.rows = row_of_graph(*queue.count);
  queue.address = area(sizeof(CountQueue));
  queue.sink = sink.region_index;
  put_at_start(act::queue_clear, queue.address);
  queues_.push_back(queue);
  const List a = list(*queue.count->operands[0]);
  const Label more = new_label();
  note_pair(queue, a, more);
  flush(queue);
  place(more);
  return true;
}

/// Adds a pair to the queue, and jumps if there is room for more.
void FunctionWriter::note_pair(const Queue& queue, const List& a, Label more) {
  if (queue.rows == nullptr) {
    bool ascending = true;
    const List b = second_list(*queue.count, ascending);
    jumps_.emplace_back(ops_.size(), more);
    put(act::queue_lists, queue.address, a.base, b.base).n = is_plain(queue) ? 1 : 0;
    return;
  }
  const Reg vertex = scalar(*queue.rows->operands[1]), view = graph(*queue.rows->operands[0]);
  jumps_.emplace_back(ops_.size(), more);
  put(ir::is_all_neighbors(*queue.rows) ? act::queue_row : act::queue_half, queue.address, a.base, vertex, view);
}

/// Counts the waiting pairs and adds the values made of their counts.
void FunctionWriter::flush(const Queue& queue) {
  const bool plain = is_plain(queue);
  const bool all = queue.rows != nullptr && ir::is_all_neighbors(*queue.rows);
  const Reg view = queue.rows != nullptr ? graph(*queue.rows->operands[0]) : 0;
  Op& count = put(queue.rows == nullptr ? act::count_lists
                  : all                 ? act::count_rows
                                        : act::count_halves,
                  queue.address, 0, 0, view);
  count.n = plain ? 1 : 0;
  if (queue.rows != nullptr) count.value = ir::side_of(*queue.rows) == ir::Side::Lower ? 0 : 1;
  if (!plain) {
    const Reg size = new_reg(), index = new_reg(), found = new_reg();
    const Label body = new_label(), after = new_label();
    put(act::queue_size, queue.address, size);
    jumps_.emplace_back(ops_.size(), after);
    put(loop_begin(nullptr), index, constant(0), size);
    place(body);
    put(act::queue_item, queue.address, index, found).n = ir::keeps_found(queue.count->kind) ? 0 : 1;
    counted_.emplace(queue.known, found);
    // This is skipped if the queue has room.
    scoped([&] { put(act::queue_add, queue.address, scalar(*queue.yield->values[0])); });
    counted_.clear();
    jumps_.emplace_back(ops_.size(), body);
    put(loop_next(nullptr), index, 0, size);
    place(after);
  }
  put(act::queue_end, queue.address);
}

}  // namespace matcha::codegen::plan
