#include "runtime/graph/detail/vertex_set.h"

#include <numeric>

namespace matcha::runtime::detail {

NumberSet::NumberSet(std::uint64_t size) : words_((size + 63) / 64) { std::fill(words_.begin(), words_.end(), 0); }

void NumberSet::add_range(std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t bit = begin; bit < end;) {
    const std::uint64_t room = std::min(64 - (bit & 63), end - bit);
    const std::uint64_t ones = room == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << room) - 1;
    words_[bit >> 6] |= ones << (bit & 63);
    bit += room;
  }
}

std::uint64_t NumberSet::count() const { return counts_of_pieces().back(); }

std::vector<std::uint64_t> NumberSet::counts_of_pieces() const {
  const std::uint64_t pieces = (words_.size() + kPiece - 1) / kPiece;
  std::vector<std::uint64_t> before(pieces + 1, 0);
  for_indices(0, pieces, [&](std::uint64_t piece) {
    const std::uint64_t end = std::min(words_.size(), (piece + 1) * kPiece);
    std::uint64_t count = 0;
    for (std::uint64_t at = piece * kPiece; at != end; ++at) {
      count += static_cast<std::uint64_t>(std::popcount(words_[at]));
    }
    before[piece + 1] = count;
  });
  std::partial_sum(before.begin(), before.end(), before.begin());
  return before;
}

void VertexSet::add(const std::uint32_t* ranks, std::uint64_t count) {
  for_blocks(Block(0, count, std::uint64_t{1} << 14), [&](const Block& block) {
    for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
      if (at != block.begin() && ranks[at] == ranks[at - 1]) continue;  // Sources are usually sorted.
      ranks_.add(ranks[at]);
    }
  });
}

Buffer<std::uint32_t> VertexSet::take() const {
  const std::vector<std::uint64_t> before = ranks_.counts_of_pieces();
  return before.back() == universe_ ? Buffer<std::uint32_t>() : ranks_.numbers<std::uint32_t>(before, 0);
}

}  // namespace matcha::runtime::detail
