// A worker is a group of threads with its share of the memory plan: what generated functions call `w`.
#pragma once

#include "runtime/common/checked.h"
#include "runtime/common/set_operations.h"
#include "runtime/common/task_walk.h"
#define MATCHA_DEVICE_FUNCTION MATCHA_MEMBER
#include "runtime/common/exact_sum.h"

namespace matcha_program {

using matcha::runtime::ExactSum;

/// An exact sum of floats that a loop inside a region adds up.
struct ExactTotal {
  ExactSum sum;
  MATCHA_MEMBER ExactTotal() { exact_sum_clear(sum); }
  MATCHA_MEMBER void add(f64 value) { exact_sum_add(sum, value); }
  MATCHA_MEMBER f64 value() const { return exact_sum_round(sum); }
};

/// A planned buffer, and a list that is being filled in it. A buffer of one column is packed; of more, each column has
/// 8 bytes an item.
template <typename... T>
struct Room;
template <typename T>
struct Room<T> {
  T* data;
  u64 capacity;
  MATCHA_MEMBER static Room in(u8* memory, u64 capacity) { return {reinterpret_cast<T*>(memory), capacity}; }
  MATCHA_MEMBER List<T> list(u64 size) const { return {data, size}; }
  MATCHA_MEMBER void put(u64 at, T value) const { data[at] = value; }
};
template <typename T, typename... Rest>
struct Room<T, Rest...> {
  T* data;
  u64 capacity;
  Room<Rest...> rest;
  MATCHA_MEMBER static Room in(u8* memory, u64 capacity) {
    return {reinterpret_cast<T*>(memory), capacity, Room<Rest...>::in(memory + 8 * capacity, capacity)};
  }
  MATCHA_MEMBER List<T, Rest...> list(u64 size) const { return {data, size, rest.list(size)}; }
  MATCHA_MEMBER void put(u64 at, T value, Rest... values) const {
    data[at] = value;
    rest.put(at, values...);
  }
};
template <typename... T>
struct Filled {
  Room<T...> room;
  u64 size;
  MATCHA_MEMBER List<T...> list() const { return room.list(size); }
};

template <typename Group>
class WorkerOf : public TaskWalk<Group>, public Checked<Group>, public SetOperations<Group> {
 public:
  MATCHA_MEMBER WorkerOf(const Launch& launch, u64 index)
      : TaskWalk<Group>(launch, Group::here()),
        Checked<Group>(launch, Group::here()),
        SetOperations<Group>(Group::here()),
        launch_(launch),
        group_(Group::here()),
        index_(index) {}

  // Buffers and stored sets

  template <typename... T>
  MATCHA_MEMBER Room<T...> buffer(u32 number) const {
    const BufferPlan& plan = launch_.buffers[number];
    return Room<T...>::in(launch_.scratch + index_ * launch_.scratch_bytes + plan.offset, plan.capacity);
  }
  template <typename A, typename B, typename T>
  MATCHA_MEMBER List<T> intersect(const A& a, const B& b, Room<T> room) const {
    return store(a, b, true, room);
  }
  template <typename A, typename B, typename T>
  MATCHA_MEMBER List<T> diff(const A& a, const B& b, Room<T> room) const {
    return store(a, b, false, room);
  }
  template <typename A, typename B, typename T>
  MATCHA_MEMBER List<T> intersect_repeats(const A& a, const B& b, Room<T> room) const {
    return store(a, b, true, room);
  }
  template <typename A, typename B, typename T>
  MATCHA_MEMBER List<T> diff_repeats(const A& a, const B& b, Room<T> room) const {
    return store(a, b, false, room);
  }
  template <typename A, typename T>
  MATCHA_MEMBER List<T> copy(const A& a, Room<T> room) const {
    group_.sync();
    u64 size = fit(a.size, room.capacity);
    for (u64 i = group_.lane; i < size; i += Group::kWidth) room.data[i] = a.at(i);
    group_.sync();
    return {room.data, size};
  }
  /// A copy in ascending order; by insertion in runs that are merged in place would need a second room, so it is a
  /// heap sort by the first lane.
  template <typename A, typename T>
  MATCHA_MEMBER List<T> sorted(const A& a, Room<T> room) const {
    List<T> items = copy(a, room);
    if (group_.leads()) heap_sort(room.data, items.size);
    group_.sync();
    return items;
  }
  template <typename... T, typename... V>
  MATCHA_MEMBER void append(Filled<T...>& list, u32 line, u32 column, V... values) const {
    if (list.size >= list.room.capacity) {
      this->trap(kCapacityExceeded, line, column);
      return;
    }
    if (group_.leads()) list.room.put(list.size, T(values)...);
    ++list.size;
    group_.sync();
  }

  // Sinks of the region

  MATCHA_MEMBER void merge(u32 sink, i128 sum) const {
    if (!group_.leads()) return;
    Slot& slot = slot_of(sink);
    u64 low = slot.low + u64(sum);
    i64 carry = low < slot.low ? 1 : 0;
    slot = {low, u64(i64(slot.high) + i64(sum >> 64) + carry)};
  }
  template <typename T>
  MATCHA_MEMBER void merge(u32 sink, Least<T> found) const {
    Slot& slot = slot_of(sink);
    if (group_.leads() && found.any && (slot.high == 0 || found.value < from_word<T>(slot.low))) {
      slot = {to_word(found.value), 1};
    }
  }
  template <typename T>
  MATCHA_MEMBER void merge(u32 sink, Greatest<T> found) const {
    Slot& slot = slot_of(sink);
    if (group_.leads() && found.any && (slot.high == 0 || from_word<T>(slot.low) < found.value)) {
      slot = {to_word(found.value), 1};
    }
  }
  MATCHA_MEMBER void merge(u32 sink, AnyOf found) const {
    if (group_.leads() && found.value) slot_of(sink).low = 1;
  }
  MATCHA_MEMBER void merge(u32 sink, AllOf found) const {
    if (group_.leads() && !found.value) slot_of(sink).low = 0;
  }
  MATCHA_MEMBER void sum_exactly(u32 sink, f64 value) const {
    if (group_.leads()) exact_sum_add(*reinterpret_cast<ExactSum*>(slot_of(sink).low), value);
  }

  /// One row of list sink `sink`, found at outermost position `position`.
  template <typename... T>
  MATCHA_MEMBER void row(u32 sink, u64 position, T... values) const {
    if (!group_.leads()) return;
    const RowArea& area = launch_.rows[sink];
    u64 at = atomic_add(area.count, 1);
    if (at >= area.capacity) return;
    area.words[at] = position;
    u64 column = 0;
    ((area.words[++column * area.capacity + at] = to_word(values)), ...);
  }

 private:
  template <typename A, typename B, typename T>
  MATCHA_MEMBER List<T> store(const A& a, const B& b, bool wanted, Room<T> room) const {
    group_.sync();
    u64 size = 0;
    this->filter(a, b, wanted, [&](T x, bool keep) {
      u32 keepers = group_.ballot(keep);
      u64 at = size + Group::bits(keepers & ((1u << group_.lane) - 1));
      if (keep && at < room.capacity) room.data[at] = x;
      size += Group::bits(keepers);
    });
    group_.sync();
    return {room.data, fit(size, room.capacity)};
  }

  MATCHA_MEMBER u64 fit(u64 size, u64 capacity) const {
    if (size > capacity) this->trap(kCapacityExceeded, 0, 0);
    return smaller(size, capacity);
  }

  template <typename T>
  MATCHA_MEMBER static void sift(T* items, u64 root, u64 size) {
    for (u64 child = 2 * root + 1; child < size; root = child, child = 2 * root + 1) {
      if (child + 1 < size && items[child] < items[child + 1]) ++child;
      if (!(items[root] < items[child])) return;
      T swapped = items[root];
      items[root] = items[child];
      items[child] = swapped;
    }
  }
  template <typename T>
  MATCHA_MEMBER static void heap_sort(T* items, u64 size) {
    for (u64 root = size / 2; root-- > 0;) sift(items, root, size);
    for (u64 last = size; last-- > 1;) {
      T swapped = items[0];
      items[0] = items[last];
      items[last] = swapped;
      sift(items, 0, last);
    }
  }

  template <typename T>
  MATCHA_MEMBER static u64 to_word(T value) {
    return u64(i64(value));
  }
  MATCHA_MEMBER static u64 to_word(f64 value) { return __builtin_bit_cast(u64, value); }
  template <typename T>
  MATCHA_MEMBER static T from_word(u64 word) {
    if constexpr (sizeof(T) == 8 && T(0.5) != T(0)) return __builtin_bit_cast(T, word);
    return T(word);
  }

  MATCHA_MEMBER Slot& slot_of(u32 sink) const { return launch_.slots[index_ * launch_.sinks + sink]; }

  const Launch& launch_;
  Group group_;
  u64 index_;
};

}  // namespace matcha_program
