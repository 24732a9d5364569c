#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "engines/cliques/tree.h"
#include "runtime/wide_int.h"

namespace matcha::runtime::cliques {

/// The leaves that trees of one thread have added, for trees of at most `widest` candidates below a root.
class Leaves {
 public:
  /// `size`: as `Tree::size`. May throw std::bad_alloc, and so may a tree that adds to it.
  Leaves(std::uint32_t widest, std::uint32_t size);

  /// Has a tree add its leaves here; this outlives it.
  void take(Tree& tree);
  /// Leaves of another object of the same sizes.
  void add(const Leaves& other);
  /// So many leaves more.
  void add(std::uint64_t held, std::uint64_t free, std::uint64_t pairs = 0, std::uint64_t count = 1);
  /// By size, the number of cliques, from 0; those of no vertex are not counted. Numbers of more than 256 bits wrap.
  std::vector<WideInt> counts() const;

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::uint64_t* make(std::uint64_t item);

  const std::uint32_t size_;
  const std::uint64_t held_end_, free_end_, pairs_end_;
  std::vector<std::unique_ptr<std::uint64_t, Free>> owned_;
  std::unique_ptr<std::uint64_t*, Free> rows_;  ///< As `Tree::leaf_rows`.
};

/// Bits of a number that no count of cliques passes, by the numbers of candidates of the roots: `roots[d]` roots have d
/// of them. `size`: as `Tree::size`; 0: of cliques of any size.
std::uint32_t bits_of_counts(const std::vector<std::uint64_t>& roots, std::uint32_t size);

}  // namespace matcha::runtime::cliques
