#pragma once

#include <cstdint>

namespace matcha::runtime {

/// The mixing step of splitmix64 (Steele, Lea, Flood 2014).
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

/// xoshiro256** (Blackman, Vigna 2018): the same numbers on every machine. `stream` selects one of many sequences of a
/// seed, so that parallel pieces draw independently.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) {
    std::uint64_t x = mix(seed) ^ mix(~stream);
    for (std::uint64_t& word : state_) word = x = mix(x);
  }

  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// Uniform in 0…bound-1, without bias (Lemire 2019). Requires: bound > 0.
  std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    Wide product = static_cast<Wide>(next()) * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t threshold = (0 - bound) % bound;
      while (static_cast<std::uint64_t>(product) < threshold) product = static_cast<Wide>(next()) * bound;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  /// True with the probability threshold / 2^53.
  bool chance(std::uint64_t threshold) { return next() >> 11 < threshold; }

 private:
  static std::uint64_t rotate(std::uint64_t x, int by) { return x << by | x >> (64 - by); }
  std::uint64_t state_[4];
};

/// A probability as the threshold of `Random::chance`.
inline std::uint64_t threshold_of(double probability) {
  constexpr double kUnit = 9007199254740992.0;  // 2^53
  return static_cast<std::uint64_t>(probability * kUnit);
}

}  // namespace matcha::runtime
