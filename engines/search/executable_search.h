#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/backend.h"
#include "engines/search/match_batch.h"
#include "engines/search/query.h"
#include "engines/search/search.h"

namespace matcha::codegen {

/// A pattern to match without generated code.
struct MatchTask {
  runtime::match::Query query;
  /// Restrictions that leave one map of each subgraph, for queries without restrictions whose number of maps can be
  /// divided instead. A CPU uses them for shares, whose counts cannot be divided, and if there are more than `kFewMaps`
  /// maps.
  std::vector<std::pair<int, int>> restrictions;
  /// The number of maps of each subgraph, by which the count is divided: its automorphisms.
  runtime::match::Count divisor = 1;
  bool rows = false;  ///< Rows are streamed, one column a vertex. False: the result is an int, their number.
  /// The index of the graph to run on; null: each run builds it.
  std::shared_ptr<runtime::match::MatchIndex> maybe_index;
  /// The device counts the pattern together with others, as number `number` of the batch; null: a CPU counts. The CPU
  /// first searches for `ms_before` milliseconds; 0: not at all.
  std::shared_ptr<MatchBatch> maybe_batch;
  std::size_t number = 0;
  double ms_before = 0;
};

/// Up to this many maps of each subgraph are counted and divided, which allows the search to count leaves together.
inline constexpr runtime::match::Count kFewMaps = 8;

/// The number of maps for `matches` matches; empty: it exceeds 64 bits.
std::optional<std::uint64_t> maps_for(std::uint64_t matches, runtime::match::Count divisor);

/// Matches patterns by candidates and search (engines/search), on a CPU, or on a device if the task has a batch. The
/// CPU is used for `RunOptions::share` and `most_steps`, and for counts beyond the range of a device. Its one argument
/// is a graph as required by the query (`engines/search/query.h`). `RunOptions::most` is exact. `times` of a result has
/// `index` (if a run builds it), `filter` and `search`.
std::unique_ptr<Executable> make_matcher(MatchTask task);

}  // namespace matcha::codegen
