#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/graph/column_names.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/id_names.h"
#include "runtime/graph/io.h"
#include "runtime/graph/labels.h"
#include "runtime/graph/universe.h"
#include "runtime/result.h"

namespace matcha::runtime {

/// What a column of a list holds.
enum class ColumnKind {
  Vertex,  ///< Ids in the file, ranks in memory.
  Int,     ///< int64.
  Float,   ///< double.
  Label,   ///< A number or a word, as labels of vertices are; codes in memory. Edge info alone.
};

/// Column `index` (from 0) of each line, or the one that the heading calls `name`.
struct ColumnSpec {
  unsigned index = 0;
  ColumnKind kind = ColumnKind::Vertex;
  std::string name = {};  ///< Empty: by index.
  /// Where it is not Any, a heading chooses the column by its usual names; `index` is for tables without one.
  ColumnRole role = ColumnRole::Any;
};

/// A column as the user says it: a number, from 0, or a name of the heading.
struct ColumnRef {
  ColumnRef() : is_said(false) {}        ///< The user does not say it.
  ColumnRef(unsigned at) : index(at) {}  // NOLINT(google-explicit-constructor)
  /// Digits are a number.
  explicit ColumnRef(const std::string& text);

  unsigned index = 0;
  std::string name;  ///< Empty: by index.
  bool is_said = true;
};

/// Whether the first line of a table names its columns.
enum class Heading : std::uint8_t {
  Auto,  ///< If its cells are no numbers; where all ids are text, if its names are usual ones that are no ids below.
  Yes,
  No,
};

/// How tables of text are read.
struct TableOptions {
  Heading heading = Heading::Auto;
  bool text_ids = false;         ///< Ids are text even where they are numbers. Otherwise the first line of ids says it.
  bool drop_literals = false;    ///< Of N-Triples, whose literals are vertices otherwise.
  Format format = Format::Auto;  ///< What the caller says the file is; Auto: find out.
};

/// A graph to load. By default it is made symmetric and simple.
struct GraphSpec {
  std::string name;
  std::string path;
  std::string sql;  ///< Instead of a file: a query for DuckDB, whose first columns are the ends of edges.
  Format format = Format::Auto;
  bool directed = false;  ///< Keep arcs; still without loops and repeats.
  /// Read column 2 as edge info (`u v label`). Edges between the same vertices are parallel if it differs, else
  /// repeats.
  bool edge_info = false;
  /// The same, with arcs kept as they are: with their repeats and in file order (`u v t`). Loops are dropped.
  bool temporal = false;
  /// Keep loops, of directed graphs that are not temporal. A `.mtg` must have all of its file.
  bool keep_loops = false;
  /// Keep repeated edges, of graphs with edge info that are labels: the second and further ones have codes of their own
  /// for the label (LabelDictionary::copies). A `.mtg` keeps its own.
  bool keep_repeats = false;
  /// Where there is no edge info to read, every edge has kNoLabel.
  bool may_lack_info = false;
  ColumnKind info = ColumnKind::Int;  ///< Of the edge info: Int, Float or Label.
  /// Parallel edges of a `.mtg` become one, and its edge info is dropped: who reads the graph knows of neither.
  bool simple = false;
  /// Of an edge list: which columns are source, target and edge info; empty: as its heading says, or 0, 1 and 2. Only
  /// if they are given may lines have unlike numbers of columns.
  std::vector<ColumnRef> columns;
  TableOptions table = {};
  std::string labels_path;                ///< Empty: none. One label a line, or `id label`.
  std::string vertices_path;              ///< Empty: none. One id a line, or a table that has a column of ids.
  std::optional<ColumnRef> id_column;     ///< Of the vertices file; none: as its heading says, or the first.
  std::optional<ColumnRef> label_column;  ///< Of the vertices file; none: it has no labels.
};

/// A list to load; a graph file gives its edges. No columns: the ends of edges as vertices.
struct ListSpec {
  std::string name;
  std::string path;
  std::vector<ColumnSpec> columns;
  bool is_named = false;  ///< The user said which columns; only then may lines have unlike numbers of columns.
  TableOptions table = {};
};

/// One column of a list; the vector of its kind is filled, the others are empty.
struct InputColumn {
  ColumnKind kind = ColumnKind::Vertex;
  std::vector<std::uint32_t> ranks;
  std::vector<std::int64_t> ints;
  std::vector<double> floats;
};

/// A list in columns of equal length.
struct InputList {
  std::vector<InputColumn> columns;
  std::uint64_t size = 0;
};

/// What was read and what was done to it.
struct LoadReport {
  std::string path;
  Format format = Format::Auto;
  Compression compression = Compression::None;
  bool directed = false;
  bool temporal = false;       ///< Arcs and their repeats are kept.
  bool parallel = false;       ///< Some edges are parallel.
  bool edge_info = false;      ///< Edges have information, such as labels.
  std::string table;           ///< How a table was read: `csv, heading, src → dst`; empty for other files.
  std::uint64_t comments = 0;  ///< Comment lines of an edge list between its edges.
  bool leading_zeros = false;  ///< Some ids are numbers that are written with zeros before them.
  std::string note;            ///< What else there is to say of the file, such as a size line; may be empty.
  std::uint64_t graphs = 1;  ///< Of a file that has a set of them, which are parts of this graph without edges between.
  IdKind ids = IdKind::Int;
  std::string first_id, last_id;  ///< Of ids that are no int64; then the two numbers below are places.
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

  /// One line for people, without a newline.
  std::string render() const;
};

/// Everything a run reads. All of it shares `universe` and `dictionary`.
struct Inputs {
  std::shared_ptr<const Universe> universe;
  std::shared_ptr<const LabelDictionary> dictionary;
  std::map<std::string, Graph> graphs;
  std::map<std::string, InputList> lists;
  std::map<std::string, LoadReport> reports;  ///< One a graph.
};

/// Collects the files of one run, then ranks their ids together. `add_…` reads the file, so its errors (Input with
/// file:line, Resource) come at once; `finish` reports what only shows when all is known, such as a label that is
/// missing. Names must differ.
class InputSet {
 public:
  explicit InputSet(IoOptions options = {});
  ~InputSet();
  InputSet(InputSet&&) noexcept;
  InputSet& operator=(InputSet&&) noexcept;

  /// If a file has ids that are no int64, those that were read before are read again, with ids of its kind.
  Status add_graph(const GraphSpec& spec);
  Status add_list(const ListSpec& spec);
  /// Leaves the set empty.
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

/// The arcs of a graph as a list of two vertex columns, both directions of an undirected one, sorted; with edge info a
/// third column.
Result<InputList> edge_list(const Graph& graph);

}  // namespace matcha::runtime
