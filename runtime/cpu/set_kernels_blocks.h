#pragma once

#include <cstdint>

#include "runtime/abi.h"

/// Compares registers of a list with another list: parts of the SIMD tiers' algorithms. `V` and the rules of inclusion
/// are those of set_kernels_template.h.
namespace matcha::runtime {

#define MATCHA_INLINE [[gnu::always_inline]] static inline

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// The path for short lists and the parts of the longer ones.
template <typename V>
struct SetBlocks {
  using Vec = typename V::Vec;
  static constexpr u64 kLanes = V::kLanes;
  static constexpr u64 kStep = V::kStep;
  static constexpr u64 kStepItems = kStep * kLanes;
  static constexpr u64 kPrefetchItems = 64;
  static constexpr u64 kMaxRegs = sizeof(V::kPairs) / sizeof(V::kPairs[0]);

  MATCHA_INLINE u32 low_bits(u64 count) { return static_cast<u32>((u64{1} << count) - 1); }

  MATCHA_INLINE u64 clamp_lanes(u64 items, u64 before) {
    u64 rest = items > before ? items - before : 0;
    return rest < kLanes ? rest : kLanes;
  }

  /// The step of a merge: the side with the smaller last item advances, both if they are equal. In assembly because
  /// compilers emit branches, which mispredict half of the time. Volatile so that it stays ahead of the vector loads of
  /// the step: the next addresses depend on these two loads, and behind the vector loads they would wait for a port
  /// (three times slower).
  MATCHA_INLINE void advance(const u32*& a, const u32*& b) {
    u32 a_last;
    asm volatile(
        "mov %[al], %[t]\n\tcmp %[bl], %[t]\n\tcmovbe %[an], %[a]\n\tcmovae %[bn], %[b]"
        : [a] "+&r"(a), [b] "+&r"(b), [t] "=&r"(a_last)
        : [al] "m"(a[kStepItems - 1]), [bl] "m"(b[kStepItems - 1]), [an] "r"(a + kStepItems), [bn] "r"(b + kStepItems)
        : "cc");
  }

  /// `K` registers of `a` (the last ones may be partial when `Full` is false, else only the last).
  template <u64 K, bool Full>
  struct Held {
    Vec vec[K];
    u64 items;

    MATCHA_INLINE Held take(const u32* a, u64 na) {
      Held held;
      held.items = na;
      for (u64 k = 0; k < K; ++k) {
        if (Full && k + 1 < K) {
          held.vec[k] = V::load(a + k * kLanes);
        } else {
          u64 count = Full ? na - k * kLanes : clamp_lanes(na, k * kLanes);
          held.vec[k] = V::load_part(a + k * kLanes, count);
        }
      }
      return held;
    }

    /// Bits of the valid lanes of register k.
    [[gnu::always_inline]] u32 valid(u64 k) const {
      if (Full && k + 1 < K) return low_bits(kLanes);
      return low_bits(Full ? items - k * kLanes : clamp_lanes(items, k * kLanes));
    }
  };

  /// ORs into `bits[k]` the lanes of `held`, the items of `a`, that are in `b`. The last block of `b` overlaps the one
  /// before it; blocks past the last item of `a` are skipped.
  template <u64 K, bool Full>
  MATCHA_INLINE void match_all(const Held<K, Full>& held, const u32* a, const u32* b, u64 nb, u32 (&bits)[K]) {
    Vec block = V::load_part(b, nb < kLanes ? nb : kLanes);
    for (u64 k = 0; k < K; ++k) bits[k] |= V::match(held.vec[k], block);
    for (u64 j = kLanes; j < nb && held.items != 0 && b[j] <= a[held.items - 1]; j += kLanes) {
      block = V::load(b + (j < nb - kLanes ? j : nb - kLanes));
      for (u64 k = 0; k < K; ++k) bits[k] |= V::match(held.vec[k], block);
    }
  }

  /// The action of a kernel on the items of `a`, given which of them are in `b`.
  struct Count {
    u64 found = 0;
    [[gnu::always_inline]] void block(const Vec&, u32 bits) { found += static_cast<u64>(__builtin_popcount(bits)); }
    [[gnu::always_inline]] void item(u32, bool hit) { found += hit; }
  };

  struct Keep {
    u32* out;
    u64 found = 0;
    [[gnu::always_inline]] void block(const Vec& items, u32 bits) {
      V::compress(out + found, items, bits);
      found += static_cast<u64>(__builtin_popcount(bits));
    }
    [[gnu::always_inline]] void item(u32 x, bool hit) {
      out[found] = x;
      found += hit;
    }
  };

  /// Writes a bit for each item, in the order of `a`.
  struct Mark {
    u64* out;
    u64 at = 0;
    [[gnu::always_inline]] void block(const Vec&, u32 bits) {
      out[at / 64] |= u64{bits} << at % 64;
      at += kLanes;
    }
    [[gnu::always_inline]] void item(u32, bool hit) {
      out[at / 64] |= u64{hit} << at % 64;
      ++at;
    }
  };

  /// Merge-free: all of `a` sits in K registers and is compared with all of `b`. `Want` selects members or the rest.
  template <u64 K, bool Full, bool Members, typename Sink>
  MATCHA_INLINE void all_pairs(const u32* a, u64 na, const u32* b, u64 nb, Sink& sink) {
    Held<K, Full> held = Held<K, Full>::take(a, na);
    u32 bits[K] = {};
    match_all<K, Full>(held, a, b, nb, bits);
    for (u64 k = 0; k < K; ++k) sink.block(held.vec[k], (Members ? bits[k] : ~bits[k]) & held.valid(k));
  }

  /// `all_pairs` with the number of registers that `na` needs; false if merging is faster.
  template <bool Members, typename Sink, u64 K = 1>
  MATCHA_INLINE bool try_all_pairs(const u32* a, u64 na, const u32* b, u64 nb, Sink& sink) {
    if constexpr (K > kMaxRegs) {
      return false;
    } else {
      if (na <= K * kLanes) {
        if (nb > V::kPairs[K - 1]) return false;
        all_pairs<K, true, Members>(a, na, b, nb, sink);
        return true;
      }
      return try_all_pairs<Members, Sink, K + 1>(a, na, b, nb, sink);
    }
  }

  /// Block searches: `q` moves to the block of kLanes items of `b` that may hold `x`.
  MATCHA_INLINE void search_step(const u32*& q, u64 offset, u32 x) {
    const u32* next = q + offset;
    asm("cmp %[x], %[last]\n\tcmovb %[n], %[q]" : [q] "+r"(q) : [x] "r"(x), [last] "m"(next[-1]), [n] "r"(next) : "cc");
  }

  MATCHA_INLINE bool search_end(const u32* q, const u32* b_tail, u32 x) {
    asm("cmp %[x], %[last]\n\tcmovb %[n], %[q]"
        : [q] "+r"(q)
        : [x] "r"(x), [last] "m"(q[kLanes - 1]), [n] "r"(b_tail)
        : "cc");
    return V::equals(V::load(q), x) != 0;
  }

  static u64 lower_bound(const u32* a, u64 na, u64 wide) {
    if (na == 0 || wide > 0xffffffffu) return na;
    u32 x = static_cast<u32>(wide);
    const u32* q = a;
    u64 count = na;
    while (count > kLanes) {
      u64 half = count / 2;
      search_step(q, half, x);
      count -= half;
    }
    u32 below = V::below(V::load_part(q, count), x) & low_bits(count);
    return static_cast<u64>(q - a) + static_cast<u64>(__builtin_popcount(below));
  }

  static u64 marked(const std::uint8_t* marks, u64 n, u32* out) {
    u64 found = 0, i = 0;
    for (; i + 8 <= n; i += 8) {
      u64 eight;
      __builtin_memcpy(&eight, marks + i, 8);
      // The highest byte of the product is the sum of the marks' bits, mark k as bit k.
      const u32 bits = static_cast<u32>(eight * 0x0102040810204080 >> 56);
      V::compress(out + found, V::from(static_cast<u32>(i)), bits);
      found += static_cast<u64>(__builtin_popcount(bits));
    }
    for (; i < n; ++i) {
      out[found] = static_cast<u32>(i);
      found += marks[i];
    }
    return found;
  }

  /// Looks up each item of `a` in a much longer `b` (`nb >= kLanes`), four independent searches at a time.
  template <bool Members, typename Sink>
  MATCHA_INLINE void search_each(const u32* a, u64 na, const u32* b, u64 nb, Sink& sink) {
    const u32* tail = b + nb - kLanes;
    u64 i = 0;
    for (; i + 4 <= na; i += 4) {
      u32 x[4] = {a[i], a[i + 1], a[i + 2], a[i + 3]};
      const u32* q[4] = {b, b, b, b};
      for (u64 blocks = nb / kLanes; blocks > 1;) {
        u64 half = blocks / 2;
        for (u64 k = 0; k < 4; ++k) search_step(q[k], half * kLanes, x[k]);
        blocks -= half;
      }
      for (u64 k = 0; k < 4; ++k) sink.item(x[k], search_end(q[k], tail, x[k]) == Members);
    }
    for (; i < na; ++i) {
      const u32* q = b;
      for (u64 blocks = nb / kLanes; blocks > 1;) {
        u64 half = blocks / 2;
        search_step(q, half * kLanes, a[i]);
        blocks -= half;
      }
      sink.item(a[i], search_end(q, tail, a[i]) == Members);
    }
  }

  /// Prefetches the lines that the merge reaches some steps later: their addresses depend on comparisons, so hardware
  /// does not fetch them in time. Prefetching past the end is harmless.
  MATCHA_INLINE void prefetch_ahead(const u32* a, const u32* b) {
    for (u64 line = 0; line < kStepItems; line += 16) {
      __builtin_prefetch(a + kPrefetchItems + line);
      __builtin_prefetch(b + kPrefetchItems + line);
    }
  }

  /// Loads kStep registers of `a` and ORs in their bits against kStep registers of `b`.
  MATCHA_INLINE void match_step(const u32* a, const u32* b, Vec (&va)[kStep], u32 (&bits)[kStep]) {
    for (u64 k = 0; k < kStep; ++k) va[k] = V::load(a + k * kLanes);
    for (u64 j = 0; j < kStep; ++j) {
      Vec vb = V::load(b + j * kLanes);
      for (u64 k = 0; k < kStep; ++k) bits[k] |= V::match(va[k], vb);
    }
  }
};

}  // namespace matcha::runtime
