#include "engines/identities/clique_kernel.h"

namespace matcha::runtime::motif {

namespace {

/// The kernels are inlined in each of their copies, which are compiled for different processors.
struct Kernels {
  CliquesOfRows (*cliques)(const std::uint64_t*, std::uint64_t, std::uint64_t, bool, std::uint64_t*);
  std::uint64_t (*common)(const std::uint64_t*, const std::uint64_t*, std::uint64_t);
  std::uint64_t (*keep)(const std::uint64_t*, const std::uint64_t*, std::uint64_t, std::uint64_t*);
  std::uint64_t (*edges)(const std::uint64_t*, const std::uint64_t*, std::uint64_t);
  std::uint64_t (*degrees)(const std::uint64_t*, const std::uint64_t*, std::uint64_t, std::uint64_t, std::uint64_t*);
  std::uint64_t (*cycles)(const std::uint64_t*, std::uint64_t, std::uint64_t);
};

[[gnu::always_inline]] inline std::uint64_t popcount(std::uint64_t word) {
  return static_cast<std::uint64_t>(__builtin_popcountll(word));
}
[[gnu::always_inline]] inline std::uint64_t lowest_bit(std::uint64_t word) {
  return static_cast<std::uint64_t>(__builtin_ctzll(word));
}

[[gnu::always_inline]] inline CliquesOfRows cliques_in(const std::uint64_t* rows, std::uint64_t count,
                                                       std::uint64_t words, bool four_cliques, std::uint64_t* spare) {
  CliquesOfRows found;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t* const first = rows + i * words;
    for (std::uint64_t at = i / 64; at < words; ++at) {
      for (std::uint64_t bits = first[at]; bits != 0; bits &= bits - 1) {
        const std::uint64_t* const second = rows + (at * 64 + lowest_bit(bits)) * words;
        std::uint64_t both = 0;
        for (std::uint64_t word = at; word < words; ++word) {
          spare[word] = first[word] & second[word];
          both += popcount(spare[word]);
        }
        found.triangles += both;
        if (!four_cliques || both < 2) continue;
        std::uint64_t inside = 0;
        for (std::uint64_t word = at; word < words; ++word) {
          for (std::uint64_t left = spare[word]; left != 0; left &= left - 1) {
            const std::uint64_t* const third = rows + (word * 64 + lowest_bit(left)) * words;
            for (std::uint64_t rest = word; rest < words; ++rest) inside += popcount(spare[rest] & third[rest]);
          }
        }
        found.four_cliques += inside;
      }
    }
  }
  return found;
}

[[gnu::always_inline]] inline std::uint64_t common_in(const std::uint64_t* a, const std::uint64_t* b,
                                                      std::uint64_t words) {
  std::uint64_t common = 0;
  for (std::uint64_t word = 0; word < words; ++word) common += popcount(a[word] & b[word]);
  return common;
}

[[gnu::always_inline]] inline std::uint64_t keep_in(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t words,
                                                    std::uint64_t* both) {
  std::uint64_t common = 0;
  for (std::uint64_t word = 0; word < words; ++word) {
    both[word] = a[word] & b[word];
    common += popcount(both[word]);
  }
  return common;
}

[[gnu::always_inline]] inline std::uint64_t edges_in(const std::uint64_t* rows, const std::uint64_t* set,
                                                     std::uint64_t words) {
  std::uint64_t twice = 0;
  for (std::uint64_t word = 0; word < words; ++word) {
    for (std::uint64_t bits = set[word]; bits != 0; bits &= bits - 1) {
      twice += common_in(rows + (word * 64 + lowest_bit(bits)) * words, set, words);
    }
  }
  return twice / 2;
}

[[gnu::always_inline]] inline std::uint64_t degrees_in(const std::uint64_t* rows, const std::uint64_t* set,
                                                       std::uint64_t words, std::uint64_t factor,
                                                       std::uint64_t* degrees) {
  std::uint64_t twice = 0;
  for (std::uint64_t word = 0; word < words; ++word) {
    for (std::uint64_t bits = set[word]; bits != 0; bits &= bits - 1) {
      const std::uint64_t place = word * 64 + lowest_bit(bits);
      const std::uint64_t degree = common_in(rows + place * words, set, words);
      degrees[place] += degree * factor;
      twice += degree;
    }
  }
  return twice / 2;
}

[[gnu::always_inline]] inline std::uint64_t cycles_in(const std::uint64_t* rows, std::uint64_t count,
                                                      std::uint64_t words) {
  std::uint64_t twice = 0;
  for (std::uint64_t i = 1; i < count; ++i) {
    for (std::uint64_t j = 0; j < i; ++j) {
      const std::uint64_t common = common_in(rows + i * words, rows + j * words, words);
      twice += common * (common - 1) / 2;
    }
  }
  return twice / 2;
}

CliquesOfRows plain_cliques(const std::uint64_t* rows, std::uint64_t count, std::uint64_t words, bool four_cliques,
                            std::uint64_t* spare) {
  return cliques_in(rows, count, words, four_cliques, spare);
}
std::uint64_t plain_common(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t words) {
  return common_in(a, b, words);
}
std::uint64_t plain_keep(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t words, std::uint64_t* both) {
  return keep_in(a, b, words, both);
}
std::uint64_t plain_edges(const std::uint64_t* rows, const std::uint64_t* set, std::uint64_t words) {
  return edges_in(rows, set, words);
}
std::uint64_t plain_degrees(const std::uint64_t* rows, const std::uint64_t* set, std::uint64_t words,
                            std::uint64_t factor, std::uint64_t* degrees) {
  return degrees_in(rows, set, words, factor, degrees);
}
std::uint64_t plain_cycles(const std::uint64_t* rows, std::uint64_t count, std::uint64_t words) {
  return cycles_in(rows, count, words);
}
constexpr Kernels kPlain = {plain_cliques, plain_common, plain_keep, plain_edges, plain_degrees, plain_cycles};

#if defined(__x86_64__)
#define MATCHA_WITH_POPCNT [[gnu::target("popcnt,bmi")]]
MATCHA_WITH_POPCNT CliquesOfRows fast_cliques(const std::uint64_t* rows, std::uint64_t count, std::uint64_t words,
                                              bool four_cliques, std::uint64_t* spare) {
  return words == 1 ? cliques_in(rows, count, 1, four_cliques, spare)
                    : cliques_in(rows, count, words, four_cliques, spare);
}
MATCHA_WITH_POPCNT std::uint64_t fast_common(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t words) {
  return common_in(a, b, words);
}
MATCHA_WITH_POPCNT std::uint64_t fast_keep(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t words,
                                           std::uint64_t* both) {
  return keep_in(a, b, words, both);
}
MATCHA_WITH_POPCNT std::uint64_t fast_edges(const std::uint64_t* rows, const std::uint64_t* set, std::uint64_t words) {
  return words == 1 ? edges_in(rows, set, 1) : words == 2 ? edges_in(rows, set, 2) : edges_in(rows, set, words);
}
MATCHA_WITH_POPCNT std::uint64_t fast_degrees(const std::uint64_t* rows, const std::uint64_t* set, std::uint64_t words,
                                              std::uint64_t factor, std::uint64_t* degrees) {
  return words == 1   ? degrees_in(rows, set, 1, factor, degrees)
         : words == 2 ? degrees_in(rows, set, 2, factor, degrees)
                      : degrees_in(rows, set, words, factor, degrees);
}
MATCHA_WITH_POPCNT std::uint64_t fast_cycles(const std::uint64_t* rows, std::uint64_t count, std::uint64_t words) {
  return words == 1   ? cycles_in(rows, count, 1)
         : words == 2 ? cycles_in(rows, count, 2)
         : words == 3 ? cycles_in(rows, count, 3)
         : words == 4 ? cycles_in(rows, count, 4)
                      : cycles_in(rows, count, words);
}
constexpr Kernels kWithPopcnt = {fast_cliques, fast_common, fast_keep, fast_edges, fast_degrees, fast_cycles};

const Kernels& best_kernels() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("popcnt") != 0 && __builtin_cpu_supports("bmi") != 0 ? kWithPopcnt : kPlain;
}
#else
const Kernels& best_kernels() { return kPlain; }
#endif

const Kernels& kernels() {
  static const Kernels& best = best_kernels();
  return best;
}

}  // namespace

CliquesOfRows count_cliques(const std::uint64_t* rows, std::uint64_t count, std::uint64_t words, bool four_cliques,
                            std::uint64_t* spare) {
  return kernels().cliques(rows, count, words, four_cliques, spare);
}
std::uint64_t common_bits(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t words) {
  return kernels().common(a, b, words);
}
std::uint64_t keep_common_bits(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t words,
                               std::uint64_t* both) {
  return kernels().keep(a, b, words, both);
}
std::uint64_t count_edges_within(const std::uint64_t* rows, const std::uint64_t* set, std::uint64_t words) {
  return kernels().edges(rows, set, words);
}
std::uint64_t add_degrees_within(const std::uint64_t* rows, const std::uint64_t* set, std::uint64_t words,
                                 std::uint64_t factor, std::uint64_t* degrees) {
  return kernels().degrees(rows, set, words, factor, degrees);
}
std::uint64_t count_four_cycles(const std::uint64_t* rows, std::uint64_t count, std::uint64_t words) {
  return kernels().cycles(rows, count, words);
}

}  // namespace matcha::runtime::motif
