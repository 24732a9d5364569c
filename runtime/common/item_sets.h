// Sets as ascending arrays, whose items the lanes of a group share.
#pragma once

#include "runtime/common/group.h"

namespace matcha_program {

struct ItemSet {
  const u32* items;
  u32 size;
  /// The position of the first item that is not below `x`.
  MATCHA_MEMBER u32 from(u32 x) const { return u32(position(ShortList<u32>{items, size}, x)); }
  MATCHA_MEMBER bool holds(u32 x) const {
    const u32 at = from(x);
    return at < size && items[at] == x;
  }
};

/// Calls `keeps(i, x)` for the items of a set, lanes in step, and writes the accepted items; returns their number.
template <typename Group, typename Keeps>
MATCHA_FN u32 filter_items(const Group& group, ItemSet set, u32* out, Keeps keeps) {
  u32 count = 0;
  for (u32 first = 0; first < set.size; first += Group::kWidth) {
    const u32 i = first + group.lane;
    const u32 x = i < set.size ? set.items[i] : 0;
    const bool keep = i < set.size && keeps(i, x);
    const u32 lanes = group.ballot(keep);
    if (keep) out[count + Group::bits(lanes & ((1u << group.lane) - 1))] = x;
    count += Group::bits(lanes);
  }
  return count;
}

/// The same, only counting.
template <typename Group, typename Keeps>
MATCHA_FN u32 count_items(const Group& group, ItemSet set, Keeps keeps) {
  u32 share = 0;
  for (u32 i = group.lane; i < set.size; i += Group::kWidth) share += keeps(i, set.items[i]) ? 1 : 0;
  return group.total(share);
}

}  // namespace matcha_program
