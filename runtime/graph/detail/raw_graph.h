#pragma once

#include <optional>
#include <vector>

#include "runtime/graph/detail/label_cells.h"
#include "runtime/graph/detail/rows.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/inputs.h"

/// A graph between its file and its ranks: read, but its ids not ranked yet.
namespace matcha::runtime::detail {

struct RawGraph {
  GraphSpec spec;
  LoadReport report;
  Rows rows;                             ///< Columns: source, target, and the edge info of a temporal graph.
  std::vector<std::int64_t> vertex_ids;  ///< Of `v` lines and the vertices file.
  IdRange declared;                      ///< The rows of a matrix, or as many ids as there are labels.
  bool is_closed = false;                ///< The files list all vertices, so a labels file may add none.
  std::optional<RawLabels> labels;
  std::optional<Graph> mtg;  ///< Instead of rows.
};

/// Reads all files of a spec. Errors: Input, Resource, Runtime when interrupted.
Result<RawGraph> read_raw_graph(const GraphSpec& spec, const IoOptions& options, Budget& budget);

/// Reads the rows of a list from any format; those of a `.mtg` are its edges (an undirected one once, u < v) and its
/// edge info.
Result<Rows> read_list(const ListSpec& spec, const IoOptions& options, Budget& budget);

/// All ids of a graph, for Universe::from_ids.
void collect_ids(const RawGraph& raw, std::vector<IdSpan>& spans, std::vector<IdRange>& ranges);

/// Ranks, sorts and cleans; fills the rest of the report. Frees the rows of `raw` as it goes.
Result<Graph> prepare_graph(RawGraph& raw, const std::shared_ptr<const Universe>& universe,
                            const std::shared_ptr<const LabelDictionary>& dictionary, const IoOptions& options,
                            Budget& budget);

}  // namespace matcha::runtime::detail
