#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "incremental/answer.h"
#include "question/pattern.h"

namespace matcha::session::stream {

/// Of the rows that stand for one subgraph, one for each automorphism of the pattern, the least: which one it is does
/// not depend on the plan that lists it.
class LeastRows {
 public:
  /// Whether the vertex with this id has a label that vertex `v` of the pattern asks for.
  using Fits = std::function<bool(int v, std::uint64_t id)>;

  /// For the subgraphs of a pattern, as `normal` leaves it; nothing when it has too many automorphisms.
  static std::optional<LeastRows> make(const pattern::Pattern& pattern);

  /// Puts the least one, by ids, in place of the row, which has an item for each vertex of the pattern, in order.
  void put(std::uint64_t* row, const Fits& fits = {}) const;
  /// The same with each row, whose order stays. With `fits`, automorphisms do not keep labels, and rows must fit.
  void put(RowSet& rows, const Fits& fits = {}) const;

 private:
  explicit LeastRows(std::vector<std::vector<int>> automorphisms) : automorphisms_(std::move(automorphisms)) {}

  std::vector<std::vector<int>> automorphisms_;  ///< At least one: that which moves nothing.
};

}  // namespace matcha::session::stream
