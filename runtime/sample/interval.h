#pragma once

#include <cstdint>

namespace matcha::runtime::sample {

/// The chance that an interval has the true value, at least.
inline constexpr double kConfidence = 0.95;

/// An interval for a count, by draws.
struct Interval {
  double value = 0, half_width = 0;
  std::uint64_t draws = 0, hits = 0;  ///< Hits: draws that found a match.
  double most_over_mean = 0;          ///< The largest value that a draw can have, in means.
};

}  // namespace matcha::runtime::sample
