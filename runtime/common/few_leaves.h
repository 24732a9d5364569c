// The number of ways in which three or four interchangeable vertices get distinct images, given a list for each and no
// other constraint. Numbers are modulo 2^128, so that subtraction is safe; a bound tells if they are exact.
#pragma once

#include "runtime/common/atomics.h"
#include "runtime/common/item_sets.h"

namespace matcha_program {

/// A number of ways and a floating-point upper bound (up to rounding), which is 0 only for 0. Beyond `kMostWays` the
/// number is invalid.
struct MatchWays {
  u128 number;
  f64 bound;
};
/// Bound of the numbers of one group, so that no sum exceeds 128 bits.
inline constexpr f64 kMostWays = 1e26;
/// Numbers up to this bound are below 2^127.
inline constexpr f64 kMostExactWays = 1e38;

/// Computes ways that are sums and differences of products. There are at most `most` ways and at least `least`: the
/// product of the images that each vertex has whatever the others take. Beyond `kMostExactWays` only the bound is
/// valid; `is_known` false: it is unknown whether the number exceeds `kMostWays`.
template <typename Find>
MATCHA_FN MatchWays ways_below(f64 most, f64 least, bool& is_known, Find find) {
  is_known = true;
  if (most == 0) return {0, 0};
  if (most > kMostExactWays) {
    is_known = least > kMostWays;
    return {0, most};
  }
  const u128 number = find();
  return {number, f64(number)};
}

/// The ways of three and of four vertices. `common`: by subset of the vertices, the number of images that all of them
/// may have.
MATCHA_FN u128 ways_of_three(const u64* common) {
  const u128 a = common[1], b = common[2], c = common[4];
  return a * b * c - common[3] * c - common[5] * b - common[6] * a + u128(2) * common[7];
}
MATCHA_FN u128 ways_of_four(const u64* common) {
  const u128 a = common[1], b = common[2], c = common[4];
  return ways_of_three(common) * common[8] - (b * c - common[6]) * common[9] - (a * c - common[5]) * common[10] -
         (a * b - common[3]) * common[12] + 2 * (c * common[11] + b * common[13] + a * common[14]) -
         u128(6) * common[15];
}
template <u32 n>
MATCHA_FN MatchWays ways_of_few(const u64* common, bool& is_known) {
  f64 most = 1, least = 1;
  for (u32 i = 0; i < n; ++i) {
    const u64 free = common[1u << i];
    most = product(most, f64(free));
    least = product(least, f64(free >= n ? free - n + 1 : 0));
  }
  return ways_below(most, least, is_known, [&] { return n == 3 ? ways_of_three(common) : ways_of_four(common); });
}

/// Lists of three or four vertices.
template <typename Group, u32 n>
struct FewLeaves {
  ItemSet lists[n];

  /// The ways if the vertices `taken`, which are other ones, have images already.
  MATCHA_NOINLINE MatchWays ways(Group group, const u32* images, u64 taken, bool& is_known) const {
    u64 common[1u << n] = {};
    count(group, images, taken, common);
    return ways_of_few<n>(common, is_known);
  }

 private:
  MATCHA_MEMBER u32 holders(u32 image) const {
    u32 mask = 0;
    for (u32 i = 0; i < n; ++i) mask |= u32(lists[i].holds(image)) << i;
    return mask;
  }
  MATCHA_MEMBER void count(const Group& group, const u32* images, u64 taken, u64* common) const {
    u32 all = 0;
    for (u32 i = 0; i < n; ++i) all += lists[i].size;
    u32 found = 0;  // Of this lane: images in all lists of the set with its number.
    for (u32 first = 0; first < all; first += Group::kWidth) {
      u32 at = first + group.lane, own = 0;
      const u32* items = lists[0].items;
      bool inside = at < lists[0].size;
      for (u32 i = 1; i < n; ++i) {
        if (inside) continue;
        at -= lists[i - 1].size;
        own = i;
        items = lists[i].items;
        inside = at < lists[i].size;
      }
      u32 mask = inside ? holders(items[at]) : 0;
      // An image counts in the first list that has it.
      if ((mask & ((1u << own) - 1)) != 0) mask = 0;
      found += vote(group, mask, common, 1);
    }
    for (u32 first = 0; first < 64 && taken >> first != 0; first += Group::kWidth) {
      const u32 u = first + group.lane;
      found -= vote(group, (taken >> u & 1) != 0 ? holders(images[u]) : 0, common, ~0ull);
    }
    if constexpr (Group::kWidth != 1) {
      for (u32 set = 1; set < 1u << n; ++set) common[set] = group.from(found, set);
    }
  }
  /// The number of lanes whose mask contains the set with this lane's number; a single thread adds to all sets.
  MATCHA_MEMBER static u32 vote(const Group& group, u32 mask, u64* common, u64 weight) {
    if constexpr (Group::kWidth == 1) {
      for (u32 set = mask; set != 0; set = (set - 1) & mask) common[set] += weight;
      return 0;
    } else {
      u32 lanes = ~0u;
      for (u32 i = 0; i < n; ++i) {
        const u32 with = group.ballot((mask >> i & 1) != 0);
        if ((group.lane >> i & 1) != 0) lanes &= with;
      }
      return Group::bits(lanes);
    }
  }
};

}  // namespace matcha_program
