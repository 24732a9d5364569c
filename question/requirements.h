#pragma once

#include <utility>
#include <vector>

#include "question/pattern.h"

namespace matcha::pattern {

/// Two edges of a pattern that must not be one edge of the graph: the images of at least one of these pairs of vertices
/// differ.
using Apart = std::vector<std::pair<int, int>>;

/// Conditions on a candidate for each vertex, relative to the images of the others. `after` concerns the list
/// `neighbor(G, image of u)`, `before` the incoming arcs, which only directed patterns have.
struct Requirements {
  std::vector<Mask> in_after;   ///< Item v: the u with v among the targets of u.
  std::vector<Mask> off_after;  ///< Item v: the u whose targets must not have v.
  std::vector<Mask> in_before;  ///< The same for sources; empty masks when undirected.
  std::vector<Mask> off_before;
  Match match = Match::Iso;
  bool injective = true;     ///< Different vertices have different images.
  std::vector<Apart> apart;  ///< Further pairs of edges that must differ.
  bool loops = false;        ///< The graph may have loops.

  Requirements(const Pattern& pattern, const Semantics& semantics);

  /// The vertices u for which v's candidates are neighbours of the image of u.
  Mask wanted(int v) const { return in_after[index(v)] | in_before[index(v)]; }
  Mask any(int v) const { return wanted(v) | off_after[index(v)] | off_before[index(v)]; }
  /// True if no candidate for v can be the image of u once all of `bound` are placed: they are adjacent, or some vertex
  /// of `bound` must be adjacent to one and must not be to the other. Labels and restrictions are ignored.
  bool distinct(int u, int v, Mask bound) const;

 private:
  static std::size_t index(int v) { return static_cast<std::size_t>(v); }
};

/// True if every map of the pattern is injective: any two vertices are adjacent, or have labels that exclude each
/// other.
bool always_injective(const Pattern& pattern, bool loops);

}  // namespace matcha::pattern
