#include <immintrin.h>

#include "runtime/cpu/set_kernels_tables.h"
#include "runtime/cpu/set_kernels_template.h"

namespace matcha::runtime {
namespace {

/// 256-bit vectors with the masked loads and the compression of AVX-512VL. Without VP2INTERSECT comparisons dominate,
/// and 512-bit comparisons only give masks, which are slower to combine than vectors (measured: 20 % slower than AVX2).
struct Avx512 {
  using Vec = __m256i;
  static constexpr u64 kLanes = 8;
  static constexpr u64 kPairs[] = {~u64{0}, 64};
  static constexpr u64 kStep = 1;
  static constexpr u64 kSkew = 32;
  static constexpr u64 kFew = 4;

  MATCHA_INLINE Vec load(const u32* p) { return _mm256_loadu_si256(reinterpret_cast<const Vec*>(p)); }

  MATCHA_INLINE Vec load_part(const u32* p, u64 count) {
    __mmask8 lanes = static_cast<__mmask8>(_bzhi_u32(0xff, static_cast<u32>(count)));
    return _mm256_mask_loadu_epi32(_mm256_set1_epi32(-1), lanes, p);
  }

  MATCHA_INLINE Vec from(u32 x) {
    return _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(x)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }

  /// All 64 pairs: `a` against the rotations of `b` and of `b` with its halves exchanged.
  MATCHA_INLINE u32 match(Vec a, Vec b) {
    Vec s = _mm256_permute2x128_si256(b, b, 1);
    Vec hit = _mm256_or_si256(quarter(a, b), quarter(a, s));
    return static_cast<u32>(_mm256_movemask_ps(_mm256_castsi256_ps(hit)));
  }

  MATCHA_INLINE u32 match_few(const u32* a, u64 na, const u32* b, u64 nb) {
    __m128i va = _mm_maskz_loadu_epi32(static_cast<__mmask8>(_bzhi_u32(0xf, static_cast<u32>(na))), a);
    __m128i vb =
        _mm_mask_loadu_epi32(_mm_set1_epi32(-1), static_cast<__mmask8>(_bzhi_u32(0xf, static_cast<u32>(nb))), b);
    __m128i hit = _mm_or_si128(_mm_cmpeq_epi32(va, vb), _mm_cmpeq_epi32(va, _mm_shuffle_epi32(vb, 0x39)));
    __m128i far = _mm_or_si128(_mm_cmpeq_epi32(va, _mm_shuffle_epi32(vb, 0x4e)),
                               _mm_cmpeq_epi32(va, _mm_shuffle_epi32(vb, 0x93)));
    return static_cast<u32>(_mm_movemask_ps(_mm_castsi128_ps(_mm_or_si128(hit, far))));
  }

  MATCHA_INLINE u32 equals(Vec a, u32 x) { return _mm256_cmpeq_epi32_mask(a, _mm256_set1_epi32(static_cast<int>(x))); }

  MATCHA_INLINE u32 below(Vec a, u32 x) { return _mm256_cmplt_epu32_mask(a, _mm256_set1_epi32(static_cast<int>(x))); }

  /// Through a register: compressing straight to memory is microcoded on some processors.
  MATCHA_INLINE void compress(u32* out, Vec a, u32 bits) {
    _mm256_storeu_si256(reinterpret_cast<Vec*>(out), _mm256_maskz_compress_epi32(static_cast<__mmask8>(bits), a));
  }

 private:
  MATCHA_INLINE Vec quarter(Vec a, Vec b) {
    Vec hit0 = _mm256_cmpeq_epi32(a, b);
    Vec hit1 = _mm256_cmpeq_epi32(a, _mm256_shuffle_epi32(b, 0x39));
    Vec hit2 = _mm256_cmpeq_epi32(a, _mm256_shuffle_epi32(b, 0x4e));
    Vec hit3 = _mm256_cmpeq_epi32(a, _mm256_shuffle_epi32(b, 0x93));
    return _mm256_or_si256(_mm256_or_si256(hit0, hit1), _mm256_or_si256(hit2, hit3));
  }
};

}  // namespace

const SetKernels kAvx512Kernels = SetAlgorithms<Avx512>::table("avx512");

}  // namespace matcha::runtime
