#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "question/pattern.h"

/// Delta programs: the matches of a pattern that one changed edge {a, b} adds.
///
/// A match that only one of the two graphs, with and without the edge, has maps exactly one pair of pattern vertices
/// to (a, b): a place. So the difference is a sum over places, in both directions, of the matches of the rest of the
/// pattern with two vertices bound. Places that an automorphism maps to each other have equally many matches; one term
/// of each orbit is kept, and counts a match once for all automorphisms that fix its place.
namespace matcha::pattern {

/// An edge of the pattern, as seen from one of its ends.
struct DeltaLink {
  std::string label;       ///< The label of the edge; empty: any.
  bool backwards = false;  ///< It is an arc that comes in.
};

/// Statistics of a graph. An empty label is any.
struct DeltaStatistics {
  std::function<double(const std::string& label)> vertices;
  /// The mean number of neighbours with label `to` by such edges, of a vertex with label `from`, as reached along an
  /// edge of any label.
  std::function<double(const std::string& from, const std::string& to, const DeltaLink& link)> degree;
  /// The share of pairs of neighbours of a vertex that are joined by an edge with the label.
  std::function<double(const std::string& edge)> closing;
};

/// The statistics of a graph of no particular kind.
DeltaStatistics typical_statistics();

/// One orbit of places. Vertices are in the order of the search; 0 and 1 are the ends of the changed edge, or the
/// source and the target of the changed arc. A place is an edge with a label, or a pair of vertices that some edge
/// joins, or must not join. The edges of each label are a separate relation, beside that of all edges, and relations
/// change one after the other. So a new edge is in places of its label and, if it is the first one of its pair, in
/// places of pairs.
struct DeltaTerm {
  std::vector<int> vertices;  ///< The vertices of the pattern, in this order.
  Pattern pattern;            ///< The pattern renumbered so.
  std::string label;          ///< The label of the changed edge; empty: it is the first or last one of its pair.
  std::vector<Mask> in_after, in_before, off_after,
      off_before;             ///< As in Requirements, renumbered; symmetric pairs too.
  std::size_t walked = 2;     ///< The number of placed vertices; later ones do not depend on each other.
  std::vector<Mask> larger;   ///< Item v: the vertices whose ids are larger than that of v, transitively closed.
  std::uint64_t divisor = 1;  ///< Automorphisms that move only vertices that are not placed.
  int sign = 1;               ///< -1: the place is an anti-edge, so a new edge removes matches.
  bool swappable = false;     ///< An automorphism exchanges the ends.
  double cost = 0;            ///< Expected nanoseconds.
};

struct DeltaProgram {
  std::vector<DeltaTerm> terms;
  std::uint64_t automorphisms = 1;
};

/// The kind of answer.
enum class DeltaAnswer {
  Count,       ///< The number of subgraphs.
  Subgraphs,   ///< Each subgraph once: no vertex is only counted.
  Embeddings,  ///< Each embedding: nothing breaks the symmetry, and there is a term for each place.
};

/// Whether the deltas of a pattern can be derived, or why not: parts that are not connected, edges of one of several
/// labels, single vertices.
bool has_delta(const Pattern& pattern, std::string& why);

/// The terms of a pattern; nothing, and why, if it has none.
std::optional<DeltaProgram> plan_delta(const Pattern& pattern, Induced induced, DeltaAnswer answer,
                                       const DeltaStatistics& statistics, std::string& why);

/// The most last vertices that are counted without enumeration: in general, and if all have the same neighbours.
inline constexpr int kMostCounted = 4;
inline constexpr int kMostAlike = 16;

}  // namespace matcha::pattern
