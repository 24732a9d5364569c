#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "incremental/runtime/dynamic_graph.h"

namespace matcha::runtime::stream {

/// Ample memory for rows, by the size classes of ArrayPool: unchanged rows never move. Freed words may be read until
/// the next turn; only then they are reused.
class RowPool {
 public:
  /// Empties it.
  void reset(std::uint64_t capacity) {
    capacity_ = capacity;
    used_ = 0;
    free_.assign(kClasses, {});
    given_.clear();
  }
  /// Takes exactly `words` words after all earlier ones; empty: there is no room.
  std::optional<std::uint64_t> append(std::uint32_t words) {
    if (words > capacity_ - used_) return std::nullopt;
    return std::exchange(used_, used_ + words);
  }
  /// Takes at least `words` words; `room` is the actual number. Empty: there is no room. Requires: words > 0.
  std::optional<std::uint64_t> take(std::uint32_t words, std::uint32_t& room) {
    const std::uint32_t wanted = ArrayPool::class_of(words);
    // A slightly longer array is acceptable, too.
    constexpr std::uint32_t kLonger = 4;
    for (std::uint32_t c = wanted; c <= wanted + kLonger; ++c) {
      if (free_[c].empty()) continue;
      const std::uint64_t word = free_[c].back();
      free_[c].pop_back();
      room = static_cast<std::uint32_t>(ArrayPool::capacity_of(c));
      return word;
    }
    room = static_cast<std::uint32_t>(ArrayPool::capacity_of(wanted));
    return append(room);
  }
  /// Frees words from `take` or `append`.
  void give_back(std::uint64_t word, std::uint32_t room) {
    // Room too short for its class belongs to the class below.
    if (room < 2) return;
    const std::uint32_t c = ArrayPool::class_of(room);
    given_.push_back({word, ArrayPool::capacity_of(c) == room ? c : c - 1});
  }
  /// Freed words become reusable.
  void turn() {
    for (const Freed& given : given_) free_[given.size_class].push_back(given.word);
    given_.clear();
  }

 private:
  /// An upper bound of the number of classes.
  static constexpr std::uint32_t kClasses = 160;
  struct Freed {
    std::uint64_t word = 0;
    std::uint32_t size_class = 0;
  };

  std::uint64_t capacity_ = 0, used_ = 0;
  std::vector<std::vector<std::uint64_t>> free_;  ///< By class.
  std::vector<Freed> given_;
};

}  // namespace matcha::runtime::stream
