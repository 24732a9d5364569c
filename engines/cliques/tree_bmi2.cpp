#include <immintrin.h>

#include "engines/cliques/maximal_walk.h"
#include "engines/cliques/sum_walk.h"
#include "engines/cliques/tree_tiers.h"
#include "engines/cliques/tree_walk.h"

namespace matcha::runtime::cliques {
namespace {

/// One instruction counts or extracts the bits of a word. Vectors of 256 bits, which count by tables, are no faster for
/// the few vertices that most sets have.
struct Bmi2Word {
  static MATCHA_CLIQUE_INLINE u64 extract(u64 from, u64 mask) { return _pext_u64(from, mask); }
};
using Bmi2 = PlainSteps<Bmi2Word>;

}  // namespace

void walk_bmi2(Tree& tree, const u64* rows, u64 words, const u64* set, u32 held, u32 free, u32 pairs) {
  walk_with<Bmi2>(tree, rows, words, set, held, free, pairs);
}

u64 sums_bmi2(SumTree<u64>& tree, const u64* rows, u64 words, const u64* set, u32 held) {
  return sums_with<Bmi2>(tree, rows, words, set, held);
}

unsigned __int128 sums_bmi2(SumTree<unsigned __int128>& tree, const u64* rows, u64 words, const u64* set, u32 held) {
  return sums_with<Bmi2>(tree, rows, words, set, held);
}

void maximal_bmi2(MaximalTree& tree, const u64* rows, u64 words, const u64* set, u32 held) {
  maximal_with(tree, rows, words, set, held);
}

}  // namespace matcha::runtime::cliques
