#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

/// Numbers of maps, of 64 bits or of 128, that saturate.
namespace matcha::runtime::messages {

/// A number of maps if 64 bits are too few.
using WideNumber = unsigned __int128;

/// The saturated number: this many or more.
template <typename Number>
inline constexpr Number kTooLarge = Number{1} << (8 * sizeof(Number) - 1);

template <typename Number>
Number product(Number a, Number b) {
  Number all = 0;
  return !__builtin_mul_overflow(a, b, &all) && all < kTooLarge<Number> ? all : kTooLarge<Number>;
}
template <typename Number>
Number added(Number a, Number b) {
  return a < kTooLarge<Number> - b ? a + b : kTooLarge<Number>;
}

/// The weight of a rank in shared memory; concurrent threads compute the same one.
template <typename Number>
struct KeptWeight;

template <>
struct KeptWeight<std::uint64_t> {
  static constexpr std::uint64_t kWords = 1;  ///< Weight + 1; 0: not computed so far.

  static std::optional<std::uint64_t> load(std::uint64_t* words) {
    const std::uint64_t more = std::atomic_ref(words[0]).load(std::memory_order_relaxed);
    return more != 0 ? std::optional(more - 1) : std::nullopt;
  }
  static void store(std::uint64_t* words, std::uint64_t weight) {
    std::atomic_ref(words[0]).store(weight + 1, std::memory_order_relaxed);
  }
};

template <>
struct KeptWeight<WideNumber> {
  static constexpr std::uint64_t kWords = 3;  ///< The low and the high half; not 0: computed.

  static std::optional<WideNumber> load(std::uint64_t* words) {
    if (std::atomic_ref(words[2]).load(std::memory_order_acquire) == 0) return std::nullopt;
    const WideNumber high = std::atomic_ref(words[1]).load(std::memory_order_relaxed);
    return high << 64 | std::atomic_ref(words[0]).load(std::memory_order_relaxed);
  }
  static void store(std::uint64_t* words, WideNumber weight) {
    std::atomic_ref(words[0]).store(static_cast<std::uint64_t>(weight), std::memory_order_relaxed);
    std::atomic_ref(words[1]).store(static_cast<std::uint64_t>(weight >> 64), std::memory_order_relaxed);
    std::atomic_ref(words[2]).store(1, std::memory_order_release);
  }
};

template <typename Number>
Number times(Number number, std::uint64_t ways) {
  return ways == 1 ? number : product(number, Number{ways});
}

}  // namespace matcha::runtime::messages
