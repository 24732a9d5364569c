#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "engines/search/query.h"
#include "engines/search/search.h"
#include "engines/search/stops.h"

namespace matcha::runtime::match {

class MatchIndex;

/// The parameters of a search.
struct MatchRequest {
  unsigned threads = 1;
  std::uint64_t steps_alone = 8192;   ///< Steps of one thread before others are started.
  std::optional<std::uint64_t> most;  ///< The number of matches wanted.
  /// Only part `part` of `parts`, which are disjoint and together have all matches.
  std::uint64_t part = 0, parts = 1;
  /// A search that would take more steps ends at a Slice without results, before threads are started, as
  /// does one that takes more milliseconds of processor time, as some steps are long; 0: any. `share` says how far it
  /// came. Not with `most` or on_rows.
  std::optional<std::uint64_t> most_steps;
  double most_cpu_ms = 0;
  Stops stops;
  /// Takes matches in blocks; calls are serialized, from any thread: column u has the rank of the image of vertex u.
  /// Empty: matches are only counted. Returning false ends the run.
  std::function<bool(const std::uint32_t* const* columns, std::uint64_t count)> on_rows;
  /// Called from time to time, serialized. With `most` it gets the number of matches found, else the number of the
  /// first vertex's images that are done, assuming equal work.
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress;
};

struct MatchOutcome {
  /// At most `most`; with on_rows, the number of matches passed to it. kTooMany: the number is invalid.
  Count found = 0;
  SearchEnding ending = SearchEnding::Complete;
  std::uint64_t steps = 0;       ///< Images tried by all threads.
  std::uint64_t candidates = 0;  ///< Graph vertices that are candidates.
  double filter_ms = 0;
  double search_ms = 0;
  /// Images of the first vertex, and an estimate of how many are done. 0: unknown.
  std::uint64_t roots = 0, roots_done = 0;
  double share = 0;  ///< With `most_steps`, the part of the search that is done, assuming equal work for all images.
};

/// Finds the matches of `query` in the graph of `index`. With `most`, threads race through the search in different
/// orders, and each changes its order from time to time, as a bad order may take forever; otherwise they share one
/// search.
MatchOutcome find_matches(MatchIndex& index, const Query& query, const SetKernels& kernels,
                          const MatchRequest& request);

}  // namespace matcha::runtime::match
