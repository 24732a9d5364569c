#pragma once

#include "runtime/graph/inputs.h"

namespace matcha::runtime::detail {

/// `load_graph` of an edge list in `options.piece_bytes` of memory and some bytes a vertex: edges go through scratch
/// files, and the neighbours of the graph lie in one. Errors: as `load_graph`; Input for other files and what
/// `IoOptions::piece_bytes` leaves out; Resource when the limit is too low.
Result<LoadedGraph> load_in_pieces(const GraphSpec& spec, const IoOptions& options);

}  // namespace matcha::runtime::detail
