#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontend/pattern/pattern.h"

/// Matches drawn from a graph, for the cost model.
namespace matcha::frontend::pattern {

/// Matches of a small pattern. Each stands for `weights[i]` of them, so that a sum over these estimates one over all.
struct MatchSample {
  double matches = 0;  ///< Estimated number of all matches, injective, without regard to symmetry.
  std::vector<double> weights;
  std::vector<std::vector<std::uint32_t>> images;  ///< Item i: what the vertices of the pattern are mapped to.
};

/// A graph that can be asked. Whoever has one implements it; the front end has none.
class GraphSampler {
 public:
  virtual ~GraphSampler() = default;
  /// Matches of a connected undirected pattern with labels and anti-edges, the same ones each time.
  virtual MatchSample draw(const Pattern& pattern) const = 0;
  /// How many vertices are adjacent to all of these.
  virtual double common(const std::vector<std::uint32_t>& vertices) const = 0;
};

/// Draws the matches of every pattern once, however its vertices are numbered.
class MatchSamples {
 public:
  explicit MatchSamples(std::unique_ptr<const GraphSampler> sampler) : sampler_(std::move(sampler)) {}

  /// A sample, and which of its columns has the image of which vertex of the pattern that was asked for.
  struct Found {
    const MatchSample* sample = nullptr;
    std::vector<int> column;
  };
  Found of(const Pattern& pattern);
  const GraphSampler& sampler() const { return *sampler_; }

 private:
  std::unique_ptr<const GraphSampler> sampler_;
  std::map<std::string, MatchSample> by_key_;
};

}  // namespace matcha::frontend::pattern
