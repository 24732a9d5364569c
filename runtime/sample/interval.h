#pragma once

#include <cstdint>
#include <optional>

namespace matcha::runtime::sample {

/// The default confidence: the least probability that an interval contains the true value.
inline constexpr double kConfidence = 0.95;
/// The least and the largest confidence of a request. Beyond them the coverage was not measured.
inline constexpr double kLeastConfidence = 0.5, kMostConfidence = 0.999;

/// A request for an interval. The same request gives the same interval on any number of threads.
struct IntervalRequest {
  std::optional<double> within = {};       ///< The half-width, as a part of the value; nothing: an exact count.
  std::optional<double> confidence = {};   ///< The probability that it has the true value; nothing: `kConfidence`.
  std::optional<std::uint64_t> seed = {};  ///< The seed of the draws; nothing: `kSeed`.
  bool certain = false;  ///< By Bernstein's inequality, which holds for any number of draws, and takes more of them.
};
inline constexpr std::uint64_t kSeed = 1;

/// An interval for a count, estimated from draws.
struct Interval {
  double value = 0, half_width = 0, confidence = kConfidence;
  std::uint64_t draws = 0, hits = 0;  ///< Hits: draws that found a match.
  double most_over_mean = 0;          ///< The largest possible value of a draw over the mean.
  bool certain = false;               ///< By Bernstein's inequality.
};

}  // namespace matcha::runtime::sample
