// What the host hands to the workers of a region, and what they hand back. Plain words, the same on host and device.
#pragma once

#include "runtime/common/deal.h"

namespace matcha_program {

/// Words that all workers share, apart where many write them. Zero at the start, but for `live` = positions (or tiles)
/// of the region and `queue_room`.
struct Shared {
  alignas(128) u64 next;  ///< First position (or tile) of the outermost loop that no worker has taken.
  /// Positions (or tiles) and tasks that are not finished, or not told to be; nobody leaves before it is 0.
  alignas(128) u64 live;
  alignas(128) u64 queue_ready;  ///< And kOver once `live` is 0.
  u64 queue_front;
  alignas(128) u64 queue_room;  ///< The queue's capacity at the start.
  u64 queue_back;
  alignas(128) u64 stop;            ///< Not 0: leave soon.
  u64 error;                        ///< First trap: code << 56 | line << 24 | column.
  u64 idle_blocks;                  ///< Bits that are set in `Launch::idle`.
  alignas(128) u64 positions_done;  ///< Outermost positions walked, their inner loops apart that others got.
  u64 splits;                       ///< Tasks that were put into the queue or stolen.
  u64 pages_taken;                  ///< Of the arena; more than it has when some were refused.
  u64 row_words_taken;              ///< Of `Launch::row_words`; the same.
  u64 kernels;                      ///< That groups started, for kKernel;
  u64 kernels_refused;              ///< and the times that there was no room for one.
};

/// The accumulator of one sink in one worker; `high` is the upper word of a 128-bit sum, or 1 once a min or max has a
/// value.
struct Slot {
  u64 low, high;
};

/// Accumulators of min and max; `any`: something was taken.
template <typename T, bool least>
struct Extreme {
  T value;
  bool any;
  MATCHA_MEMBER static bool beats(T x, T y) { return matcha_program::beats<least>(x, y); }
  MATCHA_MEMBER void take(T x) {
    value = !any || beats(x, value) ? x : value;
    any = true;
  }
};
template <typename T>
using Least = Extreme<T, true>;
template <typename T>
using Greatest = Extreme<T, false>;
struct AnyOf {
  bool value;
};
struct AllOf {
  bool value;
};

/// The rows of bits of one list that workers share; zeros at the start. See shared_rows.h.
struct RowsState {
  u64 place;  ///< 0: nobody has come to it.
  u64 next;   ///< The first row that nobody has taken to make.
  u64 done;   ///< Rows that are made.
};

/// Words for counters that groups share, one for each rank: as many as hubs may be worth, which begin as zeros.
MATCHA_FN u64 shared_counter_words(u64 ranks, u64 positions) {
  constexpr u64 kMostWords = 1ull << 27;  // 1 GiB.
  return smaller(smaller(positions, kMostWords) * smaller((ranks + 1) / 2, kMostWords), kMostWords);
}

/// Where the items or the page table of one planned buffer go: bytes from the start of a worker's scratch memory, and
/// items at most.
struct BufferPlan {
  u64 offset, capacity;
};

/// The place of a row in its list: the position of the outermost loop that found it, and below it, in so many bits, 0
/// in front of the loop inside that one or, in it, the position there and 1. Regions whose rows have an order are split
/// at these two levels only, so one worker finds all rows of a place, in order.
MATCHA_FN u64 place_bits(u64 positions) {
  u64 bits = 63;
  while (positions >> (63 - bits) > 1) --bits;
  return bits;
}

/// The rows of one list sink. Column `c` of row `r` is `words[(c + 1) * capacity + r]`; `words[r]` is its place, by
/// which the host orders them. `count` goes on counting when the area is full: then the host makes a larger one and
/// runs the region again.
///
/// With `drained` the area is a ring that the host empties meanwhile: row `r` lies at slot `r` modulo `capacity`, as
/// the mark `r + 1`, written last, and then the columns; a group that is `capacity` rows ahead of `drained` waits. The
/// host takes rows out in order, so the row that it waits for always has a slot.
struct RowArea {
  u64* words;
  u64 capacity;  ///< Of a ring: a power of two.
  u64* count;
  const u64* drained;  ///< Rows that were taken out; null: no ring.
};

/// How an idle worker gets a part of what a busy one has left.
enum Stealing : u64 {
  kNoStealing = 0,
  kTimeout = 1,  ///< Who has worked on a task for `tau` hands on its rest through the queue (T-DFS III).
  kHalf = 2,     ///< It takes half of a range: half_stealing.h (STMatch 1.5).
  kKernel = 3,   ///< Who comes to a long loop starts a kernel for it: kernel_stealing.h (EGSM, in T-DFS I).
};

/// A part of what falls to one of several devices: positions from `begin` on, before which it has `taken` others. Parts
/// begin at multiples of the chunk, so no chunk lies in two of them.
struct DealtRange {
  u64 taken, begin;
};

/// Room for the kernels that groups start, for kKernel.
struct KernelPlaces {
  u64* free;          ///< A bit a place, set while no kernel has it.
  u64* running;       ///< Groups of the kernel of each place that have not ended.
  u64 count;          ///< Places.
  u64 fanout;         ///< Loops of more positions than these get kernels.
  u64 region;         ///< Its number, for a text of several.
  const void* frame;  ///< The frame of the region, on the device.
};
/// Groups of such a kernel, at most. Each has a stack of its own, behind those of workers.
inline constexpr u64 kKernelGroups = 32;

/// What a kernel that a group starts is given: group number i takes the i-th `piece` positions of the task.
struct KernelStart {
  Task task;
  u64 place;
  u64 groups;
  u64 piece;
};

struct Launch {
  Shared* shared;
  const i64* original_ids;  ///< Of each rank, ascending; null: ids are ranks.
  u64 universe;             ///< Number of ranks.
  u64 positions;            ///< Of the outermost loop.
  u64 place_bits;           ///< `place_bits(positions)`.
  u64 chunk;                ///< Positions that a worker takes at a time.
  u64 lanes;                ///< Of them, those that its lanes walk side by side, where they do.
  Deal deal;                ///< Tiles of arcs in the place of chunks, when `deal.tile` is not 0.
  u64 device;         ///< Units of tiles are dealt to devices in turn: unit c to device c modulo `other_devices + 1`.
  u64 other_devices;  ///< Devices that share the region with this one; of a sample, as if they were there.
  u64 unit_tiles;     ///< Of a unit; a multiple of `deal.grab`.
  const DealtRange* ranges;  ///< With other devices, where no tiles are dealt out: `range_count` parts and then an end
                             ///< behind all positions.
  u64 range_count;
  u64 workers;
  u64 stealing;  ///< A `Stealing`; see `stealing_of`.
  u64 split;     ///< Loop levels whose remaining positions others may get; at most 3.
  u64 tau;       ///< Clock ticks after which a worker looks around: at `stop`, and for others to work; 0: never.
  bool eager;    ///< Hand on after `tau` even when nobody waits for work; for tests.
  TaskQueue queue;
  u64 block;    ///< Neighbouring workers that steal from each other directly.
  u64* boards;  ///< `workers * kBoardWords` zeros, for kHalf.
  u64* idle;    ///< A bit a block, set when it wants work from another one; zeros.
  KernelPlaces kernels;
  u8* scratch;
  u64 scratch_bytes;  ///< Of one worker: its arrays, or its page tables, which are zeros at the start.
  const BufferPlan* buffers;
  u8* arena;              ///< Of paged buffers.
  u64 arena_pages;        ///< Of kPageBytes each.
  RowsState* row_states;  ///< Of each outermost position, as many as the region asks for; null: rows are not shared.
  u64* row_words;         ///< For shared rows.
  u64 row_capacity;       ///< Their number.
  Slot* slots;            ///< Those of each sink, of all groups, set up by the host with the empty value of the sink.
  u64 sinks;
  const RowArea* rows;  ///< One a sink; empty for those without rows.
};

/// Where the `taken`th tile of this device lies among those of all devices.
MATCHA_FN u64 dealt_tile(const Launch& launch, u64 taken) {
  if (launch.other_devices == 0) return taken;
  return taken + (taken / launch.unit_tiles * launch.other_devices + launch.device) * launch.unit_tiles;
}
/// The same for a position at the start of a chunk. Behind the last one: none is left.
MATCHA_FN u64 dealt_position(const Launch& launch, u64 taken) {
  if (launch.other_devices == 0) return taken;
  u64 low = 0, high = launch.range_count;  // The last range that does not begin behind it.
  while (low < high) {
    const u64 middle = low + (high - low + 1) / 2;
    if (launch.ranges[middle].taken <= taken) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return launch.ranges[low].begin + (taken - launch.ranges[low].taken);
}
/// Nothing fresh is left for this device when `taken` are gone.
MATCHA_FN bool all_taken(const Launch& launch, u64 taken) {
  if (launch.deal.tile != 0) return dealt_tile(launch, taken) >= launch.deal.tiles;
  return dealt_position(launch, taken) >= launch.positions;
}

inline constexpr u64 kOrderedLevels = 2;  ///< Loop levels that a row's place tells of.
inline constexpr u64 kUsualTauUs = 100;   ///< `tau` by default, in microseconds: T-DFS's timeout,
inline constexpr u64 kUsualLookUs = 10;   ///< and for kHalf.

#ifdef MATCHA_STEALING
/// The text is compiled for one kind.
MATCHA_FN constexpr u64 stealing_of(const Launch&) { return MATCHA_STEALING; }
#else
MATCHA_FN u64 stealing_of(const Launch& launch) { return launch.stealing; }
#endif

}  // namespace matcha_program
