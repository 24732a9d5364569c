#include "runtime/graph/part_index.h"

#include <algorithm>

namespace matcha::runtime {

bool contains(Ranks ranks, std::uint32_t rank) { return std::binary_search(ranks.begin(), ranks.end(), rank); }

PartIndex::PartIndex(const LabelPart& part, std::uint64_t universe) : part_(part), words_(universe / kBits + 1) {
  for (const std::uint32_t row : part.rows) words_[row / kBits].bits |= std::uint64_t{1} << row % kBits;
  std::uint32_t before = 0;
  for (Word& word : words_) {
    word.before = before;
    before += ones(word.bits);
  }
}

}  // namespace matcha::runtime
