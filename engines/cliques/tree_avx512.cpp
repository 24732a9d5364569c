#include <immintrin.h>

#include "engines/cliques/sum_walk.h"
#include "engines/cliques/tree_tiers.h"
#include "engines/cliques/tree_walk.h"

namespace matcha::runtime::cliques {
namespace {

/// Vectors have the rows of 8, 16 or 32 vertices, whose degrees are counted together. The least of keys, which are the
/// missing neighbours and then the place, is the pivot.
struct Avx512 {
  template <typename Set>
  static MATCHA_CLIQUE_INLINE Degrees<Set> degrees(const Set* rows, const Set& set, u32 count) {
    return plain_degrees(rows, set, count);
  }
  static MATCHA_CLIQUE_INLINE Degrees<OneWord<u16>> degrees(const OneWord<u16>* rows, const OneWord<u16>& set,
                                                            u32 count) {
    const __m256i counts = counts_of(rows, set);
    const auto universal =
        _mm256_mask_cmpeq_epi16_mask(set.bits, counts, _mm256_set1_epi16(static_cast<short>(count - 1)));
    const auto but_one =
        _mm256_mask_cmpeq_epi16_mask(set.bits, counts, _mm256_set1_epi16(static_cast<short>(count - 2)));
    const auto rest = static_cast<__mmask16>(set.bits & ~universal);
    const __m256i keys =
        _mm256_mask_sub_epi16(_mm256_set1_epi16(-1), rest, keys_of_places(), _mm256_slli_epi16(counts, kPlaceBits));
    const u32 least = least_of(keys);
    return {{static_cast<u16>(universal)}, {static_cast<u16>(but_one)}, place_of(least), degree_of(least)};
  }
  static MATCHA_CLIQUE_INLINE Degrees<OneWord<u32>> degrees(const OneWord<u32>* rows, const OneWord<u32>& set,
                                                            u32 count) {
    const __m512i mine = _mm512_set1_epi32(static_cast<int>(set.bits));
    const __m512i all_but_me = _mm512_set1_epi32(static_cast<int>(count - 1));
    const __m512i all_but_one = _mm512_set1_epi32(static_cast<int>(count - 2));
    u32 universal = 0, but_one = 0;
    __m256i keys = _mm256_set1_epi16(-1);
    for (u32 half = 0; half < 2; ++half) {
      const auto lanes = static_cast<__mmask16>(set.bits >> 16 * half);
      const __m512i counts = _mm512_popcnt_epi32(_mm512_and_si512(_mm512_load_si512(rows + 16 * half), mine));
      const __mmask16 whole = _mm512_mask_cmpeq_epi32_mask(lanes, counts, all_but_me);
      universal |= u32{whole} << 16 * half;
      but_one |= u32{_mm512_mask_cmpeq_epi32_mask(lanes, counts, all_but_one)} << 16 * half;
      const __m256i places = _mm256_add_epi16(keys_of_places(), _mm256_set1_epi16(static_cast<short>(16 * half)));
      const __m256i shifted = _mm256_slli_epi16(_mm512_cvtepi32_epi16(counts), kPlaceBits);
      const auto rest = static_cast<__mmask16>(lanes & ~whole);
      keys = _mm256_min_epu16(keys, _mm256_mask_sub_epi16(_mm256_set1_epi16(-1), rest, places, shifted));
    }
    const u32 least = least_of(keys);
    return {{universal}, {but_one}, place_of(least), degree_of(least)};
  }
  static MATCHA_CLIQUE_INLINE Degrees<OneWord<u64>> degrees(const OneWord<u64>* rows, const OneWord<u64>& set,
                                                            u32 count) {
    const __m512i mine = _mm512_set1_epi64(static_cast<long long>(set.bits));
    const __m512i all_but_me = _mm512_set1_epi64(static_cast<long long>(count - 1));
    const __m512i all_but_one = _mm512_set1_epi64(static_cast<long long>(count - 2));
    u64 universal = 0, but_one = 0;
    __m512i keys = _mm512_set1_epi64(kNoKey);
    __m512i places = _mm512_add_epi64(_mm512_set1_epi64(kHighKey), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    for (u32 part = 0; part < 8; ++part) {
      const auto lanes = static_cast<__mmask8>(set.bits >> 8 * part);
      const __m512i counts = _mm512_popcnt_epi64(_mm512_and_si512(_mm512_loadu_si512(rows + 8 * part), mine));
      const __mmask8 whole = _mm512_mask_cmpeq_epi64_mask(lanes, counts, all_but_me);
      universal |= u64{whole} << 8 * part;
      but_one |= u64{_mm512_mask_cmpeq_epi64_mask(lanes, counts, all_but_one)} << 8 * part;
      const auto rest = static_cast<__mmask8>(lanes & ~whole);
      keys = _mm512_mask_min_epu64(keys, rest, keys, _mm512_sub_epi64(places, _mm512_slli_epi64(counts, kPlaceBits)));
      places = _mm512_add_epi64(places, _mm512_set1_epi64(8));
    }
    const auto least = static_cast<u32>(_mm_cvtsi128_si32(_mm_minpos_epu16(_mm512_cvtepi64_epi16(keys)))) & kNoKey;
    return {{universal}, {but_one}, place_of(least), degree_of(least)};
  }

  template <u64 kWords>
  static MATCHA_CLIQUE_INLINE u64 twice_edges(const ManyWords<kWords>* rows, const ManyWords<kWords>& set) {
    __m512i sum = _mm512_setzero_si512();
    set.for_each([&](u32 vertex) {
      const u64* const row = rows[vertex].bits;
      if constexpr (kWords < 8) {
        constexpr __mmask8 kLanes = (1U << kWords) - 1;
        const __m512i both =
            _mm512_and_si512(_mm512_maskz_loadu_epi64(kLanes, row), _mm512_maskz_loadu_epi64(kLanes, set.bits));
        sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(both));
      } else {
        for (u64 i = 0; i < kWords; i += 8) {
          const __m512i both = _mm512_and_si512(_mm512_loadu_si512(row + i), _mm512_loadu_si512(set.bits + i));
          sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(both));
        }
      }
    });
    return static_cast<u64>(_mm512_reduce_add_epi64(sum));
  }
  static MATCHA_CLIQUE_INLINE u64 twice_edges(const OneWord<u16>* rows, const OneWord<u16>& set) {
    const __m256i counts = _mm256_maskz_mov_epi16(set.bits, counts_of(rows, set));
    const __m256i sums = _mm256_sad_epu8(counts, _mm256_setzero_si256());
    const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    return static_cast<u64>(_mm_cvtsi128_si64(two)) + static_cast<u64>(_mm_extract_epi64(two, 1));
  }
  static MATCHA_CLIQUE_INLINE u64 twice_edges(const OneWord<u32>* rows, const OneWord<u32>& set) {
    const __m512i mine = _mm512_set1_epi32(static_cast<int>(set.bits));
    const __m512i low = _mm512_and_si512(_mm512_load_si512(rows), mine);
    const __m512i high = _mm512_and_si512(_mm512_load_si512(rows + 16), mine);
    const __m512i first = _mm512_maskz_popcnt_epi32(static_cast<__mmask16>(set.bits), low);
    const __m512i second = _mm512_maskz_popcnt_epi32(static_cast<__mmask16>(set.bits >> 16), high);
    return static_cast<u64>(_mm512_reduce_add_epi32(_mm512_add_epi32(first, second)));
  }
  static MATCHA_CLIQUE_INLINE u64 twice_edges(const OneWord<u64>* rows, const OneWord<u64>& set) {
    const __m512i mine = _mm512_set1_epi64(static_cast<long long>(set.bits));
    __m512i sum = _mm512_setzero_si512();
    for (u32 part = 0; part < 8; ++part) {
      const __m512i both = _mm512_and_si512(_mm512_loadu_si512(rows + 8 * part), mine);
      sum = _mm512_add_epi64(sum, _mm512_maskz_popcnt_epi64(static_cast<__mmask8>(set.bits >> 8 * part), both));
    }
    return static_cast<u64>(_mm512_reduce_add_epi64(sum));
  }

  static MATCHA_CLIQUE_INLINE u64 extract(u64 from, u64 mask) { return _pext_u64(from, mask); }

  template <typename Set>
  static MATCHA_CLIQUE_INLINE FewEdges few_edges(const Set* rows, const Set& set, u32 count) {
    return plain_few_edges(rows, set, count, extract);
  }
  /// Rows and places of the set side by side, and of each row the bits at these places: 64 bits are all edges.
  static MATCHA_CLIQUE_INLINE FewEdges few_edges(const OneWord<u16>* rows, const OneWord<u16>& set, u32) {
    constexpr u64 kBefore = 0x1f0f07030100;
    const __m256i mine =
        _mm256_maskz_compress_epi16(set.bits, _mm256_load_si256(reinterpret_cast<const __m256i*>(rows)));
    const __m128i iota = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i places = _mm512_broadcastq_epi64(_mm_maskz_compress_epi8(set.bits, iota));
    const u64 edges = _mm512_bitshuffle_epi64_mask(_mm512_cvtepu16_epi64(_mm256_castsi256_si128(mine)), places);
    return {_pext_u64(edges, kBefore), edges >> 48 & 0x3f, edges >> 56 & 0x7f};
  }
  static MATCHA_CLIQUE_INLINE void add_bytes(u64* line, u64 bytes) {
    const __m512i more = _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(static_cast<long long>(bytes)));
    _mm512_store_si512(line, _mm512_add_epi64(_mm512_load_si512(line), more));
  }

 private:
  static constexpr u32 kPlaceBits = 6, kHighKey = 127U << kPlaceBits, kNoKey = 0xffff;

  static MATCHA_CLIQUE_INLINE __m256i counts_of(const OneWord<u16>* rows, const OneWord<u16>& set) {
    const __m256i all = _mm256_load_si256(reinterpret_cast<const __m256i*>(rows));
    return _mm256_popcnt_epi16(_mm256_and_si256(all, _mm256_set1_epi16(static_cast<short>(set.bits))));
  }
  static MATCHA_CLIQUE_INLINE __m256i keys_of_places() {
    const __m256i places = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm256_add_epi16(_mm256_set1_epi16(kHighKey), places);
  }
  static MATCHA_CLIQUE_INLINE u32 least_of(__m256i keys) {
    const __m128i half = _mm_min_epu16(_mm256_castsi256_si128(keys), _mm256_extracti128_si256(keys, 1));
    return static_cast<u32>(_mm_cvtsi128_si32(_mm_minpos_epu16(half))) & kNoKey;
  }
  static MATCHA_CLIQUE_INLINE u32 place_of(u32 key) { return key & ((1U << kPlaceBits) - 1); }
  static MATCHA_CLIQUE_INLINE u32 degree_of(u32 key) { return 127 - (key >> kPlaceBits); }
};

}  // namespace

void walk_avx512(Tree& tree, const u64* rows, u64 words, const u64* set, u32 held, u32 free, u32 pairs) {
  walk_with<Avx512>(tree, rows, words, set, held, free, pairs);
}

u64 sums_avx512(SumTree<u64>& tree, const u64* rows, u64 words, const u64* set, u32 held) {
  return sums_with<Avx512>(tree, rows, words, set, held);
}

unsigned __int128 sums_avx512(SumTree<unsigned __int128>& tree, const u64* rows, u64 words, const u64* set, u32 held) {
  return sums_with<Avx512>(tree, rows, words, set, held);
}

}  // namespace matcha::runtime::cliques
