#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/graph/buffer.h"

namespace matcha::runtime::detail {

/// Ranges of sources with at most `most` arcs each; a single vertex may exceed it.
class ArcRanges {
 public:
  /// `counts`: the arcs of each vertex, loops left out.
  ArcRanges(const Buffer<std::uint64_t>& counts, std::uint64_t n, std::uint64_t most) {
    firsts_.push_back(0);
    begins_.push_back(0);
    std::uint64_t sum = 0;
    for (std::uint64_t vertex = 0; vertex < n; ++vertex) {
      if (sum != begins_.back() && sum + counts[vertex] - begins_.back() > most) {
        firsts_.push_back(vertex);
        begins_.push_back(sum);
      }
      sum += counts[vertex];
    }
    firsts_.push_back(n);
    begins_.push_back(sum);
    while ((n >> shift_) >= kGuesses) ++shift_;
    for (std::uint64_t guess = 0; guess <= n >> shift_; ++guess) {
      const auto after = std::upper_bound(firsts_.begin(), firsts_.end() - 1, guess << shift_);
      guesses_.push_back(static_cast<std::uint32_t>(after - firsts_.begin() - 1));
    }
  }

  std::size_t size() const { return firsts_.size() - 1; }
  std::uint64_t first(std::size_t range) const { return firsts_[range]; }
  /// The number of arcs of all earlier ranges.
  std::uint64_t begin(std::size_t range) const { return begins_[range]; }
  /// The same of each range, and of all.
  const std::vector<std::uint64_t>& begins() const { return begins_; }
  std::uint64_t longest() const {
    std::uint64_t most = 0;
    for (std::size_t range = 0; range < size(); ++range) most = std::max(most, begin(range + 1) - begin(range));
    return most;
  }
  std::size_t of(std::uint64_t source) const {
    std::size_t range = guesses_[source >> shift_];
    while (source >= firsts_[range + 1]) ++range;
    return range;
  }

 private:
  static constexpr std::uint64_t kGuesses = std::uint64_t{1} << 14;
  std::vector<std::uint64_t> firsts_, begins_;
  std::vector<std::uint32_t> guesses_;  ///< The range of the first of each 2^shift_ sources.
  unsigned shift_ = 0;
};

}  // namespace matcha::runtime::detail
