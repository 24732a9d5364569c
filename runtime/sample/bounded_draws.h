#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/common/exact_sum.h"
#include "runtime/sample/interval.h"
#include "runtime/sample/sampler.h"

namespace matcha::runtime::sample {

/// Exact sums over draws, rounded once at the end, so that the order of the additions does not matter.
class Moments {
 public:
  Moments() = default;
  /// The moments of one task: sums of values and of their squares, the numbers of draws and of those that found a
  /// match.
  Moments(double sum, double squares, std::uint64_t draws, std::uint64_t hits);

  void add(const Moments& other);
  double sum() const { return exact_sum_round(exact_sum); }
  double squares() const { return exact_sum_round(exact_squares); }

  std::uint64_t draws = 0, hits = 0;
  ExactSum exact_sum{}, exact_squares{};
};

/// Lists of neighbours: those of a graph, of its reverse, or of the edges with one label.
struct NeighborLists {
  GraphView view{};                        ///< Without a hash index.
  bool may_repeat = false;                 ///< A list may repeat a neighbour, side by side; repeats count once.
  std::shared_ptr<const void> owner = {};  ///< Keeps the arrays of `view`; null: the caller does.
};

/// A condition on the images of two vertices of a pattern.
struct Link {
  std::size_t to = 0;      ///< The earlier vertex.
  std::size_t list = 0;    ///< The index of the lists of neighbours.
  bool is_absent = false;  ///< The later image is not in the list of the earlier one; else it is.
};

/// A vertex of a pattern. Its number is its place in the order in which images are drawn. The second vertex has a link
/// (not an absent one) to the first, and each later vertex to some vertex before it.
struct DrawnVertex {
  std::vector<Link> links;
  std::optional<std::int64_t> label;
};

/// Draws with a known largest value, which estimate the number of matches of a pattern. The pattern has a spanning
/// tree: an edge, and for each later vertex one earlier neighbour, its parent. The maps of the tree, injective or not,
/// are counted exactly, by sums over the neighbours of each vertex. A draw picks one of these maps uniformly. Its value
/// is the number of all maps, less if other edges of the pattern narrow a set of candidates, or 0 if the map is no
/// match. So no value is above `most`, and the mean of the values is the number of matches.
class BoundedDraws {
 public:
  /// The draws of a task. Tasks begin at multiples of it, and their moments are added up in order.
  static constexpr std::uint64_t kDrawsOfTask = 1024;

  /// `lists`: the lists that links refer to, over the same vertices and without loops; the first has the labels of the
  /// vertices, if `pattern` has labels. `pattern` has 3 to 32 vertices. Takes a pass over the arcs, and 8 bytes an arc,
  /// for the edge and for each different subtree, and less for the lists of each label.
  BoundedDraws(std::vector<NeighborLists> lists, std::vector<DrawnVertex> pattern);

  /// The number of maps of the tree; if it is 0, there is no match.
  double most() const { return most_; }
  /// Makes the draws `first` to `first + count - 1` of a seed, on the threads of the caller's arena. The same numbers
  /// give the same draws on any number of threads. If `is_stopped` returns true, there are fewer draws.
  Moments draw(std::uint64_t seed, std::uint64_t first, std::uint64_t count,
               const std::function<bool()>& is_stopped) const;

 private:
  /// For each arc, the number of maps of a subtree with its top at the end of the arc, summed over the arcs of the row
  /// up to this one.
  using Sums = std::vector<double>;
  using Images = std::vector<std::uint32_t>;
  /// The edge of the tree from a vertex to an earlier one.
  struct Branch {
    Link link;
    std::shared_ptr<const Sums> sums;  ///< Null: all are 1.
  };

  void keep_lists(const std::vector<NeighborLists>& lists);
  void grow_tree();
  std::optional<Link> shortest_link(std::size_t v, std::size_t to) const;
  std::shared_ptr<const Sums> sums_below(std::size_t v, std::size_t list) const;
  bool is_alike(std::size_t one, std::size_t other) const;
  NeighborRow row(const Link& link, std::uint32_t image) const { return neighbor_row(lists_[link.list].view, image); }
  bool hangs_on_both(std::size_t v) const { return v > 1 && branches_[v].size() == 2; }
  double maps_below(const Branch& branch, std::uint32_t parent) const;
  double weight_of(std::uint32_t first, std::uint32_t second) const;
  void weigh_edges();
  double tree(Random& random, Images& images) const;
  bool fits(std::size_t v, std::uint32_t image, const Link& base, const std::uint32_t* images) const;
  double place_leaf(std::size_t v, Random& random, Images& images) const;
  bool place_inner(std::size_t v, Random& random, Images& images) const;

  std::vector<DrawnVertex> pattern_;  ///< Links name the lists of `lists_`.
  std::vector<NeighborLists>
      lists_;  ///< Without repeats, and with the neighbours that have the label of the link's end.
  std::uint64_t universe_;
  const std::int64_t* labels_;
  std::vector<std::vector<Branch>>
      branches_;  ///< The edge to the parent; two for a neighbour of both ends of the edge.
  std::vector<std::vector<std::size_t>> children_;  ///< Without neighbours of both ends of the edge.
  std::vector<double> weights_;                     ///< Running sums of the weights of arcs as images of the edge.
  double most_ = 0;
};

/// Factors for the half-width of an interval of a given confidence. There are kTries tries, which share the probability
/// of a miss.
struct Width {
  explicit Width(double confidence);

  double quantile;  ///< Standard errors, by the central limit theorem.
  double range;     ///< Bernstein's range term is this times the largest value over the number of draws.
  /// Bernstein's inequality for one try: the half-width is `certain_errors` standard errors plus `certain_range` times
  /// the largest value of a draw over the number of draws.
  double certain_errors, certain_range;
};

/// The number of tries to find an interval of a width.
inline constexpr std::size_t kTries = 2;

/// The finished draws of one pattern and seed. Intervals of other widths continue with them.
struct MadeDraws {
  Moments pilot;
  std::array<Moments, kTries> tries;  ///< The first draws of each.
};

/// Finds an interval of a relative half-width. It is the interval of the central limit theorem, if the largest value of
/// a draw is so small that no single draw decides it (Bernstein's range term is within the width); otherwise there is
/// none. With `certain` it is the interval of Bernstein's inequality. A pilot fixes the number of draws and is no part
/// of the interval.
class WithinRun {
 public:
  /// Makes the pilot, of at most 65,536 draws, or takes that of `made`. `made` saves draws and changes no interval.
  /// Requires: `request.within` is above 0.
  WithinRun(const BoundedDraws& draws, const IntervalRequest& request, MadeDraws made = {});

  /// The number of draws for the interval, in whole tasks; nothing if too few draws of the pilot found matches.
  std::optional<std::uint64_t> draws_needed() const { return needed_; }
  /// The number of these draws that are not made yet. Requires: `draws_needed` has a value.
  std::uint64_t draws_left() const { return *needed_ - std::min(*needed_, made_.tries[0].draws); }
  /// The interval; nothing if it was stopped, or no interval is within the width. Requires: `draws_needed` has a value.
  std::optional<Interval> run(const std::function<bool()>& is_stopped);
  /// The moments of part `index` of `parts` of the first try; of fewer draws if it is stopped. The moments of all parts
  /// add up to those of the try.
  Moments part(std::uint64_t index, std::uint64_t parts, const std::function<bool()>& is_stopped) const;
  /// The interval of a try, of any width; nothing if no draw found a match.
  std::optional<Interval> interval_of(const Moments& all) const;
  const MadeDraws& made() const { return made_; }

 private:
  std::optional<std::uint64_t> needed_for(const Moments& before) const;
  Moments first_of(std::size_t attempt, std::uint64_t count, const std::function<bool()>& is_stopped);

  const BoundedDraws& draws_;
  const double within_, confidence_;
  const Width width_;
  const std::uint64_t seed_;
  const bool certain_;
  MadeDraws made_;
  std::optional<std::uint64_t> needed_;
};

}  // namespace matcha::runtime::sample
