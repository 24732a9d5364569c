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
  std::uint64_t most_row_words = kMostRowWords;  ///< See wedge_walk.h; does not affect the counts.
  std::uint64_t most_narrow = kMostNarrow;       ///< See four_walk.h; does not affect the counts.
};

struct MotifOutcome {
  End end = End::Complete;
  /// Edge-induced, each subgraph once; unrequested ones may be 0. Valid if complete.
  MotifCounts counts{};
  std::vector<std::pair<std::string_view, double>> times;  ///< Milliseconds of the parts, in order.
};

/// Counts motifs of a graph together: one pass over the triangles, one over the wedges, and identities (README.md).
/// Requires: `graph` as in `rank_for_motifs`. Errors: Resource when out of memory, Runtime when a count does not fit
/// into 128 bits.
Result<MotifOutcome> count_motifs(const Graph& graph, const MotifRequest& request, const SetKernels& sets);

/// True if a device can compute all sums that these motifs need.
bool fits_device(const MotifSet& wanted);
/// The same with sums from a device, on the device's graph. Requires: `fits_device`. Errors: as above, and those of
/// DeviceMotifs::run.
Result<MotifOutcome> count_motifs(DeviceMotifs& device, const MotifRequest& request);

}  // namespace matcha::runtime::motif
