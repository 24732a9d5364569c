#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

/// Arcs as words of 32 bits in buckets of neighbouring sources.
namespace matcha::runtime::detail {

/// A bucket holds 2^low_bits sources. A word in it has the low bits of the source above the key.
class ArcBuckets {
 public:
  /// As many sources a bucket as keep the buckets in the cache while they are filled, or fewer where a word has no room
  /// for the low bits. Sources are below `n`, targets below `targets`.
  ArcBuckets(std::uint64_t n, std::uint64_t targets, std::uint64_t arcs, unsigned shift) {
    constexpr std::uint64_t kArcs = std::uint64_t{1} << 12;
    constexpr std::uint64_t kMost = std::uint64_t{1} << 16;
    const auto bits_below = [](std::uint64_t limit) { return limit < 2 ? 0 : std::bit_width(limit - 1); };
    const int source_bits = bits_below(n);
    const int wanted = std::bit_width(std::clamp<std::uint64_t>(arcs / kArcs, 1, kMost)) - 1;
    key_bits_ = static_cast<unsigned>(bits_below(targets)) + shift;
    low_bits_ = static_cast<unsigned>(std::clamp(source_bits - wanted, 0, 32 - static_cast<int>(key_bits_)));
    count_ = ((n == 0 ? 0 : n - 1) >> low_bits_) + 1;
  }

  std::uint64_t count() const { return count_; }
  std::uint64_t of(std::uint64_t source) const { return source >> low_bits_; }
  std::uint64_t first_source(std::uint64_t bucket) const { return bucket << low_bits_; }
  std::uint32_t word(std::uint64_t source, std::uint64_t key) const {
    const std::uint64_t low = source & ((std::uint64_t{1} << low_bits_) - 1);
    return static_cast<std::uint32_t>(low << key_bits_ | key);
  }
  std::uint64_t low_of(std::uint64_t word) const { return word >> key_bits_; }
  std::uint32_t key_of(std::uint64_t word) const {
    return static_cast<std::uint32_t>(word & ((std::uint64_t{1} << key_bits_) - 1));
  }
  unsigned word_bits() const { return key_bits_ + low_bits_; }

 private:
  unsigned key_bits_ = 0;
  unsigned low_bits_ = 0;
  std::uint64_t count_ = 1;
};

/// Radix sort of words of `bits` bits, one byte a pass. `spare` has room for `count` words.
inline void sort_words(std::uint32_t* words, std::uint64_t count, unsigned bits, std::uint32_t* spare) {
  constexpr std::uint64_t kFew = 64;
  if (count <= kFew) return std::sort(words, words + count);
  std::uint32_t counts[4][256] = {};
  for (std::uint64_t at = 0; at < count; ++at) {
    const std::uint32_t word = words[at];
    ++counts[0][word & 255];
    ++counts[1][word >> 8 & 255];
    ++counts[2][word >> 16 & 255];
    ++counts[3][word >> 24];
  }
  std::uint32_t* from = words;
  std::uint32_t* to = spare;
  for (unsigned byte = 0; 8 * byte < bits; ++byte) {
    std::uint32_t sum = 0;
    for (std::uint32_t& place : counts[byte]) sum += std::exchange(place, sum);
    for (std::uint64_t at = 0; at < count; ++at) to[counts[byte][from[at] >> (8 * byte) & 255]++] = from[at];
    std::swap(from, to);
  }
  if (from != words) std::copy_n(from, count, words);
}

}  // namespace matcha::runtime::detail
