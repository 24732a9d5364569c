#pragma once

#include <cstdint>

#include "runtime/abi.h"
#include "runtime/cpu/set_kernels_blocks.h"

/// Counts of many pairs of lists in one call: a part of the SIMD tiers' algorithms, which are `Algorithms`. The rules
/// for including this are those of set_kernels_template.h.
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

  /// The same where most lists have a few items, as in a road network.
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

  static u64 count_rows(SetPair* pairs, u64 n, u64* counts, const u32* items, const u64* places, u64 step) {
    const u64 fetched = Blocks::fetch_rows(pairs, n, items, places, step);
    if constexpr (V::kFew != 0) {
      // With more, longer lists are so frequent that the branch is foreseen wrongly.
      constexpr u64 kMostOnAverage = 4;
      if (fetched <= kMostOnAverage * n) return count_few(pairs, n, counts);
    }
    return count_pairs(pairs, n, counts);
  }
};

}  // namespace matcha::runtime
