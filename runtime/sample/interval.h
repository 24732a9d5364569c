#pragma once

#include <cstdint>
#include <optional>

namespace matcha::runtime::sample {

/// The chance that an interval has the true value, at least, where the request names none.
inline constexpr double kConfidence = 0.95;
/// The least and the largest one that a request may name. Beyond them the audits have no figures.
inline constexpr double kLeastConfidence = 0.5, kMostConfidence = 0.999;

/// The interval that is asked for. The same request gives the same interval, whatever the number of threads.
struct IntervalRequest {
  std::optional<double> within = {};       ///< The half-width, as a part of the value, that is enough; nothing: none.
  std::optional<double> confidence = {};   ///< The chance that the interval has the true value; nothing: `kConfidence`.
  std::optional<std::uint64_t> seed = {};  ///< Of the draws; nothing: `kSeed`.
  bool certain = false;  ///< By Bernstein's inequality, which holds for any number of draws, and takes more of them.
};
inline constexpr std::uint64_t kSeed = 1;

/// An interval for a count, by draws.
struct Interval {
  double value = 0, half_width = 0, confidence = kConfidence;
  std::uint64_t draws = 0, hits = 0;  ///< Hits: draws that found a match.
  double most_over_mean = 0;          ///< The largest value that a draw can have, in means.
  bool certain = false;               ///< By Bernstein's inequality.
};

}  // namespace matcha::runtime::sample
