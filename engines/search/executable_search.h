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

/// A pattern that is matched without a program.
struct MatchTask {
  runtime::match::Query query;
  /// Restrictions that leave one map of each subgraph, where the query has none and maps may be divided instead: a CPU
  /// takes them for shares, as what each finds cannot be divided, and where there are more than `kFewMaps` maps.
  std::vector<std::pair<int, int>> restrictions;
  runtime::match::Count divisor = 1;  ///< What the number of maps is divided by: the automorphisms of a subgraph.
  bool rows = false;  ///< Rows are streamed: a vertex a column. Else the result is an int, their number.
  std::shared_ptr<runtime::match::MatchIndex> maybe_index;  ///< Of the graph it will run on; null: a run makes it.
  /// A device counts its matches with those of others, as `number` of them; null: a CPU does. It is asked after a CPU
  /// has looked for so many milliseconds; 0: at once.
  std::shared_ptr<MatchBatch> maybe_batch;
  std::size_t number = 0;
  double ms_before = 0;
};

/// Up to so many maps of each subgraph are counted and divided, which leaves the search free to count leaves together.
inline constexpr runtime::match::Count kFewMaps = 8;

/// How many maps make so many matches; nothing: more than 64 bits tell.
std::optional<std::uint64_t> maps_for(std::uint64_t matches, runtime::match::Count divisor);

/// Matches patterns by candidates and search (engines/search), on a CPU, or on a device where the task has a batch: not
/// with `RunOptions::share` and `most_steps`, and not what is more than a device tells. Its one argument is a
/// graph as the query wants it (`engines/search/query.h`). `RunOptions::most` is kept exactly. Of a result, `times` has
/// `index` (where a run makes it), `filter` and `search`.
std::unique_ptr<Executable> make_matcher(MatchTask task);

}  // namespace matcha::codegen
