// The sums of engines/identities/wedge_walk.h on groups, one vertex or arc a group, the largest degrees first.
#pragma once

#include "engines/identities/device/motif_data.h"
#include "runtime/common/item_sets.h"

namespace matcha_program {

template <typename Group>
class MotifWorker {
 public:
  /// `places`: `kMotifPlaces` zeros of this group.
  MATCHA_MEMBER MotifWorker(const MotifLaunch& launch, u64 index, u32* places)
      : launch_(launch),
        group_(Group::here()),
        tasks_(launch, group_),
        places_(places),
        counters_(launch.counters + index * launch.counter_room),
        met_(launch.met + index * launch.met_room) {}

  /// The number of triangles on each arc. Units are arcs.
  MATCHA_MEMBER void count_triangles() {
    u128 above = 0;
    for_each_unit([&](u64 p) {
      const u32 u = launch_.sources[p], v = launch_.neighbors[p];
      if (v < u) return;
      const ItemSet first = row(u), second = row(v);
      const bool swaps = second.size < first.size;
      const ItemSet fewer = swaps ? second : first, more = swaps ? first : second;
      u32 share = 0;
      for (u32 i = group_.lane; i < fewer.size; i += Group::kWidth) {
        const u32 w = fewer.items[i], at = more.from(w);
        if (at == more.size || more.items[at] != w) continue;
        ++share;
        if (w > v)
          above += (fewer.size - i - 1) + u64(more.size - at - 1) + (launch_.offsets[w + 1] - launch_.split[w]);
      }
      const u32 found = group_.total(share);
      if (group_.leads()) launch_.on[p] = launch_.on[launch_.offsets[v] + second.from(u)] = found;
    });
    flush(launch_.sums->above, above);
  }

  /// The third vertices of the triangles on each arc. Units are arcs.
  MATCHA_MEMBER void list_thirds() {
    for_each_unit([&](u64 p) {
      if (launch_.on[p] == 0) return;
      const ItemSet around = row(launch_.sources[p]), other = row(launch_.neighbors[p]);
      u32* const out = launch_.third + launch_.start[p];
      if (other.size <= around.size) {
        write_places(other.size, out, [&](u32 i, u32& place) {
          place = around.from(other.items[i]);
          return place < around.size && around.items[place] == other.items[i];
        });
      } else {
        write_places(around.size, out, [&](u32 i, u32& place) {
          place = i;
          return other.holds(around.items[i]);
        });
      }
    });
  }

  /// 4-cycles among the neighbours of each vertex, by the highest vertex of each cycle. Units are arcs to that vertex.
  MATCHA_MEMBER void count_wheels() {
    u128 found = 0;
    for_each_unit([&](u64 p) {
      if (launch_.on[p] < 2) return;
      const u64 hub = launch_.offsets[launch_.sources[p]];
      const u32 top = u32(p - hub);
      u32* const ways = top <= kMotifPlaces ? places_ : counters_;
      u64 pairs = 0, steps = 0;
      for_each_end(p, hub, top, [&](u32 end, bool inside) {
        if (inside) pairs += ways[end]++;
        steps += Group::kWidth;
      });
      if (top <= steps) {
        for (u32 i = group_.lane; i < top; i += Group::kWidth) ways[i] = 0;
        group_.sync();
      } else {
        for_each_end(p, hub, top, [&](u32 end, bool inside) {
          if (inside) ways[end] = 0;
        });
      }
      found += pairs;
    });
    flush(launch_.sums->wheels, found);
  }

  /// Wedges from each vertex to those below it. Units are vertices.
  MATCHA_MEMBER void count_wedges() {
    u128 four_cycles = 0;
    for_each_unit([&](u64 a) {
      const u64 begin = launch_.offsets[a], split = launch_.split[a];
      met_count_ = 0;
      four_cycles += walk(u32(a), begin, split);
      if ((launch_.wants & kFiveCycles) != 0 && met_count_ != 0) close_cycles(u32(a), begin, split);
      if ((launch_.wants & kCommonPairs) != 0) {
        walk(u32(a), split, launch_.offsets[a + 1]);
        for (u32 i = group_.lane; i < met_count_; i += Group::kWidth) {
          const u64 common = counters_[met_[i]];
          if (common > 2) pairs_ += u128(common * (common - 1)) * (common - 2);
        }
      }
      group_.sync();
      for (u32 i = group_.lane; i < met_count_; i += Group::kWidth) counters_[met_[i]] = 0;
      group_.sync();
    });
    flush(launch_.sums->four_cycles, four_cycles);
    flush(launch_.sums->closed, closed_);
    flush(launch_.sums->returned, returned_);
    flush(launch_.sums->pairs, pairs_);
  }

 private:
  template <typename Visit>
  MATCHA_MEMBER void for_each_unit(Visit visit) {
    for (;;) {
      const u64 first = tasks_.next_units();
      if (first >= launch_.unit_count || !tasks_.poll()) return;
      const u64 end = smaller(first + launch_.chunk, launch_.unit_count);
      for (u64 unit = first; unit < end; ++unit) visit(launch_.unit_count - 1 - unit);
    }
  }
  MATCHA_MEMBER ItemSet row(u64 vertex) const {
    const u64 begin = launch_.offsets[vertex];
    return {launch_.neighbors + begin, u32(launch_.offsets[vertex + 1] - begin)};
  }
  MATCHA_MEMBER void flush(WideSum& sum, u128 share) const {
    const u128 all = u128(group_.total_wide(i128(share)));
    if (group_.leads() && all != 0) atomic_add_wide(&sum.low, &sum.high, all);
  }

  /// Writes the places for which `find(i, place)` returns true, in order.
  template <typename Find>
  MATCHA_MEMBER void write_places(u32 size, u32* out, Find find) const {
    for (u32 first = 0; first < size; first += Group::kWidth) {
      const u32 i = first + group_.lane;
      u32 place = 0;
      const bool keep = i < size && find(i, place);
      const u32 lanes = group_.ballot(keep);
      if (keep) out[Group::bits(lanes & ((1u << group_.lane) - 1))] = place;
      out += Group::bits(lanes);
    }
  }

  /// Calls `visit(item, inside)` for the items below `limit` of lists, list by list, lanes in step (`inside`: the lane
  /// has an item), and `done(lane)` after each list. `find(k, items, size)` returns list `k` of `count`; each lane
  /// fetches one, and `done` gets the lane that fetched the list.
  template <typename Find, typename Visit, typename Done>
  MATCHA_MEMBER void for_each_below(u64 count, u32 limit, Find find, Visit visit, Done done) const {
    for (u64 first = 0; first < count; first += Group::kWidth) {
      const u32* items = nullptr;
      u32 size = 0;
      if (first + group_.lane < count) find(first + group_.lane, items, size);
      const u32 lists = u32(smaller(count - first, u64(Group::kWidth)));
      for (u32 k = 0; k < lists; ++k) {
        const u32* const list = reinterpret_cast<const u32*>(group_.from(reinterpret_cast<u64>(items), k));
        const u32 length = group_.from(size, k);
        for (u32 at = group_.lane;; at += Group::kWidth) {
          const u32 item = at < length ? list[at] : limit;
          const bool inside = item < limit;
          visit(item, inside);
          if (group_.ballot(!inside) != 0) break;
        }
        done(k);
        // The next list may change the same words as this one.
        group_.sync();
      }
    }
  }

  /// The ends of paths of two edges from place `top` among the neighbours of a vertex, whose arcs begin at `hub`; the
  /// middle and the end are below `top`.
  template <typename Visit>
  MATCHA_MEMBER void for_each_end(u64 p, u64 hub, u32 top, Visit visit) const {
    const ItemSet middles{launch_.third + launch_.start[p], launch_.on[p]};
    const auto find = [&](u64 k, const u32*& items, u32& size) {
      const u64 arc = hub + middles.items[k];
      items = launch_.third + launch_.start[arc];
      size = launch_.on[arc];
    };
    for_each_below(middles.from(top), top, find, visit, [](u32) {});
  }

  /// Counts the paths from a vertex over some of its arcs to all vertices below it, and records these. Returns this
  /// lane's number of new pairs of paths with one end.
  MATCHA_MEMBER u64 walk(u32 a, u64 first, u64 end) {
    u64 pairs = 0;
    u32 count = met_count_;
    const auto find = [&](u64 k, const u32*& items, u32& size) {
      const ItemSet ends = row(launch_.neighbors[first + k]);
      items = ends.items;
      size = ends.size;
    };
    for_each_below(
        end - first, a, find,
        [&](u32 b, bool inside) {
          u32 before = 1;
          if (inside) {
            before = counters_[b];
            counters_[b] = before + 1;
            pairs += before;
          }
          const bool is_new = inside && before == 0;
          const u32 lanes = group_.ballot(is_new);
          if (is_new) met_[count + Group::bits(lanes & ((1u << group_.lane) - 1))] = b;
          count += Group::bits(lanes);
        },
        [](u32) {});
    met_count_ = count;
    return pairs;
  }

  /// Paths to both ends of an edge, and those that return to their own vertices.
  MATCHA_MEMBER void close_cycles(u32 a, u64 begin, u64 split) {
    u64 next = 0;  // Of the lane: paths to neighbours of an end.
    u32 ways = 0;  // To the end that the lane looks up.
    const auto find = [&](u64 k, const u32*& items, u32& size) {
      const u32 c = met_[k];
      ways = counters_[c];
      items = launch_.neighbors + launch_.split[c];
      size = u32(launch_.offsets[c + 1] - launch_.split[c]);
    };
    for_each_below(
        met_count_, a, find, [&](u32 d, bool inside) { next += inside ? counters_[d] : 0; },
        [&](u32 lane) {
          closed_ += u128(next) * group_.from(ways, lane);
          next = 0;
        });
    for (u64 p = begin + group_.lane; p < split; p += Group::kWidth) {
      const u32 d = launch_.neighbors[p];
      returned_ += u128(row(d).from(a)) * counters_[d];
    }
  }

  const MotifLaunch& launch_;
  Group group_;
  UnitTasks<Group, MotifLaunch> tasks_;
  u32* places_;
  u32* counters_;
  u32* met_;
  u32 met_count_ = 0;
  u128 closed_ = 0, returned_ = 0, pairs_ = 0;
};

}  // namespace matcha_program
