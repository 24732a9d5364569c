// Rows in a room: sorting them, and folding those with equal keys into the rows of a table. In place, by one lane: a
// heap sort over the columns needs no second room. The order of items is total: -0 below +0, a NaN after all numbers.
#pragma once

#include "runtime/common/rooms.h"
#define MATCHA_DEVICE_FUNCTION MATCHA_MEMBER
#include "runtime/common/exact_sum.h"

namespace matcha_program {

/// As `RowFold` of the run-time library of CPUs.
inline constexpr u32 kFoldSum = 1;
inline constexpr u32 kFoldMin = 2;
inline constexpr u32 kFoldMax = 3;

/// Item `i` of column `column` of a room.
template <u64 column, typename R>
MATCHA_FN auto& cell(const R& room, u64 i) {
  if constexpr (column == 0) {
    return room.at(i);
  } else {
    return cell<column - 1>(room.rest, i);
  }
}

/// -1, 0 or 1.
template <typename T>
MATCHA_FN int order_of(T a, T b) {
  if constexpr (is_float<T>) {
    if (a != a || b != b) return int(a != a) - int(b != b);
    if (a == b) return int((__builtin_bit_cast(u64, b)) >> 63) - int((__builtin_bit_cast(u64, a)) >> 63);
  }
  return int(b < a) - int(a < b);
}
/// The order of rows `a` and `b` by columns [from, to), compared from the left.
template <u64 from, u64 to, typename R>
MATCHA_FN int row_order(const R& rows, u64 a, u64 b) {
  if constexpr (from == to) {
    return 0;
  } else {
    const int order = order_of(cell<from>(rows, a), cell<from>(rows, b));
    return order != 0 ? order : row_order<from + 1, to>(rows, a, b);
  }
}

template <u64 width, typename R>
MATCHA_FN void copy_row(const R& rows, u64 from, u64 to) {
  if constexpr (width != 0) {
    cell<width - 1>(rows, to) = cell<width - 1>(rows, from);
    copy_row<width - 1>(rows, from, to);
  }
}
template <u64 width, typename R>
MATCHA_FN void exchange_rows(const R& rows, u64 a, u64 b) {
  if constexpr (width != 0) {
    auto kept = cell<width - 1>(rows, a);
    cell<width - 1>(rows, a) = cell<width - 1>(rows, b);
    cell<width - 1>(rows, b) = kept;
    exchange_rows<width - 1>(rows, a, b);
  }
}
template <u64 width, typename R>
MATCHA_FN void sift_rows(const R& rows, u64 root, u64 size) {
  for (u64 child = 2 * root + 1; child < size; root = child, child = 2 * root + 1) {
    if (child + 1 < size && row_order<0, width>(rows, child, child + 1) < 0) ++child;
    if (row_order<0, width>(rows, root, child) >= 0) return;
    exchange_rows<width>(rows, root, child);
  }
}
/// Sorts the first `size` rows of a room, ascending.
template <u64 width, typename R>
MATCHA_FN void sort_rows(const R& rows, u64 size) {
  for (u64 root = size / 2; root-- > 0;) sift_rows<width>(rows, root, size);
  for (u64 last = size; last-- > 1;) {
    exchange_rows<width>(rows, 0, last);
    sift_rows<width>(rows, 0, last);
  }
}

/// Writes the sums of columns [column, width) of rows [begin, end) to row `to`, which is not behind `begin`; clears
/// `zero` if one is not 0; false if a sum of ints leaves 64 bits.
template <u64 column, u64 width, typename R>
MATCHA_FN bool add_rows(const R& rows, u64 begin, u64 end, u64 to, bool& zero) {
  if constexpr (column == width) {
    return true;
  } else {
    auto& place = cell<column>(rows, to);
    if constexpr (is_float<decltype(+place)>) {
      matcha::runtime::ExactSum sum;
      exact_sum_clear(sum);
      for (u64 i = begin; i < end; ++i) exact_sum_add(sum, cell<column>(rows, i));
      place = exact_sum_round(sum);
      zero = zero && place == 0;
    } else {
      i128 sum = 0;
      for (u64 i = begin; i < end; ++i) sum += cell<column>(rows, i);
      if (sum != i128(i64(sum))) return false;
      place = i64(sum);
      zero = zero && sum == 0;
    }
    return add_rows<column + 1, width>(rows, begin, end, to, zero);
  }
}
/// Folds sorted rows of equal keys, the first `keys` of `width` columns. Returns the number of rows; -1: a sum of ints
/// leaves 64 bits.
template <u32 fold, u64 keys, u64 width, typename R>
MATCHA_FN i64 fold_rows(const R& rows, u64 size) {
  u64 written = 0;
  for (u64 begin = 0, end = 0; begin < size; begin = end) {
    end = begin + 1;
    while (end < size && row_order<0, keys>(rows, begin, end) == 0) ++end;
    bool zero = fold == kFoldSum;
    if constexpr (fold == kFoldSum) {
      copy_row<keys>(rows, begin, written);
      if (!add_rows<keys, width>(rows, begin, end, written, zero)) return -1;
    } else {
      copy_row<width>(rows, fold == kFoldMax ? end - 1 : begin, written);
    }
    if (!zero) ++written;
  }
  return i64(written);
}

/// The group of threads of a worker.
template <typename W>
using GroupOf = typename W::Threads;

template <u64 column, u64 width, typename G, typename A>
MATCHA_FN void fetch_columns(const G& group, const A& a) {
  fetch_if_far(group, a);
  if constexpr (column + 1 < width) fetch_columns<column + 1, width>(group, a.rest);
}
template <u64 column, u64 width, typename A, typename R>
MATCHA_FN void put_row(const A& a, const R& room, u64 i) {
  cell<column>(room, i) = item<column>(a, i);
  if constexpr (column + 1 < width) put_row<column + 1, width>(a, room, i);
}
/// The part of `size` rows for which the room has memory; an error if it is not all.
template <typename W, typename R>
MATCHA_FN u64 grown(const W& w, R& room, u64 size, u32 line, u32 column) {
  w.group().sync();
  room.grow(w.launch(), w.group(), size);
  if (size > room.ready()) w.trap(size > room.capacity ? kCapacityExceeded : kOutOfPages, line, column);
  return smaller(size, room.ready());
}
/// Copies rows of `width` columns into the room; returns their number.
template <u64 width, typename W, typename A, typename R>
MATCHA_FN u64 copied_rows(const W& w, const A& a, R& room, u32 line, u32 column) {
  const u64 size = grown(w, room, a.size, line, column);
  fetch_columns<0, width>(w.group(), a);
  for (SizeOf<A> i = w.group().lane; i < size; i += GroupOf<W>::kWidth) put_row<0, width>(a, room, i);
  w.group().sync();
  return size;
}

/// The rows of `a` in ascending order.
template <u64 width, typename W, typename A, typename R>
MATCHA_FN auto sorted(const W& w, const A& a, R room, u32 line, u32 column) {
  const u64 size = copied_rows<width>(w, a, room, line, column);
  if (w.group().leads()) sort_rows<width>(room, size);
  w.group().sync();
  return room.list(size);
}
/// The table of the rows of `a`, `width` columns of which the first `keys` are the key.
template <u32 fold, u64 keys, u64 width, typename W, typename A, typename R>
MATCHA_FN auto keyed(const W& w, const A& a, R room, u32 line, u32 column) {
  i64 size = i64(copied_rows<width>(w, a, room, line, column));
  if (w.group().leads()) {
    sort_rows<width>(room, u64(size));
    size = fold_rows<fold, keys, width>(room, u64(size));
    if (size < 0) w.trap(kIntegerOverflow, line, column);
  }
  w.group().sync();
  return room.list(w.group().broadcast(size < 0 ? 0 : u64(size)));
}
/// The number of items of `range(begin, end)`.
MATCHA_FN u64 range_size(i64 begin, i64 end) { return begin < end ? u64(end) - u64(begin) : 0; }
template <typename W, typename R>
MATCHA_FN auto range(const W& w, i64 begin, i64 end, R room, u32 line, u32 column) {
  const u64 size = grown(w, room, range_size(begin, end), line, column);
  for (u64 i = w.group().lane; i < size; i += GroupOf<W>::kWidth) room.put(i, begin + i64(i));
  w.group().sync();
  return room.list(size);
}

template <typename K>
inline constexpr bool is_rank = false;
template <>
inline constexpr bool is_rank<u32> = true;

/// The position of the row in [begin, end) of a table whose columns from `column` on are these keys; -1: there is none.
template <u64 column, typename L, typename K, typename... Rest>
MATCHA_FN i64 find_row_in(const L& table, u64 begin, u64 end, K key, Rest... rest) {
  const auto bound = [&](bool past_equal) {
    u64 low = begin;
    for (u64 high = end; low < high;) {
      const u64 middle = low + (high - low) / 2;
      const auto at = item<column>(table, middle);
      if (at < key || (past_equal && at == key)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  const u64 first = bound(false);
  if (first == end || item<column>(table, first) != key) return -1;
  if constexpr (sizeof...(Rest) == 0) {
    return i64(first);
  } else {
    return find_row_in<column + 1>(table, first, bound(true), rest...);
  }
}
template <typename L, typename... K>
MATCHA_FN i64 find_row(const L& table, K... keys) {
  if constexpr (sizeof...(K) == 1 && (... && is_rank<K>)) {
    // A table that has all smaller ranks too.
    const u64 rank = (..., keys);
    if (rank < table.size && item<0>(table, rank) == rank) return i64(rank);
    return find_row_in<0>(table, 0, rank < table.size ? rank : table.size, keys...);
  }
  return find_row_in<0>(table, 0, table.size, keys...);
}
}  // namespace matcha_program
