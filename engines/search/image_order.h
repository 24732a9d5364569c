#pragma once

#include <array>
#include <utility>
#include <vector>

#include "engines/search/query.h"

namespace matcha::runtime::match {

/// Restrictions that order the images of interchangeable vertices of the query: exchanging images turns any match into
/// one that satisfies them. Ignores the query's own restrictions.
std::vector<std::pair<int, int>> restrictions_of_twins(const Query& query);

/// The restrictions of a query, by pattern vertex.
///
/// Interchangeable vertices with ascending images are a *chain*: while no vertex of a chain has an image, all have the
/// same list of images left. So the images of a chain of k vertices are a set of k images, which is counted by a
/// binomial coefficient instead of being listed, and a list of fewer than k images ends the search.
class ImageOrder {
 public:
  explicit ImageOrder(const Query& query);

  /// True if the query has restrictions.
  bool any() const { return any_; }
  /// The vertices whose images must be larger than that of `u`.
  Mask above(int u) const { return above_[at(u)]; }
  /// The vertices whose images must be smaller.
  Mask below(int u) const { return below_[at(u)]; }
  Mask partners(int u) const { return above_[at(u)] | below_[at(u)]; }
  /// The chain of `u`, including u; only u if it has none.
  Mask chain(int u) const { return chains_[at(u)]; }

 private:
  Mask ordered(const Query& query, Mask twins) const;

  bool any_;
  std::array<Mask, kMostVertices> above_{}, below_{}, chains_{};
};

}  // namespace matcha::runtime::match
