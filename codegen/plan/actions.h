#pragma once

#include <bit>

#include "codegen/plan/op.h"
#include "ir/nodes.h"
#include "runtime/abi.h"

/// The operations, chosen by kinds and types. `to` is the result, `a`, `b`, … are the operands, unless stated
/// otherwise.
namespace matcha::codegen::plan {

inline runtime::RegionContext& context_of(const Word* r) {
  return *reinterpret_cast<runtime::RegionContext*>(r[kContext]);
}
inline runtime::Worker& worker_of(const Word* r) { return *reinterpret_cast<runtime::Worker*>(r[kWorker]); }
inline const runtime::SetKernels& sets_of(const Word* r) {
  return *reinterpret_cast<const runtime::SetKernels*>(r[kSets]);
}
inline const runtime::CpuGraphView& graph_of(Word view) {
  return *reinterpret_cast<const runtime::CpuGraphView*>(view);
}
template <typename T>
T* pointer(Word word) {
  return reinterpret_cast<T*>(word);
}
template <typename T>
Word word(T* address) {
  return reinterpret_cast<Word>(address);
}
inline double real(Word bits) { return std::bit_cast<double>(bits); }
inline Word word(double value) { return std::bit_cast<Word>(value); }
inline __int128 wide(const Word* pair) {
  return static_cast<__int128>(static_cast<unsigned __int128>(pair[1]) << 64 | pair[0]);
}
inline void set_wide(Word* pair, __int128 value) {
  pair[0] = static_cast<Word>(value);
  pair[1] = static_cast<Word>(value >> 64);
}

/// Reports the trap at the place of the operation and ends the function.
const Op* trap(const Op* op, Word* r, runtime::TrapCode code);

Word load(Cell cell, Word data, Word index);
void store(Cell cell, Word data, Word index, Word value);
bool same(Cell cell, Word a, Word b);

/// The action of an arithmetic kind, for i64, i128 or f64.
Action arithmetic(ir::Kind kind, ir::ScalarKind type);
/// The action of `Neg`, `Min` or `Max`.
Action negation(ir::ScalarKind type);
Action extreme(ir::Kind kind, ir::ScalarKind type);
/// A comparison of two operands of a type: its result, or a jump if the result is not `wanted`.
Action comparison(ir::Kind kind, ir::ScalarKind type);
Action jump_unless(ir::Kind kind, ir::ScalarKind type, bool wanted);
/// The action of a conversion; null: the value stays the same.
Action conversion(ir::ScalarKind from, ir::ScalarKind to);

/// `to` = cell `b` of the column `a`.
Action load_cell(Cell cell);
/// A loop over `to`, from `a` while it is below `b`, with `c` = cell `to` of column `d` if there is a cell. The first
/// jumps if there is no item, the second if there is another one.
Action loop_begin(const Cell* maybe_cell);
Action loop_next(const Cell* maybe_cell);
/// Position of the first item of the list at `a` that is not below `b` (past equal ones if `past`).
Action search(Cell cell, bool past);

namespace act {
#define MATCHA_ACTION(name) const Op* name(const Op* op, Word* r)
MATCHA_ACTION(end);            ///< Ends the function.
MATCHA_ACTION(jump);           ///< To the target.
MATCHA_ACTION(jump_if);        ///< If `a`.
MATCHA_ACTION(jump_unless);    ///< Unless `a`.
MATCHA_ACTION(jump_if_part);   ///< Unless the function is given all items of the second level.
MATCHA_ACTION(copy);           ///< `to` = `a`, `n` words.
MATCHA_ACTION(negate_bool);    ///< `to` = not `a`.
MATCHA_ACTION(logarithm);      ///< `to` = the logarithm of the float `a`.
MATCHA_ACTION(square_root);    ///< `to` = the square root of the float `a`.
MATCHA_ACTION(load_slot);      ///< `n` words of the frame at `value`.
MATCHA_ACTION(store_slot);     ///< `n` words from `a` to the frame at `value`.
MATCHA_ACTION(load_field);     ///< The word at `a` + `value`.
MATCHA_ACTION(buffer_column);  ///< Address of a buffer's column, whose offset is in the frame at `value`.
MATCHA_ACTION(area_address);   ///< Address in the area, at `value`.
MATCHA_ACTION(trap_unless);    ///< Traps with code `value` unless `a`.
MATCHA_ACTION(check_most);     ///< CapacityExceeded if `a` > `b`, unsigned.
MATCHA_ACTION(check_equal);    ///< LengthMismatch if `a` is not `b`.
MATCHA_ACTION(at_most);        ///< `to` = `a`; CapacityExceeded if it is more than `b`, signed.
MATCHA_ACTION(check_item);     ///< IndexOutOfRange unless `a` is below the size `b`.
MATCHA_ACTION(check_fits);     ///< `to` = the i128 at `a`; IntegerOverflow if it does not fit.
MATCHA_ACTION(min_unsigned);
MATCHA_ACTION(multiply);   ///< Without a check.
MATCHA_ACTION(words_for);  ///< Words for `a` bits.

MATCHA_ACTION(neighbors_csr);  ///< List `to` of vertex `a` in graph `b`.
MATCHA_ACTION(neighbors_any);
MATCHA_ACTION(lower_half);
MATCHA_ACTION(upper_half);
MATCHA_ACTION(edge_info);
MATCHA_ACTION(label_known);  ///< `to` = the label of vertex `a` in graph `b`.
MATCHA_ACTION(label_checked);
MATCHA_ACTION(has_edge);  ///< `to` = 1 if graph `a` has an edge from `b` to `c`, else 0.
MATCHA_ACTION(rank_of);   ///< The rank of the id `a`.
MATCHA_ACTION(original_id);
MATCHA_ACTION(slice_to);    ///< List `to`: the first `b` items of list `a`, cells in the table.
MATCHA_ACTION(slice_from);  ///< List `to`: the items of list `a` from `b` on.
MATCHA_ACTION(below_vid);   ///< List `to`: the items of the list `a` of vids that are below `b`.
MATCHA_ACTION(above_vid);
MATCHA_ACTION(span);        ///< List `to`: items [`b`, `c`) of list `a`, clamped.
MATCHA_ACTION(store_item);  ///< Cell `b` of column `a` = `c`; the cell is `n`.
MATCHA_ACTION(contains);    ///< Whether `b` is in the ascending list `a`; the cell is `n`.

// Lists `a` and `b`; items go where `c` points.
MATCHA_ACTION(intersect_count);
MATCHA_ACTION(diff_count);
MATCHA_ACTION(intersect);
MATCHA_ACTION(diff);
MATCHA_ACTION(intersect_distinct);
MATCHA_ACTION(filter);            ///< Any cells; `value` is a FilterForm, `c` 0: only counted.
MATCHA_ACTION(filter_literal);    ///< The second list is the `n` registers from `b` on.
MATCHA_ACTION(count_literal);     ///< The same for an ascending `a` without repeats.
MATCHA_ACTION(contains_literal);  ///< Whether `a` is among the `n` registers from `b` on; the cell is `value`.
MATCHA_ACTION(contains_any);      ///< Whether `b` is in the list `a`, in any order; the cell is `n`.
MATCHA_ACTION(copy_items);  ///< From list `a` to list `b`; the cells of both are in the table, those of `a` first.
MATCHA_ACTION(sort);        ///< `b` items where `a` points; the cell is `n`.
MATCHA_ACTION(fold_rows);   ///< The rows of list `a` in the columns of list `b`; `c` keys, `n`: a RowFold.
MATCHA_ACTION(find_rank);   ///< The rank of the vertex `b` in table `a`.
MATCHA_ACTION(find_row);    ///< In table `a`; the keys are in the table.
MATCHA_ACTION(fill_range);  ///< `c` items from `b` on, where `a` points.
MATCHA_ACTION(range_size);  ///< The number of items from `a` on that are below `b`.
MATCHA_ACTION(
    common_neighbors);  ///< Of the list `a` in graph `b`, cut `c`, part `d`; counters at the register `value`.

MATCHA_ACTION(bit_row);       ///< Address of row `b` of rows at `a` with `c` words each.
MATCHA_ACTION(store_rows);    ///< `to`: data, `a`: list, `b`: graph, `c`: stride, `d`: capacity; `n`: a RowsForm.
MATCHA_ACTION(bits_count);    ///< A table in `value`, as in the next ones.
Action bits_count_two();      ///< Words at `a` and `b`, of which `c` and `d` are there.
Action bits_sum_common();     ///< A CommonForm in `value`.
MATCHA_ACTION(bits_contain);  ///< Position `a`.
MATCHA_ACTION(bits_store);    ///< Words to where `a` points, `to`: their number; `b`: room.
MATCHA_ACTION(bits_begin);    ///< `to`: item, `a`: three registers of state, `b`: ordinal. Jumps if there is none.
MATCHA_ACTION(bits_next);     ///< Jumps if there is another one.

MATCHA_ACTION(leave_if_stopped);  ///< Jumps.
MATCHA_ACTION(offer);             ///< Offers `a` items of position `b`: jumps if other workers take them, or native
                                  ///< code walks them.
MATCHA_ACTION(keep_position);     ///< Records that the outer level of position `a` is in the scratch memory.
MATCHA_ACTION(take_over);         ///< Jumps if native code has walked items [`b`, `c`) of position `a`.
MATCHA_ACTION(count_position);
MATCHA_ACTION(count_item);

// Sinks: of a region in slot `value` of the worker, of a collect in registers from `to` on.
MATCHA_ACTION(add_slot);
MATCHA_ACTION(add_exact_slot);
MATCHA_ACTION(any_slot);
MATCHA_ACTION(all_slot);
Action extreme_slot(bool smaller, bool real);
MATCHA_ACTION(add);
MATCHA_ACTION(clear_exact);  ///< At the address `a`, as in the next ones.
MATCHA_ACTION(add_exact);    ///< `b`.
MATCHA_ACTION(exact_value);
MATCHA_ACTION(any);
MATCHA_ACTION(all);
Action extreme(bool smaller, bool real);
MATCHA_ACTION(append_item);  ///< List `a` with its room `b`; the table has values and cells.
MATCHA_ACTION(append_row);   ///< To sink `n`; the table has values and cells.
MATCHA_ACTION(append_edge);  ///< The same where the buffer grows.
MATCHA_ACTION(map_row);      ///< At position `a`.
MATCHA_ACTION(begin_rows);   ///< `to` = rows of sink `n`.
MATCHA_ACTION(end_rows);     ///< Rows of sink `n` since `a` go to position `b` of sink `c`.

// Deferred counts: a queue in the area at the address `to`.
MATCHA_ACTION(queue_clear);
MATCHA_ACTION(queue_lists);  ///< Adds lists `a` and `b`; `n`: 1 skips empty ones. Jumps if there is room for more.
MATCHA_ACTION(queue_row);    ///< Adds list `a` with the row of `b` in graph `c`.
MATCHA_ACTION(queue_half);
MATCHA_ACTION(count_lists);   ///< Counts the waiting pairs; `n`: 1 adds the counts.
MATCHA_ACTION(count_rows);    ///< In graph `c`.
MATCHA_ACTION(count_halves);  ///< `value`: 0 those below the vertex, 1 those above.
MATCHA_ACTION(queue_size);    ///< `a` = number of waiting pairs.
MATCHA_ACTION(queue_item);    ///< `b` = count number `a`; `n`: 1 that of a difference.
MATCHA_ACTION(queue_add);     ///< `a` to the sum of the queue.
MATCHA_ACTION(queue_end);     ///< Empties the queue.
MATCHA_ACTION(queue_total);   ///< Adds the sum to slot `value`.
#undef MATCHA_ACTION
}  // namespace act

/// The variants of `store_rows`, in its `n`.
enum RowsForm : std::uint32_t { kLowerRows = 1, kUpperRows = 2, kOuterLevel = 4 };

/// A queue of deferred counts, as laid out in the area.
struct CountQueue {
  static constexpr Word kLength = 64;
  runtime::SetPair pairs[kLength];
  Word counts[kLength];
  Word waiting;
  Word sum[2];
};

}  // namespace matcha::codegen::plan
