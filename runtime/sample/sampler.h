#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/graph/graph.h"
#include "runtime/graph/random.h"

/// Matches of patterns, drawn from a graph: their number, and some of them.
namespace matcha::runtime::sample {

/// The neighbours of a vertex, ascending. They are the graph's.
struct NeighborRow {
  const std::uint32_t* begin;
  const std::uint32_t* end;

  std::uint64_t size() const { return static_cast<std::uint64_t>(end - begin); }
  /// No branch depends on the items: samples ask for most of them once, so that none could be foreseen.
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
  std::uint32_t near = 0;  ///< Bit i: the image is a neighbour of that of the earlier vertex i,
  std::uint32_t anti = 0;  ///< and here it is none.
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
  double variance = 0;  ///< Of that number.
  std::uint64_t draws = 0, hits = 0, steps = 0;
  /// One match of each draw that found some, and how many it stands for. Their images lie side by side.
  std::vector<double> weights;
  std::vector<std::uint32_t> images;
  bool is_bound = false;  ///< No draw found a match, and `matches` is about the most that there may be.
};

/// Draws matches of patterns as trees. The root is an arc; arcs are drawn by weight, a product of the degrees that
/// later vertices are reached by. Below it each vertex has a set of candidates; of a larger one a few are kept, the
/// more likely the more neighbours they have, and stand for the others. The last set is counted. So the mean of the
/// draws is the number of matches, whatever the weights; these only reduce the variance. The same answers each time.
class Sampler {
 public:
  /// Keeps `view`. Arcs that trees may begin at are drawn here, evenly from all; of a directed graph with a hash index
  /// none.
  explicit Sampler(const GraphView& view, bool directed = false);

  /// Requires: 2 to 32 vertices.
  Estimate draw(const std::vector<PatternVertex>& pattern, const Effort& effort) const;

  const GraphView& view() const { return view_; }

 private:
  friend class Trees;
  struct Arc {
    std::uint32_t first = 0, second = 0;
    float log_first = 0, log_second = 0;  ///< Of the degrees.
  };

  void add(std::uint32_t first, std::uint32_t second);

  GraphView view_;
  std::vector<Arc> arcs_;
  double arcs_of_each_ = 0;  ///< Arcs of the graph that one of `arcs_` stands for.
};

}  // namespace matcha::runtime::sample
