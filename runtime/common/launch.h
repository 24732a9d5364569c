// The input of the workers of a region from the host, and their results. Plain words, the same on host and device.
#pragma once

#include "runtime/common/deal.h"

namespace matcha_program {

/// Words shared by all workers, on separate cache lines if many write them. Zero at the start, except `live` =
/// positions (or tiles) of the region and `queue_room`.
struct Shared {
  alignas(128) u64 next;  ///< First position (or tile) of the outermost loop that no worker has taken.
  /// Positions (or tiles) and tasks that are not reported as finished; no worker returns before it is 0.
  alignas(128) u64 live;
  alignas(128) u64 queue_ready;  ///< Plus kOver once `live` is 0.
  u64 queue_front;
  alignas(128) u64 queue_room;  ///< The queue's capacity at the start.
  u64 queue_back;
  alignas(128) u64 stop;            ///< Not 0: return soon.
  u64 error;                        ///< First trap: code << 56 | line << 24 | column.
  u64 idle_blocks;                  ///< Bits that are set in `Launch::idle`.
  alignas(128) u64 positions_done;  ///< Outermost positions done, not counting inner loops that were offloaded.
  u64 splits;                       ///< Tasks that were put into the queue or stolen.
  u64 pages_taken;                  ///< Pages taken from the arena; more than it has if requests were refused.
  u64 row_words_taken;              ///< Words taken from `Launch::row_words`; likewise.
  u64 kernels;                      ///< Started by groups, for kKernel;
  u64 kernels_refused;              ///< and the number of refused starts.
};

/// The accumulator of one sink in one worker; `high` is the upper word of a 128-bit sum, or 1 once a min or max has a
/// value.
struct Slot {
  u64 low, high;
};

/// Accumulators of min and max; `any`: a value was taken.
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

/// The bit rows of one list that workers share; zeros at the start. See bit_rows.h.
struct RowsState {
  u64 place;  ///< 0: not assigned so far.
  u64 next;   ///< The first row that no group has claimed.
  u64 done;   ///< Rows that are built.
};

/// Words for counters that groups share, one for each rank: enough for all worthwhile hubs, initially zero.
MATCHA_FN u64 shared_counter_words(u64 ranks, u64 positions) {
  constexpr u64 kMostWords = 1ull << 27;  // 1 GiB.
  return smaller(smaller(positions, kMostWords) * smaller((ranks + 1) / 2, kMostWords), kMostWords);
}

/// The place of the items or the page table of one planned buffer: bytes from the start of a worker's scratch memory,
/// and the most items.
struct BufferPlan {
  u64 offset, capacity;
};

/// The place of a row in its list: the position of the outermost loop that found it and, in this many low bits, 0
/// before the inner loop or 1 + the position in it. Regions with ordered rows are split at these two levels only, so
/// one worker finds all rows of a place, in order.
MATCHA_FN u64 place_bits(u64 positions) {
  u64 bits = 63;
  while (positions >> (63 - bits) > 1) --bits;
  return bits;
}

/// The rows of one list sink. Column `c` of row `r` is `words[(c + 1) * capacity + r]`; `words[r]` is its place, by
/// which the host sorts them. `count` keeps counting when the area is full: then the host allocates a larger one and
/// repeats the region.
///
/// With `drained` the area is a ring that the host empties concurrently: row `r` is at slot `r` modulo `capacity`, as
/// the mark `r + 1`, written last, and then the columns; a group that is `capacity` rows ahead of `drained` waits. The
/// host takes rows out in order, so the row that it waits for always has a slot.
struct RowArea {
  u64* words;
  u64 capacity;  ///< The rows that a ring has room for: a power of two.
  u64* count;
  const u64* drained;  ///< The number of rows taken out; null: no ring.
};

/// How an idle worker gets a part of a busy worker's remaining work.
enum Stealing : u64 {
  kNoStealing = 0,
  kTimeout = 1,  ///< A worker that has spent `tau` on a task puts the rest into the queue (T-DFS III).
  kHalf = 2,     ///< An idle worker takes half of a range: half_stealing.h (STMatch 1.5).
  kKernel = 3,   ///< A worker that reaches a long loop starts a kernel for it: kernel_stealing.h (EGSM, in T-DFS I).
};

/// A part of the work of one of several devices: positions from `begin` on; `taken` positions precede it. Parts begin
/// at multiples of the chunk, so no chunk spans two of them.
struct DealtRange {
  u64 taken, begin;
};

/// Room for the kernels that groups start, for kKernel.
struct KernelPlaces {
  u64* free;          ///< A bit for each place, set while it is free.
  u64* running;       ///< Unfinished groups of the kernel of each place.
  u64 count;          ///< Places.
  u64 fanout;         ///< Loops with more positions than this get kernels.
  u64 region;         ///< The region's number, for a text with several regions.
  const void* frame;  ///< The frame of the region, on the device.
};
/// The most groups of such a kernel. Each has its own stack, after those of the workers.
inline constexpr u64 kKernelGroups = 32;

/// The arguments of a kernel started by a group: group number i takes the i-th `piece` positions of the task.
struct KernelStart {
  Task task;
  u64 place;
  u64 groups;
  u64 piece;
};

struct Launch {
  Shared* shared;
  const i64* original_ids;  ///< The id of each rank, ascending; null: ids are ranks.
  u64 universe;             ///< Number of ranks.
  u64 positions;            ///< The number of positions of the outermost loop.
  u64 place_bits;           ///< `place_bits(positions)`.
  u64 chunk;                ///< Positions that a worker takes at a time.
  u64 lanes;                ///< The number of positions that its lanes process in parallel, if they do.
  Deal deal;                ///< Tiles of arcs instead of chunks, when `deal.tile` is not 0.
  u64 device;               ///< Units of tiles are assigned round-robin: unit c to device c modulo `other_devices + 1`.
  u64 other_devices;        ///< Other devices of the region; for a sample, hypothetical ones.
  u64 unit_tiles;           ///< The number of tiles in a unit; a multiple of `deal.grab`.
  /// With other devices and without tiles: `range_count` parts and then an end after all positions.
  const DealtRange* ranges;
  u64 range_count;
  u64 workers;
  u64 stealing;  ///< A `Stealing`; see `stealing_of`.
  u64 split;     ///< Loop levels whose remaining positions may be offloaded; at most 3.
  u64 tau;       ///< Clock ticks between polls of `stop` and of idle workers; 0: never.
  bool eager;    ///< Offload after `tau` even if no worker is idle; for tests.
  TaskQueue queue;
  u64 block;    ///< Neighbouring workers that steal from each other directly.
  u64* boards;  ///< `workers * kBoardWords` zeros, for kHalf.
  u64* idle;    ///< A bit for each block, set when it requests work from another one; zeros.
  KernelPlaces kernels;
  u8* scratch;
  u64 scratch_bytes;  ///< The bytes for one worker: its arrays, or its page tables, which are zero at the start.
  const BufferPlan* buffers;
  u8* arena;              ///< Memory of paged buffers.
  u64 arena_pages;        ///< The number of pages, of kPageBytes each.
  RowsState* row_states;  ///< For each outermost position, the states that the region uses; null: rows are not shared.
  u64* row_words;         ///< For shared rows.
  u64 row_capacity;       ///< Their number.
  /// For each sink the accumulators of all groups, set by the host to the empty value of the sink.
  Slot* slots;
  u64 sinks;
  const RowArea* rows;  ///< One per sink; unused for sinks without rows.
};

/// The index, among the tiles of all devices, of this device's `taken`th tile.
MATCHA_FN u64 dealt_tile(const Launch& launch, u64 taken) {
  if (launch.other_devices == 0) return taken;
  return taken + (taken / launch.unit_tiles * launch.other_devices + launch.device) * launch.unit_tiles;
}
/// The same for a position at the start of a chunk. After the last one: none is left.
MATCHA_FN u64 dealt_position(const Launch& launch, u64 taken) {
  if (launch.other_devices == 0) return taken;
  u64 low = 0, high = launch.range_count;  // The last range that begins at or before it.
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
/// True if no fresh work is left for this device after `taken`.
MATCHA_FN bool all_taken(const Launch& launch, u64 taken) {
  if (launch.deal.tile != 0) return dealt_tile(launch, taken) >= launch.deal.tiles;
  return dealt_position(launch, taken) >= launch.positions;
}

inline constexpr u64 kOrderedLevels = 2;  ///< Loop levels that determine a row's place.
inline constexpr u64 kUsualTauUs = 100;   ///< Default `tau` in microseconds: T-DFS's timeout,
inline constexpr u64 kUsualLookUs = 10;   ///< and for kHalf.

#ifdef MATCHA_STEALING
/// The text is compiled for one method.
MATCHA_FN constexpr u64 stealing_of(const Launch&) { return MATCHA_STEALING; }
#else
MATCHA_FN u64 stealing_of(const Launch& launch) { return launch.stealing; }
#endif

}  // namespace matcha_program
