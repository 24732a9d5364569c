#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/column_names.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/id_names.h"
#include "runtime/graph/io.h"
#include "runtime/graph/labels.h"
#include "runtime/graph/universe.h"
#include "runtime/result.h"

namespace matcha::runtime {

/// The type of a column of a list.
enum class ColumnKind {
  Vertex,  ///< Ids in the file, ranks in memory.
  Int,     ///< int64.
  Float,   ///< double.
  Label,   ///< A number or a word, like labels of vertices; codes in memory. Only for edge info.
  Text,    ///< Cells of a table of text as they are written, which may be empty. Only for lists that no program takes.
};

/// Column `index` (from 0) of each line, or the one named `name` in the heading.
struct ColumnSpec {
  unsigned index = 0;
  ColumnKind kind = ColumnKind::Vertex;
  std::string name = {};  ///< Empty: by index.
  /// Unless it is Any, a heading selects the column by its usual names; `index` is for tables without a heading. Of the
  /// columns of a list, either none has a role, or those that the user does not name.
  ColumnRole role = ColumnRole::Any;
};

/// A column as the user names it: a number, from 0, or a name in the heading.
struct ColumnRef {
  ColumnRef() : is_given(false) {}       ///< The user names no column.
  ColumnRef(unsigned at) : index(at) {}  // NOLINT(google-explicit-constructor)
  /// Digits mean a number.
  explicit ColumnRef(const std::string& text);

  unsigned index = 0;
  std::string name;  ///< Empty: by index.
  bool is_given = true;
};

/// If the first line of a table names its columns.
enum class Heading : std::uint8_t {
  /// Yes if its cells are not numbers; if all ids are text, yes if it has usual names that are not ids in later lines.
  Auto,
  Yes,
  No,
};

/// How tables of text are read.
struct TableOptions {
  Heading heading = Heading::Auto;
  bool text_ids = false;         ///< Ids are text even if they look like numbers. False: the first line of ids decides.
  bool drop_literals = false;    ///< Drops literals of N-Triples; false: they are vertices.
  Format format = Format::Auto;  ///< The format that the caller declares; Auto: detect it.
};

/// A graph to load. By default it is made symmetric and simple.
struct GraphSpec {
  std::string name;
  std::string path;
  std::string sql;  ///< Instead of a file: a query for DuckDB, whose first columns are the ends of edges.
  Format format = Format::Auto;
  bool directed = false;  ///< Keep arcs; loops and repeats are still dropped.
  /// Read column 2 as edge info (`u v label`). Edges between the same vertices are parallel if it differs, otherwise
  /// repeats.
  bool edge_info = false;
  /// As `edge_info`, keeping arcs unchanged: with repeats and in file order (`u v t`). Loops are dropped.
  bool temporal = false;
  /// Keep loops, for directed graphs that are not temporal. A `.mtg` must have been written with all loops of its
  /// input.
  bool keep_loops = false;
  /// Keep repeated edges, for graphs whose edge info is labels: the second and later ones get their own codes for the
  /// label (LabelDictionary::copies). A `.mtg` keeps its own.
  bool keep_repeats = false;
  /// If the input has no edge info, every edge gets kNoLabel.
  bool may_lack_info = false;
  bool may_skip_info = false;         ///< With `may_lack_info`: also if the edge info cannot be read as that.
  ColumnKind info = ColumnKind::Int;  ///< The type of the edge info: Int, Float or Label.
  /// Parallel edges of a `.mtg` are merged and its edge info is dropped: the caller does not support either.
  bool simple = false;
  /// The columns of source, target and edge info in an edge list; empty: from its heading, or 0, 1 and 2. Lines may
  /// differ in their number of columns only if these are given.
  std::vector<ColumnRef> columns;
  /// The edges are a list with the name of the graph, in the order of the file and with repeats and loops, and there is
  /// no graph. With `directed` an undirected edge is both of its arcs, else each edge is there once. Its columns are
  /// the ends, then the edge info as text unless the input has none, then `texts`. The universe is the vertices of the
  /// graph. Not for a `.mtg`.
  bool as_list = false;
  std::vector<ColumnSpec> texts;  ///< Further columns, which only a table has.
  TableOptions table = {};
  std::string labels_path;    ///< Empty: no labels. One label a line, or `id label`.
  std::string vertices_path;  ///< Empty: no file. One id a line, or a table that has a column of ids.
  std::optional<ColumnRef>
      id_column;  ///< The column of ids in the vertices file; empty: from its heading, or the first.
  std::optional<ColumnRef> label_column;  ///< The column of labels in the vertices file; empty: no labels.
};

/// A list to load; a graph file gives its edges. Without columns: the ends of edges as vertices.
struct ListSpec {
  std::string name;
  std::string path;
  std::vector<ColumnSpec> columns;
  bool is_named = false;  ///< The user named the columns; only then may lines differ in their number of columns.
  TableOptions table = {};
};

/// The texts of many cells.
struct CellTexts {
  std::string bytes;
  std::vector<std::uint64_t> ends;  ///< Where each text ends in `bytes`; it begins where the one before it ends.

  std::uint64_t size() const { return ends.size(); }
  std::string_view at(std::uint64_t cell) const {
    const std::uint64_t begin = cell == 0 ? 0 : ends[cell - 1];
    return std::string_view(bytes).substr(begin, ends[cell] - begin);
  }
  void add(std::string_view text) {
    bytes += text;
    ends.push_back(bytes.size());
  }
};

/// One column of a list; only the vector of its kind is filled.
struct InputColumn {
  ColumnKind kind = ColumnKind::Vertex;
  std::vector<std::uint32_t> ranks;
  std::vector<std::int64_t> ints;
  std::vector<double> floats;
  CellTexts texts;
};

/// A list in columns of equal length.
struct InputList {
  std::vector<InputColumn> columns;
  std::uint64_t size = 0;
  std::string table;  ///< As LoadReport::table.
  /// The labels of the vertices by rank, if the graph of the edges has them; empty for a vertex without one.
  std::optional<CellTexts> vertex_labels;
};

/// The properties of a loaded graph, and the steps that cleaned it.
struct LoadReport {
  std::string path;
  Format format = Format::Auto;
  Compression compression = Compression::None;
  bool directed = false;
  bool temporal = false;       ///< Arcs and their repeats were kept.
  bool parallel = false;       ///< Some edges are parallel.
  bool edge_info = false;      ///< Edges have information, such as labels.
  std::string table;           ///< How a table was read: `csv, heading, src → dst`; empty for other files.
  std::uint64_t comments = 0;  ///< Comment lines of an edge list between its edges.
  bool leading_zeros = false;  ///< Some ids are numbers with leading zeros.
  std::string note;            ///< Other remarks about the file, such as a size line; may be empty.
  bool guessed_size = false;   ///< The first line was taken as a size without being asked to.
  /// The number of graphs in the file; several are parts of this graph without edges between them.
  std::uint64_t graphs = 1;
  IdKind ids = IdKind::Int;
  std::string first_id, last_id;  ///< For ids that are not int64; then the two numbers below are places.
  bool identity_ids = true;       ///< Original ids are 0…vertices-1.
  std::int64_t min_id = 0, max_id = 0;
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;  ///< Undirected edges, or arcs.
  std::uint64_t max_degree = 0;
  std::uint64_t isolated = 0;     ///< Vertices without any edge.
  std::uint64_t lines = 0;        ///< Edges in the file, before cleaning.
  std::uint64_t loops = 0;        ///< Dropped loops.
  std::uint64_t duplicates = 0;   ///< Dropped repeats in the same direction.
  std::uint64_t reversed = 0;     ///< Undirected edges that the file gives in both directions.
  std::uint64_t labels = 0;       ///< Distinct labels; 0 without labels.
  std::uint64_t unlabelled = 0;   ///< Vertices without a label in a graph that has labels.
  std::uint64_t file_bytes = 0;   ///< On disk.
  std::uint64_t graph_bytes = 0;  ///< In memory.
  double read_seconds = 0;        ///< Reading, unpacking and parsing.
  double build_seconds = 0;       ///< Ids, sorting, cleaning.

  /// One line for users, without a newline.
  std::string render() const;
};

/// All inputs of a run. They share `universe` and `dictionary`.
struct Inputs {
  std::shared_ptr<const Universe> universe;
  std::shared_ptr<const LabelDictionary> dictionary;
  std::map<std::string, Graph> graphs;
  std::map<std::string, InputList> lists;
  std::map<std::string, LoadReport> reports;  ///< One per graph.
};

/// Collects the files of one run, then ranks their ids together. `add_…` reads the file and returns its errors (Input
/// with file:line, Resource) at once. `finish` returns errors that only show when all inputs are known, such as a
/// missing label. Names must differ.
class InputSet {
 public:
  explicit InputSet(IoOptions options = {});
  ~InputSet();
  InputSet(InputSet&&) noexcept;
  InputSet& operator=(InputSet&&) noexcept;

  /// Adds a graph. If a file has ids that are not int64, files that were read earlier are read again with ids of its
  /// kind.
  Status add_graph(const GraphSpec& spec);
  Status add_list(const ListSpec& spec);
  /// Returns the inputs and empties the set.
  Result<Inputs> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// One graph on its own, over its own universe.
struct LoadedGraph {
  Graph graph;
  LoadReport report;
};
Result<LoadedGraph> load_graph(const GraphSpec& spec, const IoOptions& options = {});

/// The arcs of a graph as a list of two vertex columns, both directions of an undirected one, sorted; edge info is a
/// third column.
Result<InputList> edge_list(const Graph& graph);

}  // namespace matcha::runtime
