#pragma once

#include <cstdint>

#include "runtime/cpu/region.h"

namespace matcha::runtime {

extern "C" {

/// Over all pairs of the `n` vertices of `list`, which ascend without repeats, the neighbours below (above) rank `cut`
/// that both have, added up; -1 when that is more than an int64. All of it is part 0; other parts give 0. `counters`: a
/// 0 for each rank, and again when this returns.
///
/// Cost: each of these neighbours twice, in order within its list (the wedges of Chiba and Nishizeki, SIAM J. Comput.
/// 1985, section 4); where a list is far longer than its few companions, a search for each item of these.
std::int64_t rt_common_below(const RegionContext* region, const GraphView* graph, const std::uint32_t* list,
                             std::uint64_t n, std::uint64_t cut, std::int64_t part, std::uint32_t* counters);
std::int64_t rt_common_above(const RegionContext* region, const GraphView* graph, const std::uint32_t* list,
                             std::uint64_t n, std::uint64_t cut, std::int64_t part, std::uint32_t* counters);

}  // extern "C"

}  // namespace matcha::runtime
