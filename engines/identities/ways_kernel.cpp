#include "engines/identities/ways_kernel.h"

namespace matcha::runtime::motif {

namespace {

/// Inlined in each of its copies, which are compiled for different processors. The contribution of one end has less
/// than 31 bits.
[[gnu::always_inline]] inline std::uint64_t pairs_in(std::uint16_t* ways, std::uint64_t count) {
  std::uint64_t pairs = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t own = ways[i];
    pairs += own * (own - 1) / 2;
    ways[i] = 0;
  }
  return pairs;
}

using Kernel = std::uint64_t (*)(std::uint16_t*, std::uint64_t);

std::uint64_t plain_pairs(std::uint16_t* ways, std::uint64_t count) { return pairs_in(ways, count); }

#if defined(__x86_64__)
[[gnu::target("avx2")]] std::uint64_t pairs_by_avx2(std::uint16_t* ways, std::uint64_t count) {
  return pairs_in(ways, count);
}
#ifdef __clang__
#define MATCHA_WIDEST "avx512f,avx512bw"
#else
#define MATCHA_WIDEST "avx512f,avx512bw,prefer-vector-width=512"  // By default GCC uses half the width.
#endif
[[gnu::target(MATCHA_WIDEST)]] std::uint64_t pairs_by_avx512(std::uint16_t* ways, std::uint64_t count) {
  return pairs_in(ways, count);
}

Kernel best_kernel() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0) return pairs_by_avx512;
  return __builtin_cpu_supports("avx2") != 0 ? pairs_by_avx2 : plain_pairs;
}
#else
Kernel best_kernel() { return plain_pairs; }
#endif

}  // namespace

std::uint64_t take_pairs_of_ways(std::uint16_t* ways, std::uint64_t count) {
  static const Kernel kernel = best_kernel();
  return kernel(ways, count);
}

}  // namespace matcha::runtime::motif
