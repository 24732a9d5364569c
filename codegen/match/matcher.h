#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "codegen/backend.h"
#include "runtime/match/candidates.h"
#include "runtime/match/query.h"

namespace matcha::codegen {

/// A pattern that is matched without a program.
struct MatchTask {
  runtime::match::Query query;
  /// Restrictions that leave one map of each subgraph where the number of maps is divided: shares need them, as what
  /// each of them finds cannot be divided.
  std::vector<std::pair<int, int>> restrictions_of_shares;
  std::uint64_t divisor = 1;  ///< What the number of maps is divided by: the automorphisms where subgraphs are counted.
  bool rows = false;          ///< Rows are streamed: a vertex a column. Else the result is an int, their number.
  std::shared_ptr<runtime::match::MatchIndex> maybe_index;  ///< Of the graph it will run on; null: a run makes it.
};

/// Matches patterns by candidates and search (runtime/match), on a CPU. Its one argument is an undirected simple graph
/// with a label a vertex. `RunOptions::most` is kept exactly. Of a result, `times` has
/// `index` (where a run makes it), `filter` and `search`.
std::unique_ptr<Executable> make_matcher(MatchTask task);

}  // namespace matcha::codegen
