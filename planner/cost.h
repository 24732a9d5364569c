#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "planner/sketch.h"
#include "question/pattern.h"
#include "question/requirements.h"

/// Estimates the number of matches of a part of a pattern, and the cost of set operations. For small parts of
/// undirected patterns, samples of the graph give the number. Otherwise it is that of Chung-Lu's random graphs with the
/// same degrees and the same edges between labels, corrected by the number of triangles.
namespace matcha::pattern {

/// Nanoseconds of one core, or of a whole GPU when all of it is busy.
struct Prices {
  double iteration = 4;   ///< An iteration of a loop.
  double operation = 16;  ///< A set operation, whatever the lengths of its lists.
  double batched = 8;     ///< A set operation that is only counted: those of several items are done together.
  double merged = 0.4;    ///< An item of lists that are walked side by side.
  double searched = 1.2;  ///< A step of a search for an item of the shorter list in the longer one.
  double looked_up = 2;  ///< A step of a single search: of an item in a list, or of the end of the items below a bound.
  double filtered = 8;   ///< An item whose label is read.
  double bits = 3;       ///< An operation on rows of bits.
  double word = 0.3;     ///< A word of a row of bits.
  double tested = 1;     ///< One bit of a row.
  double missed = 25;    ///< Waiting for a list of neighbours that no cache of a core has.
  double overlapped = 5;  ///< The same for sets that are only counted, as the next lists are prefetched.
  double awaited = 25;    ///< The same for the larger of two stored sets: such counts are not batched.
  double wedge = 0.6;     ///< Counting a neighbour of a neighbour, with the wedge counters of passes/count_wedges.cpp.
  double list = 1e5;      ///< Filling a list that the whole program reads.
  double start = 0;       ///< The start of a program.
  double alone = 1;       ///< Slowdown of work that runs in one group.
  /// From this level on, candidates are filtered by label as soon as they are a list; at lower levels, vertices of
  /// several labels share a list. On a GPU, groups that share a first vertex would all filter its neighbours.
  std::size_t apart_from = 0;
  /// Rows of bits are also expected if no set is in more than two lists, as in triangles that share a vertex. Every
  /// device makes them, but the prices of a CPU were fitted without them.
  bool rows_for_pairs = false;
};
/// `hub_rows`: on a GPU, vertices with many neighbours have rows of bits.
const Prices& prices_of(Device device, bool hub_rows);

/// Item v: the vertices whose ids must be larger than that of v, transitively closed.
using Restrictions = std::vector<Mask>;

/// The chance that the ids of `part` satisfy the restrictions, if they were random: one over the product of how many
/// vertices of `part` each is the largest of, which is exact for forests (the hook length formula).
double share_of_random_ids(const Restrictions& larger, Mask part);

/// A bound for log2 of the number of ways to place all vertices off `cutset`, for one match of it: each is a neighbour
/// of one that is placed. Requires: the pattern is connected.
double placement_bits(const Pattern& pattern, const GraphSketch& sketch, Mask cutset);

class CostModel {
 public:
  CostModel(const Pattern& pattern, const Semantics& semantics, const GraphSketch& sketch);

  /// Expected injective matches of the edges among `part`, without regard to symmetry.
  double matches(Mask part) const;
  /// The share of the matches of `part` whose ids satisfy the restrictions. Ids are seldom random: hubs often have
  /// small ones, and neighbours are near each other.
  double restricted_share(Mask part, const Restrictions& larger) const;
  /// Expected common neighbours, of any label, of the vertices `wanted` in a match of `bound`.
  double common(Mask bound, Mask wanted) const;
  /// The same along edges with the labels that the pattern has between them and `v`.
  double common(Mask bound, Mask wanted, int v) const;
  /// The share of a candidate set that has the label of v.
  double label_share(int v) const;
  /// Expected nanoseconds for a set operation on two sets in a match of `bound` that satisfies the restrictions. The
  /// share `label_share` of the first set has the wanted label; the share `bound_share` of both is within the bounds,
  /// if no sample shows it.
  double meeting(Mask bound, const Restrictions& larger, const Candidates& left, const Candidates& right,
                 double label_share, double bound_share) const;
  /// The same for iterating over the smaller of two sets in a match of `bound` and intersecting the larger one with
  /// the neighbours of each item, `newest`; per match that has an item of `walked` for it. Negative: no sample shows
  /// it.
  double meeting_smaller(Mask bound, const Restrictions& larger, const Candidates& walked, const Candidates& other,
                         const Candidates& newest) const;
  /// The same for a search of one item among the common neighbours of `wanted`.
  double look_up(Mask bound, Mask wanted) const;
  /// The same for rows of bits that stand for this share of the neighbours of `hub`.
  double bit_operation(Mask bound, int hub, double share) const;
  /// A set operation on lists of these lengths.
  double set_operation(double left, double right) const;
  /// Waiting for a list of neighbours of a vertex somewhere in the graph, at the price of a list that no cache has.
  double fetch(double price) const;
  /// The largest share of the matches of `part` that agree in the images of `task`.
  double largest_share(Mask part, Mask task) const;
  /// The share that the vertex with the most neighbours has of all ways to place the neighbours of `v` among `walked`.
  /// If it is small, samples have too few draws to contain it.
  double hub_share(int v, Mask walked) const;

  const Pattern& pattern() const { return pattern_; }
  const GraphSketch& sketch() const { return sketch_; }
  const Prices& prices() const { return prices_; }
  const Requirements& requirements() const { return requirements_; }
  const Semantics& semantics() const { return semantics_; }

 private:
  double moment(int v, int power) const;
  double edge_share(int u, int v) const;
  double modelled_matches(Mask part) const;
  double modelled_common(Mask bound, Mask wanted) const;
  double connected_matches(Mask part) const;
  /// Expected matches of a part of which the model expects `modelled`: the matches of the part without one vertex,
  /// times the ratio that the model has between the two.
  double matches_without_one(Mask part, double modelled) const;
  /// The part of `bound` that is connected with the vertices `of`; 0: they are in several, or it is too large to draw.
  Mask drawn_part(Mask bound, Mask of) const;
  const MatchSamples::Found& drawn(Mask part) const;
  double connected_share(Mask part, const Restrictions& larger) const;
  /// Matches of a part that satisfy its share of the restrictions, and sets in them.
  struct Look {
    const MatchSamples::Found* found = nullptr;
    const ArrangedMatches* maybe_matches = nullptr;  ///< Null: there is nothing to look at.
    Relation relation = 0;
    Mask part = 0;
  };
  Look look(Mask bound, const Restrictions& larger, Mask of) const;
  Look look_at_part(Mask part, const Restrictions& larger) const;
  /// The size of a set in each of these matches.
  const std::vector<double>& sizes(const Look& look, const Candidates& set) const;

  const Pattern& pattern_;
  const GraphSketch& sketch_;
  const Prices& prices_;
  Semantics semantics_;
  Requirements requirements_;
  std::vector<const std::vector<double>*> moments_;  ///< The moments of each vertex's label.
  std::vector<std::vector<double>> edge_factor_;     ///< Chance of an edge over the product of its ends' degrees.
  double closing_ = 1;                               ///< Triangles of the graph over those of the model.
  Pattern drawn_pattern_;                            ///< With anti-edges where pairs must not be adjacent.
  std::optional<LabelModel> by_label_;               ///< The model of arcs with labels, if the graph's are known.
  bool draws_ = false;
  mutable std::map<Mask, double> matches_;
  mutable std::map<Mask, const MatchSamples::Found*> drawn_;
};

}  // namespace matcha::pattern
