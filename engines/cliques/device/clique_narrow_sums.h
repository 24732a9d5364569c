// Leaves of narrow pivot trees, for counts of the cliques of one size at each vertex. A group keeps three running sums
// over the leaves: all cliques, those with a given free vertex, and those with a given vertex of a pair. A vertex that
// joins the way subtracts the sum of its part from its own count, and adds the later sum when it leaves the way. So its
// count grows by the cliques of the leaves in between. The numbers may wrap meanwhile.
#pragma once

#include "engines/cliques/device/clique_rows.h"

namespace matcha_program {

/// Number: u64 or u128.
template <typename OneGroup, typename Number>
class CliqueNarrowSums : public CliqueRows<OneGroup, CliqueSumRoom> {
  using Rows = CliqueRows<OneGroup, CliqueSumRoom>;

 public:
  using Way = CliqueSumWay;
  static constexpr u32 kFrameSets = kSetsOfSumFrame;
  static constexpr bool kListsFew = true;
  static constexpr u32 kWordsOfNumber = sizeof(Number) / sizeof(u32);

 protected:
  using Rows::group_, Rows::launch_, Rows::missing, Rows::room_, Rows::size_of, Rows::suffices, Rows::word_of,
      Rows::kItems, Rows::kWidth;
  using Rows::Rows;

  MATCHA_MEMBER static Way way_of(u32 tally) { return {tally, 0, 0, 0}; }
  MATCHA_MEMBER void join_free(Way& way, u32 bits) {
    if (bits == 0) return;
    way.tally += size_of(bits) * kOneFree;
    way.free |= bits;
    for_items([&](u32 item, u32 i) { mine_[item] -= (bits >> i & 1) != 0 ? of_free_ : 0; });
  }
  MATCHA_MEMBER void join_pairs(Way& way, u32 bits) {
    if (bits == 0) return;
    way.tally += size_of(bits) / 2 * kOnePair;
    way.pairs |= bits;
    for_items([&](u32 item, u32 i) { mine_[item] -= (bits >> i & 1) != 0 ? of_pair_ : 0; });
  }
  MATCHA_MEMBER void join_held(Way& way, u32 vertex) {
    way.tally += kOneHeld;
    way.held |= bit_of(vertex);
    for_items([&](u32 item, u32 i) { mine_[item] -= i == vertex ? of_all_ : 0; });
  }
  /// Goes back from `way` to `to`: adds the sums of the vertices that are on `way` only, as all leaves below them are
  /// counted.
  MATCHA_MEMBER void return_to(Way& way, Way to) {
    const u32 held = way.held & ~to.held, free = way.free & ~to.free, pairs = way.pairs & ~to.pairs;
    for_items([&](u32 item, u32 i) {
      mine_[item] += (held >> i & 1) != 0 ? of_all_ : 0;
      mine_[item] += (free >> i & 1) != 0 ? of_free_ : 0;
      mine_[item] += (pairs >> i & 1) != 0 ? of_pair_ : 0;
    });
    way = to;
  }

  MATCHA_MEMBER void count_pairs(u32 set, Way& way) {
    join_pairs(way, set);
    add_leaf(way.tally, 1, 0, 0, 0);
  }
  /// Counts a set in which no vertex has two neighbours; `ends` are the vertices that have one.
  MATCHA_MEMBER void count_edges(u32 set, u32 ends, Way way) {
    const Row row = add_leaf(way.tally, 1, size_of(set), size_of(ends) / 2, 0);
    for_items([&](u32 item, u32 i) {
      if ((set >> i & 1) != 0) mine_[item] += row.of[1] + ((ends >> i & 1) != 0 ? row.of[2] : 0);
    });
  }
  /// Counts a set by its vertices, edges and triangles; no larger clique of it counts.
  MATCHA_MEMBER void list(u32 set, Way way) {
    const u32 wanted = missing(way.tally);
    u32 degrees[kItems], triangles[kItems], twice_edges = 0, thrice_triangles = 0;
    for_items([&](u32 item, u32 i) {
      const u32 near = (set >> i & 1) != 0 ? room_.rows[i] & set : 0;
      degrees[item] = size_of(near);
      u32 found = 0;
      if (wanted >= 3) {
        for (u32 left = near; left != 0; left &= left - 1) found += size_of(room_.rows[first_of(left)] & near);
      }
      triangles[item] = found / 2;
      twice_edges += degrees[item];
      thrice_triangles += triangles[item];
    });
    twice_edges = wanted >= 2 ? group_.total(twice_edges) : 0;
    thrice_triangles = wanted >= 3 ? group_.total(thrice_triangles) : 0;
    const Row row = add_leaf(way.tally, 1, size_of(set), twice_edges / 2, thrice_triangles / 3);
    for_items([&](u32 item, u32 i) {
      if ((set >> i & 1) != 0) mine_[item] += row.of[1] + degrees[item] * row.of[2] + triangles[item] * row.of[3];
    });
  }

  MATCHA_MEMBER void count_child(u32, u32, Way) const {}
  /// Counts at once all branches other than the pivot's that have at most three vertices. Each lane takes branches,
  /// then vertices of `base`.
  MATCHA_MEMBER void count_children(u32 base, u32 branches, u32 others, Way way) {
    if (others == 0) return;
    const u32 tally = way.tally + kOneHeld;
    const auto child_of = [&](u32 v) { return room_.rows[v] & base & ~(branches & bits_below(v)); };
    const u32 leaves = word_of([&](u32 v) { return (others >> v & 1) != 0 && suffices(tally, size_of(child_of(v))); });
    if (leaves == 0) return;
    Few few[kItems], all{};
    for_items([&](u32 item, u32 v) {
      few[item] = (leaves >> v & 1) != 0 ? few_of(child_of(v)) : Few{};
      all.word += few[item].word;
    });
    all.word = group_.total(all.word);
    const Row row = add_leaf(tally, all.sets(), all.ones(), all.twos(), all.threes());
    for_items([&](u32 item, u32 i) {
      const Few own = few[item];
      mine_[item] +=
          own.sets() * row.of[0] + own.ones() * row.of[1] + own.twos() * row.of[2] + own.threes() * row.of[3];
      // The branches whose set has this vertex: those before it, if it is a branch itself.
      u32 in = (base >> i & 1) == 0 ? 0 : leaves & room_.rows[i] & ((branches >> i & 1) != 0 ? bits_below(i) : ~0u);
      u32 ones = 0, twos = 0, threes = 0;
      for (; in != 0; in &= in - 1) {
        const u32 near = child_of(first_of(in)) & room_.rows[i];
        ++ones;
        twos += size_of(near);
        threes += edges_of(near);
      }
      mine_[item] += ones * row.of[1] + twos * row.of[2] + threes * row.of[3];
    });
  }

  /// Calls `visit(item, i)` for each i below 32, each in one lane; `item` is its place among those of the lane.
  template <typename Visit>
  MATCHA_MEMBER void for_items(Visit visit) const {
    for (u32 item = 0; item < kItems; ++item) visit(item, item * kWidth + group_.lane);
  }

  /// Item i: the coefficient of the cliques that have i vertices of a leaf's set.
  struct Row {
    Number of[4];
  };
  /// Adds `sets` leaves of one way, with `ones` vertices, `twos` edges and `threes` triangles in all their sets.
  /// Returns the coefficients of these.
  MATCHA_MEMBER Row add_leaf(u32 tally, u64 sets, u64 ones, u64 twos, u64 threes) {
    const u32 free = free_of(tally), pairs = pairs_of(tally), wanted = missing(tally);
    const auto row_of = [&](u32 some_free, u32 some_pairs, u32 k) {
      return Row{{coefficient(some_free, some_pairs, k), ones == 0 ? 0 : coefficient(some_free, some_pairs, k - 1),
                  twos == 0 ? 0 : coefficient(some_free, some_pairs, k - 2),
                  threes == 0 ? 0 : coefficient(some_free, some_pairs, k - 3)}};
    };
    const auto sum_of = [&](const Row& row) {
      return sets * row.of[0] + ones * row.of[1] + twos * row.of[2] + threes * row.of[3];
    };
    const Row all = row_of(free, pairs, wanted);
    of_all_ += sum_of(all);
    if (free != 0) of_free_ += sum_of(row_of(free - 1, pairs, wanted - 1));
    if (pairs != 0) of_pair_ += sum_of(row_of(free, pairs - 1, wanted - 1));
    return all;
  }

  /// Sums over the leaves so far: all cliques, those with a given free vertex, those with a given vertex of a pair.
  Number of_all_ = 0, of_free_ = 0, of_pair_ = 0;
  Number mine_[kItems];  ///< The cliques of the candidates of a lane.

 private:
  /// Numbers of sets of at most three vertices, and of the vertices, edges and triangles in them, in one word. The sum
  /// of 32 such words does not overflow.
  struct Few {
    MATCHA_MEMBER u32 sets() const { return word & 63; }
    MATCHA_MEMBER u32 ones() const { return word >> 6 & 127; }
    MATCHA_MEMBER u32 twos() const { return word >> 13 & 127; }
    MATCHA_MEMBER u32 threes() const { return word >> 20; }
    u32 word;
  };
  MATCHA_MEMBER Few few_of(u32 set) const {
    const u32 edges = edges_of(set);
    return {1 | size_of(set) << 6 | edges << 13 | (edges == 3 ? 1u : 0u) << 20};
  }
  MATCHA_MEMBER u32 edges_of(u32 set) const {
    u32 edges = 0;
    for (; set != 0; set &= set - 1) edges += size_of(room_.rows[first_of(set)] & set);
    return edges;
  }
  /// The coefficient of x^k in (1+x)^free (1+2x)^pairs.
  MATCHA_MEMBER Number coefficient(u32 free, u32 pairs, u32 k) const {
    // Numbers below 0 have wrapped.
    if (k > free + pairs) return 0;
    const u64 row = u64(pairs) * (launch_.widest + 2 - pairs) + free;
    return static_cast<const Number*>(launch_.table)[row * launch_.coefficients + k];
  }
};

}  // namespace matcha_program
