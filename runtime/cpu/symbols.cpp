#include "runtime/cpu/symbols.h"

#include "runtime/cpu/common_neighbors.h"
#include "runtime/cpu/general_sets.h"
#include "runtime/cpu/keyed_rows.h"
#include "runtime/cpu/region.h"

namespace matcha::runtime {

std::span<const RuntimeSymbol> runtime_symbols() {
#define MATCHA_SYMBOL(name) \
  RuntimeSymbol { #name, reinterpret_cast < void*>(&name) }
  static const RuntimeSymbol symbols[] = {
      MATCHA_SYMBOL(rt_common_above),
      MATCHA_SYMBOL(rt_common_below),
      MATCHA_SYMBOL(rt_contains_i64),
      MATCHA_SYMBOL(rt_contains_u32),
      MATCHA_SYMBOL(rt_defer),
      MATCHA_SYMBOL(rt_diff_count_sorted_i64),
      MATCHA_SYMBOL(rt_diff_count_sorted_u32),
      MATCHA_SYMBOL(rt_diff_sorted_i64),
      MATCHA_SYMBOL(rt_diff_sorted_u32),
      MATCHA_SYMBOL(rt_find_rank),
      MATCHA_SYMBOL(rt_find_row),
      MATCHA_SYMBOL(rt_flush_rows),
      MATCHA_SYMBOL(rt_fold_rows),
      MATCHA_SYMBOL(rt_grow_rows),
      MATCHA_SYMBOL(rt_intersect_count_sorted_i64),
      MATCHA_SYMBOL(rt_intersect_count_sorted_u32),
      MATCHA_SYMBOL(rt_intersect_distinct_u32),
      MATCHA_SYMBOL(rt_intersect_sorted_i64),
      MATCHA_SYMBOL(rt_intersect_sorted_u32),
      MATCHA_SYMBOL(rt_log),
      MATCHA_SYMBOL(rt_lower_bound_i64),
      MATCHA_SYMBOL(rt_max_f64),
      MATCHA_SYMBOL(rt_min_f64),
      MATCHA_SYMBOL(rt_note_index),
      MATCHA_SYMBOL(rt_sort_i64),
      MATCHA_SYMBOL(rt_sort_u32),
      MATCHA_SYMBOL(rt_stops),
      MATCHA_SYMBOL(rt_sum_f64),
      MATCHA_SYMBOL(rt_trap),
  };
#undef MATCHA_SYMBOL
  return symbols;
}

}  // namespace matcha::runtime
