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

/// Sums over draws, rounded once: the same for the same tasks of draws, in whatever order they are added.
class Moments {
 public:
  Moments() = default;
  /// Of the draws of one task.
  Moments(double sum, double squares, std::uint64_t draws, std::uint64_t hits);

  void add(const Moments& other);
  double sum() const { return exact_sum_round(exact_sum); }
  double squares() const { return exact_sum_round(exact_squares); }

  std::uint64_t draws = 0, hits = 0;
  ExactSum exact_sum{}, exact_squares{};
};

/// Lists of neighbours: those of a graph, of its reverse, or of the edges with one label.
struct NeighborLists {
  GraphView view{};         ///< Without a hash index.
  bool may_repeat = false;  ///< A list may have a neighbour several times, side by side, which counts once.
  std::shared_ptr<const void> owner = {};  ///< Keeps the arrays of `view`; null: the caller does.
};

/// A condition on the images of two vertices of a pattern.
struct Link {
  std::size_t to = 0;      ///< The earlier vertex.
  std::size_t list = 0;    ///< Which lists of neighbours.
  bool is_absent = false;  ///< The later image is not in the list of the earlier one; else it is.
};

/// A vertex of a pattern. Its number is its place in the order in which images are drawn; the second one has a link
/// that is not absent to the first, and each later one to some vertex before it.
struct DrawnVertex {
  std::vector<Link> links;
  std::optional<std::int64_t> label;
};

/// Draws whose largest value is known. The pattern has a spanning tree: an edge, and for each later vertex one earlier
/// neighbour, its parent. Maps of the tree are counted exactly, by sums over the neighbours of each vertex; they need
/// not be injective. A draw is one of these maps, each with the same chance, and stands for all of them, or for less
/// where other edges of the pattern narrow a set of candidates. So no draw is above `most`.
class BoundedDraws {
 public:
  /// The draws of a task. Tasks begin at multiples of it, and their moments are added up in order.
  static constexpr std::uint64_t kDrawsOfTask = 1024;

  /// `lists`: those that links name, all of the same vertices without loops; the first has their labels, if `pattern`
  /// asks for some. `pattern` has 3 to 32 vertices. Takes a pass over the arcs, and 8 bytes an arc, for the edge and
  /// for each shape of a subtree, and less for the lists of each label.
  BoundedDraws(std::vector<NeighborLists> lists, std::vector<DrawnVertex> pattern);

  /// Maps of the tree. 0: there is no match.
  double most() const { return most_; }
  /// The same draws for the same seed and numbers, whatever the threads of the caller's arena. `is_stopped` ends them
  /// early, with fewer draws than `count`.
  Moments draw(std::uint64_t seed, std::uint64_t first, std::uint64_t count,
               const std::function<bool()>& is_stopped) const;

 private:
  /// Of each arc the maps of a subtree whose top is its end, added to those of the arcs before it in the row.
  using Sums = std::vector<double>;
  using Images = std::vector<std::uint32_t>;
  /// How a vertex hangs on an earlier one.
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
  std::vector<std::vector<Branch>> branches_;  ///< To the parent, and of a vertex on both ends of the edge to both.
  std::vector<std::vector<std::size_t>> children_;  ///< Those on both ends of the edge are no one's.
  std::vector<double> weights_;                     ///< Of the arcs as images of the edge, each added to those before.
  double most_ = 0;
};

/// How wide an interval is for a chance that it misses the true value. There are two tries, each with half of it.
struct Width {
  explicit Width(double confidence);

  double quantile;  ///< Standard errors, by the central limit theorem.
  double range;     ///< Bernstein's range term is this times the largest value over the number of draws.
  /// Bernstein's inequality for one try: the half-width is `certain_errors` standard errors plus `certain_range` times
  /// the largest value of a draw over the number of draws.
  double certain_errors, certain_range;
};

/// Tries to find an interval of a width.
inline constexpr std::size_t kTries = 2;

/// The draws of one pattern and seed that were made. Intervals of other widths go on with them.
struct MadeDraws {
  Moments pilot;
  std::array<Moments, kTries> tries;  ///< The first draws of each.
};

/// Finds an interval of a relative half-width. The interval is that of the central limit theorem where the largest
/// value of a draw is known to be so small that no draw decides it (Bernstein's range term is within the width); else
/// there is none. One that must be certain is that of Bernstein's inequality. A pilot fixes the number of draws and is
/// no part of the interval.
class WithinRun {
 public:
  /// Makes the pilot, of at most 65,536 draws, or goes on with one. `made` changes no interval, only the draws that are
  /// still to be made. Requires: `request.within`, above 0.
  WithinRun(const BoundedDraws& draws, const IntervalRequest& request, MadeDraws made = {});

  /// Draws that the interval takes, whole tasks; nothing: the pilot cannot tell, as too few of its draws found matches.
  std::optional<std::uint64_t> draws_needed() const { return needed_; }
  /// Draws of these that are still to be made. Requires: `draws_needed`.
  std::uint64_t draws_left() const { return *needed_ - std::min(*needed_, made_.tries[0].draws); }
  /// Nothing: stopped, or none within the width. Requires: `draws_needed`.
  std::optional<Interval> run(const std::function<bool()>& is_stopped);
  /// Those of the draws that part `index` of `parts` of the first try makes; fewer if it is stopped. The moments of all
  /// parts add up to those of the try.
  Moments part(std::uint64_t index, std::uint64_t parts, const std::function<bool()>& is_stopped) const;
  /// The interval of a try, as wide as it is; nothing: no draw found a match.
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
