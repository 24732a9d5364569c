#include <immintrin.h>

#include "runtime/cpu/set_kernels_tables.h"
#include "runtime/cpu/set_kernels_template.h"

namespace matcha::runtime {
namespace {

/// Entry `bits`: the indices of the set bits, ascending, a byte each.
struct CompressOrder {
  u64 entry[256];

  constexpr CompressOrder() : entry{} {
    for (u64 bits = 0; bits < 256; ++bits) {
      u64 shift = 0;
      for (u64 lane = 0; lane < 8; ++lane) {
        if ((bits >> lane & 1) == 0) continue;
        entry[bits] |= lane << shift;
        shift += 8;
      }
    }
  }
};

constexpr CompressOrder kCompressOrder;

/// From entry 8 - n on: n lanes of ones, then zeros. From entry 16 - n on: n lanes of zeros, then ones.
constexpr int kLaneMasks[24] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};

struct Avx2 {
  using Vec = __m256i;
  static constexpr u64 kLanes = 8;
  static constexpr u64 kPairs[] = {~u64{0}, 64};
  static constexpr u64 kStep = 1;
  static constexpr u64 kSkew = 32;
  static constexpr u64 kFew = 4;

  MATCHA_INLINE Vec load(const u32* p) { return _mm256_loadu_si256(reinterpret_cast<const Vec*>(p)); }

  MATCHA_INLINE Vec load_part(const u32* p, u64 count) {
    Vec lanes = _mm256_loadu_si256(reinterpret_cast<const Vec*>(kLaneMasks + 8 - count));
    Vec others = _mm256_loadu_si256(reinterpret_cast<const Vec*>(kLaneMasks + 16 - count));
    return _mm256_or_si256(_mm256_maskload_epi32(reinterpret_cast<const int*>(p), lanes), others);
  }

  MATCHA_INLINE Vec from(u32 x) {
    return _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(x)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }

  MATCHA_INLINE u32 match(Vec a, Vec b) {
    Vec s = _mm256_permute2x128_si256(b, b, 1);
    Vec hit = _mm256_or_si256(quarter(a, b), quarter(a, s));
    return sign_bits(hit);
  }

  MATCHA_INLINE u32 match_few(const u32* a, u64 na, const u32* b, u64 nb) {
    __m128i va = _mm_maskload_epi32(reinterpret_cast<const int*>(a), lanes_from(8 - na));
    __m128i vb = _mm_maskload_epi32(reinterpret_cast<const int*>(b), lanes_from(8 - nb));
    vb = _mm_or_si128(vb, lanes_from(16 - nb));
    __m128i hit = _mm_or_si128(_mm_cmpeq_epi32(va, vb), _mm_cmpeq_epi32(va, _mm_shuffle_epi32(vb, 0x39)));
    __m128i far = _mm_or_si128(_mm_cmpeq_epi32(va, _mm_shuffle_epi32(vb, 0x4e)),
                               _mm_cmpeq_epi32(va, _mm_shuffle_epi32(vb, 0x93)));
    return static_cast<u32>(_mm_movemask_ps(_mm_castsi128_ps(_mm_or_si128(hit, far))));
  }

  MATCHA_INLINE u32 equals(Vec a, u32 x) {
    return sign_bits(_mm256_cmpeq_epi32(a, _mm256_set1_epi32(static_cast<int>(x))));
  }

  MATCHA_INLINE u32 below(Vec a, u32 x) {
    Vec top = _mm256_set1_epi32(static_cast<int>(0x80000000u));
    return sign_bits(
        _mm256_cmpgt_epi32(_mm256_xor_si256(_mm256_set1_epi32(static_cast<int>(x)), top), _mm256_xor_si256(a, top)));
  }

  MATCHA_INLINE void compress(u32* out, Vec a, u32 bits) {
    Vec order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(kCompressOrder.entry[bits])));
    _mm256_storeu_si256(reinterpret_cast<Vec*>(out), _mm256_permutevar8x32_epi32(a, order));
  }

 private:
  MATCHA_INLINE __m128i lanes_from(u64 entry) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(kLaneMasks + entry));
  }

  /// `a` against the four rotations of `b` within its 128-bit halves.
  MATCHA_INLINE Vec quarter(Vec a, Vec b) {
    Vec hit0 = _mm256_cmpeq_epi32(a, b);
    Vec hit1 = _mm256_cmpeq_epi32(a, _mm256_shuffle_epi32(b, 0x39));
    Vec hit2 = _mm256_cmpeq_epi32(a, _mm256_shuffle_epi32(b, 0x4e));
    Vec hit3 = _mm256_cmpeq_epi32(a, _mm256_shuffle_epi32(b, 0x93));
    return _mm256_or_si256(_mm256_or_si256(hit0, hit1), _mm256_or_si256(hit2, hit3));
  }

  MATCHA_INLINE u32 sign_bits(Vec v) { return static_cast<u32>(_mm256_movemask_ps(_mm256_castsi256_ps(v))); }
};

}  // namespace

const SetKernels kAvx2Kernels = SetAlgorithms<Avx2>::table("avx2");

}  // namespace matcha::runtime
