#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/support/diagnostics.h"
#include "question/conditions.h"
#include "question/read.h"
#include "runtime/graph/inputs.h"
#include "session/bind.h"
#include "session/ledger/columns.h"
#include "session/reporter.h"

namespace matcha::session::ledger {

/// The columns of a table of edges and of a table of vertices that a pattern reads.
struct Table {
  std::string path;
  std::string how;  ///< How the file was read; may be empty.
  std::uint64_t rows = 0;
  std::vector<std::uint32_t> sources, targets;  ///< The ranks of the ends of each row.
  /// Columns of edges, by name. The time of an edge has the empty name.
  std::map<std::string, Column> edges;
  std::map<std::string, Column> vertices;  ///< By name, with an item for each rank; `id` has the ids.
  runtime::CellTexts edge_labels;          ///< By row; empty: the pattern reads none, or there are none.
  runtime::CellTexts vertex_labels;        ///< By rank; empty: the pattern reads none.
  Column edge_ids;  ///< By row, the column of `--edge-id`; empty: an edge has the number of its row.
  Texts texts;
  std::string time;  ///< The name of the column with the times, if the user named one.
  std::uint64_t time_per_second = 1;
  bool has_time_unit = false;  ///< The user gave the unit of the times.
  std::shared_ptr<const runtime::Universe> universe;
  /// The rank of the vertex with this id, in the syntax of patterns; empty: the ids of `universe` are used.
  std::function<std::optional<std::uint32_t>(const std::string& id)> find_vertex;

  std::optional<std::uint32_t> rank_of(const std::string& id) const;
  /// Its path, how it was read and how large it is, in a line.
  std::string description(bool directed, bool keeps_loops) const;
  /// The column that a term names. Requires: it was read, and the term is not a vertex itself.
  const Column& column(const pattern::Condition& term) const {
    return (term.subject.of_edge ? edges : vertices).at(term.text);
  }
};

/// The parts of the tables that have to be read.
struct Wanted {
  SourceLoc loc{};                                                ///< The location of the whole question.
  std::map<std::string, SourceLoc> edge_columns, vertex_columns;  ///< Names, with the locations of their first uses.
  bool edge_labels = false, vertex_labels = false;
  std::optional<SourceLoc> maybe_type;  ///< The location of a label of edges; then edges must have labels.
  bool directed = false;                ///< Undirected edges of the file become two arcs.
  bool vertex_ids = false;              ///< The column `id_name` of vertices has their ids.
  std::string id_name = "id";
  bool all_vertices = false;       ///< Also vertices without edges.
  std::vector<std::string> texts;  ///< The texts in conditions.
};

/// The parts that a pattern reads. `names_ids`: the column `id` of vertices has their ids.
Wanted wanted_by(const pattern::PatternSet& set, bool names_ids);

/// Makes a column of the ids of vertices, ints or texts. Errors (Usage): ids beyond 63 bits, and
/// ids whose names only the caller has.
Status take_ids(const runtime::Universe& universe, runtime::CellTexts ids, const Reporter& log, Column& column);

/// Parses `--time COLUMN:UNIT` into `table`. Errors: Usage.
Status take_time(const std::string& given, const Reporter& log, Table& table);

/// Reads the columns that the pattern needs. Texts of conditions are among the texts. Errors are reported; those about
/// columns have their location in `sources`.
Status read_table(const pattern::PatternSet& set, const SourceManager& sources, const BindOptions& options,
                  bool names_ids, const runtime::IoOptions& io, const Reporter& log, Table& table);
/// Reads only the columns and labels of vertices, by rank of the vertices in those files. Texts get no codes.
Status read_vertices(Wanted wanted, const SourceManager& sources, const BindOptions& options,
                     const runtime::IoOptions& io, const Reporter& log, Table& table);
/// Reads these parts; otherwise as above.
Status read_table(Wanted wanted, const SourceManager& sources, const BindOptions& options, const runtime::IoOptions& io,
                  const Reporter& log, Table& table);

}  // namespace matcha::session::ledger
