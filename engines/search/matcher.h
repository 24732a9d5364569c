#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "engines/search/query.h"
#include "engines/search/search.h"
#include "engines/search/stops.h"

namespace matcha::runtime::match {

class MatchIndex;

/// How matches are looked for.
struct MatchRequest {
  unsigned threads = 1;
  std::uint64_t steps_alone = 8192;   ///< Of one thread, before it is worth to start others.
  std::optional<std::uint64_t> most;  ///< Matches that are enough.
  /// Only part `part` of `parts`, which together have each match once.
  std::uint64_t part = 0, parts = 1;
  /// A search that would take more steps ends at a Slice with nothing found, before threads are started. Not with
  /// `most` or on_rows.
  std::optional<std::uint64_t> most_steps;
  Stops stops;
  /// Takes matches in blocks, one call at a time, from any thread: column u has the rank of the image of vertex u in
  /// each. Matches are only counted if there is none. Returning false ends the run.
  std::function<bool(const std::uint32_t* const* columns, std::uint64_t count)> on_rows;
  /// Told from time to time, by one thread at a time: with `most` of how many matches, else of how many of the first
  /// vertex's images, if all took the same.
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress;
};

struct MatchOutcome {
  Count found = 0;  ///< At most `most`; with on_rows, those that were handed over. kTooMany: not told.
  SearchEnding ending = SearchEnding::Complete;
  std::uint64_t steps = 0;       ///< Images that were tried, of all threads.
  std::uint64_t candidates = 0;  ///< Graph vertices that may be images.
  double filter_ms = 0;
  double search_ms = 0;
  /// Images of the first vertex, and about how many of them were tried to their end. 0: not known.
  std::uint64_t roots = 0, roots_done = 0;
};

/// The matches of `query` in the graph of `index`. With `most`, threads race through the search in different orders,
/// and each changes its own from time to time, as a bad one may take forever; without, they share one search.
MatchOutcome find_matches(MatchIndex& index, const Query& query, const SetKernels& kernels,
                          const MatchRequest& request);

}  // namespace matcha::runtime::match
