#pragma once

#include <cstdint>
#include <vector>

namespace matcha::runtime::cliques {

/// Pseudo-random numbers in [0, 1), the same in every run: SplitMix (Steele, Lea and Flood, 2014).
class Draws {
 public:
  double next() {
    constexpr double kScale = 1.0 / 9007199254740992.0;
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return static_cast<double>((z ^ z >> 31) >> 11) * kScale;
  }

 private:
  std::uint64_t state_ = 1;
};

/// Systematic sampling: about `wanted` items, each with a probability by its weight, at even distances of the running
/// sum of the weights. Uses one draw.
inline std::vector<std::uint64_t> spread(const std::vector<double>& weights, std::uint64_t wanted, Draws& draws) {
  double all = 0;
  for (const double weight : weights) all += weight;
  std::vector<std::uint64_t> places;
  const double step = all / static_cast<double>(wanted);
  double next = draws.next() * step, sum = 0;
  for (std::uint64_t i = 0; i < weights.size(); ++i) {
    sum += weights[i];
    for (; next < sum && places.size() < wanted; next += step) places.push_back(i);
  }
  return places;
}

}  // namespace matcha::runtime::cliques
