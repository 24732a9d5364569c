#pragma once

#include <map>
#include <string>
#include <vector>

#include "planner/samples.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/labels.h"

namespace matcha::session {

/// Draws matches by random walks that extend one vertex at a time. Each step tests a sample of the shortest list of
/// neighbours, takes one that fits, and multiplies the walk's weight by the estimated number of candidates: an unbiased
/// estimate, as in Alley (Kim et al., SIGMOD 2021), with a bound on the work of a step. Vertices with many neighbours,
/// which most matches have, are chosen more often and weigh less. The results are the same each time.
class MatchSampler final : public pattern::GraphSampler {
 public:
  /// The graph is kept by reference; `codes` has the labels by their literals. `by_degree`: the program will have ids
  /// by degree, the largest first.
  MatchSampler(const runtime::Graph& graph, std::map<std::string, std::int64_t> codes, bool by_degree);

  pattern::MatchSample draw(const pattern::Pattern& pattern) const override;
  pattern::Members members(const std::vector<std::uint32_t>& in, const std::vector<std::uint32_t>& off) const override;
  std::uint64_t rank(std::uint32_t v) const override;

  /// An arc at which walks begin.
  struct Start {
    std::uint32_t first = 0, second = 0;
    double arcs = 0;     ///< The number of arcs that it represents as a start.
    double chances = 0;  ///< The cumulative chance to begin at it or at those before it.
  };

 private:
  const runtime::GraphView view_;
  const std::map<std::string, std::int64_t> codes_;
  const bool by_degree_;
  const std::vector<Start> starts_;
};

}  // namespace matcha::session
