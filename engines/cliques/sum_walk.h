#pragma once

#include "engines/cliques/sums.h"
#include "engines/cliques/tree_leaves.h"

/// The walk of pivot trees that counts cliques at each vertex, a template over the SIMD steps of a tier. Included by
/// one file a tier, as tree_walk.h.
namespace matcha::runtime::cliques {
namespace {

/// Vertices that leave the set on the way to a leaf are steps of a path. A node returns sums over its leaves: the
/// number of cliques, and the numbers of those with one or two given vertices of each part of the path. So a vertex is
/// credited once for all leaves below it, when its step is taken back.
template <typename Simd, typename Number, bool kPairs>
class SumWalk {
 public:
  explicit SumWalk(SumTree<Number>& tree) : tree_(tree) {}

  struct Sums {
    /// The cliques with a given vertex of each part (held: all cliques). Then those with two given vertices that are
    /// not held: free and free, free and paired, paired and paired.
    Number of[kPairs ? 6 : 3] = {};
  };

  template <typename Set>
  Sums node(const Set* rows, Set set, const u16* places, u32 held, u32 free, u32 pairs) {
    const u32 count = set.size();
    if (held + free + pairs + count < tree_.size) return {};
    if (count == 0) return leaf(held, free, pairs, 0, 0, 0);
    if constexpr (Set::kBits > 16) {
      if (count <= Set::kBits / 2 && count > 3) return narrow(rows, set, places, count, held, free, pairs);
    }
    // A clique of four has four vertices, and three of the others are missing.
    if (tree_.size - held <= 3 || count <= 3) return lists(rows, set, places, count, held, free, pairs);
    if (++tree_.nodes >= tree_.next_poll) tree_.poll(tree_);
    if (tree_.ended) return {};
    const Degrees<Set> degrees = Simd::degrees(rows, set, count);
    const u32 universal = degrees.universal.size();
    const Set rest = set.without(degrees.universal);
    Set left = rest;
    const u32 stripped = degrees.but_one.is_empty() ? 0 : LeafSink<Simd>::strip(rows, degrees.but_one, left);
    const u64 begin = tree_.path_length;
    if (universal != 0) push(degrees.universal, places, Part::Free);
    if (stripped != 0) push(rest.without(left), places, Part::Paired);
    Sums sums;
    if (stripped != 0 || left.is_empty()) {
      sums = node(rows, left, places, held, free + universal, pairs + stripped);
    } else if (degrees.most - universal <= 2) {
      sums = lists(rows, left, places, count - universal, held, free + universal, pairs);
    } else {
      sums = branch(rows, left, degrees.pivot, places, held, free + universal, pairs);
    }
    while (tree_.path_length > begin) credit(sums);
    return sums;
  }

 private:
  using Step = typename SumTree<Number>::Step;

  static constexpr u32 part(Part one) { return static_cast<u32>(one); }
  static constexpr u32 two_parts(Part one, Part other) {
    return one == Part::Held ? part(other) : other == Part::Held ? part(one) : 1 + part(one) + part(other);
  }

  void push(u32 place, Part as) { tree_.path[tree_.path_length++] = {static_cast<u16>(place), as}; }
  template <typename Set>
  void push(const Set& set, const u16* places, Part as) {
    set.for_each([&](u32 vertex) { push(places[vertex], as); });
  }
  /// Takes the last step back: `below` has the sums of the leaves with it.
  void credit(const Sums& below) {
    const Step last = tree_.path[--tree_.path_length];
    tree_.by_place[last.place] += below.of[part(last.part)];
    if constexpr (kPairs) {
      Number* const row = tree_.by_pair + last.place * tree_.stride;
      for (u64 i = 0; i < tree_.path_length; ++i) {
        row[tree_.path[i].place] += below.of[two_parts(last.part, tree_.path[i].part)];
      }
    }
  }

  /// The coefficients of the cliques that have `of_free` given free vertices and `of_pairs` given paired ones; null if
  /// the leaf has fewer.
  const Number* row_with(u32 held, u32 free, u32 pairs, u32 of_free, u32 of_pairs) {
    if (free < of_free || pairs < of_pairs) return nullptr;
    return tree_.expansions->row(pairs - of_pairs, free - of_free) + (tree_.size - held) - of_free - of_pairs;
  }
  static Number sum_of(const Number* row, Number ones, Number twos, Number threes, Number none) {
    if (row == nullptr) return 0;
    const Number* const before = row - 3;
    return none * row[0] + ones * before[2] + twos * before[1] + threes * before[0];
  }

  /// The sums of a leaf whose set has `ones` vertices, `twos` edges and `threes` triangles.
  Sums leaf(u32 held, u32 free, u32 pairs, Number ones, Number twos, Number threes) {
    constexpr u32 kOfFree[] = {0, 1, 0, 2, 1, 0}, kOfPairs[] = {0, 0, 1, 0, 1, 2};
    Sums sums;
    for (u32 i = 0; i < (kPairs ? 6 : 3); ++i) {
      sums.of[i] = sum_of(row_with(held, free, pairs, kOfFree[i], kOfPairs[i]), ones, twos, threes, 1);
    }
    return sums;
  }

  /// The set has no clique of four vertices that counts: those of one, two and three are listed.
  template <typename Set>
  Sums lists(const Set* rows, const Set& set, const u16* places, u32 count, u32 held, u32 free, u32 pairs) {
    const Number* const at[] = {row_with(held, free, pairs, 0, 0), row_with(held, free, pairs, 1, 0),
                                row_with(held, free, pairs, 0, 1)};
    u64 twice_edges = 0, thrice_triangles = 0;
    set.for_each([&](u32 vertex) {
      const Set near = rows[vertex] & set;
      const u64 degree = near.size();
      const u64 triangles = degree > 1 ? Simd::twice_edges(rows, near) / 2 : 0;
      twice_edges += degree;
      thrice_triangles += triangles;
      tree_.by_place[places[vertex]] += sum_of(at[0], 1, degree, triangles, 0);
      if constexpr (kPairs) pairs_of(rows, near, places, vertex, at, degree, triangles);
    });
    return leaf(held, free, pairs, count, twice_edges / 2, thrice_triangles / 3);
  }

  /// Two vertices of which one or both are listed.
  template <typename Set>
  void pairs_of(const Set* rows, const Set& near, const u16* places, u32 vertex, const Number* const (&at)[3],
                u64 degree, u64 triangles) {
    Number* const row = tree_.by_pair + places[vertex] * tree_.stride;
    Number with[3];
    for (u32 i = 0; i < 3; ++i) with[i] = sum_of(at[i], 1, degree, triangles, 0);
    for (u64 i = 0; i < tree_.path_length; ++i) row[tree_.path[i].place] += with[part(tree_.path[i].part)];
    near.for_each([&](u32 other) {
      if (other < vertex) row[places[other]] += sum_of(at[0], 0, 1, (near & rows[other]).size(), 0);
    });
  }

  template <typename Set>
  Sums branch(const Set* rows, Set set, u32 pivot, const u16* places, u32 held, u32 free, u32 pairs) {
    const Set near = set & rows[pivot];
    push(places[pivot], Part::Free);
    Sums all = node(rows, near, places, held, free + 1, pairs);
    credit(all);
    set.remove(pivot);
    set.without(near).for_each([&](u32 vertex) {
      set.remove(vertex);
      const Set both = set & rows[vertex];
      if (held + 1 + free + pairs + both.size() < tree_.size) return;
      push(places[vertex], Part::Held);
      const Sums below = node(rows, both, places, held + 1, free, pairs);
      credit(below);
      for (u32 i = 0; i < (kPairs ? 6 : 3); ++i) all.of[i] += below.of[i];
    });
    return all;
  }

  /// Continues the walk on narrower rows, which have bits for the vertices of the set only.
  template <typename Set>
  Sums narrow(const Set* rows, const Set& set, const u16* places, u32 count, u32 held, u32 free, u32 pairs) {
    if constexpr (Set::kBits > 64) {
      return narrow_words_to(rows, set, places, count, held, free, pairs);
    } else {
      if constexpr (Set::kBits == 64) {
        if (count > 16) return narrow_word<Set, u32>(rows, set, places, count, held, free, pairs);
      }
      return narrow_word<Set, u16>(rows, set, places, count, held, free, pairs);
    }
  }

  template <typename Set, typename Word>
  Sums narrow_word(const Set* rows, const Set& set, const u16* places, u32 count, u32 held, u32 free, u32 pairs) {
    using Narrow = OneWord<Word>;
    alignas(64) Narrow small_rows[Narrow::kBits] = {};
    u16 narrow_places[Narrow::kBits];
    u32 at = 0;
    set.for_each([&](u32 vertex) {
      narrow_places[at] = places[vertex];
      small_rows[at++] = {static_cast<Word>(Simd::extract(rows[vertex].bits, set.bits))};
    });
    return node(small_rows, Narrow::first_of(count), narrow_places, held, free, pairs);
  }

  template <typename Set>
  Sums narrow_words_to(const Set* rows, const Set& set, const u16* places, u32 count, u32 held, u32 free, u32 pairs) {
    constexpr u64 kHalf = Set::kWords / 2;
    u16 narrow_places[64 * kHalf];
    u32 at = 0;
    set.for_each([&](u32 vertex) { narrow_places[at++] = places[vertex]; });
    if constexpr (kHalf == 1) {
      alignas(64) u64 room[64] = {};
      fill_rows<Simd>(rows, set, room, 1);
      return node(reinterpret_cast<const OneWord<u64>*>(room), OneWord<u64>::first_of(count), narrow_places, held, free,
                  pairs);
    } else {
      u64* const room = tree_.narrow_rows + narrow_words(kHalf);
      fill_rows<Simd>(rows, set, room, kHalf);
      return node(reinterpret_cast<const ManyWords<kHalf>*>(room), ManyWords<kHalf>::first_of(count), narrow_places,
                  held, free, pairs);
    }
  }

  SumTree<Number>& tree_;
};

template <typename Simd, typename Number, bool kPairs>
Number sums_of_words(SumTree<Number>& tree, const u64* rows, u64 words, const u64* set, u32 held) {
  return with_sets_of(words, [&]<typename Set>() {
    u16 places[Set::kBits];
    for (u32 i = 0; i < Set::kBits; ++i) places[i] = static_cast<u16>(i);
    SumWalk<Simd, Number, kPairs> walk(tree);
    return walk.node(reinterpret_cast<const Set*>(rows), Set::from(set), places, held, 0, 0).of[0];
  });
}

/// The sums of a tier.
template <typename Simd, typename Number>
Number sums_with(SumTree<Number>& tree, const u64* rows, u64 words, const u64* set, u32 held) {
  if (tree.by_pair == nullptr) return sums_of_words<Simd, Number, false>(tree, rows, words, set, held);
  return sums_of_words<Simd, Number, true>(tree, rows, words, set, held);
}

}  // namespace
}  // namespace matcha::runtime::cliques
