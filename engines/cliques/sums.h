#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "engines/cliques/tree.h"
#include "runtime/cpu/set_kernels.h"

namespace matcha::runtime::cliques {

/// Coefficients of (1+x)^free (1+2x)^pairs, computed at their first use. Number: an unsigned type; larger numbers wrap.
template <typename Number>
class Expansions {
 public:
  /// The number of zeros in front of the coefficient of x^0.
  static constexpr std::uint64_t kBefore = 5;

  /// For trees of at most `widest` candidates and coefficients up to that of x^most. May throw std::bad_alloc, as may
  /// `row`.
  Expansions(std::uint32_t widest, std::uint32_t most)
      : free_end_(widest + 2),
        most_(most),
        rows_(static_cast<Number**>(std::calloc(free_end_ * (free_end_ / 2 + 1), sizeof(Number*)))) {
    if (rows_ == nullptr) throw std::bad_alloc();
  }

  /// Points to the coefficient of x^0; the others follow, and kBefore zeros precede it.
  const Number* row(std::uint64_t pairs, std::uint64_t free) {
    Number*& row = rows_.get()[pairs * free_end_ + free];
    if (row == nullptr) row = make(pairs, free);
    return row;
  }

 private:
  struct Free {
    void operator()(Number** rows) const { std::free(rows); }
  };

  Number* make(std::uint64_t pairs, std::uint64_t free) {
    owned_.emplace_back(kBefore + most_ + 1);
    Number* const row = owned_.back().data() + kBefore;
    row[0] = 1;
    for (std::uint64_t i = 0; i < pairs + free; ++i) {
      const Number times = i < pairs ? 2 : 1;
      for (std::uint64_t k = most_; k > 0; --k) row[k] += times * row[k - 1];
    }
    return row;
  }

  const std::uint64_t free_end_, most_;
  std::unique_ptr<Number*, Free> rows_;
  std::vector<std::vector<Number>> owned_;
};

/// The part of a vertex of a leaf: in all of its cliques (held), in or out (free), or one of a pair of which a clique
/// has one or none.
enum class Part : std::uint8_t { Held, Free, Paired };

/// The state of a walk of pivot trees that counts the cliques of `size` vertices at each candidate of a root, and on
/// request at each edge between candidates. Number: std::uint64_t or unsigned __int128.
template <typename Number>
struct SumTree {
  struct Step {
    std::uint16_t place;
    Part part;
  };

  std::uint32_t size = 0;  ///< At least 2.
  Expansions<Number>* expansions = nullptr;
  Number* by_place = nullptr;  ///< The count of each candidate.
  /// The count of the edge between candidates i and j is the sum of items i * stride + j and j * stride + i. Null:
  /// edges are not counted.
  Number* by_pair = nullptr;
  std::uint64_t stride = 0;
  std::uint64_t nodes = 0;
  std::uint64_t next_poll = 0;  ///< Nodes after which `poll` is called.
  bool ended = false;           ///< The walk returns at once, and sums are invalid.
  void* owner = nullptr;        ///< The object of `poll`.
  /// Sets `next_poll`, and `ended` where the walk has to end.
  void (*poll)(SumTree& tree) = nullptr;
  std::uint64_t* narrow_rows = nullptr;  ///< As `Tree::narrow_rows`.
  Step* path = nullptr;                  ///< The vertices that left the set on the way; room for one step a candidate.
  std::uint64_t path_length = 0;
};

/// Adds the cliques of `held` vertices outside `set` and others of it to the counts, and returns their number. `rows`
/// and `set`: as of WalkTree.
template <typename Number>
using WalkSums = Number (*)(SumTree<Number>& tree, const std::uint64_t* rows, std::uint64_t words,
                            const std::uint64_t* set, std::uint32_t held);

/// The walk of a SIMD tier, at most the best one of this processor; all give the same sums.
template <typename Number>
WalkSums<Number> walk_sums(Tier tier);

extern template WalkSums<std::uint64_t> walk_sums(Tier tier);
extern template WalkSums<unsigned __int128> walk_sums(Tier tier);

}  // namespace matcha::runtime::cliques
