#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "engines/identities/four_walk.h"
#include "engines/identities/motif.h"
#include "engines/identities/vertex_loop.h"
#include "engines/identities/wedge_walk.h"
#include "engines/search/stops.h"
#include "runtime/graph/graph.h"
#include "runtime/result.h"

namespace matcha::runtime::motif {

class DeviceMotifs;

struct MotifRequest {
  MotifSet wanted;
  unsigned threads = 1;  ///< One, or as many as oneTBB has.
  match::Stops stops;
  std::uint64_t most_row_words = kMostRowWords;  ///< See wedge_walk.h; any number gives the same counts.
  std::uint64_t most_narrow = kMostNarrow;       ///< See four_walk.h, likewise.
};

struct MotifOutcome {
  End end = End::Complete;
  MotifCounts counts{};                                    ///< Edge-induced, each subgraph once; those that are
                                                           ///< not wanted may be 0. Once it is complete.
  std::vector<std::pair<std::string_view, double>> times;  ///< Milliseconds of the parts, in order.
};

/// Counts motifs of a graph together: one walk over the triangles, one over the
/// wedges, and identities (README.md). Requires: `graph` as in
/// `rank_for_motifs`. Errors: Resource when out of memory, Runtime when a count
/// does not fit into 128 bits.
Result<MotifOutcome> count_motifs(const Graph& graph, const MotifRequest& request, const SetKernels& sets);

/// Whether a device finds all sums that these need.
bool fits_device(const MotifSet& wanted);
/// The same with sums from a device, on its graph. Requires: `fits_device`. Errors: as before, and those of
/// DeviceMotifs::run.
Result<MotifOutcome> count_motifs(DeviceMotifs& device, const MotifRequest& request);

}  // namespace matcha::runtime::motif
