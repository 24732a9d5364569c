#pragma once

#include <cstdint>

#include "runtime/cpu/set_kernels.h"

namespace matcha::runtime::cliques {

/// The numbers in a line of leaves, one SIMD vector.
inline constexpr std::uint64_t kLeafLine = 8;

/// The state of a walk of pivot trees by one thread: the leaves that it has counted, and its callbacks.
///
/// The cliques of a set of vertices, by size, are the coefficients of a polynomial. That of a leaf with `held` vertices
/// in every clique, `free` ones that may each be left out, and `pairs` of which a clique has one or none, is
/// x^held (1+x)^free (1+2x)^pairs. Leaves are counted in rows, one a number of pairs and of free vertices, which have a
/// line of kLeafLine numbers a number of held vertices: the first counts leaves, number i such times x^i.
struct Tree {
  std::uint64_t** leaf_rows = nullptr;  ///< Item pairs * free_end + free; null until one has a leaf.
  std::uint64_t free_end = 0;
  std::uint32_t size = 0;  ///< The number of vertices of the counted cliques; 0: all sizes.
  std::uint64_t nodes = 0;
  std::uint64_t listed = 0;     ///< Edges whose triangles were counted one by one.
  std::uint64_t next_poll = 0;  ///< Nodes after which `poll` is called.
  bool ended = false;           ///< The walk returns at once, and counts are incomplete.
  void* owner = nullptr;        ///< The object that has the leaves, for `make_leaf_row`.
  void* walker = nullptr;       ///< The object of `poll` and `give`.
  /// Makes the row of an item. May throw std::bad_alloc.
  void (*make_leaf_row)(Tree& tree, std::uint64_t item) = nullptr;
  /// Sets `next_poll`, and `ended` where the walk has to end.
  void (*poll)(Tree& tree) = nullptr;
  /// Hands a branch of the top levels to another thread; null: the walk keeps all branches. `set` has the width of the
  /// root.
  void (*give)(Tree& tree, const std::uint64_t* set, std::uint32_t held, std::uint32_t free,
               std::uint32_t pairs) = nullptr;
  std::uint64_t gives_from = 0;          ///< The number of nodes after which branches are handed over.
  const std::uint64_t* few = nullptr;    ///< As `cliques_of_few` gives it.
  std::uint64_t* narrow_rows = nullptr;  ///< Room for `narrow_words` words, for rows of half the width, and so on.
};

/// The widest set of candidates that a tree is walked for; a power of 2.
inline constexpr std::uint32_t kMostBits = 4096;

/// Words of a row of `count` bits, at most kMostBits: a power of 2.
constexpr std::uint64_t words_of(std::uint64_t count) {
  std::uint64_t words = 1;
  while (words * 64 < count) words *= 2;
  return words;
}

/// Words that rows of half the width of such a row take, and those of half of that, down to one word.
constexpr std::uint64_t narrow_words(std::uint64_t words) {
  std::uint64_t sum = 0;
  for (std::uint64_t width = words / 2; width > 1; width /= 2) sum += width * width * 64;
  return sum;
}

/// Adds the leaves of the tree of `set`. Each of its cliques also has the `held` vertices, any of `free` others, and
/// one or none of each of `pairs` pairs. `rows`: words * 64 symmetric rows of `words` words (words_of) without loops;
/// only the rows of vertices in the set are read.
using WalkTree = void (*)(Tree& tree, const std::uint64_t* rows, std::uint64_t words, const std::uint64_t* set,
                          std::uint32_t held, std::uint32_t free, std::uint32_t pairs);

/// The walk of a SIMD tier, at most the best one of this processor; all give the same leaves for one processor.
WalkTree walk_tree(Tier tier);

/// The name of the function that `walk_tree` returns: "scalar", "bmi2" or "avx512-popcnt".
const char* walk_name(Tier tier);

}  // namespace matcha::runtime::cliques
