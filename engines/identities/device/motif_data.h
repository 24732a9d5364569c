// Sums over the triangles and wedges of a graph, computed by groups of a device. Plain words, the same on host and
// device; see engines/identities/README.md.
#pragma once

#include "runtime/common/unit_tasks.h"

namespace matcha_program {

/// 128 bits.
struct WideSum {
  u64 low, high;
};

/// Zeros at the start.
struct MotifSums {
  WideSum above;                            ///< Over triangles: the neighbours of a corner above all three.
  WideSum four_cycles;                      ///< By their highest vertex.
  WideSum closed, returned, pairs, wheels;  ///< As WedgeSums of engines/identities.
};

/// The counts to compute over wedges, besides 4-cycles.
enum MotifCountFlags : u32 { kFiveCycles = 1, kCommonPairs = 2 };

/// A graph whose ranks ascend with the degrees, and the results.
struct MotifLaunch {
  const u64* offsets;
  const u32* neighbors;
  const u64* split;    ///< By vertex, its first arc to a higher vertex.
  const u32* sources;  ///< By arc, its source.
  u64 size;
  u32 wants;
  u32* on;           ///< By arc, the number of triangles with it.
  const u64* start;  ///< By arc, the start of its third vertices.
  u32* third;        ///< Third vertices of each arc, ascending, as positions in the row of its source.
  u32* counters;     ///< The counters of each group, zeros before and after.
  u64 counter_room;
  u32* met;  ///< For each group, `met_room` vertices whose counters are not zero.
  u64 met_room;
  MotifSums* sums;
  UnitShared* shared;
  u64 unit_count;
  u64 chunk;
  u64 workers;
  const u64* stop_word;  ///< In host memory; not 0: stop.
};

/// Counters of a group in shared memory.
inline constexpr u32 kMotifPlaces = 1024;

}  // namespace matcha_program
