#pragma once

#include <cstdint>
#include <vector>

#include "engines/cliques/counter.h"
#include "runtime/cpu/set_kernels.h"
#include "runtime/graph/graph.h"
#include "runtime/result.h"

namespace matcha::runtime::cliques {

/// A walk of one thread over the maximal cliques of roots.
struct MaximalTree {
  std::vector<std::uint64_t> counts;  ///< By size, with an item for each that a clique may have.
  /// Numbers of rows: on top those of the vertices that a maximal clique may not be without.
  std::vector<std::uint32_t> excluded;
  std::uint64_t nodes = 0;
  std::uint64_t next_look = 0;  ///< Nodes after which `look` is called.
  bool ended = false;           ///< Everything is left as it is.
  void* owner = nullptr;        ///< Of `look`.
  /// Sets `next_look`, and `ended` where the walk has to end.
  void (*look)(MaximalTree& tree) = nullptr;
};

/// Counts the cliques of `held` vertices and vertices of `set`, none empty, that no further candidate and none of
/// `excluded` is adjacent to all of. `rows`: of `words` words each (words_of), first those of the candidates, then
/// those that `excluded` names.
using WalkMaximal = void (*)(MaximalTree& tree, const std::uint64_t* rows, std::uint64_t words,
                             const std::uint64_t* set, std::uint32_t held);

/// The walk of a SIMD tier, at most the best one of this processor; all give the same counts.
WalkMaximal walk_maximal(Tier tier);

/// Counts the maximal cliques by size: those that are in no larger clique. Requires, result and errors: as
/// `count_cliques` of all sizes, and Runtime where a vertex has more than kMostBits candidates. No time is expected,
/// so `on_expected` is not called.
Result<CliqueOutcome> count_maximal(const Graph& graph, const CliqueRequest& request);

}  // namespace matcha::runtime::cliques
