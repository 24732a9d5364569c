// The lists of a search for a labelled pattern: the remaining images of each vertex, as in engines/search/search.h,
// with the items of a list shared among the lanes of a group. Masks and numbers are equal in all lanes.
#pragma once

#include "engines/search/device/match_data.h"
#include "runtime/common/leaf_ways.h"

namespace matcha_program {

/// Blames every vertex: a match was found, or the cause is unknown.
inline constexpr u64 kBlameAll = ~0ull;
inline constexpr u32 kNoVertex = ~0u;
inline constexpr u32 kMostWeight = 1u << 20;

MATCHA_FN u64 match_bit(u32 vertex) { return 1ull << vertex; }

template <typename Group>
class MatchLists {
 public:
  MATCHA_MEMBER MatchLists(const MatchLaunch& launch, Group group, u64 index, MatchState& state)
      : launch_(launch),
        group_(group),
        state_(state),
        undos_(launch.undos + index * launch.undo_room),
        lists_(launch.lists + index * launch.list_room),
        leaves_(launch.leaves[index]) {}

  /// Clears all images and sets the list of the root.
  MATCHA_MEMBER void begin(const MatchQuery& query) {
    query_ = &query;
    assigned_ = 0;
    listed_ = match_bit(query.root);
    undone_ = 0;
    used_ = 0;
    put_list(query.root, {query.roots, u32(roots())});
  }
  /// Resets the weights to those of a new pattern.
  MATCHA_MEMBER void forget() const {
    group_.sync();
    for (u32 w = group_.lane; w < kMatchVertices; w += Group::kWidth) state_.weights[w] = 1;
    group_.sync();
  }

  MATCHA_MEMBER u64 assigned() const { return assigned_; }
  MATCHA_MEMBER u64 listed() const { return listed_; }
  MATCHA_MEMBER u64 left() const {
    return (query_->size == kMatchVertices ? ~0ull : match_bit(query_->size) - 1) & ~assigned_;
  }
  MATCHA_MEMBER ItemSet list(u32 w) const { return {state_.items[w], state_.sizes[w]}; }
  MATCHA_MEMBER u64 around(u32 w) const { return query_->near[w] | query_->anti[w]; }
  MATCHA_MEMBER u64 blamed(u32 w) const { return around(w) & assigned_; }

  /// 1 + the vertex with this image; 0: none.
  MATCHA_MEMBER u32 owner(u32 image) const {
    u32 found = 0;
    for (u32 w = group_.lane; w < query_->size; w += Group::kWidth) {
      if ((assigned_ >> w & 1) != 0 && state_.images[w] == image) found = w + 1;
    }
    const u32 lanes = group_.ballot(found != 0);
    return lanes == 0 ? 0 : group_.from(found, lowest_bit(lanes));
  }

  /// Assigns an image to a vertex and narrows the lists of its neighbours. Returns the vertices to blame if one of them
  /// has no image left, else 0.
  MATCHA_MEMBER u64 assign(u32 depth, u32 u, u32 image) {
    group_.sync();
    if (group_.leads()) {
      state_.images[u] = image;
      state_.listed[depth] = listed_;
      state_.undone[depth] = undone_;
      state_.used[depth] = used_;
    }
    group_.sync();
    assigned_ |= match_bit(u);
    for (u64 rest = (query_->near[u] | (query_->anti[u] & listed_)) & ~assigned_; rest != 0; rest &= rest - 1) {
      const u32 w = lowest_bit(rest);
      const u64 failed = narrow(u, w, image);
      if (failed == 0) continue;
      if (group_.leads() && state_.weights[w] < kMostWeight) state_.weights[w] += 1;
      group_.sync();
      return failed;
    }
    return 0;
  }
  MATCHA_MEMBER void unassign(u32 depth, u32 u) {
    group_.sync();
    const u32 kept = state_.undone[depth];
    listed_ = state_.listed[depth];
    used_ = state_.used[depth];
    if (group_.leads()) {
      while (undone_ > kept) {
        const MatchUndo& undo = undos_[--undone_];
        state_.items[undo.vertex] = undo.items;
        state_.sizes[undo.vertex] = undo.size;
      }
    }
    undone_ = kept;
    assigned_ &= ~match_bit(u);
    group_.sync();
  }

  /// Assigns an image without narrowing, to a vertex whose neighbours all have images.
  MATCHA_MEMBER void take(u32 u, u32 image) {
    group_.sync();
    if (group_.leads()) state_.images[u] = image;
    group_.sync();
    assigned_ |= match_bit(u);
  }
  MATCHA_MEMBER void give_back(u32 u) { assigned_ &= ~match_bit(u); }

  /// The number of unused images in the list.
  MATCHA_MEMBER u32 free_of(u32 w) const { return list(w).size - taken_of(w, w); }

  /// The number of ways in which vertices of one kind get distinct images; `is_known` false: it is known only after
  /// trying the images of one.
  MATCHA_MEMBER MatchWays ways_at_once(u64 vertices, bool& is_known) const {
    is_known = true;
    if (vertices == 0) return {1, 1};
    const u32 a = lowest_bit(vertices), n = bits_of(vertices);
    const u64 free = free_of(a);
    if (n == 1 || free == 0) return {free, f64(free)};
    if (n == 2) {
      const u32 b = lowest_bit(vertices & (vertices - 1));
      const u64 other = free_of(b);
      const ItemSet first = list(a), second = list(b);
      const bool swaps = second.size < first.size;
      const ItemSet fewer = swaps ? second : first, more = swaps ? first : second;
      const u64 both = count_items(group_, fewer, [&](u32, u32 x) { return more.holds(x); }) - taken_of(a, b);
      const u128 ways = u128(free) * other - both;
      return {ways, ways == 0 ? 0 : product(f64(free), f64(other))};
    }
    if (n == 3) return ways_of_few<3>(vertices, is_known);
    if (n == 4) return ways_of_few<4>(vertices, is_known);
    LeafWays<Group> leaves(group_, leaves_);
    for (u64 rest = vertices; rest != 0; rest &= rest - 1) {
      is_known = leaves.add(list(lowest_bit(rest)));
      if (!is_known) return {0, 0};
    }
    return leaves.ways(state_.images, query_->alike[a] & assigned_, is_known);
  }

  MATCHA_MEMBER static u32 bits_of(u64 mask) { return Group::bits(u32(mask)) + Group::bits(u32(mask >> 32)); }

 private:
  MATCHA_MEMBER u64 roots() const {
    // The units of a pattern are the images of its root.
    const u64 end = query_ + 1 < launch_.queries + launch_.query_count ? query_[1].first_unit : launch_.unit_count;
    return end - query_->first_unit;
  }
  MATCHA_MEMBER void put_list(u32 w, ItemSet list) const {
    group_.sync();
    if (group_.leads()) {
      state_.items[w] = list.items;
      state_.sizes[w] = list.size;
    }
    group_.sync();
  }

  /// Narrows the list of `w` after `u`, its neighbour or one that must not be its neighbour, got an image. Returns the
  /// vertices to blame if no image is left, else 0.
  MATCHA_MEMBER u64 narrow(u32 u, u32 w, u32 image) {
    ItemSet now = list(w);
    if (group_.leads()) undos_[undone_] = {now.items, now.size, w};
    ++undone_;
    bool is_listed = (listed_ >> w & 1) != 0;
    // The first list is also narrowed by matched vertices that must not be neighbours.
    u64 others = is_listed ? 0 : query_->anti[w] & assigned_;
    for (u32 from = u;;) {
      const MatchTie asked = match_tie(launch_, *query_, from, w);
      for (u32 i = 0; i < asked.with + asked.without; ++i) {
        const MatchRow row = match_row<Group>(launch_, *query_, asked.first + i, image);
        if (i >= asked.with) {
          now = without(now, row.items);
        } else if (is_listed) {
          now = common(now, row);
        } else {
          now = candidates(row, w);
        }
        is_listed = true;
      }
      if (others == 0) break;
      from = lowest_bit(others);
      image = state_.images[from];
      others &= others - 1;
    }
    listed_ |= match_bit(w);
    put_list(w, now);
    if (now.size == 0) return blamed(w);
    if (now.size != 1) return 0;
    const u32 taken = owner(now.items[0]);
    return taken == 0 ? 0 : blamed(w) | match_bit(taken - 1);
  }

  MATCHA_MEMBER ItemSet candidates(const MatchRow& row, u32 w) {
    const u64* masks = query_->masks;
    u32* out = lists_ + used_;
    return made(out, filter_items(group_, row.items, out,
                                  [&](u32 i, u32 x) { return (masks[x] >> w & 1) != 0 && row.is_first(i); }));
  }
  MATCHA_MEMBER ItemSet common(ItemSet list, const MatchRow& row) {
    u32* out = lists_ + used_;
    if (row.items.size < list.size) {
      return made(out,
                  filter_items(group_, row.items, out, [&](u32 i, u32 x) { return list.holds(x) && row.is_first(i); }));
    }
    return made(out, filter_items(group_, list, out, [&](u32, u32 x) { return row.items.holds(x); }));
  }
  MATCHA_MEMBER ItemSet without(ItemSet list, ItemSet row) {
    u32* out = lists_ + used_;
    return made(out, filter_items(group_, list, out, [&](u32, u32 x) { return !row.holds(x); }));
  }
  MATCHA_MEMBER ItemSet made(const u32* items, u32 size) {
    used_ += size;
    group_.sync();
    return {items, size};
  }

  template <u32 n>
  MATCHA_MEMBER MatchWays ways_of_few(u64 vertices, bool& is_known) const {
    FewLeaves<Group, n> leaves;
    const u64 taken = query_->alike[lowest_bit(vertices)] & assigned_;
    for (u32 i = 0; i < n; ++i, vertices &= vertices - 1) leaves.lists[i] = list(lowest_bit(vertices));
    return leaves.ways(group_, state_.images, taken, is_known);
  }
  /// The number of used images in the lists of both.
  MATCHA_MEMBER u32 taken_of(u32 a, u32 b) const {
    const ItemSet first = list(a), second = list(b);
    const u64 who = query_->alike[a] & assigned_;
    u32 taken = 0;
    for (u32 w = group_.lane; w < query_->size; w += Group::kWidth) {
      if ((who >> w & 1) == 0) continue;
      const u32 image = state_.images[w];
      taken += first.holds(image) && (a == b || second.holds(image)) ? 1 : 0;
    }
    return group_.total(taken);
  }

  const MatchLaunch& launch_;
  Group group_;
  MatchState& state_;
  MatchUndo* undos_;
  u32* lists_;
  LeafRoom& leaves_;
  const MatchQuery* query_ = nullptr;
  u64 assigned_ = 0, listed_ = 0;
  u32 undone_ = 0;
  u64 used_ = 0;
};

}  // namespace matcha_program
