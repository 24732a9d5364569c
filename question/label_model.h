#pragma once

#include <compare>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "question/pattern.h"

/// How many matches patterns of arcs with labels have, by what a graph's vertices have of each label.
namespace matcha::pattern {

/// Arcs of a label as a vertex sees them: those that leave it, or those that come to it.
struct LabelledEnd {
  std::string label;  ///< As a program writes it.
  bool incoming = false;
  auto operator<=>(const LabelledEnd&) const = default;
};

/// What is known of a directed graph's labels of edges. Whoever has the graph fills it in.
class EdgeLabelFacts {
 public:
  virtual ~EdgeLabelFacts() = default;
  /// Pairs that edges with the label join.
  virtual double arcs(const std::string& label) const = 0;
  /// How many of each end a vertex has, multiplied, and added up over the vertices with `vertex_label` (empty: all);
  /// `ends` may name one several times, and is not empty.
  virtual double products(const std::vector<LabelledEnd>& ends, const std::string& vertex_label) const = 0;
};

/// Matches of parts of a pattern all of whose arcs have labels. Arcs are exact where they meet at a vertex; two arcs at
/// different vertices are taken to have nothing to do with each other, so paths of two arcs are counted, and longer
/// ones and cycles estimated.
class LabelModel {
 public:
  /// Both must outlive it.
  LabelModel(const Pattern& pattern, const EdgeLabelFacts& facts) : pattern_(pattern), facts_(facts) {}

  static bool fits(const Pattern& pattern);
  /// Expected maps of the vertices `part`, `vertices` for each that no arc of theirs touches.
  double matches(Mask part, double vertices) const;
  /// Expected images of `v` for each match of `bound`, by the arcs between it and `wanted`.
  double candidates(Mask bound, Mask wanted, int v, double vertices) const;

 private:
  /// With `extra`, if it is a vertex, and of its arcs those with `wanted` alone.
  double matches(Mask part, Mask wanted, int extra, double vertices) const;

  const Pattern& pattern_;
  const EdgeLabelFacts& facts_;
  mutable std::map<Mask, double> matches_;
  mutable std::map<std::pair<std::string, std::vector<LabelledEnd>>, double> products_;
};

}  // namespace matcha::pattern
