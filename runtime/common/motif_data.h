// Sums over the triangles and wedges of a graph, found by groups of a device. Plain words, the same on host and device;
// see engines/identities/README.md.
#pragma once

#include "runtime/common/unit_tasks.h"

namespace matcha_program {

/// 128 bits.
struct WideSum {
  u64 low, high;
};

/// Zeros at the start.
struct MotifSums {
  WideSum above;                            ///< Over triangles: the neighbours of a corner that are above all three.
  WideSum four_cycles;                      ///< By their highest vertex.
  WideSum closed, returned, pairs, wheels;  ///< As WedgeSums of engines/identities.
};

/// What is looked for over wedges, beside 4-cycles.
enum MotifWants : u32 { kFiveCycles = 1, kCommonPairs = 2 };

/// A graph whose ranks ascend with the degrees, and what is found of it.
struct MotifLaunch {
  const u64* offsets;
  const u32* neighbors;
  const u64* split;    ///< By vertex, its first arc up.
  const u32* sources;  ///< By arc, its vertex.
  u64 size;
  u32 wants;
  u32* on;           ///< By arc, the triangles that have it.
  const u64* start;  ///< By arc, where its third vertices begin.
  u32* third;        ///< Third vertices of each arc, ascending, as places in the row of its vertex.
  u32* counters;     ///< Of each group, zeros before and after.
  u64 counter_room;
  u32* met;  ///< Of each group.
  u64 met_room;
  MotifSums* sums;
  UnitShared* shared;
  u64 unit_count;
  u64 chunk;
  u64 workers;
  const u64* wish;  ///< Of the host; not 0: stop.
};

/// Counters of a group in shared memory.
inline constexpr u32 kMotifPlaces = 1024;

}  // namespace matcha_program
