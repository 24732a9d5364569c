#include "runtime/motif/clique_kernel.h"

namespace matcha::runtime::motif {

namespace {

/// Written as a macro's worth of code in one function, so that each copy of it is compiled for its own processor.
[[gnu::always_inline]] inline CliquesOfRows count_in(const std::uint64_t* rows, std::uint64_t count,
                                                     std::uint64_t words, bool four_cliques, std::uint64_t* spare) {
  CliquesOfRows found;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t* const first = rows + i * words;
    for (std::uint64_t at = i / 64; at < words; ++at) {
      for (std::uint64_t bits = first[at]; bits != 0; bits &= bits - 1) {
        const std::uint64_t* const second =
            rows + (at * 64 + static_cast<std::uint64_t>(__builtin_ctzll(bits))) * words;
        std::uint64_t both = 0;
        for (std::uint64_t word = at; word < words; ++word) {
          spare[word] = first[word] & second[word];
          both += static_cast<std::uint64_t>(__builtin_popcountll(spare[word]));
        }
        found.triangles += both;
        if (!four_cliques || both < 2) continue;
        std::uint64_t inside = 0;
        for (std::uint64_t word = at; word < words; ++word) {
          for (std::uint64_t left = spare[word]; left != 0; left &= left - 1) {
            const std::uint64_t* const third =
                rows + (word * 64 + static_cast<std::uint64_t>(__builtin_ctzll(left))) * words;
            for (std::uint64_t rest = word; rest < words; ++rest) {
              inside += static_cast<std::uint64_t>(__builtin_popcountll(spare[rest] & third[rest]));
            }
          }
        }
        found.four_cliques += inside;
      }
    }
  }
  return found;
}

using Kernel = CliquesOfRows (*)(const std::uint64_t*, std::uint64_t, std::uint64_t, bool, std::uint64_t*);

CliquesOfRows count_plain(const std::uint64_t* rows, std::uint64_t count, std::uint64_t words, bool four_cliques,
                          std::uint64_t* spare) {
  return count_in(rows, count, words, four_cliques, spare);
}

#if defined(__x86_64__)
[[gnu::target("popcnt,bmi")]] CliquesOfRows count_with_popcnt(const std::uint64_t* rows, std::uint64_t count,
                                                              std::uint64_t words, bool four_cliques,
                                                              std::uint64_t* spare) {
  return count_in(rows, count, words, four_cliques, spare);
}

Kernel best_kernel() {
  __builtin_cpu_init();
  const bool has_both = __builtin_cpu_supports("popcnt") != 0 && __builtin_cpu_supports("bmi") != 0;
  return has_both ? count_with_popcnt : count_plain;
}
#else
Kernel best_kernel() { return count_plain; }
#endif

}  // namespace

CliquesOfRows count_cliques(const std::uint64_t* rows, std::uint64_t count, std::uint64_t words, bool four_cliques,
                            std::uint64_t* spare) {
  static const Kernel kernel = best_kernel();
  return kernel(rows, count, words, four_cliques, spare);
}

}  // namespace matcha::runtime::motif
