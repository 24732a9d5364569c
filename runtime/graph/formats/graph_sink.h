#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runtime/graph/detail/label_cells.h"
#include "runtime/graph/detail/name_table.h"
#include "runtime/graph/detail/rows.h"
#include "runtime/graph/detail/source.h"

/// Where the readers of this folder put vertices and edges.
namespace matcha::runtime::detail {

/// The id of a vertex as a format has it: a number, or text that may be one.
struct FileId {
  FileId(std::int64_t id) : number(id), is_number(true) {}  // NOLINT(google-explicit-constructor)
  FileId(std::string_view id) : text(id) {}                 // NOLINT(google-explicit-constructor)

  std::string_view text;
  std::int64_t number = 0;
  bool is_number = false;
};

/// How a file declares an edge.
enum class EdgeKind {
  Undirected,
  Arc,       ///< The file says it is directed.
  Listed,    ///< One of the two entries of an undirected edge, each in the list of one end.
  Unstated,  ///< The format has no directions: an arc where arcs are kept.
};

/// The columns and attributes to read.
struct SinkRequest {
  /// The columns of the edges: column 0 is the source, 1 the target, 2 the label or number.
  std::vector<ColumnSpec> columns;
  bool keeps_arcs = false;   ///< An undirected edge becomes two arcs.
  bool is_once = false;      ///< If both ends list an edge, its second entry is left out.
  std::string label = {};    ///< The attribute with the labels of vertices; empty: `label`, if there is one.
  IdKind ids = IdKind::Int;  ///< The kind of the ids of the run so far.
  const TakeRows* maybe_take = nullptr;  ///< As in RowPlan.
};

/// The contents of a file.
struct FileGraph {
  Rows edges;
  std::uint64_t edge_count = 0;        ///< In the file, before undirected edges become two arcs.
  std::uint64_t arc_count = 0;         ///< The edges among them that the file declares directed.
  std::uint64_t undirected_count = 0;  ///< The edges that it declares undirected and lists once.
  std::vector<std::int64_t> vertex_ids;
  NameTable vertex_names;  ///< Ids that are text: `vertex_ids` are indices into it.
  std::vector<std::uint64_t> vertex_lines;
  IdRange declared;
  std::uint64_t graphs = 0;  ///< The number of graphs in a set; 0: not a set.
  std::string note;          ///< For the load report.
  bool has_labels = false;
  LabelCells labels;  ///< Aligned with `vertex_ids` if `has_labels`.
};

/// Converts vertices and edges to rows with the run's kind of ids. An id of a higher kind is an error; `wanted_ids`
/// then has its kind, and the file is read again with it.
class GraphSink {
 public:
  GraphSink(std::string path, SinkRequest request, const IoOptions& options, Budget& budget);

  const std::string& path() const { return path_; }
  const SinkRequest& request() const { return request_; }
  /// False if edges have no third column; then readers skip it.
  bool wants_info() const { return wants_info_; }
  IdKind wanted_ids() const { return wanted_; }

  /// The file declares the vertices `range` in line `line`. Edges to other vertices are errors. `finish` checks its
  /// length against the edges.
  Status declare(IdRange range, std::uint64_t line);
  /// Begins the next graph of a set, whose ids become text `index:id`, with an index from 0. Never called: the file has
  /// one graph.
  void begin_graph();
  /// As `begin_graph`, for formats that rarely have several graphs: ids of a single graph stay as they are. Errors:
  /// Input if rows were handed over already, since their ids have no index.
  Status begin_next_graph(std::uint64_t line);
  /// Adds a vertex that the file lists. Listing an id twice is an error.
  Status vertex(const FileId& id, std::optional<std::string_view> label, std::uint64_t line);
  /// Adds an edge. `info` is the text of its label or number; a missing one is an error if info is wanted.
  Status edge(const FileId& source, const FileId& target, std::optional<std::string_view> info, EdgeKind kind,
              std::uint64_t line);
  /// Requires every end of an edge to be passed to `vertex`, in any order.
  void expect_listed() { expects_listed_ = true; }
  /// A remark for the load report.
  void note(std::string text) { graph_.note = std::move(text); }
  /// Ends the input. Errors: an end that is not listed, a declared number far above the contents of the file.
  Result<FileGraph> finish();

 private:
  Status cell(const FileId& id, NameTable& names, std::uint64_t line, std::int64_t& out);
  Status end(const FileId& id, std::uint64_t line, std::int64_t& out);
  Status add_row(const std::int64_t (&ends)[2], const FileId& source, const FileId& target,
                 std::optional<std::string_view> info, std::uint64_t line);
  Status add_value(const ColumnSpec& column, std::size_t at, std::string_view text, std::uint64_t line);
  Status flush();
  void name_first_graph();

  std::string path_;
  SinkRequest request_;
  const IoOptions& options_;
  Budget& budget_;
  bool wants_info_ = false;
  IdKind wanted_;
  FileGraph graph_;
  RowChunk chunk_;
  std::optional<LabelReader> edge_labels_;
  LabelReader vertex_labels_;
  std::uint64_t declared_line_ = 0;
  std::string prefix_;  ///< The prefix of the ids of a set.
  std::uint64_t charged_vertices_ = 0;
  bool expects_listed_ = false;
  std::unordered_set<std::int64_t> listed_;                   ///< Cells of vertices.
  std::unordered_map<std::int64_t, std::uint64_t> expected_;  ///< Ends not listed so far, and a line of each.
};

/// Allows a header to declare some more vertices than the file has lines for. Errors: Resource.
Status check_declared(const std::string& path, std::uint64_t line, std::uint64_t declared, std::uint64_t entries,
                      std::string_view what);

}  // namespace matcha::runtime::detail
