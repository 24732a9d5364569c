#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "incremental/answer.h"
#include "question/pattern.h"

namespace matcha::session::stream {

/// The canonical row of a subgraph: of its rows, one for each automorphism of the pattern, the least. It does not
/// depend on the plan that lists it.
class LeastRows {
 public:
  /// True if the vertex with this id has a label that vertex `v` of the pattern allows.
  using Fits = std::function<bool(int v, std::uint64_t id)>;

  /// For the subgraphs of a pattern in the form of `normal`; empty if it has too many automorphisms.
  static std::optional<LeastRows> make(const pattern::Pattern& pattern);

  /// Replaces the row, with an item for each vertex of the pattern in order, by the least one, by ids.
  void put(std::uint64_t* row, const Fits& fits = {}) const;
  /// The same for each row, in place. With `fits`, automorphisms do not preserve labels, and rows must fit.
  void put(RowSet& rows, const Fits& fits = {}) const;

 private:
  explicit LeastRows(std::vector<std::vector<int>> automorphisms) : automorphisms_(std::move(automorphisms)) {}

  std::vector<std::vector<int>> automorphisms_;  ///< At least one: the identity.
};

}  // namespace matcha::session::stream
