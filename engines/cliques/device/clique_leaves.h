// Leaves of pivot trees for counts of the graph: each is one addition to a cell that all groups share.
#pragma once

#include "engines/cliques/device/clique_rows.h"

namespace matcha_program {

template <typename OneGroup>
class CliqueLeaves : public CliqueRows<OneGroup, CliqueRoom<CliqueWay>> {
  using Rows = CliqueRows<OneGroup, CliqueRoom<CliqueWay>>;

 public:
  using Way = CliqueWay;
  static constexpr u32 kFrameSets = kSetsOfFrame;
  /// True if sets of at most three vertices are counted by `list`, false by `count_leaf`.
  static constexpr bool kListsFew = false;

 protected:
  using Rows::degree_of, Rows::for_lanes, Rows::group_, Rows::has, Rows::launch_, Rows::missing, Rows::room_, Rows::row,
      Rows::size_of, Rows::word_of, Rows::words_, Rows::kItems;
  using Rows::Rows;

  // Vertices that join the way to a set. Counts of the graph need only their number.
  MATCHA_MEMBER static Way way_of(u32 tally) { return {tally}; }
  MATCHA_MEMBER void join_free(Way& way, u32 bits) const { way.tally += size_of(bits) * kOneFree; }
  MATCHA_MEMBER void join_pairs(Way& way, u32 bits) const { way.tally += size_of(bits) / 2 * kOnePair; }
  MATCHA_MEMBER void join_held(Way& way, u32) const { way.tally += kOneHeld; }
  MATCHA_MEMBER void return_to(Way& way, Way to) const { way = to; }
  MATCHA_MEMBER void join_wide_free(Way& way, u32 count) const { way.tally += count * kOneFree; }
  MATCHA_MEMBER void join_wide_pairs(Way& way, u32 count) const { way.tally += count / 2 * kOnePair; }
  MATCHA_MEMBER void join_wide_pivot(Way& way, u32) const { way.tally += kOneFree; }
  MATCHA_MEMBER void join_wide_held(Way& way, u32) const { way.tally += kOneHeld; }
  MATCHA_MEMBER void keep_parts(u32*) const {}
  MATCHA_MEMBER void return_to_parts(const u32*) const {}
  MATCHA_MEMBER void give_parts(CliquePart&, Way) const {}
  MATCHA_MEMBER void give_wide_parts(CliquePart&, const u32*) const {}
  MATCHA_MEMBER void take_parts(const volatile CliquePart&) const {}
  MATCHA_MEMBER void take_wide_parts(const volatile CliquePart&, u32*) const {}
  MATCHA_MEMBER u32* begin_wide(u32* scratch) const { return scratch; }
  MATCHA_MEMBER void begin_few(ItemSet) const {}
  MATCHA_MEMBER void begin_narrow(u32) const {}
  MATCHA_MEMBER void end_narrow() const {}
  MATCHA_MEMBER void end_root() const {}

  /// Counts a set of at most three vertices, by one lane.
  MATCHA_MEMBER void count_leaf(u32 set, u32 count, Way way) const {
    if (group_.leads()) leaf(set, count, way.tally);
  }
  /// Counts the branch of a vertex other than the pivot, by the calling lane.
  MATCHA_MEMBER void count_child(u32 set, u32 count, Way way) const { leaf(set, count, way.tally + kOneHeld); }
  MATCHA_MEMBER void count_children(u32, u32, u32, Way) const {}
  /// Counts a set in which each vertex is adjacent to all others but one.
  MATCHA_MEMBER void count_pairs(u32 set, Way way) const {
    if (group_.leads()) add(way.tally + size_of(set) / 2 * kOnePair);
  }
  MATCHA_MEMBER void count_wide_pairs(u32 count, Way way) const {
    if (group_.leads()) add(way.tally + count / 2 * kOnePair);
  }
  /// Counts a set in which no vertex has two neighbours; `ends` are the vertices that have one.
  MATCHA_MEMBER void count_edges(u32 set, u32 ends, Way way) const {
    add_few(way.tally, size_of(set), size_of(ends) / 2, 0);
  }
  MATCHA_MEMBER void count_wide_edges(u32 count, Way way) const {
    u32 ends = 0;
    for (u32 q = 0; q < words_; ++q) {
      for_lanes([&](u32 i) { ends += has(room_.set, q * 32 + i) ? degree_of(q * 32 + i) : 0; });
    }
    add_few(way.tally, count, group_.total(ends) / 2, 0);
  }

  /// Counts a set of which one, two or three vertices complete a clique: its vertices, edges or triangles.
  MATCHA_MEMBER void list(u32 set, Way way) const {
    const u32 wanted = missing(way.tally);
    u32 twos = 0, threes = 0;
    if (wanted > 1) {
      for_lanes([&](u32 i) {
        if ((set >> i & 1) == 0) return;
        const u32 near = room_.rows[i] & set & bits_below(i);
        twos += size_of(near);
        if (wanted < 3) return;
        for (u32 left = near; left != 0; left &= left - 1) threes += size_of(room_.rows[first_of(left)] & near);
      });
      twos = group_.total(twos);
      threes = group_.total(threes) / 2;
    }
    if (wanted == 0) {
      if (group_.leads()) add(way.tally);
    } else {
      add_few(way.tally, size_of(set), twos, threes);
    }
  }
  MATCHA_MEMBER void list_wide(u32 count, Way way) const {
    const u32 wanted = missing(way.tally);
    if (wanted == 0) {
      if (group_.leads()) add(way.tally);
      return;
    }
    u64 twos = 0, threes = 0;
    for (u32 q = 0; wanted > 1 && q < words_; ++q) {
      if (wanted == 2) {
        for_lanes([&](u32 i) { twos += has(room_.set, q * 32 + i) ? degree_of(q * 32 + i) : 0; });
        continue;
      }
      for (u32 left = room_.set[q]; left != 0; left &= left - 1) list_edges(q, first_of(left), twos, threes);
    }
    twos = group_.total(twos);
    add_few(way.tally, count, wanted == 2 ? twos / 2 : twos, group_.total(threes));
  }

 private:
  /// Adds `count` leaves of one kind, by the calling lane.
  MATCHA_MEMBER void add(u32 tally, u64 count = 1) const {
    const u64 row = launch_.rows[u64(pairs_of(tally)) * (launch_.widest + 1) + free_of(tally)];
    atomic_add(launch_.cells + row + held_of(tally), count);
  }
  /// Counts a set with `ones` vertices, `twos` edges and `threes` triangles, in which no larger clique counts.
  MATCHA_MEMBER void add_few(u32 tally, u64 ones, u64 twos, u64 threes) const {
    if (!group_.leads()) return;
    add(tally);
    add(tally + kOneHeld, ones);
    if (twos != 0) add(tally + 2 * kOneHeld, twos);
    if (threes != 0) add(tally + 3 * kOneHeld, threes);
  }

  /// Counts a set of at most three vertices. Three vertices with three edges are free, with two edges a free vertex and
  /// a pair; with fewer edges they are two leaves.
  MATCHA_MEMBER void leaf(u32 set, u32 count, u32 tally) const {
    if (count < 2) return add(tally + count * kOneFree);
    const u32 a = first_of(set), rest = set & (set - 1);
    const u32 near = size_of(room_.rows[a] & rest);
    if (count == 2) return add(tally + (near != 0 ? 2 * kOneFree : kOnePair));
    const u32 b = first_of(rest), c = first_of(rest & (rest - 1));
    const u32 edges = near + (room_.rows[b] >> c & 1);
    if (edges == 3) return add(tally + 3 * kOneFree);
    if (edges == 2) return add(tally + kOneFree + kOnePair);
    add(tally + edges * 2 * kOneFree);
    add(tally + kOneHeld, edges == 0 ? 3 : 1);
  }

  /// Adds the edges from a vertex to earlier vertices of the set, and the triangles of each such edge with a vertex
  /// before both ends. Lanes share the edges.
  MATCHA_MEMBER void list_edges(u32 q, u32 bit, u64& twos, u64& threes) const {
    u32* const near = room_.removed;
    group_.sync();
    for_lanes([&](u32 w) {
      if (w <= q) near[w] = row(q * 32 + bit, w) & room_.set[w] & (w == q ? bits_below(bit) : ~0u);
    });
    group_.sync();
    for (u32 w = 0; w <= q; ++w) {
      const u32 edges = near[w];
      if (edges == 0) continue;
      for_lanes([&](u32 i) {
        if ((edges >> i & 1) == 0) return;
        ++twos;
        u32 found = size_of(row(w * 32 + i, w) & edges & bits_below(i));
        for (u32 k = 0; k < w; ++k) found += size_of(row(w * 32 + i, k) & near[k]);
        threes += found;
      });
    }
  }
};

}  // namespace matcha_program
