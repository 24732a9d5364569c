#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/graph/graph.h"
#include "runtime/graph/random.h"

/// Samples of the matches of a pattern: an estimate of their number, and some of them.
namespace matcha::runtime::sample {

/// The neighbours of a vertex, ascending; they point into the graph.
struct NeighborRow {
  const std::uint32_t* begin;
  const std::uint32_t* end;

  std::uint64_t size() const { return static_cast<std::uint64_t>(end - begin); }
  /// True if `v` is a neighbour. The search has no branch on the items, since most searches are for different rows, and
  /// a branch could not be predicted.
  bool has(std::uint32_t v) const {
    const std::uint32_t* first = begin;
    for (std::uint64_t rest = size(); rest > 1;) {
      const std::uint64_t half = rest / 2;
      first += first[half] <= v ? half : 0;
      rest -= half;
    }
    return begin != end && *first == v;
  }
};

inline NeighborRow neighbor_row(const GraphView& view, std::uint32_t v) {
  const ArcRange arcs = arcs_of(view, v);
  return {view.neighbors + arcs.begin, view.neighbors + arcs.end};
}

/// A vertex of a pattern. Its number is its place in the order in which images are drawn; the first two are adjacent,
/// and each later one is adjacent to one before it.
struct PatternVertex {
  std::uint32_t near = 0;  ///< Bit i: the image is a neighbour of the image of the earlier vertex i.
  std::uint32_t anti = 0;  ///< Bit i: it is not a neighbour of that image.
  std::optional<std::int64_t> label;
};

/// The number of draws. Drawing ends after `most_steps` sets of candidates, or once both other numbers are reached.
struct Effort {
  std::uint64_t draws = 0;       ///< The least number of draws.
  double effective = 0;          ///< The least effective sample size of the draws (Kish).
  std::uint64_t most_steps = 0;  ///< The most sets of candidates.
};

struct Estimate {
  double matches = 0;   ///< Injective maps, without regard to symmetry.
  double variance = 0;  ///< The variance of this estimate.
  std::uint64_t draws = 0, hits = 0, steps = 0;
  /// One match of each draw that found some: the number of matches that it stands for, and the images of its vertices,
  /// match after match.
  std::vector<double> weights;
  std::vector<std::uint32_t> images;
  bool is_bound = false;  ///< No draw found a match, and `matches` is an approximate upper bound.
};

/// Draws matches of patterns as trees. The root is an arc, drawn by a weight: a product of the degrees from which later
/// vertices are reached. Below it each vertex has a set of candidates. Of a large set only a few are kept, chosen with
/// higher probability for more neighbours, and stand for the others. The last set is counted. So the expected value of
/// a draw is the number of matches for any weights; good weights reduce the variance. The same calls give the same
/// draws.
class Sampler {
 public:
  /// Keeps `view`, whose arrays must outlive it. Draws the arcs at which trees may begin, uniformly from all arcs; none
  /// for a directed graph with a hash index.
  explicit Sampler(const GraphView& view, bool directed = false);

  /// Requires: 2 to 32 vertices.
  Estimate draw(const std::vector<PatternVertex>& pattern, const Effort& effort) const;

  const GraphView& view() const { return view_; }

 private:
  friend class Trees;
  struct Arc {
    std::uint32_t first = 0, second = 0;
    float log_first = 0, log_second = 0;  ///< The logarithms of the degrees of both ends.
  };

  void add(std::uint32_t first, std::uint32_t second);

  GraphView view_;
  std::vector<Arc> arcs_;
  double arcs_of_each_ = 0;  ///< The number of arcs of the graph for each of `arcs_`.
};

}  // namespace matcha::runtime::sample
