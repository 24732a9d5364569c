#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engines/cliques/leaves.h"
#include "engines/cliques/roots.h"

namespace matcha::runtime::cliques {

/// Where the groups of a device count leaves (engines/cliques/device/clique_data.h): a cell for each number of held and
/// free vertices and pairs that a root of so many candidates can have.
class DeviceCells {
 public:
  /// `size`: as `Tree::size`. May throw std::bad_alloc.
  DeviceCells(std::uint32_t widest, std::uint32_t size);

  std::uint32_t size_of_cliques() const { return size_; }
  /// Of the cells; less than 2^32.
  std::uint64_t size() const { return end_; }
  /// As `CliqueLaunch::rows`.
  const std::vector<std::uint32_t>& rows() const { return rows_; }
  /// The numbers of cliques by size from 0, by the leaves in `cells` and those of the roots with one candidate or none.
  /// May throw std::bad_alloc.
  std::vector<WideInt> counts(const std::uint64_t* cells, const std::vector<std::uint64_t>& roots_by_count) const;

 private:
  std::uint64_t length(std::uint64_t pairs, std::uint64_t free) const;

  const std::uint32_t widest_, size_;
  std::uint64_t end_ = 0;
  std::vector<std::uint32_t> rows_;
};

/// Numbers that the leaves of a device are worth, as `CliqueLaunch::table`, for cliques of `size` vertices, and trees
/// of at most `widest` candidates. Number: unsigned; what does not fit wraps. May throw std::bad_alloc.
template <typename Number>
std::vector<Number> coefficients_of_leaves(std::uint32_t widest, std::uint32_t size);
/// Items of a row of them.
inline std::uint32_t coefficients_of_row(std::uint32_t widest, std::uint32_t size) {
  return std::min(size, widest + 1);
}

/// The vertices that have at least one candidate, those with the most first. May throw std::bad_alloc.
std::vector<std::uint32_t> widest_first(const Roots& roots);

}  // namespace matcha::runtime::cliques
