#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace matcha::runtime::stream {

/// A set of pairs of different 32-bit numbers, as a hash table.
class PairSet {
 public:
  static std::uint64_t pair_of(std::uint32_t u, std::uint32_t v) { return std::uint64_t{u} << 32U | v; }
  static std::uint32_t first_of(std::uint64_t pair) { return static_cast<std::uint32_t>(pair >> 32U); }
  static std::uint32_t second_of(std::uint64_t pair) { return static_cast<std::uint32_t>(pair); }

  bool has(std::uint64_t pair) const { return !slots_.empty() && slots_[slot_of(pair)] != 0; }
  /// False: it was there. Throws std::bad_alloc, and then nothing has changed.
  bool add(std::uint64_t pair);
  /// False: it was not there.
  bool erase(std::uint64_t pair);
  /// Removes all pairs; keeps the memory.
  void clear();
  std::size_t size() const { return used_; }
  std::uint64_t bytes() const { return slots_.capacity() * sizeof(std::uint64_t); }
  /// Prefetches what the other functions read.
  void fetch(std::uint64_t pair) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[first_slot(pair)]);
  }
  /// Calls `take` with each pair, in any order.
  template <typename Take>
  void each(const Take& take) const {
    for (const std::uint64_t pair : slots_) {
      if (pair != 0) take(first_of(pair), second_of(pair));
    }
  }

 private:
  std::size_t first_slot(std::uint64_t pair) const {
    return static_cast<std::size_t>((pair * 0x9E3779B97F4A7C15ULL) >> shift_);
  }
  /// The slot of a pair, or the empty one where it belongs.
  std::size_t slot_of(std::uint64_t pair) const {
    std::size_t slot = first_slot(pair);
    while (slots_[slot] != 0 && slots_[slot] != pair) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  std::vector<std::uint64_t> slots_;  ///< 0: empty. The size is a power of two; at most three quarters are used.
  unsigned shift_ = 64;
  std::size_t used_ = 0;
};

}  // namespace matcha::runtime::stream
