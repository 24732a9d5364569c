#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/graph/label_slices.h"

namespace matcha::runtime {

/// Ascending ranks.
using Ranks = std::span<const std::uint32_t>;

bool contains(Ranks ranks, std::uint32_t rank);

/// The number of 1 bits, computed in place where processors may lack a popcount instruction.
constexpr std::uint32_t ones(std::uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
  bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F;
  return static_cast<std::uint32_t>(bits * 0x0101010101010101 >> 56);
}

/// Finds the rows of one part of a table of edge labels by vertex, without a search: a bit for each vertex, and for
/// each word of bits the number of rows before it.
class PartIndex {
 public:
  /// Takes a pass over the rows. Throws std::bad_alloc.
  PartIndex(const LabelPart& part, std::uint64_t universe);

  /// One bit for each of 64 vertices, and the number of rows before the first of them.
  struct Word {
    std::uint64_t bits = 0;
    std::uint64_t before = 0;
  };

  const LabelPart& part() const { return part_; }
  const std::vector<Word>& words() const { return words_; }
  bool has(std::uint32_t vertex) const { return (words_[vertex / kBits].bits >> vertex % kBits & 1) != 0; }
  /// The items of a vertex; empty where it has no row.
  [[gnu::always_inline]] Ranks of(std::uint32_t vertex) const {
    const Word& word = words_[vertex / kBits];
    const std::uint64_t bit = std::uint64_t{1} << vertex % kBits;
    if ((word.bits & bit) == 0) return {};
    const std::uint64_t row = word.before + ones(word.bits & (bit - 1));
    const std::uint32_t begin = row == 0 ? 0 : part_.ends[row - 1];
    return part_.items.subspan(begin, part_.ends[row] - begin);
  }

 private:
  static constexpr std::uint64_t kBits = 64;

  LabelPart part_;
  std::vector<Word> words_;
};

}  // namespace matcha::runtime
