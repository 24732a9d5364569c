// Builds the bit rows of vertices with many neighbours (HubRows in graphs.h): a bitmap variant of the set operations,
// used if a list is long (as hash tables of hubs in TRUST, TPDS 2021).
#pragma once

#include "runtime/common/atomics.h"
#include "runtime/common/graphs.h"
#include "runtime/common/group.h"

namespace matcha_program {

/// Group `number` of `groups` builds its part of the rows, which are zero. `taken`: the number of assigned row numbers.
template <typename Group>
MATCHA_FN void mark_hubs(const Graph& g, const HubRows& hubs, u64* taken, Group group, u64 number, u64 groups) {
  u32* numbers = const_cast<u32*>(hubs.numbers);
  u64* rows = const_cast<u64*>(hubs.rows);
  for (u64 first = number * Group::kWidth; first < g.universe; first += groups * Group::kWidth) {
    const u64 v = first + group.lane;
    const bool hub = v < g.universe && g.offsets[v + 1] - g.offsets[v] >= hubs.least;
    for (u32 rest = group.ballot(hub); rest != 0; rest &= rest - 1) {
      const u32 owner = u32(first) + Group::bits((rest & (~rest + 1)) - 1);
      const u64 taken_before = group.broadcast(group.leads() ? atomic_add(taken, 1) : 0);
      if (group.leads()) numbers[owner] = u32(taken_before);
      const u32* const arcs = arcs_around(g, owner);
      for (u64 arc = g.offsets[owner] + group.lane; arc < g.offsets[owner + 1]; arc += Group::kWidth) {
        const u32 x = arcs[arc];
        atomic_or(rows + taken_before * hubs.words + x / 64, 1ull << x % 64);
      }
    }
  }
}

}  // namespace matcha_program
