#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "engines/cliques/tree.h"
#include "runtime/wide_int.h"

namespace matcha::runtime::cliques {

/// Counts of the leaves of one thread's trees.
class Leaves {
 public:
  /// For trees of at most `widest` candidates; `size`: as `Tree::size`. May throw std::bad_alloc, and so may a tree
  /// that adds to it.
  Leaves(std::uint32_t widest, std::uint32_t size);

  /// Makes a tree add its leaves here. This object must outlive the tree.
  void take(Tree& tree);
  /// Adds the leaves of another object that was made with the same arguments.
  void add(const Leaves& other);
  /// Adds `count` leaves of one kind.
  void add(std::uint64_t held, std::uint64_t free, std::uint64_t pairs = 0, std::uint64_t count = 1);
  /// The number of cliques by size, from 0; item 0 is 0. Numbers of more than 256 bits wrap.
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

/// A bound on the bits of every count of cliques. `roots[d]`: the number of roots with d candidates. `size`: as
/// `Tree::size`.
std::uint32_t bits_of_counts(const std::vector<std::uint64_t>& roots, std::uint32_t size);

}  // namespace matcha::runtime::cliques
