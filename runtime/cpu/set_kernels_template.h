#pragma once

#include <cstdint>

#include "runtime/abi.h"
#include "runtime/cpu/set_kernels_batches.h"
#include "runtime/cpu/set_kernels_blocks.h"

/// The algorithms of the SIMD tiers, over a tier's vector traits `V`. Each tier's .cpp includes this with its own
/// traits in an unnamed namespace, so that code for one instruction set is never linked into another; for the same
/// reason only <cstdint> is included here.
///
/// `V` provides: `kLanes`; `kPairs[k]`, the longest other side for which `k + 1` registers are compared with
/// everything; `kSkew`, the ratio of lengths from which searching is faster than merging (a power of two); `kStep`,
/// registers of each side in one step of the merge; `Vec`; `load`, `load_part(p, n)` for n <= kLanes (lanes from n on
/// hold 0xffffffff, which is not a rank; nothing past p[n-1] is read); `from(x)`: x and the following numbers;
/// `match(a, b)`, the bits of the lanes of `a` that are in `b`; `equals(a, x)`; `below(a, x)`; `compress(out, a,
/// bits)`, which may write kLanes items at `out`; `kFew`, and unless it is 0 `match_few(a, na, b, nb)`: like `match`
/// for lists of at most kFew items, with undefined lanes from `na` on.
namespace matcha::runtime {

template <typename V>
struct SetAlgorithms : SetBlocks<V> {
  using Blocks = SetBlocks<V>;
  using Blocks::advance;
  using Blocks::kLanes;
  using Blocks::kStep;
  using Blocks::kStepItems;
  using Blocks::low_bits;
  using Blocks::lower_bound;
  using Blocks::match_step;
  using Blocks::prefetch_ahead;
  using Blocks::search_step;
  using typename Blocks::Count;
  using typename Blocks::Keep;
  using typename Blocks::Vec;
  template <u64 K, bool Full>
  using Held = typename Blocks::template Held<K, Full>;

  /// Merges two lists while both have a whole step: `found(a_now, va, bits)` gets the position and the blocks of a step
  /// of `a`, and the bits of their items that are in the step of `b`.
  template <typename Found>
  MATCHA_INLINE void merge_steps(const u32*& a, const u32* a_end, const u32*& b, const u32* b_end, Found found) {
    while (a_end - a >= static_cast<std::int64_t>(kStepItems) && b_end - b >= static_cast<std::int64_t>(kStepItems)) {
      const u32* a_now = a;
      const u32* b_now = b;
      advance(a, b);
      prefetch_ahead(a_now, b_now);
      Vec va[kStep];
      u32 bits[kStep] = {};
      match_step(a_now, b_now, va, bits);
      found(a_now, va, bits);
    }
  }

  /// Common items of two lists of similar length, block by block.
  template <typename Sink>
  MATCHA_INLINE void merge_common(const u32* a, u64 na, const u32* b, u64 nb, Sink& sink) {
    const u32* a_end = a + na;
    const u32* b_end = b + nb;
    merge_steps(a, a_end, b, b_end, [&](const u32*, const Vec(&va)[kStep], const u32(&bits)[kStep]) {
      for (u64 k = 0; k < kStep; ++k) sink.block(va[k], bits[k]);
    });
    u64 rest_a = static_cast<u64>(a_end - a);
    u64 rest_b = static_cast<u64>(b_end - b);
    order(a, rest_a, b, rest_b);
    if (rest_a != 0) Blocks::template all_pairs<kStep, false, true>(a, rest_a, b, rest_b, sink);
  }

  /// Puts the shorter list first, without a branch, which would be unpredictable.
  MATCHA_INLINE void order(const u32*& a, u64& na, const u32*& b, u64& nb) {
    const u32* a_given = a;
    const u32* b_given = b;
    u64 na_given = na;
    u64 nb_given = nb;
    asm("cmp %[nb0], %[na0]\n\tcmova %[b0], %[a]\n\tcmova %[a0], %[b]\n\tcmova %[nb0], %[na]\n\tcmova %[na0], %[nb]"
        : [a] "+&r"(a), [b] "+&r"(b), [na] "+&r"(na), [nb] "+&r"(nb)
        : [a0] "r"(a_given), [b0] "r"(b_given), [na0] "r"(na_given), [nb0] "r"(nb_given)
        : "cc");
  }

  /// Common items, given `1 <= na <= nb`, where one register does not hold `a` or searching is faster. Kept out of
  /// line, so that the short path needs no stack frame.
  template <typename Sink>
  [[gnu::noinline]] static u64 common_long(const u32* a, u64 na, const u32* b, u64 nb, Sink sink) {
    if (nb / V::kSkew > na) {
      Blocks::template search_each<true>(a, na, b, nb, sink);
    } else if (!Blocks::template try_all_pairs<true>(a, na, b, nb, sink)) {
      merge_common(a, na, b, nb, sink);
    }
    return sink.found;
  }

  template <typename Sink>
  MATCHA_INLINE u64 common(const u32* a, u64 na, const u32* b, u64 nb, Sink sink) {
    order(a, na, b, nb);
    if (na > kLanes || nb / V::kSkew > na) [[unlikely]] {
      if (na == 0) return 0;
      return common_long(a, na, b, nb, sink);
    }
    Blocks::template all_pairs<1, true, true>(a, na, b, nb, sink);
    return sink.found;
  }

  static u64 intersect_count(const u32* a, u64 na, const u32* b, u64 nb) { return common(a, na, b, nb, Count{}); }

  static u64 intersect(const u32* a, u64 na, const u32* b, u64 nb, u32* out) { return common(a, na, b, nb, Keep{out}); }

  static u64 diff_count(const u32* a, u64 na, const u32* b, u64 nb) { return na - intersect_count(a, na, b, nb); }

  /// Items of `a` not in the `K` registers of `b` (all of `b`); `bits` marks those of the first kStep blocks of `a`
  /// that are known to be members.
  template <u64 K>
  MATCHA_INLINE void stream_diff(const u32* a, u64 na, const u32* b, u64 nb, u32 (&bits)[kStep], Keep& sink) {
    Held<K, false> held = Held<K, false>::take(b, nb);
    u32 b_last = b[nb - 1];
    u64 i = 0;
    for (u64 block = 0; i + kLanes <= na && (a[i] <= b_last || block < kStep); ++block, i += kLanes) {
      Vec va = V::load(a + i);
      u32 found = block < kStep ? bits[block] : 0;
      for (u64 k = 0; k < K; ++k) found |= V::match(va, held.vec[k]);
      sink.block(va, ~found & low_bits(kLanes));
    }
    bool past = i >= kStepItems;
    for (; past && i + kLanes <= na; i += kLanes) sink.block(V::load(a + i), low_bits(kLanes));
    if (i < na) {
      Vec va = V::load_part(a + i, na - i);
      u32 found = i < kStepItems ? bits[i / kLanes] : 0;
      for (u64 k = 0; k < K; ++k) found |= V::match(va, held.vec[k]);
      sink.block(va, ~found & low_bits(na - i));
    }
  }

  /// Difference of two lists of similar length, block by block; a block of `a` is final when `a` advances.
  MATCHA_INLINE void merge_diff(const u32* a, u64 na, const u32* b, u64 nb, Keep& sink) {
    const u32* a_end = a + na;
    const u32* b_end = b + nb;
    u32 bits[kStep] = {};
    while (a_end - a >= static_cast<std::int64_t>(kStepItems) && b_end - b >= static_cast<std::int64_t>(kStepItems)) {
      const u32* a_now = a;
      const u32* b_now = b;
      advance(a, b);
      prefetch_ahead(a_now, b_now);
      Vec va[kStep];
      match_step(a_now, b_now, va, bits);
      Keep trial = sink;
      for (u64 k = 0; k < kStep; ++k) trial.block(va[k], ~bits[k] & low_bits(kLanes));
      bool moved = a != a_now;
      sink.found = moved ? trial.found : sink.found;
      for (u64 k = 0; k < kStep; ++k) bits[k] = moved ? 0 : bits[k];
    }
    u64 rest_a = static_cast<u64>(a_end - a);
    u64 rest_b = static_cast<u64>(b_end - b);
    if (rest_a == 0) return;
    if (rest_b == 0) {  // Matching an item twice is harmless.
      --b;
      rest_b = 1;
    }
    if (rest_b <= kStepItems) {
      stream_diff<kStep>(a, rest_a, b, rest_b, bits, sink);
      return;
    }
    Held<kStep, false> held = Held<kStep, false>::take(a, rest_a);
    Blocks::template match_all<kStep, false>(held, a, b, rest_b, bits);
    for (u64 k = 0; k < kStep; ++k) sink.block(held.vec[k], ~bits[k] & held.valid(k));
  }

  [[gnu::noinline]] static u64 diff_long(const u32* a, u64 na, const u32* b, u64 nb, u32* out) {
    Keep sink{out};
    if (nb == 0) {
      for (u64 i = 0; i < na; ++i) out[i] = a[i];
      return na;
    }
    if (nb / V::kSkew > na) {
      Blocks::template search_each<false>(a, na, b, nb, sink);
    } else if (Blocks::template try_all_pairs<false>(a, na, b, nb, sink)) {
      return sink.found;
    } else if (nb <= kStepItems) {
      u32 bits[kStep] = {};
      stream_diff<kStep>(a, na, b, nb, bits, sink);
    } else {
      merge_diff(a, na, b, nb, sink);
    }
    return sink.found;
  }

  static u64 diff(const u32* a, u64 na, const u32* b, u64 nb, u32* out) {
    if (na == 0) return 0;
    if (na > kLanes || nb == 0 || nb / V::kSkew > na) return diff_long(a, na, b, nb, out);
    Keep sink{out};
    Blocks::template all_pairs<1, true, false>(a, na, b, nb, sink);
    return sink.found;
  }

  /// Marks the common items block by block of `a`, which may be any number of items; `na >= 1` and `nb >= 1`.
  MATCHA_INLINE void merge_marks(const u32* a, u64 na, const u32* b, u64 nb, u64* out) {
    const u32* begin = a;
    const u32* a_end = a + na;
    const u32* b_end = b + nb;
    merge_steps(a, a_end, b, b_end, [&](const u32* a_now, const Vec(&)[kStep], const u32(&bits)[kStep]) {
      u64 at = static_cast<u64>(a_now - begin);
      for (u64 k = 0; k < kStep; ++k, at += kLanes) out[at / 64] |= u64{bits[k]} << at % 64;
    });
    u64 rest_a = static_cast<u64>(a_end - a);
    u64 rest_b = static_cast<u64>(b_end - b);
    for (u64 at = static_cast<u64>(a - begin); rest_a != 0 && rest_b != 0 && begin[at] <= b_end[-1]; at += kLanes) {
      u64 items = rest_a < kLanes ? rest_a : kLanes;
      Held<1, true> held = Held<1, true>::take(begin + at, items);
      u32 bits[1] = {};
      Blocks::template match_all<1, true>(held, begin + at, b, rest_b, bits);
      out[at / 64] |= u64{bits[0] & held.valid(0)} << at % 64;
      rest_a -= items;
    }
  }

  static void member_bits(const u32* a, u64 na, const u32* b, u64 nb, u64* out) {
    for (u64 word = 0; word < (na + 63) / 64; ++word) out[word] = 0;
    if (na == 0 || nb == 0) return;
    typename Blocks::Mark sink{out};
    if (na <= kLanes && nb / V::kSkew <= na) [[likely]] {
      Blocks::template all_pairs<1, true, true>(a, na, b, nb, sink);
    } else if (nb / V::kSkew > na) {
      Blocks::template search_each<true>(a, na, b, nb, sink);
    } else if (na / V::kSkew > nb) {
      for (u64 j = 0; j < nb; ++j) {
        u64 i = lower_bound(a, na, b[j]);
        if (i < na) out[i / 64] |= u64{a[i] == b[j]} << i % 64;
      }
    } else {
      merge_marks(a, na, b, nb, out);
    }
  }

  static constexpr SetKernels table(const char* name) {
    using Batches = SetBatches<V, SetAlgorithms>;
    return {name,
            intersect_count,
            intersect,
            diff_count,
            diff,
            lower_bound,
            member_bits,
            Batches::count_pairs,
            Batches::count_rows,
            Batches::count_halves,
            Blocks::marked};
  }
};

}  // namespace matcha::runtime
