#include <immintrin.h>

#include "runtime/cpu/set_kernels_avx512.h"
#include "runtime/cpu/set_kernels_tables.h"

namespace matcha::runtime {
namespace {

struct Vp2intersect : Avx512Base {
  /// A 16 x 16 comparison costs a cycle and a merge step some eight, so a merge pays only where both lists are long; its
  /// steps take 32 items a side to fill the wait for the next address.
  static constexpr u64 kPairs[] = {~u64{0}, ~u64{0}, ~u64{0}, 400, 224, 176, 144, 128};
  static constexpr u64 kStep = 2;
  static constexpr u64 kSkew = 128;

  /// In assembly because compilers store the pair of masks that the intrinsic gives to memory, and then count bits in 16-bit
  /// registers, which wait for their old contents.
  MATCHA_INLINE u32 match(Vec a, Vec b) {
    u32 bits;
    asm("vp2intersectd %[b], %[a], %%k2\n\tkmovw %%k2, %[bits]" : [bits] "=r"(bits) : [a] "v"(a), [b] "v"(b) : "k2", "k3");
    return bits;
  }
};

}  // namespace

const SetKernels kVp2intersectKernels = SetAlgorithms<Vp2intersect>::table("avx512-vp2intersect");

}  // namespace matcha::runtime
