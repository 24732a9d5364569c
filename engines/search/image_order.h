#pragma once

#include <array>
#include <utility>
#include <vector>

#include "engines/search/query.h"

namespace matcha::runtime::match {

/// Restrictions that give the images of vertices the query treats alike an order: any match satisfies them after its
/// images have been exchanged. Those of the query are not looked at.
std::vector<std::pair<int, int>> restrictions_of_twins(const Query& query);

/// What the restrictions of a query say of each pattern vertex.
///
/// Vertices that the query treats alike, and whose images ascend, are a *chain*: while none of a chain has an image,
/// all have the same list of images left. So the images of a chain of k vertices are a set of k images, which is
/// counted by a binomial coefficient instead of being listed, and a list of fewer than k images ends the search.
class ImageOrder {
 public:
  explicit ImageOrder(const Query& query);

  /// The query has restrictions.
  bool any() const { return any_; }
  /// Vertices whose images are larger than that of `u`.
  Mask above(int u) const { return above_[at(u)]; }
  /// Vertices whose images are smaller.
  Mask below(int u) const { return below_[at(u)]; }
  Mask partners(int u) const { return above_[at(u)] | below_[at(u)]; }
  /// The chain of `u`, with u; u alone where it has none.
  Mask chain(int u) const { return chains_[at(u)]; }

 private:
  Mask ordered(const Query& query, Mask twins) const;

  bool any_;
  std::array<Mask, kMostVertices> above_{}, below_{}, chains_{};
};

}  // namespace matcha::runtime::match
