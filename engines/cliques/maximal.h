#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engines/cliques/counter.h"
#include "runtime/cpu/set_kernels.h"
#include "runtime/graph/graph.h"
#include "runtime/result.h"

namespace matcha::runtime::cliques {

/// A walk of one thread over the maximal cliques of roots.
struct MaximalTree {
  std::vector<std::uint64_t> counts;  ///< By size, with an item for each that a clique may have.
  /// A stack of numbers of rows. The topmost are the vertices that are excluded: if one of them is adjacent to all
  /// vertices of a clique, the clique is not maximal.
  std::vector<std::uint32_t> excluded;
  std::uint64_t nodes = 0;
  std::uint64_t next_poll = 0;  ///< Nodes after which `poll` is called.
  bool ended = false;           ///< The walk returns at once, and counts are incomplete.
  void* owner = nullptr;        ///< The object that `poll` and `give` work on.
  /// Sets `next_poll`, and `ended` where the walk has to end.
  void (*poll)(MaximalTree& tree) = nullptr;
  /// Hands a branch of the top levels to another thread; null: the walk keeps all branches. `set` has the width of the
  /// root. The items of `excluded` from `begin` on are those that are excluded in the branch.
  void (*give)(MaximalTree& tree, const std::uint64_t* set, std::uint64_t begin, std::uint32_t held) = nullptr;
  std::uint64_t gives_from = 0;  ///< The number of nodes after which branches are handed over.
  std::uint32_t gives_held = 0;  ///< Only branches with at most this many held vertices are handed over.
};

/// Counts the cliques of `held` vertices and vertices of `set`, none empty, that no further candidate and none of
/// `excluded` is adjacent to all of. `rows`: of `words` words each (words_of), first those of the candidates, then
/// those that `excluded` names.
using WalkMaximal = void (*)(MaximalTree& tree, const std::uint64_t* rows, std::uint64_t words,
                             const std::uint64_t* set, std::uint32_t held);

/// The walk of a SIMD tier, at most the best one of this processor; all give the same counts.
WalkMaximal walk_maximal(Tier tier);

/// Counts the maximal cliques by size: those that are in no larger clique. Requires, result and errors: as
/// `count_cliques` of all sizes, and Runtime where a vertex has more than kMostBits candidates.
Result<CliqueOutcome> count_maximal(const Graph& graph, const CliqueRequest& request);

/// The expected work of `count_maximal`, from a sample of at most `most_nodes` nodes. Errors: as there.
Result<ExpectedWork> expected_maximal(const Graph& graph, Tier tier, std::uint64_t most_nodes);

/// A Runtime error if a root has more candidates than `count_maximal` walks; nothing otherwise.
std::optional<Error> too_wide_for_maximal(const Roots& roots);

/// Counts the maximal cliques below the roots of a share, by size from 0. The counts of all shares have the same
/// length. Vertices without a neighbour are left out. Errors: Resource when out of memory.
Result<CliqueOutcome> count_maximal_of(const Graph& graph, const Roots& roots, const std::vector<std::uint32_t>& share,
                                       const CliqueRequest& request);

/// The number of vertices without a neighbour.
std::uint64_t count_isolated(const Graph& graph);

}  // namespace matcha::runtime::cliques
