#pragma once

#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "planner/cost.h"
#include "question/symmetry.h"

/// Matching orders and the restrictions that break symmetry, searched together.
namespace matcha::pattern {

/// An order to match the vertices in. Every subgraph is found once: by the match with ids that satisfy `larger`.
struct Order {
  std::vector<int> vertices;
  /// Item v: the vertices whose ids are larger than that of v, transitively closed.
  std::vector<Mask> larger;
  /// From this level on, vertices of different labels have separate lists of candidates (see Prices).
  std::size_t apart_from = 0;
  std::vector<double> matches;  ///< Expected partial matches of each length.
  double cost = 0;              ///< Expected nanoseconds (see Prices); only comparable with others of the same graph.
};

/// Whether the candidates of `w` are filtered by its label into a separate list once the vertex at `level` is placed:
/// always from level `apart_from` on, and at lower levels if one set operation follows, which is then only counted. On
/// a GPU the loop over the second vertex iterates over the list of neighbours itself, so that its arcs can be dealt
/// out. False for a vertex of any label.
bool apart(const Order& order, const Pattern& pattern, const Requirements& requirements, std::size_t level, int w);

/// The restrictions of an order that do not follow from others, as pairs (larger, smaller), ascending by vertices.
std::vector<std::pair<int, int>> direct_restrictions(const std::vector<Mask>& larger);

/// Fills in all fields of `order` but its vertices and restrictions. The first `given` vertices cost nothing, since
/// they are placed elsewhere.
void estimate(const Pattern& pattern, const CostModel& model, Order& order, int given = 0);

/// True for 4-cycles that are found once each, from their largest vertex, its two neighbours, then the opposite vertex.
/// They are counted by their wedges if these neighbours have no other condition (passes/count_wedges.cpp).
bool counts_wedges(const Pattern& pattern, const Requirements& requirements, const Order& order);

/// A set by its operands, its dependences, and the label of its items.
using SeenSet = std::tuple<Mask, Mask, std::string>;

/// The cost of the set operations that a match of `bound` makes for `users` once `newest` is placed. The first `given`
/// vertices are placed elsewhere, at no cost. Sets in `maybe_seen` cost nothing; the others are added to it.
double set_work(const CostModel& model, const Order& order, Mask bound, int newest, Mask users, std::size_t given,
                std::set<SeenSet>* maybe_seen = nullptr);

/// The orders to search for.
struct OrderSearch {
  bool break_symmetry = true;  ///< False: finds every embedding.
  std::vector<int> given;      ///< The first vertices, in this order.
  std::vector<Mask> larger;    ///< Restrictions that hold anyway, as in Order; empty: none.
  int most = 1;                ///< How many orders to return.
  /// Orders that start with `given` are returned only if they cost no more than this; there may be none.
  double at_most = std::numeric_limits<double>::infinity();
};

/// The cheapest orders, best first, no two alike up to automorphism. Every vertex but the first is adjacent to an
/// earlier one if the pattern allows it. Restrictions come from chains of stabilizers: the first vertex of the
/// order that an automorphism still moves gets the largest id of its orbit and is then fixed (GraphZero, section 4);
/// for the best orders all other choices of that vertex are tried as well (GraphPi, section 4.1 has several sets).
std::vector<Order> best_orders(const Pattern& pattern, const CostModel& model, Symmetry& symmetry,
                               const OrderSearch& search);

/// `a b c | a > b`: the order, and the restrictions that follow from no others.
std::string to_text(const Order& order, const std::vector<std::string>& names);

}  // namespace matcha::pattern
