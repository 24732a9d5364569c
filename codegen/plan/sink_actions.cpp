#include <cstddef>

#include "codegen/plan/actions.h"
#include "codegen/plan/native.h"
#include "runtime/common/exact_sum.h"

/// Sinks, deferred counts, and the remaining operations of a region.
namespace matcha::codegen::plan {

using runtime::TrapCode;

namespace act {

namespace {

runtime::SinkSlot& slot_of(const Op* op, Word* r) { return worker_of(r).slots[op->value]; }

void add_to(Word* pair, std::int64_t value) { set_wide(pair, wide(pair) + value); }

/// The extreme of another value and the one in `best`, whose flag follows it.
template <bool smaller, bool is_real>
void improve(Word* best, Word value) {
  if (best[1] == 0) {
    best[0] = value;
    best[1] = 1;
  } else if (is_real) {
    best[0] = word(smaller ? runtime::rt_min_f64(real(best[0]), real(value))
                           : runtime::rt_max_f64(real(best[0]), real(value)));
  } else {
    const std::int64_t a = static_cast<std::int64_t>(best[0]), b = static_cast<std::int64_t>(value);
    best[0] = static_cast<Word>(smaller ? (b < a ? b : a) : (b > a ? b : a));
  }
}

template <bool smaller, bool is_real>
const Op* improve_slot(const Op* op, Word* r) {
  static_assert(offsetof(runtime::SinkSlot, high) == sizeof(Word));
  improve<smaller, is_real>(&slot_of(op, r).low, r[op->a]);
  return op + 1;
}
template <bool smaller, bool is_real>
const Op* improve_register(const Op* op, Word* r) {
  improve<smaller, is_real>(r + op->to, r[op->a]);
  return op + 1;
}

const Table& table_of(const Op* op) { return *pointer<const Table>(op->value); }

/// The values of a row from column `first` on.
void store_row(const Table& table, const Word* r, std::size_t first, void* const* columns, Word at) {
  for (std::size_t c = first; c < table.regs.size(); ++c) {
    store(table.cells[c], word(columns[c - first]), at, r[table.regs[c]]);
  }
}

CountQueue& queue_of(const Op* op, const Word* r) { return *pointer<CountQueue>(r[op->to]); }

/// The next operation after a pair was added: the one that empties the queue, if it is full.
const Op* went_in(const Op* op, const CountQueue& queue) {
  return queue.waiting == CountQueue::kLength ? op + 1 : op->target;
}

}  // namespace

const Op* leave_if_stopped(const Op* op, Word* r) {
  const runtime::RegionContext& context = context_of(r);
  const bool stops = __atomic_load_n(&context.stop, __ATOMIC_RELAXED) != 0 && runtime::rt_stops(&context);
  return stops ? op->target : op + 1;
}

const Op* offer(const Op* op, Word* r) {
  runtime::RegionContext& context = context_of(r);
  const Word size = r[op->a];
  if (size < __atomic_load_n(&context.defer_threshold, __ATOMIC_RELAXED) || r[kLast] != kAllItems) return op + 1;
  return runtime::rt_defer(&context, &worker_of(r), r[op->b], size) ? op->target : op + 1;
}

const Op* keep_position(const Op* op, Word* r) {
  worker_of(r).kept_position = r[op->a] + 1;
  return op + 1;
}

const Op* take_over(const Op* op, Word* r) {
  return native_walks(context_of(r), worker_of(r), r[kLast] == kAllItems, {r[op->a], r[op->b], r[op->c]}) ? op->target
                                                                                                          : op + 1;
}

const Op* count_position(const Op* op, Word* r) {
  if (r[kLast] == kAllItems) ++worker_of(r).positions_done;
  return op + 1;
}
const Op* count_item(const Op* op, Word* r) {
  if (r[kLast] != kAllItems) ++worker_of(r).items_done;
  return op + 1;
}

const Op* add_slot(const Op* op, Word* r) {
  add_to(&slot_of(op, r).low, static_cast<std::int64_t>(r[op->a]));
  return op + 1;
}
const Op* add_exact_slot(const Op* op, Word* r) {
  runtime::rt_sum_f64(pointer<void>(slot_of(op, r).low), real(r[op->a]));
  return op + 1;
}
const Op* any_slot(const Op* op, Word* r) {
  slot_of(op, r).low |= r[op->a];
  return op + 1;
}
const Op* all_slot(const Op* op, Word* r) {
  slot_of(op, r).low &= r[op->a];
  return op + 1;
}
Action extreme_slot(bool smaller, bool is_real) {
  if (is_real) return smaller ? improve_slot<true, true> : improve_slot<false, true>;
  return smaller ? improve_slot<true, false> : improve_slot<false, false>;
}
const Op* add(const Op* op, Word* r) {
  add_to(r + op->to, static_cast<std::int64_t>(r[op->a]));
  return op + 1;
}
const Op* clear_exact(const Op* op, Word* r) {
  runtime::exact_sum_clear(*pointer<runtime::ExactSum>(r[op->a]));
  return op + 1;
}
const Op* add_exact(const Op* op, Word* r) {
  runtime::rt_sum_f64(pointer<void>(r[op->a]), real(r[op->b]));
  return op + 1;
}
const Op* exact_value(const Op* op, Word* r) {
  r[op->to] = word(runtime::exact_sum_round(*pointer<const runtime::ExactSum>(r[op->a])));
  return op + 1;
}
const Op* any(const Op* op, Word* r) {
  r[op->to] |= r[op->a];
  return op + 1;
}
const Op* all(const Op* op, Word* r) {
  r[op->to] &= r[op->a];
  return op + 1;
}
Action extreme(bool smaller, bool is_real) {
  if (is_real) return smaller ? improve_register<true, true> : improve_register<false, true>;
  return smaller ? improve_register<true, false> : improve_register<false, false>;
}

const Op* append_item(const Op* op, Word* r) {
  const Word at = r[op->a];
  if (at >= r[op->b]) [[unlikely]]
    return trap(op, r, TrapCode::CapacityExceeded);
  const Table& table = table_of(op);
  for (std::size_t c = 0; c < table.regs.size(); ++c) store(table.cells[c], r[op->a + 1 + c], at, r[table.regs[c]]);
  r[op->a] = at + 1;
  return op + 1;
}

const Op* append_row(const Op* op, Word* r) {
  runtime::RowBuffer& rows = worker_of(r).rows[op->n];
  if (rows.count == rows.capacity) runtime::rt_flush_rows(&context_of(r), &worker_of(r), op->n);
  store_row(table_of(op), r, 0, rows.columns, rows.count++);
  return op + 1;
}

const Op* append_edge(const Op* op, Word* r) {
  runtime::RowBuffer& rows = worker_of(r).rows[op->n];
  if (rows.count == rows.capacity && !runtime::rt_grow_rows(&context_of(r), &worker_of(r), op->n, 1)) return nullptr;
  // The source of an edge is the vertex of the position.
  store_row(table_of(op), r, 1, rows.columns, rows.count++);
  return op + 1;
}

const Op* map_row(const Op* op, Word* r) {
  store_row(table_of(op), r, 0, worker_of(r).rows[op->n].columns, r[op->a]);
  return op + 1;
}

const Op* begin_rows(const Op* op, Word* r) {
  r[op->to] = worker_of(r).rows[op->n].count;
  return op + 1;
}

const Op* end_rows(const Op* op, Word* r) {
  const runtime::RowBuffer* rows = worker_of(r).rows;
  static_cast<Word*>(rows[op->c].columns[0])[r[op->b]] = rows[op->n].count - r[op->a];
  return op + 1;
}

const Op* queue_clear(const Op* op, Word* r) {
  CountQueue& queue = queue_of(op, r);
  queue.waiting = queue.sum[0] = queue.sum[1] = 0;
  return op + 1;
}

const Op* queue_lists(const Op* op, Word* r) {
  CountQueue& queue = queue_of(op, r);
  const std::uint32_t* b = pointer<const std::uint32_t>(r[op->b + 1]);
  queue.pairs[queue.waiting] = {pointer<const std::uint32_t>(r[op->a + 1]), r[op->a], b, r[op->b]};
  __builtin_prefetch(b);
  queue.waiting += op->n == 1 && r[op->b] == 0 ? 0 : 1;
  return went_in(op, queue);
}

const Op* queue_row(const Op* op, Word* r) {
  CountQueue& queue = queue_of(op, r);
  const Word vertex = r[op->b];
  queue.pairs[queue.waiting++] = {pointer<const std::uint32_t>(r[op->a + 1]), r[op->a], nullptr, vertex};
  __builtin_prefetch(graph_of(r[op->c]).graph.offsets + vertex);
  return went_in(op, queue);
}

const Op* queue_half(const Op* op, Word* r) {
  CountQueue& queue = queue_of(op, r);
  const Word vertex = r[op->b];
  queue.pairs[queue.waiting++] = {pointer<const std::uint32_t>(r[op->a + 1]), r[op->a], nullptr, vertex};
  __builtin_prefetch(graph_of(r[op->c]).halves.offsets + 2 * vertex);
  return went_in(op, queue);
}

namespace {

const Op* counted(const Op* op, CountQueue& queue, Word total) {
  if (op->n == 1) add_to(queue.sum, static_cast<std::int64_t>(total));
  return op + 1;
}

}  // namespace

const Op* count_lists(const Op* op, Word* r) {
  CountQueue& queue = queue_of(op, r);
  return counted(op, queue, sets_of(r).count_pairs(queue.pairs, queue.waiting, queue.counts));
}
const Op* count_rows(const Op* op, Word* r) {
  CountQueue& queue = queue_of(op, r);
  const runtime::GraphView& graph = graph_of(r[op->c]).graph;
  return counted(op, queue,
                 sets_of(r).count_rows(queue.pairs, queue.waiting, queue.counts, graph.neighbors, graph.offsets));
}
const Op* count_halves(const Op* op, Word* r) {
  CountQueue& queue = queue_of(op, r);
  const runtime::CpuGraphView& view = graph_of(r[op->c]);
  return counted(
      op, queue,
      sets_of(r).count_halves(queue.pairs, queue.waiting, queue.counts, view.graph.neighbors, &view.halves, op->value));
}
const Op* queue_size(const Op* op, Word* r) {
  r[op->a] = queue_of(op, r).waiting;
  return op + 1;
}
const Op* queue_item(const Op* op, Word* r) {
  const CountQueue& queue = queue_of(op, r);
  const Word at = r[op->a];
  r[op->b] = op->n == 1 ? queue.pairs[at].na - queue.counts[at] : queue.counts[at];
  return op + 1;
}
const Op* queue_add(const Op* op, Word* r) {
  add_to(queue_of(op, r).sum, static_cast<std::int64_t>(r[op->a]));
  return op + 1;
}
const Op* queue_end(const Op* op, Word* r) {
  queue_of(op, r).waiting = 0;
  return op + 1;
}
const Op* queue_total(const Op* op, Word* r) {
  Word* slot = &slot_of(op, r).low;
  set_wide(slot, wide(slot) + wide(queue_of(op, r).sum));
  return op + 1;
}

}  // namespace act

}  // namespace matcha::codegen::plan
