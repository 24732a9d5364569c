#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/graph/generate.h"
#include "runtime/graph/inputs.h"
#include "session/reporter.h"

namespace matcha::session {

/// The output options of `graph convert` and `graph generate`.
struct GraphOutput {
  std::string input;         ///< The file of the graph; empty: there is none.
  std::string path;          ///< `-`: standard output.
  std::string labels_out;    ///< The file of the vertices' labels; empty: none.
  std::string format;        ///< `edges`, `mtx`, `tve` or `mtg`; empty: as the name says.
  std::string order = "id";  ///< `degree`: a `.mtg` has the graph with ranks by degree, too.
  std::uint64_t memory = 0;  ///< Bytes; 0: as much as there is.
  runtime::RandomLabels random;
  bool temporal = false, edge_labels = false, keep_loops = false;  ///< How the graph was read.
};

/// How a file is to be written.
struct GraphTarget {
  runtime::Format format = runtime::Format::Auto;
  runtime::Compression compression = runtime::Compression::None;
  char separator = ' ';  ///< Between the columns of an edge list.
};

/// How to write; nothing, and an error (Usage), when that is unclear or a memory limit does not fit it.
std::optional<GraphTarget> choose_target(const GraphOutput& output, const Reporter& reporter);

/// Writes the graph and its labels beside it; draws labels if any are requested. Warns of data that the format cannot
/// hold. Errors: Usage, Input, Resource; Interrupted, unreported, if `io.cancel` ended it.
Status write_graph(const runtime::Graph& graph, const GraphTarget& target, const GraphOutput& output,
                   const runtime::IoOptions& io, const Reporter& reporter);

}  // namespace matcha::session
