#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/graph/detail/edge_file.h"
#include "runtime/graph/detail/label_cells.h"
#include "runtime/graph/detail/rows.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/inputs.h"

/// A graph between its file and its ranks: read, but its ids not ranked yet.
namespace matcha::runtime::detail {

struct RawGraph {
  RawGraph() = default;
  RawGraph(GraphSpec what, LoadReport so_far) : spec(std::move(what)), report(std::move(so_far)) {}

  GraphSpec spec;
  LoadReport report;
  Rows rows;  ///< Columns: source, target, and the edge info of a temporal graph.
  /// Has the edges of the rows, which have none then; null: they are in memory.
  std::unique_ptr<EdgeFile> maybe_edges;
  std::vector<std::int64_t> vertex_ids;  ///< Of `v` lines and the vertices file.
  NameTable vertex_names;                ///< Of ids that are text: `vertex_ids` are their numbers here.
  IdRange declared;                      ///< The rows of a matrix, or as many ids as there are labels.
  bool is_closed = false;                ///< The files list all vertices, so a labels file may add none.
  bool is_blank = false;                 ///< There is no edge info to read, and every edge gets kNoLabel.
  std::optional<RawLabels> labels;
  std::optional<Graph> mtg;           ///< Instead of rows.
  std::vector<std::int64_t> mtg_ids;  ///< Of its ranks, where they are no int64.
  NameTable mtg_names;                ///< Of ids that are text: `mtg_ids` are their numbers here.
};

/// The ids of a run while its files are read.
struct RunIds {
  IdKind kind = IdKind::Int;    ///< As which they are read.
  IdKind wanted = IdKind::Int;  ///< What some file has; if that is above `kind`, all files are read again.
};

/// The columns of the lines of a graph: the ends of an edge, and what else is asked for and there.
std::vector<ColumnSpec> columns_of(const GraphSpec& spec, bool is_blank);

/// Reads all files of a spec. Errors: Input, Resource, Runtime when interrupted.
Result<RawGraph> read_raw_graph(const GraphSpec& spec, const IoOptions& options, Budget& budget, RunIds& ids);

/// Reads the rows of a list from any format; those of a `.mtg` are its edges (an undirected one once, u < v) and its
/// edge info.
Result<Rows> read_list(const ListSpec& spec, const IoOptions& options, Budget& budget, RunIds& ids);

/// All ids of a graph, for Universe::from_ids.
void collect_ids(const RawGraph& raw, std::vector<IdSpan>& spans, std::vector<IdRange>& ranges);

/// All ids of the graph are those of its .mtg.
bool is_lone_mtg(const RawGraph& raw);

/// Fills `mtg_ids` of a graph that is a .mtg.
void lift_mtg(RawGraph& raw, IdKind kind);

/// All columns of ids of a graph that are text, or uint64.
void collect_names(RawGraph& raw, std::vector<NamedCells>& cells);
/// The same of rows.
void collect_names(Rows& rows, const std::vector<ColumnSpec>& columns, std::vector<NamedCells>& cells);

/// Fills in what the graph itself tells.
void fill_report(const Graph& graph, LoadReport& report);

/// Ranks, sorts and cleans; fills the rest of the report. Frees the rows of `raw` as it goes.
Result<Graph> prepare_graph(RawGraph& raw, const std::shared_ptr<const Universe>& universe,
                            const std::shared_ptr<const LabelDictionary>& dictionary, const IoOptions& options,
                            Budget& budget);

}  // namespace matcha::runtime::detail
