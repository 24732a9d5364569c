#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <vector>

#include "runtime/graph/buffer.h"
#include "runtime/parallel.h"

namespace matcha::runtime::detail {

/// Numbers below `size` that occur, one bit each. Throws std::bad_alloc.
class NumberSet {
 public:
  explicit NumberSet(std::uint64_t size);

  /// Thread-safe.
  void add(std::uint64_t number) {
    const std::uint64_t mask = std::uint64_t{1} << (number & 63);
    std::atomic_ref<std::uint64_t> word(words_[number >> 6]);
    if ((word.load(std::memory_order_relaxed) & mask) == 0) word.fetch_or(mask, std::memory_order_relaxed);
  }
  /// Adds the numbers `[begin, end)`.
  void add_range(std::uint64_t begin, std::uint64_t end);
  std::uint64_t count() const;
  /// How many there are before each piece of kPiece words, and the total.
  std::vector<std::uint64_t> counts_of_pieces() const;
  /// Each number plus `base`, ascending; `before`: as `counts_of_pieces`.
  template <typename Number>
  Buffer<Number> numbers(const std::vector<std::uint64_t>& before, std::uint64_t base) const {
    Buffer<Number> out(before.back());
    for_indices(0, before.size() - 1, [&](std::uint64_t piece) {
      std::uint64_t next = before[piece];
      const std::uint64_t end = std::min(words_.size(), (piece + 1) * kPiece);
      for (std::uint64_t at = piece * kPiece; at != end; ++at) {
        for (std::uint64_t word = words_[at]; word != 0; word &= word - 1) {
          out[next++] = static_cast<Number>(base + at * 64 + static_cast<std::uint64_t>(std::countr_zero(word)));
        }
      }
    });
    return out;
  }

 private:
  static constexpr std::uint64_t kPiece = 1024;
  Buffer<std::uint64_t> words_;
};

/// Ranks that occur. Throws std::bad_alloc.
class VertexSet {
 public:
  explicit VertexSet(std::uint64_t universe) : universe_(universe), ranks_(universe) {}

  /// In parallel. Requires: ranks below the universe.
  void add(const std::uint32_t* ranks, std::uint64_t count);
  /// Adds the ranks `[begin, end)`.
  void add_range(std::uint64_t begin, std::uint64_t end) { ranks_.add_range(begin, end); }
  std::uint64_t count() const { return ranks_.count(); }
  /// The ranks, ascending; absent (see GraphArrays) when all of the universe occur.
  Buffer<std::uint32_t> take() const;

 private:
  std::uint64_t universe_;
  NumberSet ranks_;
};

}  // namespace matcha::runtime::detail
