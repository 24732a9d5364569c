#pragma once

#include "engines/cliques/tree_leaves.h"

/// The walk of pivot trees, a template over the SIMD steps of a tier. Each tier has one file that includes this text
/// and is compiled for the tier's instructions, so everything is in an unnamed namespace.
namespace matcha::runtime::cliques {
namespace {

/// Walks one tree. The parameters of its functions: `rows` of bits, one a candidate; `set`, the candidates left;
/// `count`, their number; `held`, `free` and `pairs`, the vertices on the way to the node, as in `Tree`.
template <typename Simd>
class Walk : private LeafSink<Simd> {
 public:
  using LeafSink<Simd>::LeafSink;

  /// Walks the tree of `set`. `levels`: branches of this many further levels may be handed to other threads.
  template <typename Set>
  void node(const Set* rows, Set set, u32 held, u32 free, u32 pairs, u32 levels) {
    for (;;) {
      const u32 count = set.size();
      if (held + free + pairs + count < tree_.size) return;
      if (is_few<Set>(count)) return few(rows, set, count, held, free, pairs);
      if constexpr (Set::kBits > 16) {
        if (count <= Set::kBits / 2) return narrow(rows, set, count, held, free, pairs);
      }
      if (tree_.size != 0 && tree_.size - held <= 3) return lists(rows, set, count, held, free, pairs);
      if (!counted_node()) return;
      if constexpr (Set::kBits == 16) {
        if (count <= kMostOneByOne) return one_by_one(rows, set, count, held, free, pairs);
      }
      const Degrees<Set> degrees = Simd::degrees(rows, set, count);
      const u32 universal = degrees.universal.size();
      free += universal;
      set = set.without(degrees.universal);
      if (set.is_empty()) return add(held, free, pairs);
      if (degrees.but_one == set) return add(held, free, pairs + (count - universal) / 2);
      const u32 stripped = degrees.but_one.is_empty() ? 0 : strip(rows, degrees.but_one, set);
      pairs += stripped;
      if (stripped != 0) {
        if (set.is_empty()) return add(held, free, pairs);
        continue;
      }
      const u32 left = count - universal, most = degrees.most - universal;
      if (most <= 1) return sparse(rows, set, left, most, held, free, pairs);
      return branch(rows, set, degrees.pivot, held, free, pairs, levels);
    }
  }

 private:
  using LeafSink<Simd>::tree_, LeafSink<Simd>::counted_node, LeafSink<Simd>::add, LeafSink<Simd>::strip,
      LeafSink<Simd>::few, LeafSink<Simd>::sparse, LeafSink<Simd>::lists;
  template <typename Set>
  static MATCHA_CLIQUE_INLINE bool is_few(u32 count) {
    return LeafSink<Simd>::template is_few<Set>(count);
  }

  /// Continues the walk on narrower rows, which have bits for the vertices of the set only.
  template <typename Set>
  void narrow(const Set* rows, const Set& set, u32 count, u32 held, u32 free, u32 pairs) {
    if constexpr (Set::kBits > 64) {
      constexpr u64 kHalf = Set::kWords / 2;
      if (count <= kHalf * 32) return narrow_to<Set, kHalf / 2>(rows, set, count, held, free, pairs);
      return narrow_to<Set, kHalf>(rows, set, count, held, free, pairs);
    } else {
      if constexpr (Set::kBits == 64) {
        if (count > 16) return narrow_word<Set, u32>(rows, set, count, held, free, pairs);
      }
      return narrow_word<Set, u16>(rows, set, count, held, free, pairs);
    }
  }

  template <typename Set, typename Word>
  void narrow_word(const Set* rows, const Set& set, u32 count, u32 held, u32 free, u32 pairs) {
    using Narrow = OneWord<Word>;
    alignas(64) Narrow small_rows[Narrow::kBits] = {};
    u32 at = 0;
    set.for_each(
        [&](u32 vertex) { small_rows[at++] = {static_cast<Word>(Simd::extract(rows[vertex].bits, set.bits))}; });
    node(small_rows, Narrow::first_of(count), held, free, pairs, 0);
  }

  template <typename Set, u64 kNarrow>
  void narrow_to(const Set* rows, const Set& set, u32 count, u32 held, u32 free, u32 pairs) {
    if constexpr (kNarrow == 0) {
      narrow_to<Set, 1>(rows, set, count, held, free, pairs);
    } else if constexpr (kNarrow == 1) {
      alignas(64) u64 room[64] = {};
      fill_rows<Simd>(rows, set, room, 1);
      using Narrow = OneWord<u64>;
      node(reinterpret_cast<const Narrow*>(room), Narrow::first_of(count), held, free, pairs, 0);
    } else {
      using Narrow = ManyWords<kNarrow>;
      u64* const room = tree_.narrow_rows + narrow_words(kNarrow);
      fill_rows<Simd>(rows, set, room, kNarrow);
      node(reinterpret_cast<const Narrow*>(room), Narrow::first_of(count), held, free, pairs, 0);
    }
  }

  template <typename Set>
  void branch(const Set* rows, Set set, u32 pivot, u32 held, u32 free, u32 pairs, u32 levels) {
    const u32 next = levels > 0 ? levels - 1 : 0;
    const Set near = set & rows[pivot];
    child(rows, near, held, free + 1, pairs, next);
    set.remove(pivot);
    for (Set left = set.without(near); !left.is_empty(); left.take_first()) {
      const u32 vertex = left.first();
      set.remove(vertex);
      const Set both = set & rows[vertex];
      if constexpr (Set::kBits >= 64) {
        if (levels > 0 && tree_.give != nullptr && tree_.nodes >= tree_.gives_from && both.size() > kFewToGive) {
          tree_.give(tree_, both.words(), held + 1, free, pairs);
          continue;
        }
      }
      child(rows, both, held + 1, free, pairs, next);
    }
  }

  /// As `node`, but counts small sets without a call.
  template <typename Set>
  MATCHA_CLIQUE_INLINE void child(const Set* rows, const Set& set, u32 held, u32 free, u32 pairs, u32 levels) {
    const u32 count = set.size();
    if (held + free + pairs + count < tree_.size) return;
    if (is_few<Set>(count)) return few(rows, set, count, held, free, pairs);
    node(rows, set, held, free, pairs, levels);
  }

  /// For sets slightly larger than `is_few`: branching on vertex after vertex is faster than computing all degrees.
  template <typename Set>
  void one_by_one(const Set* rows, Set set, u32 count, u32 held, u32 free, u32 pairs) {
    for (; count > kMostFew; --count) {
      const u32 vertex = set.first();
      set.take_first();
      child(rows, set & rows[vertex], held + 1, free, pairs, 0);
    }
    few(rows, set, count, held, free, pairs);
  }

  static constexpr u32 kMostOneByOne = 10, kFewToGive = 8;
};

/// The walk of a tier.
template <typename Simd>
void walk_with(Tree& tree, const u64* rows, u64 words, const u64* set, u32 held, u32 free, u32 pairs) {
  with_sets_of(words, [&]<typename Set>() {
    Walk<Simd> walk(tree);
    walk.node(reinterpret_cast<const Set*>(rows), Set::from(set), held, free, pairs, 2);
  });
}

}  // namespace
}  // namespace matcha::runtime::cliques
