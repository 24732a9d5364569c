#pragma once

#include <cstdint>

#include "runtime/cpu/region.h"

namespace matcha::runtime {

extern "C" {

/// The sum over all pairs of the `n` vertices of `list`, which ascend without repeats, of their common neighbours below
/// (above) rank `cut`; -1 when it exceeds an int64. Part 0 is the whole sum; other parts give 0. `counters`: a 0 for
/// each rank, restored on return.
///
/// Cost: two reads of each of these neighbours, in order within its list (the wedges of Chiba and Nishizeki, SIAM J.
/// Comput. 1985, section 4); if one list is far longer than its few companions, a search for each item of these.
std::int64_t rt_common_below(const RegionContext* region, const GraphView* graph, const std::uint32_t* list,
                             std::uint64_t n, std::uint64_t cut, std::int64_t part, std::uint32_t* counters);
std::int64_t rt_common_above(const RegionContext* region, const GraphView* graph, const std::uint32_t* list,
                             std::uint64_t n, std::uint64_t cut, std::int64_t part, std::uint32_t* counters);

}  // extern "C"

}  // namespace matcha::runtime
