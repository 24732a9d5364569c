#include "engines/cliques/maximal_walk.h"
#include "engines/cliques/sum_walk.h"
#include "engines/cliques/tree_tiers.h"
#include "engines/cliques/tree_walk.h"

namespace matcha::runtime::cliques {
namespace {

struct ScalarWord {
  /// The bits of `from` at the places of `mask`, side by side.
  static MATCHA_CLIQUE_INLINE u64 extract(u64 from, u64 mask) {
    u64 found = 0;
    for (u64 bit = 1; mask != 0; bit += bit, mask &= mask - 1) found |= (from & mask & (~mask + 1)) != 0 ? bit : 0;
    return found;
  }
};
using Scalar = PlainSteps<ScalarWord>;

}  // namespace

void walk_scalar(Tree& tree, const u64* rows, u64 words, const u64* set, u32 held, u32 free, u32 pairs) {
  walk_with<Scalar>(tree, rows, words, set, held, free, pairs);
}

u64 sums_scalar(SumTree<u64>& tree, const u64* rows, u64 words, const u64* set, u32 held) {
  return sums_with<Scalar>(tree, rows, words, set, held);
}

unsigned __int128 sums_scalar(SumTree<unsigned __int128>& tree, const u64* rows, u64 words, const u64* set, u32 held) {
  return sums_with<Scalar>(tree, rows, words, set, held);
}

void maximal_scalar(MaximalTree& tree, const u64* rows, u64 words, const u64* set, u32 held) {
  maximal_with(tree, rows, words, set, held);
}

}  // namespace matcha::runtime::cliques
