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

/// What an edge of a file is.
enum class EdgeKind {
  Undirected,
  Arc,     ///< The file says it is directed.
  Listed,  ///< One of the two entries of an undirected edge, each in the list of one end.
};

/// The columns and attributes that are read of a file.
struct SinkRequest {
  /// Of each edge: column 0 is its source, 1 its target, 2 its label or number.
  std::vector<ColumnSpec> columns;
  bool keeps_arcs = false;   ///< An undirected edge becomes two arcs.
  std::string label = {};    ///< The attribute with the labels of vertices; empty: `label`, if there is one.
  IdKind ids = IdKind::Int;  ///< The kind of the ids of the run so far.
  const TakeRows* maybe_take = nullptr;  ///< As that of RowPlan.
};

/// What a file has.
struct FileGraph {
  Rows edges;
  std::uint64_t edge_count = 0;        ///< Of the file, before undirected ones become two arcs.
  std::uint64_t arc_count = 0;         ///< Of these, those that the file says are directed,
  std::uint64_t undirected_count = 0;  ///< and those that it says are undirected and has once.
  std::vector<std::int64_t> vertex_ids;
  NameTable vertex_names;  ///< Of ids that are text: `vertex_ids` are their numbers here.
  std::vector<std::uint64_t> vertex_lines;
  IdRange declared;
  std::uint64_t graphs = 0;  ///< Of a set; 0: it is none.
  bool has_labels = false;
  LabelCells labels;  ///< Aligned with `vertex_ids` if `has_labels`.
};

/// Turns vertices and edges into rows of the run's kind of ids. An id of a higher kind than that of the run is an
/// error, and `wanted_ids` then has its kind, with which the file is read again.
class GraphSink {
 public:
  GraphSink(std::string path, SinkRequest request, const IoOptions& options, Budget& budget);

  const std::string& path() const { return path_; }
  const SinkRequest& request() const { return request_; }
  /// Whether edges have a third column; if not, readers need not look for it.
  bool wants_info() const { return wants_info_; }
  IdKind wanted_ids() const { return wanted_; }

  /// The file says, in `line`, that it has the vertices `range`. Edges to others are errors. Its length is checked
  /// against the edges by `finish`.
  Status declare(IdRange range, std::uint64_t line);
  /// What follows is the next graph of a set, and its ids are text `index:id`, from 0. No call: the file has one graph.
  void begin_graph();
  /// The same for formats that seldom have several graphs: of a file with one, ids are as they stand. Errors: Input
  /// where rows were handed over already, whose ids have no place in a set.
  Status begin_next_graph(std::uint64_t line);
  /// A vertex that the file lists. A second one with the same id is an error.
  Status vertex(const FileId& id, std::optional<std::string_view> label, std::uint64_t line);
  /// An edge. `info` is the text of its label or number; none is an error where that is wanted.
  Status edge(const FileId& source, const FileId& target, std::optional<std::string_view> info, EdgeKind kind,
              std::uint64_t line);
  /// Every end of an edge has to be a vertex that `vertex` gave, in any order.
  void expect_listed() { expects_listed_ = true; }
  /// All was read. Errors: an end that is not listed, a declared number that is far above what the file has.
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
  std::string prefix_;  ///< Of ids of a set.
  std::uint64_t charged_vertices_ = 0;
  bool expects_listed_ = false;
  std::unordered_set<std::int64_t> listed_;                   ///< Cells of vertices.
  std::unordered_map<std::int64_t, std::uint64_t> expected_;  ///< Ends that are not listed yet, and the line of one.
};

/// A header may declare some more vertices than the file has lines for. Errors: Resource.
Status check_declared(const std::string& path, std::uint64_t line, std::uint64_t declared, std::uint64_t entries,
                      std::string_view what);

}  // namespace matcha::runtime::detail
