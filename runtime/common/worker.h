// A worker is a group of threads with its share of the memory plan: the parameter `w` of generated functions.
#pragma once

#include "runtime/common/bit_rows.h"
#include "runtime/common/flat_counts.h"
#include "runtime/common/keyed_rows.h"
#include "runtime/common/set_operations.h"
#include "runtime/common/task_walk.h"

namespace matcha_program {

using matcha::runtime::ExactSum;

/// An exact sum of floats accumulated by a loop inside a region.
struct ExactTotal {
  ExactSum sum;
  MATCHA_MEMBER ExactTotal() { exact_sum_clear(sum); }
  MATCHA_MEMBER void add(f64 value) { exact_sum_add(sum, value); }
  MATCHA_MEMBER f64 value() const { return exact_sum_round(sum); }
};

template <typename Group>
class WorkerOf : public TaskWalk<Group>,
                 public BitRowMaker<Group>,
                 public SetOperations<Group>,
                 public FlatCounts<Group> {
 public:
  MATCHA_MEMBER WorkerOf(const Launch& launch, u64 index, TaskState& state)
      : TaskWalk<Group>(launch, Group::here(), index, state),
        BitRowMaker<Group>(launch, Group::here()),
        SetOperations<Group>(Group::here()),
        FlatCounts<Group>(Group::here()),
        launch_(launch),
        group_(Group::here()),
        index_(index) {}

  using Threads = Group;

  // Buffers and stored sets.

  /// Buffer `number` of the plan, as an array or in pages.
  template <typename... T>
  MATCHA_MEMBER Room<T...> buffer(u32 number) const {
    return Room<T...>::in(memory_of(number), launch_.buffers[number].capacity);
  }
  template <typename... T>
  MATCHA_MEMBER PagedRoom<T...> paged_buffer(u32 number) const {
    return PagedRoom<T...>::in(memory_of(number), launch_.buffers[number].capacity);
  }
  /// The state of shared bit rows number `number`, for a list of `size` items that is processed at level 1; null when
  /// the task covers the whole list.
  MATCHA_MEMBER RowsState* shared_rows(const Task& task, u64 number, u64 size) const {
    const Walk<u64> part = this->walk(task, 1, size);
    bool whole = part.begin == 0 && part.end == size;
    return whole || launch_.row_states == nullptr ? nullptr : launch_.row_states + number;
  }
  template <typename A, typename B, typename R>
  MATCHA_MEMBER auto intersect(const A& a, const B& b, R room) const {
    return walks_second(a, b) ? store<true>(b, a, true, room) : store<true>(a, b, true, room);
  }
  template <typename A, typename B, typename R>
  MATCHA_MEMBER auto diff(const A& a, const B& b, R room) const {
    return store<true>(a, b, false, room);
  }
  template <typename A, typename B, typename R>
  MATCHA_MEMBER auto intersect_repeats(const A& a, const B& b, R room) const {
    return store<false>(a, b, true, room);
  }
  /// The same if both ascend and `a` has no repeats: each item of the shorter one is looked up.
  template <typename A, typename B, typename R>
  MATCHA_MEMBER auto intersect_distinct(const A& a, const B& b, R room) const {
    return a.size <= b.size ? store<false>(a, b, true, room) : store<false, true>(b, a, true, room);
  }
  template <typename A, typename B, typename R>
  MATCHA_MEMBER auto diff_repeats(const A& a, const B& b, R room) const {
    return store<false>(a, b, false, room);
  }
  template <typename A, typename R>
  MATCHA_MEMBER auto copy(const A& a, R room) const {
    return room.list(copied(a, room));
  }
  template <typename R, typename... V>
  MATCHA_MEMBER void append(Filled<R>& list, u32 line, u32 column, V... values) const {
    append_each(list, line, column, group_.leads(), values...);
  }
  /// The same for the values of all lanes that have one, in lane order.
  template <typename R, typename... V>
  MATCHA_MEMBER void append_each(Filled<R>& list, u32 line, u32 column, bool there, V... values) const {
    const u32 lanes = group_.ballot(there);
    const u64 size = u64(list.size) + Group::bits(lanes);
    list.room.grow(launch_, group_, size);
    if (size > list.room.ready())
      return this->trap(size > list.room.capacity ? kCapacityExceeded : kOutOfPages, line, column);
    if (there) list.room.put(list.size + Group::bits(lanes & ((1u << group_.lane) - 1)), values...);
    list.size = u32(size);
    group_.sync();
  }

  // Counts of the lists of each lane, found at the positions `from` and on of a loop at `level`; the lists are
  // offloaded when they take long and other workers are idle.

  MATCHA_MEMBER i64 count_flat(const Task& task, u32 level, u64 at0, u64 at1, u64 from, Sides& mine) {
    return this->template count<true>(
        mine, [&](u32 lanes) { return this->offload_each(task, level, at0, at1, from, lanes); });
  }
  MATCHA_MEMBER i64 share_flat(const Task& task, u32 level, u64 at0, u64 at1, u64 from, Sides& mine) {
    return this->template count<false>(
        mine, [&](u32 lanes) { return this->offload_each(task, level, at0, at1, from, lanes); });
  }
  using FlatCounts<Group>::count_flat;
  using FlatCounts<Group>::share_flat;

  MATCHA_MEMBER const Group& group() const { return group_; }
  MATCHA_MEMBER const Launch& launch() const { return launch_; }
  /// Positions of the outermost loop that the lanes process at a time.
  MATCHA_MEMBER u64 lanes() const { return launch_.lanes; }

  // Sinks of the region.

  MATCHA_MEMBER void merge(u32 sink, i128 sum) const {
    if (!group_.leads()) return;
    Slot& slot = slot_of(sink);
    u64 low = slot.low + u64(sum);
    i64 carry = low < slot.low ? 1 : 0;
    slot = {low, u64(i64(slot.high) + i64(sum >> 64) + carry)};
  }
  template <typename T, bool least>
  MATCHA_MEMBER void merge(u32 sink, Extreme<T, least> found) const {
    Slot& slot = slot_of(sink);
    if (group_.leads() && found.any && (slot.high == 0 || found.beats(found.value, from_word<T>(slot.low)))) {
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

  /// The place of a row found at outermost position `at0`, before the loop inside it or at its position `at1`.
  MATCHA_MEMBER u64 place(u64 at0) const { return at0 << launch_.place_bits; }
  MATCHA_MEMBER u64 place(u64 at0, u64 at1) const {
    if ((at1 + 1) >> launch_.place_bits != 0) this->trap(kCapacityExceeded, 0, 0);
    return place(at0) | (at1 + 1);
  }
  /// One row of list sink `sink`.
  template <typename... T>
  MATCHA_MEMBER void row(u32 sink, u64 place, T... values) const {
    const RowArea& area = launch_.rows[sink];
    if (area.drained != nullptr) {
      if (group_.leads()) stream_row(area, values...);
      group_.sync();  // The other lanes continue once there is room.
      return;
    }
    if (!group_.leads()) return;
    u64 at = atomic_add(area.count, 1);
    if (at >= area.capacity) return;
    area.words[at] = place;
    u64 column = 0;
    ((area.words[++column * area.capacity + at] = to_word(values)), ...);
  }

 private:
  /// Appends one row to a ring. It is lost if the region is stopped while it waits for room.
  template <typename... T>
  MATCHA_MEMBER void stream_row(const RowArea& area, T... values) const {
    u64 at = atomic_add(area.count, 1);
    while (at >= atomic_read(area.drained) + area.capacity) {
      if (atomic_read(&launch_.shared->stop) != 0) return;
      nap();
    }
    u64* slot = area.words + (at & (area.capacity - 1)) * (sizeof...(T) + 1);
    u64 column = 0;
    ((slot[++column] = to_word(values)), ...);
    publish(slot, at + 1);
  }

  MATCHA_MEMBER u8* memory_of(u32 number) const {
    return launch_.scratch + index_ * launch_.scratch_bytes + launch_.buffers[number].offset;
  }

  /// With `once` only the first of equal adjacent items is kept.
  template <bool ascending, bool once = false, typename A, typename B, typename R>
  MATCHA_MEMBER auto store(const A& a, const B& b, bool wanted, R room) const {
    group_.sync();
    SizeOf<A> size = 0, i = group_.lane;
    const auto put = [&](typename R::Item x, bool keep) {
      if constexpr (once) keep = keep && (i == 0 || a.at(i - 1) != x);
      i += Group::kWidth;
      u32 keepers = group_.ballot(keep);
      const auto at = size + Group::bits(keepers & ((1u << group_.lane) - 1));
      size += Group::bits(keepers);
      room.grow(launch_, group_, size);
      if (keep && at < room.ready()) room.put(at, x);
    };
    if constexpr (ascending) {
      this->filter_ascending(a, b, wanted, put);
    } else {
      this->filter(a, b, wanted, put);
    }
    group_.sync();
    return room.list(fit(size, room));
  }
  template <typename A, typename R>
  MATCHA_MEMBER u64 copied(const A& a, R& room) const {
    group_.sync();
    room.grow(launch_, group_, a.size);
    u64 size = fit(a.size, room);
    fetch_if_far(group_, a);
    for (SizeOf<A> i = group_.lane; i < size; i += Group::kWidth) room.put(i, a.at(i));
    group_.sync();
    return size;
  }

  /// The part of a list of `size` items that fits the room; an error if it is not all.
  template <typename R>
  MATCHA_MEMBER u64 fit(u64 size, const R& room) const {
    if (size > room.ready()) this->trap(size > room.capacity ? kCapacityExceeded : kOutOfPages, 0, 0);
    return smaller(size, room.ready());
  }

  template <typename T>
  MATCHA_MEMBER static u64 to_word(T value) {
    return u64(i64(value));
  }
  MATCHA_MEMBER static u64 to_word(f64 value) { return __builtin_bit_cast(u64, value); }
  template <typename T>
  MATCHA_MEMBER static T from_word(u64 word) {
    if constexpr (is_float<T>) return __builtin_bit_cast(T, word);
    return T(word);
  }

  MATCHA_MEMBER Slot& slot_of(u32 sink) const { return launch_.slots[index_ * launch_.sinks + sink]; }

  const Launch& launch_;
  Group group_;
  u64 index_;
};

}  // namespace matcha_program
