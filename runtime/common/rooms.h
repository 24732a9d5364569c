// The memory of stored sets and collected lists. A room is one planned buffer of a worker while a list is written to
// it: an array, or pages taken from an arena as the list grows (T-DFS III, Algorithm 5). A worker keeps the pages of a
// buffer for the next list in it.
#pragma once

#include "runtime/common/group.h"
#include "runtime/common/launch.h"

namespace matcha_program {

#ifndef MATCHA_PAGE_BYTES
#define MATCHA_PAGE_BYTES 8192
#endif
/// A power of two. A group writes up to 32 items at a time, which reach at most one new page.
inline constexpr u64 kPageBytes = MATCHA_PAGE_BYTES;

/// An array. A buffer of one column is packed; with several, each column has 8 bytes an item.
template <typename... T>
struct Room;
template <typename T>
struct Room<T> {
  using Item = T;
  T* data;
  u64 capacity;
  MATCHA_MEMBER static Room in(u8* memory, u64 capacity) { return {reinterpret_cast<T*>(memory), capacity}; }
  MATCHA_MEMBER ShortList<T> list(u64 size) const { return {data, u32(size)}; }
  MATCHA_MEMBER T& at(u64 i) const { return data[i]; }
  MATCHA_MEMBER void put(u64 i, T value) const { data[i] = value; }
  /// The number of items that fit.
  MATCHA_MEMBER u64 ready() const { return capacity; }
  /// Makes room for `size` items if possible.
  template <typename Group>
  MATCHA_MEMBER void grow(const Launch&, Group, u64) const {}
};
template <typename T, typename... Rest>
struct Room<T, Rest...> {
  T* data;
  u64 capacity;
  Room<Rest...> rest;
  MATCHA_MEMBER static Room in(u8* memory, u64 capacity) {
    return {reinterpret_cast<T*>(memory), capacity, Room<Rest...>::in(memory + 8 * capacity, capacity)};
  }
  MATCHA_MEMBER ShortList<T, Rest...> list(u64 size) const { return {data, u32(size), rest.list(size)}; }
  MATCHA_MEMBER T& at(u64 i) const { return data[i]; }
  MATCHA_MEMBER void put(u64 i, T value, Rest... values) const {
    data[i] = value;
    rest.put(i, values...);
  }
  MATCHA_MEMBER u64 ready() const { return capacity; }
  template <typename Group>
  MATCHA_MEMBER void grow(const Launch&, Group, u64) const {}
};

/// The destination of a set of the top level, which may be longer than those of workers.
template <typename T, typename... Rest>
struct LongRoom : Room<T, Rest...> {
  MATCHA_MEMBER List<T, Rest...> list(u64 size) const {
    if constexpr (sizeof...(Rest) == 0) {
      return {this->data, size};
    } else {
      return {this->data, size, LongRoom<Rest...>{this->rest}.list(size)};
    }
  }
};

/// A list in pages of 2^shift items. Most lists are within the first page.
template <u32 shift, typename... T>
struct PagedList;
template <u32 shift, typename T>
struct PagedList<shift, T> {
  using Value = T;
  const T* const* pages;
  const T* first;
  u32 begin;
  u32 size;
  MATCHA_MEMBER T at(u32 i) const {
    const u32 place = begin + i;
    const T* page = place >> shift == 0 ? first : pages[place >> shift];
    return page[place & ((1u << shift) - 1)];
  }
  MATCHA_MEMBER PagedList part(u32 from, u32 to) const { return {pages, first, begin + from, to - from}; }
};
template <u32 shift, typename T, typename... Rest>
struct PagedList<shift, T, Rest...> {
  PagedList<shift, T> column;
  u32 size;
  PagedList<shift, Rest...> rest;
  MATCHA_MEMBER T at(u32 i) const { return column.at(i); }
  MATCHA_MEMBER PagedList part(u32 from, u32 to) const {
    return {column.part(from, to), to - from, rest.part(from, to)};
  }
};

/// A page table: one pointer a page, null until the page is needed. With several columns, each has a table.
template <u32 shift, typename... T>
struct PagedRoomOf;
template <u32 shift, typename T>
struct PagedRoomOf<shift, T> {
  using Item = T;
  T** pages;
  u64 capacity;
  u64 backed = 0;  ///< Items that fit the pages found so far.

  MATCHA_MEMBER static u64 table_bytes(u64 capacity) {
    return ((capacity + (1ull << shift) - 1) >> shift) * sizeof(T*);
  }
  MATCHA_MEMBER static PagedRoomOf in(u8* table, u64 capacity) { return {reinterpret_cast<T**>(table), capacity}; }
  MATCHA_MEMBER PagedList<shift, T> list(u64 size) const {
    return {pages, size == 0 ? nullptr : pages[0], 0, u32(size)};
  }
  MATCHA_MEMBER T& at(u64 i) const { return pages[i >> shift][i & ((1ull << shift) - 1)]; }
  MATCHA_MEMBER void put(u64 i, T value) const { at(i) = value; }
  MATCHA_MEMBER u64 ready() const { return smaller(backed, capacity); }
  template <typename Group>
  MATCHA_MEMBER void grow(const Launch& launch, Group group, u64 size) {
    size = smaller(size, capacity);
    while (backed < size) {
      bool found = true;
      if (group.leads()) found = page(launch, pages[backed >> shift]);
      if (group.broadcast(found) == 0) return;
      backed += 1ull << shift;
      group.sync();
    }
  }

 private:
  /// False when the arena has no pages left.
  MATCHA_MEMBER static bool page(const Launch& launch, T*& entry) {
    if (entry != nullptr) return true;
    u64 number = atomic_add(&launch.shared->pages_taken, 1);
    if (number >= launch.arena_pages) return false;
    entry = reinterpret_cast<T*>(launch.arena + number * kPageBytes);
    return true;
  }
};
template <u32 shift, typename T, typename... Rest>
struct PagedRoomOf<shift, T, Rest...> {
  PagedRoomOf<shift, T> column;
  PagedRoomOf<shift, Rest...> rest;
  u64 capacity;
  MATCHA_MEMBER static PagedRoomOf in(u8* table, u64 capacity) {
    using Column = PagedRoomOf<shift, T>;
    return {Column::in(table, capacity),
            PagedRoomOf<shift, Rest...>::in(table + Column::table_bytes(capacity), capacity), capacity};
  }
  MATCHA_MEMBER T& at(u64 i) const { return column.at(i); }
  MATCHA_MEMBER PagedList<shift, T, Rest...> list(u64 size) const {
    return {column.list(size), u32(size), rest.list(size)};
  }
  MATCHA_MEMBER void put(u64 i, T value, Rest... values) const {
    column.put(i, value);
    rest.put(i, values...);
  }
  MATCHA_MEMBER u64 ready() const { return smaller(column.ready(), rest.ready()); }
  template <typename Group>
  MATCHA_MEMBER void grow(const Launch& launch, Group group, u64 size) {
    column.grow(launch, group, size);
    rest.grow(launch, group, size);
  }
};

// For planners: bytes of an item, or 8 a column when there are several.

MATCHA_FN constexpr u64 paged_columns(u64 item_bytes) { return item_bytes > 8 ? item_bytes / 8 : 1; }
MATCHA_FN constexpr u64 page_items(u64 item_bytes) { return kPageBytes / (item_bytes < 8 ? item_bytes : 8); }

/// log2 of the items of a page.
MATCHA_FN constexpr u32 page_shift(u64 item_bytes) {
  u32 shift = 0;
  while (item_bytes << (shift + 1) <= kPageBytes) ++shift;
  return shift;
}
/// As in arrays, one column is packed, and of several each has 8 bytes an item.
template <typename... T>
using PagedRoom = PagedRoomOf<page_shift(sizeof...(T) == 1 ? (sizeof(T) + ...) : 8), T...>;

/// A list being written.
template <typename R>
struct Filled {
  R room;
  u32 size;
  MATCHA_MEMBER auto list() const { return room.list(size); }
};
template <typename R>
MATCHA_FN Filled<R> filled(R room) {
  return {room, 0};
}

}  // namespace matcha_program
