#pragma once

#include <immintrin.h>

#include "runtime/cpu/set_kernels_template.h"

/// What the two AVX-512 tiers share. To be included in a tier's .cpp only.
namespace matcha::runtime {
namespace {

struct Avx512Base {
  using Vec = __m512i;
  static constexpr u64 kLanes = 16;

  MATCHA_INLINE Vec load(const u32* p) { return _mm512_loadu_si512(p); }

  MATCHA_INLINE Vec load_part(const u32* p, u64 count) {
    __mmask16 lanes = static_cast<__mmask16>(_bzhi_u32(0xffff, static_cast<u32>(count)));
    return _mm512_mask_loadu_epi32(_mm512_set1_epi32(static_cast<int>(p[0])), lanes, p);
  }

  MATCHA_INLINE u32 equals(Vec a, u32 x) { return _mm512_cmpeq_epi32_mask(a, _mm512_set1_epi32(static_cast<int>(x))); }

  MATCHA_INLINE u32 below(Vec a, u32 x) { return _mm512_cmplt_epu32_mask(a, _mm512_set1_epi32(static_cast<int>(x))); }

  /// Through a register: compressing straight to memory is microcoded on some processors.
  MATCHA_INLINE void compress(u32* out, Vec a, u32 bits) {
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), a));
  }
};

}  // namespace
}  // namespace matcha::runtime
