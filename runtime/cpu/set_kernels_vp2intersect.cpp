#include <immintrin.h>

#include "runtime/cpu/set_kernels_tables.h"
#include "runtime/cpu/set_kernels_template.h"

namespace matcha::runtime {
namespace {

struct Vp2intersect {
  using Vec = __m512i;
  static constexpr u64 kLanes = 16;

  /// A 16 x 16 comparison costs one cycle and a merge step about eight, so a merge pays only if both lists are long;
  /// its steps take 32 items of each side to hide the latency of the next address.
  static constexpr u64 kPairs[] = {~u64{0}, ~u64{0}, ~u64{0}, 400, 224, 176, 144, 128};
  static constexpr u64 kStep = 2;
  static constexpr u64 kSkew = 128;
  static constexpr u64 kFew = 0;  // A 16 x 16 comparison takes no longer.

  MATCHA_INLINE Vec load(const u32* p) { return _mm512_loadu_si512(p); }

  MATCHA_INLINE Vec load_part(const u32* p, u64 count) {
    __mmask16 lanes = static_cast<__mmask16>(_bzhi_u32(0xffff, static_cast<u32>(count)));
    return _mm512_mask_loadu_epi32(_mm512_set1_epi32(-1), lanes, p);
  }

  MATCHA_INLINE Vec from(u32 x) {
    const Vec numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(x)), numbers);
  }

  MATCHA_INLINE u32 equals(Vec a, u32 x) { return _mm512_cmpeq_epi32_mask(a, _mm512_set1_epi32(static_cast<int>(x))); }

  MATCHA_INLINE u32 below(Vec a, u32 x) { return _mm512_cmplt_epu32_mask(a, _mm512_set1_epi32(static_cast<int>(x))); }

  /// Through a register: compressing straight to memory is microcoded on some processors.
  MATCHA_INLINE void compress(u32* out, Vec a, u32 bits) {
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), a));
  }

  /// In assembly because compilers store the pair of masks of the intrinsic to memory, and then count bits in 16-bit
  /// registers, which depend on their old contents.
  MATCHA_INLINE u32 match(Vec a, Vec b) {
    u32 bits;
    asm("vp2intersectd %[b], %[a], %%k2\n\tkmovw %%k2, %[bits]"
        : [bits] "=r"(bits)
        : [a] "v"(a), [b] "v"(b)
        : "k2", "k3");
    return bits;
  }
};

}  // namespace

const SetKernels kVp2intersectKernels = SetAlgorithms<Vp2intersect>::table("avx512-vp2intersect");

}  // namespace matcha::runtime
