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

/// A graph between its file and its ranks: read, but its ids not yet ranked.
namespace matcha::runtime::detail {

struct RawGraph {
  RawGraph() = default;
  RawGraph(GraphSpec what, LoadReport so_far) : spec(std::move(what)), report(std::move(so_far)) {}

  GraphSpec spec;
  LoadReport report;
  Rows rows;  ///< Columns: source, target, and the edge info of a temporal graph.
  /// The edges, if they are in a scratch file and `rows` has none; null: they are in `rows`.
  std::unique_ptr<EdgeFile> maybe_edges;
  std::vector<std::int64_t> vertex_ids;  ///< Ids of `v` lines and of the vertices file.
  NameTable vertex_names;                ///< Names of ids that are text: `vertex_ids` are indices into it.
  IdRange declared;                      ///< The rows of a matrix, or 0…n-1 for n labels.
  bool is_closed = false;                ///< The files list all vertices, so a labels file may add none.
  bool has_size_line = false;            ///< The first line of an edge list was taken as `vertices edges`.
  bool is_blank = false;                 ///< The input has no edge info; every edge gets kNoLabel.
  std::optional<RawLabels> labels;
  std::optional<Graph> mtg;           ///< Instead of rows.
  std::vector<std::int64_t> mtg_ids;  ///< The ids of its ranks, if they are not int64.
  NameTable mtg_names;                ///< Names of ids that are text: `mtg_ids` are indices into it.
};

/// The kind of the ids of a run while its files are read.
struct RunIds {
  IdKind kind = IdKind::Int;    ///< The kind that files are read with.
  IdKind wanted = IdKind::Int;  ///< The highest kind found in a file; if it is above `kind`, all files are read again.
};

/// The columns to read from the lines of a graph: the ends of an edge, the requested information unless `is_blank`, and
/// further columns of a list.
std::vector<ColumnSpec> columns_of(const GraphSpec& spec, bool is_blank);

/// Reads all files of a spec. Errors: Input, Resource, Runtime when interrupted.
Result<RawGraph> read_raw_graph(const GraphSpec& spec, const IoOptions& options, Budget& budget, RunIds& ids);

/// Reads the rows of a list from any format. A `.mtg` gives its edges (an undirected one once, u < v) and its edge
/// info.
Result<Rows> read_list(const ListSpec& spec, const IoOptions& options, Budget& budget, RunIds& ids);

/// All ids of a graph, for Universe::from_ids.
void collect_ids(const RawGraph& raw, std::vector<IdSpan>& spans, std::vector<IdRange>& ranges);

/// True if all ids of the graph are those of its .mtg.
bool is_lone_mtg(const RawGraph& raw);

/// Fills `mtg_ids` of a graph from a .mtg.
void lift_mtg(RawGraph& raw, IdKind kind);

/// Collects all columns with ids of a graph that are text or uint64.
void collect_names(RawGraph& raw, std::vector<NamedCells>& cells);
/// The same for rows.
void collect_names(Rows& rows, const std::vector<ColumnSpec>& columns, std::vector<NamedCells>& cells);

/// Numbers among labels of edges must not be mistaken for words. Errors: Input.
Status check_numbers(const std::string& path, const LabelDictionary& dictionary, const LabelCells& labels);

/// The codes of the labels of vertices by rank, kNoLabel for a vertex without one. All of the universe are vertices of
/// the graph. Requires: it has labels. Errors: Input.
Result<Buffer<std::int64_t>> labels_by_rank(const RawGraph& raw, const Universe& universe,
                                            const LabelDictionary& dictionary);

/// Fills in the fields that follow from the graph.
void fill_report(const Graph& graph, LoadReport& report);

/// Ranks, sorts and cleans; fills the rest of the report. Frees the rows of `raw` on the way.
Result<Graph> prepare_graph(RawGraph& raw, const std::shared_ptr<const Universe>& universe,
                            const std::shared_ptr<const LabelDictionary>& dictionary, const IoOptions& options,
                            Budget& budget);

}  // namespace matcha::runtime::detail
