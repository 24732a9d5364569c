#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/nest.h"
#include "planner/order.h"
#include "planner/relations.h"

/// Counting without enumerating: the vertices of a cutset are matched one after another, and for each of their matches
/// the numbers of ways to place the remaining parts are multiplied (DecoMine, section 4; ESCAPE, section 3; for single
/// vertices it is the inclusion-exclusion of GraphPi, section 4.3).
namespace matcha::pattern {

/// One part beside the cutset, to be counted for every match of the cutset.
struct LocalCount {
  /// The cutset as vertices 0 … k-1, then the part.
  Pattern pattern;
  Order order;                     ///< The cutset first.
  double cost = 0;                 ///< The cost of the cutset and all parts, for all matches of the cutset.
  std::uint64_t factor = 1;        ///< Embeddings for each match that the restrictions keep.
  std::vector<std::string> names;  ///< The names of the vertices in the program.
};

/// A product of local counts, and how often it counts.
struct Term {
  std::int64_t factor = 1;
  std::vector<std::size_t> counts;  ///< Ascending; a count may occur several times.
};

/// Injective ways to place everything off the cutset: the sum of the terms. Divided by `symmetric`, the automorphisms
/// that fix the cutset, it is the number of subgraphs for this match of the cutset, which satisfies the restrictions.
struct Decomposition {
  Pattern cutset;  ///< Alone.
  Order cutset_order;
  std::vector<std::string> cutset_names;
  std::vector<int> cutset_vertices;  ///< In the decomposed pattern, in their order.
  std::vector<Mask> larger;          ///< The restrictions, of that pattern's vertices.
  std::vector<LocalCount> counts;
  std::vector<Term> terms;
  /// Not 0: the number of interchangeable vertices outside the cutset; a binomial coefficient counts their placements.
  /// It is the number of subgraphs; there are no terms.
  std::size_t chosen = 0;
  std::uint64_t symmetric = 1;
  Semantics semantics;  ///< The semantics of the cutset and of each part.
  double cost = 0;
};

/// The cheapest decomposition of the edge-induced pattern of a model, of injective or of any maps; nothing if no
/// connected cutset leaves two parts, or only with too many terms, or each costs more than `at_most`. `names` are those
/// of the vertices; each subgraph is to count `times` times.
///
/// Why it is right. Two maps of parts that are injective each either have disjoint images or meet in some pairs of
/// vertices, and then they are a map of the pattern in which those pairs are one vertex. So the number of disjoint
/// pairs is the product less the numbers for all ways to meet, which have fewer parts. If maps need not be injective,
/// the product is the whole number.
std::optional<Decomposition> best_decomposition(const CostModel& model, Symmetry& symmetry,
                                                const std::vector<std::string>& names, std::uint64_t times,
                                                double at_most);

/// Writes the body of a function `(G: Graph) -> int` that adds up the decomposition, each subgraph `times` times.
void write_decomposition(const Decomposition& decomposition, const Relations& relations, std::uint64_t times,
                         Text& out);

}  // namespace matcha::pattern
