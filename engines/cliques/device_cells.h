#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engines/cliques/leaves.h"
#include "engines/cliques/roots.h"

namespace matcha::runtime::cliques {

/// The cells in which groups of a device count leaves (engines/cliques/device/clique_data.h): one for each combination
/// of numbers of held vertices, free vertices and pairs that a root with at most `widest` candidates can have.
class DeviceCells {
 public:
  /// `size`: as `Tree::size`. May throw std::bad_alloc.
  DeviceCells(std::uint32_t widest, std::uint32_t size);

  std::uint32_t size_of_cliques() const { return size_; }
  /// The number of cells, below 2^32.
  std::uint64_t size() const { return end_; }
  /// As `CliqueLaunch::rows`.
  const std::vector<std::uint32_t>& rows() const { return rows_; }
  /// The number of cliques of each size from 0: those of the leaves in `cells`, and those of the roots with one
  /// candidate or none, which are not walked. May throw std::bad_alloc.
  std::vector<WideInt> counts(const std::uint64_t* cells, const std::vector<std::uint64_t>& roots_by_count) const;

 private:
  std::uint64_t length(std::uint64_t pairs, std::uint64_t free) const;

  const std::uint32_t widest_, size_;
  std::uint64_t end_ = 0;
  std::vector<std::uint32_t> rows_;
};

/// The number of cliques of `size` vertices in each kind of leaf, as `CliqueLaunch::table`, for trees of at most
/// `widest` candidates. Number: an unsigned type; larger numbers wrap. May throw std::bad_alloc.
template <typename Number>
std::vector<Number> coefficients_of_leaves(std::uint32_t widest, std::uint32_t size);
/// The number of items in a row of this table.
inline std::uint32_t coefficients_of_row(std::uint32_t widest, std::uint32_t size) {
  return std::min(size, widest + 1);
}

/// The vertices that have at least one candidate, those with the most first. May throw std::bad_alloc.
std::vector<std::uint32_t> widest_first(const Roots& roots);

}  // namespace matcha::runtime::cliques
