#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/sample/interval.h"
#include "runtime/sample/sampler.h"

namespace matcha::runtime::sample {

/// Sums over draws.
struct Moments {
  double sum = 0, squares = 0;
  std::uint64_t draws = 0, hits = 0;

  void add(const Moments& other);
};

/// Draws whose largest value is known. The pattern has a spanning tree: an edge, and for each later vertex one earlier
/// neighbour, its parent. Maps of the tree are counted exactly, by sums over the neighbours of each vertex; they need
/// not be injective. A draw is one of these maps, each with the same chance, and stands for all of them, or for less
/// where other edges of the pattern narrow a set of candidates. So no draw is above `most`.
class BoundedDraws {
 public:
  /// Keeps `view`: an undirected graph without a hash index, with labels if `pattern` asks for some. `pattern` has 3 to
  /// 32 vertices. Takes a pass over the arcs, and 8 bytes an arc, for the edge, for each shape of a subtree and for
  /// each label of its ends.
  BoundedDraws(const GraphView& view, std::vector<PatternVertex> pattern);

  /// Maps of the tree. 0: there is no match.
  double most() const { return most_; }
  /// The same draws for the same seed and numbers, whatever the threads of the caller's arena. `is_stopped` ends them
  /// early, with fewer draws than `count`.
  Moments draw(std::uint64_t seed, std::uint64_t first, std::uint64_t count,
               const std::function<bool()>& is_stopped) const;

 private:
  struct Images;
  /// Of each arc the maps of a subtree whose top is its end, added to those of the arcs before it in the row.
  using Sums = std::vector<double>;

  std::shared_ptr<const Sums> sums_below(std::size_t v, std::vector<std::shared_ptr<const Sums>>& known) const;
  bool is_alike(std::size_t one, std::size_t other) const;
  bool fits_label(std::size_t v, std::uint32_t image) const {
    return !pattern_[v].label || view_.labels[image] == *pattern_[v].label;
  }
  /// The item of that number among those of a row that a vertex may have by its label and the tree below it.
  std::uint32_t item_of(std::size_t v, std::uint32_t parent, std::uint64_t at) const;
  bool hangs_on_both(std::size_t v) const { return (pattern_[v].near & 3) == 3; }
  double maps_below(std::size_t v, std::uint32_t parent) const;
  double weight_of(std::uint32_t first, std::uint32_t second) const;
  void weigh_edges();
  double tree(Random& random, Images& images) const;
  bool fits(std::size_t v, std::uint32_t image, std::size_t base, const Images& images) const;
  double place_leaf(std::size_t v, Random& random, Images& images) const;
  bool place_inner(std::size_t v, Random& random, Images& images) const;

  const GraphView view_;
  const std::vector<PatternVertex> pattern_;
  std::vector<std::size_t> parents_;
  std::vector<std::vector<std::size_t>> children_;  ///< Those on both ends of the edge are no one's.
  std::vector<std::shared_ptr<const Sums>> sums_;   ///< Of each vertex with children or a label; null: all are 1.
  std::vector<double> weights_;                     ///< Of the arcs as images of the edge, each added to those before.
  double most_ = 0;
};

/// How wide an interval is for a chance that it misses the true value. There are two tries, each with half of it.
struct Width {
  explicit Width(double confidence);

  double quantile;  ///< Standard errors, by the central limit theorem.
  double range;     ///< Bernstein's range term is this times the largest value over the number of draws.
  /// The inequality for each of the tries: so many standard errors and largest values of a draw.
  double certain_errors, certain_range;
};

/// Finds an interval of a relative half-width. The interval is that of the central limit theorem where the largest
/// value of a draw is known to be so small that no draw decides it (Bernstein's range term is within the width); else
/// there is none. One that must be certain is that of Bernstein's inequality. A pilot fixes the number of draws and is
/// thrown away.
class WithinRun {
 public:
  /// Makes the pilot, of at most 65,536 draws. Requires: `request.within`, above 0.
  WithinRun(const BoundedDraws& draws, const IntervalRequest& request);

  /// Draws that the interval takes; nothing: the pilot cannot tell, as too few of its draws found matches.
  std::optional<std::uint64_t> draws_needed() const { return needed_; }
  /// Nothing: stopped, or none within the width. Requires: `draws_needed`.
  std::optional<Interval> run(const std::function<bool()>& is_stopped) const;

 private:
  std::optional<std::uint64_t> needed_for(const Moments& before) const;

  const BoundedDraws& draws_;
  const double within_, confidence_;
  const Width width_;
  const std::uint64_t seed_;
  const bool certain_;
  std::optional<std::uint64_t> needed_;
};

}  // namespace matcha::runtime::sample
