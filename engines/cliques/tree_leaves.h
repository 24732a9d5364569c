#pragma once

#include "engines/cliques/few_cliques.h"
#include "engines/cliques/tree.h"
#include "engines/cliques/vertex_sets.h"

/// The leaves of pivot trees. Included by one file a tier, as vertex_sets.h.
namespace matcha::runtime::cliques {
namespace {

/// Writes rows of `words` words for the vertices of the set to `room`; bit i stands for the i-th vertex of the set.
template <typename Simd, typename Set>
void fill_rows(const Set* rows, const Set& set, u64* room, u64 words) {
  set.for_each([&](u32 vertex) {
    const Set& row = rows[vertex];
    for (u64 i = 0; i < words; ++i) room[i] = 0;
    u64 at = 0;
    for (u64 i = 0; i < Set::kWords; ++i) {
      if (set.bits[i] == 0) continue;
      const u64 taken = Simd::extract(row.bits[i], set.bits[i]);
      room[at / 64] |= taken << at % 64;
      const u64 end = at + static_cast<u64>(std::popcount(set.bits[i]));
      if (end / 64 != at / 64 && end % 64 != 0) room[end / 64] |= taken >> (64 - at % 64);
      at = end;
    }
    room += words;
  });
}

/// Counts the nodes that need no branches, for a walk of tree_walk.h. `Simd` has `degrees`, `twice_edges` and
/// `few_edges`, as in vertex_sets.h, `extract` (PEXT), and `add_bytes`, which adds each byte of a word to one number of
/// a line.
template <typename Simd>
class LeafSink {
 public:
  explicit MATCHA_CLIQUE_INLINE LeafSink(Tree& tree) : tree_(tree) {}

  /// Counts a node. False: the walk has to end.
  MATCHA_CLIQUE_INLINE bool counted_node() {
    if (++tree_.nodes >= tree_.next_poll) tree_.poll(tree_);
    return !tree_.ended;
  }

  MATCHA_CLIQUE_INLINE u64* line_at(u32 held, u32 free, u32 pairs) {
    const u64 item = pairs * tree_.free_end + free;
    u64* row = tree_.leaf_rows[item];
    if (row == nullptr) [[unlikely]] {
      tree_.make_leaf_row(tree_, item);
      row = tree_.leaf_rows[item];
    }
    return row + held * kLeafLine;
  }
  MATCHA_CLIQUE_INLINE void add(u32 held, u32 free, u32 pairs) { *line_at(held, free, pairs) += 1; }

  /// Removes the pairs of vertices that lack only the edge between them. Returns the number of pairs.
  template <typename Set>
  static MATCHA_CLIQUE_INLINE u32 strip(const Set* rows, Set but_one, Set& set) {
    u32 pairs = 0;
    const Set all = set;
    while (!but_one.is_empty()) {
      const u32 vertex = but_one.first();
      but_one.take_first();
      Set missed = all.without(rows[vertex]);
      missed.remove(vertex);
      const u32 other = missed.first();
      if (!but_one.has(other)) continue;
      but_one.remove(other);
      set.remove(vertex);
      set.remove(other);
      ++pairs;
    }
    return pairs;
  }

  /// True if a set of this size is counted without branches, whatever its edges are.
  template <typename Set>
  static MATCHA_CLIQUE_INLINE bool is_few(u32 count) {
    return count <= (Set::kWords == 1 ? kMostFew : 2);
  }

  /// Counts a set for which `is_few` holds: up to two vertices are free or a pair, larger sets are looked up by edges.
  template <typename Set>
  MATCHA_CLIQUE_INLINE void few(const Set* rows, const Set& set, u32 count, u32 held, u32 free, u32 pairs) {
    if (count <= 2) return small(rows, set, count, held, free, pairs);
    if constexpr (Set::kWords == 1) {
      const FewEdges edges = Simd::few_edges(rows, set, count);
      const u64 found = few_cliques(tree_.few, edges.key, edges.seventh, edges.eighth, count);
      u64* const at = line_at(held, free, pairs);
      Simd::add_bytes(at, found << 8 | 1);
      // The clique of all eight has no place in the line.
      if (count == kMostFew) at[kMostFew * kLeafLine] += found >> 56;
    }
  }

  /// Counts a set of at most two vertices.
  template <typename Set>
  MATCHA_CLIQUE_INLINE void small(const Set* rows, const Set& set, u32 count, u32 held, u32 free, u32 pairs) {
    if (count < 2) return add(held, free + count, pairs);
    Set rest = set;
    const u32 one = set.first();
    rest.take_first();
    const bool adjacent = rows[one].has(rest.first());
    return adjacent ? add(held, free + 2, pairs) : add(held, free, pairs + 1);
  }

  /// Counts a set in which no vertex has more than one neighbour: it has cliques of one and two vertices only.
  template <typename Set>
  MATCHA_CLIQUE_INLINE void sparse(const Set* rows, const Set& set, u32 count, u32 most, u32 held, u32 free,
                                   u32 pairs) {
    u64* const at = line_at(held, free, pairs);
    at[0] += 1;
    at[1] += count;
    if (most != 0) at[2] += Simd::twice_edges(rows, set) / 2;
  }

  /// Counts a set of which one, two or three vertices complete a clique: its vertices, edges or triangles.
  template <typename Set>
  void lists(const Set* rows, const Set& set, u32 count, u32 held, u32 free, u32 pairs) {
    u64* const at = line_at(held, free, pairs);
    at[0] += 1;
    at[1] += count;
    const u32 missing = tree_.size - held;
    if (missing == 1) return;
    if (missing == 2) {
      at[2] += Simd::twice_edges(rows, set) / 2;
      return;
    }
    u64 edges = 0, triangles = 0;
    Set left = set;
    set.for_each([&](u32 vertex) {
      left.remove(vertex);
      const Set near = rows[vertex] & left;
      const u32 degree = near.size();
      edges += degree;
      if (degree > 1) triangles += Simd::twice_edges(rows, near);
    });
    tree_.listed += edges;
    at[2] += edges;
    at[3] += triangles / 2;
  }

 protected:
  Tree& tree_;
};

}  // namespace
}  // namespace matcha::runtime::cliques
