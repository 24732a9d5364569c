#pragma once

#include <vector>

#include "frontend/pattern/pattern.h"
#include "frontend/pattern/requirements.h"
#include "frontend/pattern/sketch.h"

/// How many matches a part of a pattern has, and what set operations cost: Chung-Lu's model of random graphs with the
/// degrees of the graph at hand (edges between labels as often as in the graph), corrected by its number of triangles.
namespace matcha::frontend::pattern {

class CostModel {
 public:
  CostModel(const Pattern& pattern, Induced induced, const GraphSketch& sketch);

  /// Expected injective matches of the edges among `part`, without regard to symmetry.
  double matches(Mask part) const;
  /// Expected common neighbours, of any label, of the vertices `wanted` in a match of `bound`.
  double common(Mask bound, Mask wanted) const;
  /// The same along edges with the labels that the pattern has between them and `v`.
  double common(Mask bound, Mask wanted, int v) const;
  /// The share of a candidate set that has the label of v.
  double label_share(int v) const;
  /// Nanoseconds of one core for a set operation on lists of these lengths, and for an iteration of a loop.
  static double set_operation(double left, double right);
  static constexpr double kIteration = 4;

  const GraphSketch& sketch() const { return sketch_; }
  const Requirements& requirements() const { return requirements_; }

 private:
  double moment(int v, int power) const;
  double edge_share(int u, int v) const;

  const Pattern& pattern_;
  const GraphSketch& sketch_;
  Requirements requirements_;
  std::vector<const std::vector<double>*> moments_;  ///< Of each vertex's label.
  std::vector<std::vector<double>> edge_factor_;     ///< Chance of an edge over the product of its ends' degrees.
  double closing_ = 1;                               ///< Triangles of the graph over those of the model.
};

}  // namespace matcha::frontend::pattern
