#pragma once

#include <compare>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "question/pattern.h"

/// Estimates the number of matches of patterns with edge labels, from the numbers of labelled edges at each vertex.
namespace matcha::pattern {

/// Arcs of a label at a vertex: outgoing or incoming.
struct LabelledEnd {
  std::string label;  ///< As in programs.
  bool incoming = false;
  auto operator<=>(const LabelledEnd&) const = default;
};

/// Facts about the edge labels of a directed graph, implemented by the owner of the graph.
class EdgeLabelFacts {
 public:
  virtual ~EdgeLabelFacts() = default;
  /// Number of pairs of vertices joined by edges with the label.
  virtual double arcs(const std::string& label) const = 0;
  /// The product of the numbers of arcs of each of `ends` at a vertex, summed over the vertices with `vertex_label`
  /// (empty: all). `ends` may contain one several times, and is not empty.
  virtual double products(const std::vector<LabelledEnd>& ends, const std::string& vertex_label) const = 0;
};

/// The number of matches of parts of a pattern whose arcs all have labels. Arcs that share a vertex are counted
/// exactly; arcs at different vertices are assumed to be independent. So paths of two arcs are exact, and longer paths
/// and cycles are estimates.
class LabelModel {
 public:
  /// Both arguments must outlive it.
  LabelModel(const Pattern& pattern, const EdgeLabelFacts& facts) : pattern_(pattern), facts_(facts) {}

  static bool fits(const Pattern& pattern);
  /// Expected number of maps of the vertices `part`; a vertex without an arc inside `part` counts as `vertices`.
  double matches(Mask part, double vertices) const;
  /// Expected number of images of `v` for each match of `bound`, by the arcs between it and `wanted`.
  double candidates(Mask bound, Mask wanted, int v, double vertices) const;

 private:
  /// With `extra`, if it is a vertex, but only its arcs to `wanted`.
  double matches(Mask part, Mask wanted, int extra, double vertices) const;

  const Pattern& pattern_;
  const EdgeLabelFacts& facts_;
  mutable std::map<Mask, double> matches_;
  mutable std::map<std::pair<std::string, std::vector<LabelledEnd>>, double> products_;
};

}  // namespace matcha::pattern
