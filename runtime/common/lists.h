// Lists, slices of them, and searches in them.
#pragma once

#include "runtime/common/prelude.h"

namespace matcha_program {

/// A list in columns; the first column is the set of set operations. `Size`: the type of its positions.
template <typename Size, typename... T>
struct ListOf;
template <typename Size, typename T>
struct ListOf<Size, T> {
  using Value = T;
  const T* data;
  Size size;
  MATCHA_MEMBER T at(Size i) const { return data[i]; }
  MATCHA_MEMBER ListOf part(Size begin, Size end) const { return {data + begin, end - begin}; }
  template <typename Long>
  MATCHA_MEMBER operator ListOf<Long, T>() const {
    static_assert(sizeof(Long) > sizeof(Size), "items would be lost");
    return {data, size};
  }
};
template <typename Size, typename T, typename... Rest>
struct ListOf<Size, T, Rest...> {
  const T* data;
  Size size;
  ListOf<Size, Rest...> rest;
  MATCHA_MEMBER T at(Size i) const { return data[i]; }
  MATCHA_MEMBER ListOf part(Size begin, Size end) const { return {data + begin, end - begin, rest.part(begin, end)}; }
};
/// A list of the program's top level.
template <typename... T>
using List = ListOf<u64, T...>;
/// A list made by a worker, or the neighbours of a vertex: positions of 32 bits take half the registers and half the
/// instructions on a device.
template <typename... T>
using ShortList = ListOf<u32, T...>;
/// The most items of a short list; the lanes of a group step past its end, and positions must not wrap around.
inline constexpr u64 kMostItems = (1ull << 32) - 64;

/// The type of a list's positions.
template <typename L>
using SizeOf = decltype(+L::size);

/// The positions of a loop.
template <typename Size>
struct Walk {
  Size begin, end;
};
/// All positions of a list of `size` items.
template <typename Size>
MATCHA_FN Walk<Size> all_of(Size size) {
  return {0, size};
}

/// A few rows written in the program, in columns.
template <u64 rows, typename... T>
struct Literal;
template <u64 rows, typename T>
struct Literal<rows, T> {
  using Value = T;
  T data[rows == 0 ? 1 : rows];
  static constexpr u32 size = rows;
  MATCHA_MEMBER T at(u64 i) const { return data[i]; }
};
template <u64 rows, typename T, typename... Rest>
struct Literal<rows, T, Rest...> {
  T data[rows == 0 ? 1 : rows];
  Literal<rows, Rest...> rest;
  static constexpr u32 size = rows;
  MATCHA_MEMBER T at(u64 i) const { return data[i]; }
};

template <u64 column, typename L>
MATCHA_FN auto item(const L& list, u64 i) {
  if constexpr (column == 0) {
    return list.at(i);
  } else {
    return item<column - 1>(list.rest, i);
  }
}

/// Position of the first item not below `x` in an ascending list; no branch depends on the data.
template <typename L>
MATCHA_FN u64 position(const L& list, typename L::Value x) {
  u64 begin = 0;
  u64 rest = list.size;
  while (rest >> 32 != 0) {
    u64 half = rest / 2;
    begin += list.at(begin + half - 1) < x ? half : 0;
    rest -= half;
  }
  // 32-bit steps take half the instructions on a device.
  u32 low = 0;
  u32 size = u32(rest);
  while (size > 1) {
    u32 half = size / 2;
    low += list.at(begin + low + half - 1) < x ? half : 0;
    size -= half;
  }
  return begin + low + (size == 1 && list.at(begin + low) < x ? 1 : 0);
}
template <typename L>
MATCHA_FN i64 lower_bound(const L& list, typename L::Value x) {
  return i64(position(list, x));
}
template <typename L>
MATCHA_FN L below(const L& list, typename L::Value x) {
  return list.part(0, position(list, x));
}
/// `list` below `x` for a set operation with `a`, all of whose items are below it. A lane cuts it to scan fewer items,
/// unless it scans at most one: searching the cut costs as much as one item.
template <typename A, typename L>
MATCHA_FN L cut_beside(const A& a, const L& list, typename L::Value x) {
  return a.size <= 1 ? list : below(list, x);
}
template <typename L>
MATCHA_FN L above(const L& list, typename L::Value x) {
  u64 at = position(list, x);
  while (at < list.size && !(x < list.at(at))) ++at;
  return list.part(at, list.size);
}
template <typename L>
MATCHA_FN L span(const L& list, i64 begin, i64 end) {
  u64 from = begin < 0 ? 0 : smaller(u64(begin), u64(list.size));
  u64 to = end < 0 ? 0 : smaller(u64(end), u64(list.size));
  return list.part(from, larger(from, to));
}
/// Searches the last item that is not above `x` and keeps its value on the way: one load for each halving and none
/// after them.
template <typename L>
MATCHA_FN bool contains(const L& list, typename L::Value x) {
  if (list.size == 0) return false;
  u64 begin = 0;
  u64 rest = list.size;
  typename L::Value last = list.at(0);
  while (rest >> 32 != 0) {
    u64 half = rest / 2;
    const typename L::Value item = list.at(begin + half);
    if (item <= x) begin += half, last = item;
    rest -= half;
  }
  u32 low = 0;
  for (u32 size = u32(rest); size > 1;) {
    u32 half = size / 2;
    const typename L::Value item = list.at(begin + low + half);
    if (item <= x) low += half, last = item;
    size -= half;
  }
  return last == x;
}
/// The number of the two that are in the list. Both searches take equally many steps, and their loads overlap.
template <typename L>
MATCHA_FN u32 contains_both(const L& list, typename L::Value x, typename L::Value y) {
  if (u64(list.size) >> 32 != 0 || list.size == 0) return u32(contains(list, x)) + u32(contains(list, y));
  typename L::Value last_x = list.at(0);
  typename L::Value last_y = last_x;
  u32 low_x = 0;
  u32 low_y = 0;
  for (u32 size = u32(list.size); size > 1;) {
    u32 half = size / 2;
    const typename L::Value item_x = list.at(low_x + half);
    const typename L::Value item_y = list.at(low_y + half);
    if (item_x <= x) low_x += half, last_x = item_x;
    if (item_y <= y) low_y += half, last_y = item_y;
    size -= half;
  }
  return u32(last_x == x) + u32(last_y == y);
}
template <u64 rows, typename T>
MATCHA_FN bool contains(const Literal<rows, T>& list, T x) {
  bool found = false;
  for (u64 i = 0; i < rows; ++i) found = found || list.data[i] == x;
  return found;
}

}  // namespace matcha_program
