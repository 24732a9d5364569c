#include "runtime/cpu/set_kernels_avx512.h"

#include "runtime/cpu/set_kernels_tables.h"

namespace matcha::runtime {
namespace {

struct Avx512 : Avx512Base {
  static constexpr u64 kPairs[] = {~u64{0}, 64};
  static constexpr u64 kStep = 1;
  static constexpr u64 kSkew = 32;

  /// All 256 pairs as 16 comparisons: four rotations of `a` by whole 128-bit lanes (free when `a` stays in registers) by
  /// four rotations of `b` within the lanes. A chain of masked "not equal" keeps the lanes that never met their equal.
  MATCHA_INLINE u32 match(Vec a, Vec b) {
    Vec b1 = _mm512_shuffle_epi32(b, _MM_PERM_ADCB);
    Vec b2 = _mm512_shuffle_epi32(b, _MM_PERM_BADC);
    Vec b3 = _mm512_shuffle_epi32(b, _MM_PERM_CBAD);
    u32 missing0 = misses(a, b, b1, b2, b3);
    u32 missing1 = misses(_mm512_alignr_epi32(a, a, 4), b, b1, b2, b3);
    u32 missing2 = misses(_mm512_alignr_epi32(a, a, 8), b, b1, b2, b3);
    u32 missing3 = misses(_mm512_alignr_epi32(a, a, 12), b, b1, b2, b3);
    return ~(missing0 & turn(missing1, 4) & turn(missing2, 8) & turn(missing3, 12)) & 0xffff;
  }

 private:
  MATCHA_INLINE u32 misses(Vec a, Vec b0, Vec b1, Vec b2, Vec b3) {
    __mmask16 bits = _mm512_cmpneq_epi32_mask(a, b0);
    bits = _mm512_mask_cmpneq_epi32_mask(bits, a, b1);
    bits = _mm512_mask_cmpneq_epi32_mask(bits, a, b2);
    return _mm512_mask_cmpneq_epi32_mask(bits, a, b3);
  }

  /// Lane i of the rotated register is lane i + by of the original.
  MATCHA_INLINE u32 turn(u32 bits, unsigned by) {
    return static_cast<std::uint16_t>((bits << by) | (bits >> (16 - by)));
  }
};

}  // namespace

const SetKernels kAvx512Kernels = SetAlgorithms<Avx512>::table("avx512");

}  // namespace matcha::runtime
