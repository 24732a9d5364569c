// Common neighbours of pairs of vertices: a vertex adjacent to k of the vertices ends k * (k - 1) / 2 wedges of pairs,
// so each neighbour of each vertex is read once (Chiba and Nishizeki, SIAM J. Comput. 1985, section 4). The list of a
// hub is counted in parts. Groups of one list share counters, and each gets some items; without room for shared
// counters, each processes all items and counts the wedges that end in one range. Only programs that count such wedges
// include this text.
#pragma once

#include "runtime/common/wedge_counters.h"
#include "runtime/common/worker.h"

namespace matcha_program {

/// Wedges that end in [first, behind); if `behind` is kNoRank, those from `first` on.
struct EndRange {
  u32 first, behind;
};
/// Range `number` of `count` of the ends below (above) `cut`. Ranges begin at items of the list, so that they have
/// about as many wedges each: ends have many neighbours, as items do. The first ranges have fewer items, because ranks
/// by degree begin with the vertices that end most wedges.
template <bool is_below, typename L>
MATCHA_FN EndRange end_range(const L& list, u32 cut, u64 number, u64 count) {
  const u32 least = is_below ? 0 : cut + 1, most = is_below ? cut : kNoRank;
  const auto begin = [&](u64 i) {
    if (i == 0 || i == count) return i == 0 ? least : most;
    return u32(smaller<u64>(larger<u64>(list.at(i * i * list.size / (count * count)), least), most));
  };
  return {begin(number), begin(number + 1)};
}

template <bool is_below, typename Group, typename G, typename L>
class CommonNeighbors {
 public:
  MATCHA_MEMBER CommonNeighbors(const WorkerOf<Group>& worker, const G& g, const L& list, EndRange ends)
      : worker_(worker), group_(Group::here()), g_(g), list_(list), ends_(ends) {}

  /// `counters`: those of this group.
  MATCHA_MEMBER i128 count(u32* counters) const {
    u64 wedges = 0;
    u64 widest = 0;
    for (u64 first = 0; first < list_.size; first += Group::kWidth) {
      const u64 size = own(first, list_.size).size;
      wedges += size;
      widest = larger(widest, size);
    }
    wedges = group_.total(wedges);
    for (u32 step = Group::kWidth / 2; step > 0; step /= 2)
      widest = larger(widest, group_.from(widest, group_.lane ^ step));
    if (wedges == widest) return 0;
    i128 found = searches_pay(wedges, widest) ? i128(share_by_searches()) : share_of_wedges(counters, wedges);
    return group_.total_wide(found);
  }
  /// The contribution of the items from `begin` up to `end`. `counters`: shared by all groups that count for the list.
  MATCHA_MEMBER i128 count_part(u32* counters, u64 begin, u64 end) const {
    WedgeCounters<Group> counters_of_ends(group_, counters, true, ~0u);
    i128 found = 0;
    for (u64 first = begin; first < end; first += Group::kWidth) found += walk<true>(own(first, end), counters_of_ends);
    found += counters_of_ends.flush();
    return group_.total_wide(found);
  }

 private:
  using Near = ShortList<u32>;
  /// Lists from this length on are processed by all lanes.
  static constexpr u32 kLong = 2 * Group::kWidth;
  static constexpr u32 kAtOnce = 4;  ///< Items that a lane has in flight.

  MATCHA_MEMBER NearList near(u64 i) const {
    NearList ends = neighbors(g_, list_.at(i));
    if (!is_below || ends_.first != 0) ends = above(ends, ends_.first - 1);
    if (is_below || ends_.behind != kNoRank) ends = below(ends, ends_.behind);
    return ends;
  }
  /// This lane's neighbour list of the vertices from `first` on.
  MATCHA_MEMBER Near own(u64 first, u64 end) const {
    if (first + group_.lane >= end) return {nullptr, 0};
    return near(first + group_.lane);
  }

  /// True if most wedges belong to one vertex and its few companions share few of them. Costs are in steps of a lane.
  MATCHA_MEMBER bool searches_pay(u64 wedges, u64 widest) const {
    constexpr f64 kPair = 128, kSearch = 8, kWedge = 4;
    const f64 others = f64(list_.size) - 1;
    const f64 searches = f64(list_.size) / 2 * kPair + f64(wedges - widest) / 2 * kSearch;
    return others * searches < f64(wedges) * kWedge;
  }
  MATCHA_MEMBER i64 share_by_searches() const {
    i64 found = 0;
    for (u64 i = 1; i < list_.size; ++i) {
      const NearList a = near(i);
      for (u64 j = 0; j < i; ++j) found += worker_.share_intersect(a, near(j));
    }
    return found;
  }

  MATCHA_MEMBER i128 share_of_wedges(u32* counters, u64 wedges) const {
    WedgeCounters<Group> counters_of_ends(group_, counters, false, wedges);
    i128 found = 0;
    // A lane has less than 2^32 items of each list, each counted less than 2^32 times.
    for (u64 first = 0; first < list_.size; first += Group::kWidth)
      found += walk<true>(own(first, list_.size), counters_of_ends);
    if (counters_of_ends.spilled()) {
      for (u64 first = 0; first < list_.size; first += Group::kWidth)
        walk<false>(own(first, list_.size), counters_of_ends);
    }
    group_.sync();
    return found;
  }

  /// Adds or clears the items of the lists of all lanes, each by one lane. Returns this lane's part of their counts
  /// before.
  template <bool adds>
  MATCHA_MEMBER u64 walk(const Near mine, WedgeCounters<Group>& counters_of_ends) const {
    u64 before = 0;
    for (u32 rest = group_.ballot(mine.size >= kLong); rest != 0; rest &= rest - 1) {
      const u32 owner = Group::bits((rest & (~rest + 1)) - 1);
      const Near list{pointer(mine.data, owner), group_.from(mine.size, owner)};
      for (u32 first = group_.lane; first < list.size; first += kAtOnce * Group::kWidth) {
        u32 ends[kAtOnce];
        for (u32 k = 0; k < kAtOnce; ++k) {
          const u64 i = u64(first) + k * Group::kWidth;
          ends[k] = i < list.size ? list.data[i] : kNoRank;
        }
        before += take<adds>(ends, counters_of_ends);
      }
    }
    const u32 size = mine.size >= kLong ? 0 : mine.size;
    const u32 end = up_to(group_, size);
    const u32 all = group_.from(end, Group::kWidth - 1);
    for (u32 first = group_.lane; first - group_.lane < all; first += kAtOnce * Group::kWidth) {
      u32 ends[kAtOnce];
      for (u32 k = 0; k < kAtOnce; ++k) {
        const u32 item = first + k * Group::kWidth;
        const u32 owner = lanes_below(group_, end, item + 1);
        const u32* list = pointer(mine.data, owner);
        const u32 at = item - group_.from(end - size, owner);
        ends[k] = item < all ? list[at] : kNoRank;
      }
      before += take<adds>(ends, counters_of_ends);
    }
    return before;
  }
  template <bool adds, u32 n>
  MATCHA_MEMBER static u64 take(const u32 (&ends)[n], WedgeCounters<Group>& counters_of_ends) {
    if constexpr (adds) return counters_of_ends.add(ends);
    if constexpr (!adds) counters_of_ends.reset(ends);
    return 0;
  }
  MATCHA_MEMBER const u32* pointer(const u32* mine, u32 owner) const {
    return reinterpret_cast<const u32*>(group_.from(reinterpret_cast<u64>(mine), owner));
  }

  const WorkerOf<Group>& worker_;
  Group group_;
  const G& g_;
  const L& list_;
  EndRange ends_;
};

/// The number of ranges of ends for a list of `items` items: few, as every range splits the neighbours of all items,
/// and one if these may be in host memory.
MATCHA_FN u64 end_ranges(const Graph& g, u64 items) {
  constexpr u64 kItems = 2048;
  if constexpr (kMovedRows) {
    if (g.moved != nullptr) return 1;
  }
  constexpr u64 kMost = 16;
  return larger<u64>(smaller(items / kItems, kMost), 1);
}

/// Part `part` of `parts` of the sum, over pairs of items of `list`, of their common neighbours below (above) `cut`.
/// The list ascends without repeats. `room` has a 0 for each rank, before and after. `shared`: the number of the state
/// through which groups of one list share counters.
template <bool is_below, typename Group, typename G, typename L>
MATCHA_FN i128 common_neighbors(const WorkerOf<Group>& w, const G& g, const L& list, u32 cut, u64 part, u64 parts,
                                Room<u32> room, u64 shared) {
  u64* const counters = parts > 1 ? w.shared_words(shared, (g.universe + 1) / 2) : nullptr;
  const u64 ranges = counters != nullptr ? 1 : smaller(parts, end_ranges(g, list.size));
  if (counters == nullptr && (part >= ranges || list.size < 2)) return 0;
  const EndRange ends = end_range<is_below>(list, cut, counters != nullptr ? 0 : part, ranges);
  if (ends.first >= ends.behind) return 0;
  const CommonNeighbors<is_below, Group, G, L> common(w, g, list, ends);
  if (counters == nullptr) return common.count(room.data);
  return common.count_part(reinterpret_cast<u32*>(counters), part * list.size / parts, (part + 1) * list.size / parts);
}
template <typename Group, typename G, typename L>
MATCHA_FN i64 common_below(const WorkerOf<Group>& w, const G& g, const L& list, u32 cut, i64 part, i64 parts,
                           Room<u32> room, u64 shared, u32 line, u32 column) {
  return w.narrow(common_neighbors<true>(w, g, list, cut, u64(part), u64(parts), room, shared), line, column);
}
template <typename Group, typename G, typename L>
MATCHA_FN i64 common_above(const WorkerOf<Group>& w, const G& g, const L& list, u32 cut, i64 part, i64 parts,
                           Room<u32> room, u64 shared, u32 line, u32 column) {
  return w.narrow(common_neighbors<false>(w, g, list, cut, u64(part), u64(parts), room, shared), line, column);
}

}  // namespace matcha_program
