#pragma once

#include <cstdint>

#include "runtime/abi.h"
#include "runtime/cpu/set_kernels_blocks.h"

/// Counts of many pairs of lists in one call: a part of `Algorithms`, the algorithms of the SIMD tiers. Include it by
/// the rules of set_kernels_template.h.
namespace matcha::runtime {

template <typename V, typename Algorithms>
struct SetBatches {
  using Blocks = SetBlocks<V>;

  static u64 count_pairs(const SetPair* pairs, u64 n, u64* counts) {
    u64 total = 0;
    for (u64 i = 0; i < n; ++i) {
      counts[i] = Algorithms::common(pairs[i].a, pairs[i].na, pairs[i].b, pairs[i].nb, typename Blocks::Count{});
      total += counts[i];
    }
    return total;
  }

  /// The same for lists that mostly have a few items, as in a road network.
  [[gnu::noinline]] static u64 count_few(const SetPair* pairs, u64 n, u64* counts) {
    u64 total = 0;
    for (u64 i = 0; i < n; ++i) {
      const SetPair& pair = pairs[i];
      if (pair.na <= V::kFew && pair.nb <= V::kFew) [[likely]] {
        const u32 bits = V::match_few(pair.a, pair.na, pair.b, pair.nb) & Blocks::low_bits(pair.na);
        counts[i] = static_cast<u64>(__builtin_popcount(bits));
      } else {
        counts[i] = Algorithms::intersect_count(pair.a, pair.na, pair.b, pair.nb);
      }
      total += counts[i];
    }
    return total;
  }

  /// Looks up the second lists of pairs, which are rows, and prefetches the first two lines of each, so that cache
  /// misses overlap. Returns the number of their items.
  static u64 fetch_rows(SetPair* pairs, u64 n, const u32* items, const u64* places) {
    u64 total = 0;
    for (u64 i = 0; i < n; ++i) {
      const u64* row = places + pairs[i].nb;
      total += fetch_row(pairs[i], items + row[0], row[1] - row[0]);
    }
    return total;
  }

  static u64 fetch_halves(SetPair* pairs, u64 n, const u32* items, const SplitOffsets& halves, u64 side) {
    // In registers: the compiler must assume that writes to the pairs change them.
    const u64* bases = halves.bases;
    const u64 shift = halves.shift;
    const u32* offsets = halves.offsets + side;
    u64 total = 0;
    for (u64 i = 0; i < n; ++i) {
      const u64 vertex = pairs[i].nb;
      const u32* row = offsets + 2 * vertex;
      const u64 base = bases[vertex >> shift];
      const u64 begin = base + (row[0] - static_cast<u32>(base));
      total += fetch_row(pairs[i], items + begin, u64{row[1] - row[0]});
    }
    return total;
  }

  MATCHA_INLINE u64 fetch_row(SetPair& pair, const u32* row, u64 size) {
    constexpr u64 kLineItems = 16;
    pair.b = row;
    pair.nb = size;
    __builtin_prefetch(row);
    __builtin_prefetch(row + (size < kLineItems ? size : kLineItems));
    return size;
  }

  static u64 count_rows(SetPair* pairs, u64 n, u64* counts, const u32* items, const u64* places) {
    return count_fetched(pairs, n, counts, fetch_rows(pairs, n, items, places));
  }

  static u64 count_halves(SetPair* pairs, u64 n, u64* counts, const u32* items, const SplitOffsets* halves, u64 side) {
    return count_fetched(pairs, n, counts, fetch_halves(pairs, n, items, *halves, side));
  }

  /// `fetched`: the number of items of the second lists.
  MATCHA_INLINE u64 count_fetched(const SetPair* pairs, u64 n, u64* counts, u64 fetched) {
    if constexpr (V::kFew != 0) {
      // Above this average, longer lists are so frequent that the branch mispredicts.
      constexpr u64 kMostOnAverage = 4;
      if (fetched <= kMostOnAverage * n) return count_few(pairs, n, counts);
    }
    return count_pairs(pairs, n, counts);
  }
};

}  // namespace matcha::runtime
