// Leaves of wide pivot trees, for counts of the cliques of one size at each vertex. When a root is finished, its counts
// are added to those of the launch.
#pragma once

#include "engines/cliques/device/clique_narrow_sums.h"

namespace matcha_program {

/// Number: u64 or u128.
template <typename OneGroup, typename Number>
class CliqueSums : public CliqueNarrowSums<OneGroup, Number> {
  using Narrow = CliqueNarrowSums<OneGroup, Number>;

 public:
  using typename Narrow::Way;

 protected:
  using Narrow::add_leaf, Narrow::candidates_of, Narrow::degree_of, Narrow::for_items, Narrow::for_lanes,
      Narrow::group_, Narrow::has, Narrow::launch_, Narrow::mine_, Narrow::missing, Narrow::of_all_, Narrow::of_free_,
      Narrow::of_pair_, Narrow::room_, Narrow::root_, Narrow::row, Narrow::size_of, Narrow::words_, Narrow::kItems,
      Narrow::kWidth;
  using Narrow::Narrow;
  using typename Narrow::Row;

  MATCHA_MEMBER void join_wide_free(Way& way, u32 count) {
    way.tally += count * kOneFree;
    if (count != 0) join_removed(kFreePart, of_free_);
  }
  MATCHA_MEMBER void join_wide_pairs(Way& way, u32 count) {
    way.tally += count / 2 * kOnePair;
    if (count != 0) join_removed(kPairPart, of_pair_);
  }
  MATCHA_MEMBER void join_wide_pivot(Way& way, u32 vertex) {
    way.tally += kOneFree;
    join_one(kFreePart, of_free_, vertex);
  }
  MATCHA_MEMBER void join_wide_held(Way& way, u32 vertex) {
    way.tally += kOneHeld;
    join_one(kHeldPart, of_all_, vertex);
  }
  MATCHA_MEMBER void keep_parts(u32* kept) const {
    for_words([&](u32 at) { kept[at] = room_.parts[at]; });
  }
  /// As `return_to`, for a wide tree: `kept` are the parts of the way to go back to.
  MATCHA_MEMBER void return_to_parts(const u32* kept) {
    leave_parts(kept);
    for_words([&](u32 at) { room_.parts[at] = kept[at]; });
  }

  MATCHA_MEMBER void count_wide_pairs(u32 count, Way& way) {
    for_lanes([&](u32 q) {
      if (q < words_) room_.removed[q] = room_.set[q];
    });
    group_.sync();
    join_wide_pairs(way, count);
    add_leaf(way.tally, 1, 0, 0, 0);
  }
  MATCHA_MEMBER void count_wide_edges(u32 count, Way way) {
    u32 ends = 0;
    for_candidates(room_.set, [&](u32 vertex) { ends += degree_of(vertex); });
    const Row row = add_leaf(way.tally, 1, count, group_.total(ends) / 2, 0);
    for_candidates(room_.set, [&](u32 vertex) { places_[vertex] += row.of[1] + degree_of(vertex) * row.of[2]; });
  }
  /// As `list`, for a wide tree.
  MATCHA_MEMBER void list_wide(u32 count, Way way) {
    const u32 wanted = missing(way.tally);
    u64 twice_edges = 0, thrice_triangles = 0;
    if (wanted >= 2) for_candidates(room_.set, [&](u32 vertex) { twice_edges += degree_of(vertex); });
    for (u32 q = 0; wanted >= 3 && q < words_; ++q) {
      for (u32 left = room_.set[q]; left != 0; left &= left - 1) {
        const u32 vertex = q * 32 + first_of(left);
        const u64 found = triangles_at(vertex);
        // The coefficient is 1: these three vertices complete a clique.
        if (owns(vertex)) places_[vertex] += found;
        thrice_triangles += found;
      }
    }
    const Row row = add_leaf(way.tally, 1, count, group_.total(twice_edges) / 2, thrice_triangles / 3);
    for_candidates(room_.set, [&](u32 vertex) {
      places_[vertex] += row.of[1];
      if (wanted >= 2) places_[vertex] += degree_of(vertex) * row.of[2];
    });
  }

  // The vertices on the way are handed over with the branches.
  MATCHA_MEMBER void give_parts(CliquePart& part, Way way) const {
    part.root = root_;
    part.frame.way.held = way.held;
    part.frame.way.free = way.free;
    part.frame.way.pairs = way.pairs;
    const ItemSet candidates = candidates_of(root_);
    for (u32 i = 0; i < kCliqueNarrow; ++i) part.vertices[i] = i < few_ ? vertex_of(candidates, i) : 0;
    give_wide_parts(part, room_.parts);
  }
  MATCHA_MEMBER void give_wide_parts(CliquePart& part, const u32* parts) const {
    for (u32 at = 0; at < kParts * words_; ++at) part.parts[at] = parts[at];
  }
  MATCHA_MEMBER void take_parts(const volatile CliquePart& part) {
    root_ = part.root;
    const u32 count = candidates_of(root_).size;
    words_ = count <= kCliqueNarrow ? 0 : (count + 31) / 32;
    begin_root(nullptr);
    if (group_.leads()) {
      Way& way = room_.frames[0].way;
      way.held = part.frame.way.held;
      way.free = part.frame.way.free;
      way.pairs = part.frame.way.pairs;
    }
    for_lanes([&](u32 i) { room_.members[i] = part.vertices[i]; });
    for_words([&](u32 at) { room_.parts[at] = part.parts[at]; });
  }
  MATCHA_MEMBER void take_wide_parts(const volatile CliquePart& part, u32* kept) {
    for_words([&](u32 at) { room_.parts[at] = kept[at] = part.parts[at]; });
  }

  MATCHA_MEMBER u32* begin_wide(u32* scratch) {
    begin_root(reinterpret_cast<Number*>(scratch));
    for (u32 q = 0; q < words_; ++q) for_lanes([&](u32 i) { places_[q * 32 + i] = 0; });
    for_words([&](u32 at) { room_.parts[at] = 0; });
    return scratch + u64(words_) * 32 * Narrow::kWordsOfNumber;
  }
  MATCHA_MEMBER void begin_few(ItemSet candidates) {
    words_ = 0;
    begin_root(nullptr);
    for_lanes([&](u32 i) {
      if (i < candidates.size) room_.members[i] = candidates.items[i];
    });
    group_.sync();
  }
  /// Begins a narrow tree of the candidates in `set`, with counts of 0.
  MATCHA_MEMBER void begin_narrow(u32 set) {
    few_ = size_of(set);
    for_items([&](u32 item, u32) { mine_[item] = 0; });
  }
  MATCHA_MEMBER void end_narrow() {
    group_.sync();
    for_items([&](u32 item, u32 i) {
      if (i >= few_) return;
      const u32 member = room_.members[i];
      places_ == nullptr ? add_sum(member, mine_[item]) : void(places_[member] += mine_[item]);
    });
    group_.sync();
  }
  MATCHA_MEMBER void end_root() {
    leave_parts(nullptr);
    const ItemSet candidates = candidates_of(root_);
    for (u32 q = 0; places_ != nullptr && q < words_; ++q) {
      for_lanes([&](u32 i) {
        if (q * 32 + i < candidates.size) add_sum(candidates.items[q * 32 + i], places_[q * 32 + i]);
      });
    }
    if (group_.leads()) add_sum(root_, of_all_);
    group_.sync();
  }

 private:
  MATCHA_MEMBER void begin_root(Number* places) {
    places_ = places;
    of_all_ = of_free_ = of_pair_ = 0;
  }
  /// Calls `visit` with the words of all parts, shared among the lanes.
  template <typename Visit>
  MATCHA_MEMBER void for_words(Visit visit) const {
    for (u32 at = group_.lane; at < kParts * words_; at += kWidth) visit(at);
  }
  /// True in the one lane that changes the count of this candidate of a wide tree.
  MATCHA_MEMBER bool owns(u32 vertex) const { return vertex % kWidth == group_.lane; }
  /// Calls `visit` with the candidates of a set, each in the lane that owns it.
  template <typename Visit>
  MATCHA_MEMBER void for_candidates(const u32* set, Visit visit) const {
    for (u32 q = 0; q < words_; ++q) {
      const u32 bits = set[q];
      if (bits == 0) continue;
      for_lanes([&](u32 i) {
        if ((bits >> i & 1) != 0) visit(q * 32 + i);
      });
    }
  }
  MATCHA_MEMBER u32 vertex_of(ItemSet candidates, u32 few) const {
    return places_ == nullptr ? room_.members[few] : candidates.items[room_.members[few]];
  }

  MATCHA_MEMBER void join_removed(u32 part, Number sum) {
    for_candidates(room_.removed, [&](u32 vertex) { places_[vertex] -= sum; });
    for_lanes([&](u32 q) {
      if (q < words_) room_.parts[part * words_ + q] |= room_.removed[q];
    });
    group_.sync();
  }
  MATCHA_MEMBER void join_one(u32 part, Number sum, u32 vertex) {
    if (owns(vertex)) places_[vertex] -= sum;
    group_.sync();
    if (group_.leads()) room_.parts[part * words_ + vertex / 32] |= bit_of(vertex % 32);
    group_.sync();
  }
  /// Adds the sums of the vertices on the way that are not in `maybe_kept`; null: of all.
  MATCHA_MEMBER void leave_parts(const u32* maybe_kept) {
    group_.sync();
    const ItemSet candidates = candidates_of(root_);
    for (u32 part = 0; part < kParts; ++part) {
      const Number sum = part == kHeldPart ? of_all_ : part == kFreePart ? of_free_ : of_pair_;
      for (u32 q = 0; q < words_; ++q) {
        const u32 at = part * words_ + q;
        const u32 bits = room_.parts[at] & (maybe_kept == nullptr ? ~0u : ~maybe_kept[at]);
        if (bits == 0) continue;
        for_lanes([&](u32 i) {
          if ((bits >> i & 1) == 0) return;
          const u32 vertex = q * 32 + i;
          places_ == nullptr ? add_sum(candidates.items[vertex], sum) : void(places_[vertex] += sum);
        });
      }
    }
    group_.sync();
  }
  /// The number of triangles of a vertex with two others of the set, in all lanes. Lanes share its edges.
  MATCHA_MEMBER u64 triangles_at(u32 vertex) const {
    u32* const near = room_.removed;
    group_.sync();
    for_lanes([&](u32 w) {
      if (w < words_) near[w] = row(vertex, w) & room_.set[w];
    });
    group_.sync();
    u64 twice = 0;
    for_candidates(near, [&](u32 other) {
      for (u32 w = 0; w < words_; ++w) twice += size_of(row(other, w) & near[w]);
    });
    return group_.total(twice) / 2;
  }

  MATCHA_MEMBER void add_sum(u32 vertex, Number number) const {
    if (number == 0) return;
    u64* const sum = launch_.sums + u64(vertex) * (sizeof(Number) / sizeof(u64));
    if constexpr (sizeof(Number) > sizeof(u64)) {
      atomic_add_wide(sum, sum + 1, number);
    } else {
      atomic_add(sum, number);
    }
  }

  Number* places_ =
      nullptr;  ///< The count of each candidate of a wide tree; null: the tree is narrow, and members are vertices.
  u32 few_ = 0;
};

}  // namespace matcha_program
