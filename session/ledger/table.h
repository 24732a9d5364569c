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

/// A table of edges and one of vertices, as far as a pattern reads them.
struct Table {
  std::string path;
  std::string how;  ///< How the file was read; may be empty.
  std::uint64_t rows = 0;
  std::vector<std::uint32_t> sources, targets;  ///< Of each row: ranks.
  /// By name. The time of an edge has no name, nor has a vertex itself, which is no column.
  std::map<std::string, Column> edges;
  std::map<std::string, Column> vertices;  ///< By rank; `id` is the id.
  runtime::CellTexts edge_labels;          ///< Of each row; empty: the pattern asks for none, or there are none.
  runtime::CellTexts vertex_labels;        ///< By rank; empty: the pattern asks for none.
  Column edge_ids;                         ///< Of each row, as `--edge-id` names it; without rows: its number.
  Texts texts;
  std::string time;  ///< The name of the column with the times, if the user named one.
  std::uint64_t time_per_second = 1;
  bool time_is_said = false;  ///< The user said the unit of the times.
  std::shared_ptr<const runtime::Universe> universe;
  /// The rank of the vertex with this id, as a pattern writes it; empty: the universe knows it.
  std::function<std::optional<std::uint32_t>(const std::string& id)> find_vertex;

  std::optional<std::uint32_t> rank_of(const std::string& id) const;
  /// Its path, how it was read and how large it is, in a line.
  std::string description(bool directed, bool keeps_loops) const;
  /// The column that a term names. Requires: it was read, and the term is no vertex itself.
  const Column& column(const pattern::Condition& term) const {
    return (term.subject.of_edge ? edges : vertices).at(term.text);
  }
};

/// The parts of the tables that are read.
struct Wanted {
  SourceLoc loc{};                                                ///< Of the whole question.
  std::map<std::string, SourceLoc> edge_columns, vertex_columns;  ///< With the places of their first uses.
  bool edge_labels = false, vertex_labels = false;
  std::optional<SourceLoc> maybe_type;  ///< A label of edges that is asked for, so that edges must have some.
  bool directed = false;                ///< Undirected edges of the file are both of their arcs.
  bool vertex_ids = false;              ///< The ids of vertices are the column `id`.
  bool all_vertices = false;            ///< Vertices without edges too.
  std::vector<std::string> texts;       ///< Of conditions.
};

/// The parts that a pattern asks for. `names_ids`: the column `id` of vertices is their id.
Wanted wanted_by(const pattern::PatternSet& set, bool names_ids);

/// Takes `--time COLUMN:UNIT`. Errors: Usage.
Status take_time(const std::string& given, const Reporter& log, Table& table);

/// Reads the columns that the pattern needs. Texts of conditions are among the texts. Errors are reported; those about
/// columns have their location in `sources`.
Status read_table(const pattern::PatternSet& set, const SourceManager& sources, const BindOptions& options,
                  bool names_ids, const runtime::IoOptions& io, const Reporter& log, Table& table);
/// Reads the columns and labels of vertices alone, by rank of the vertices in those files. Texts have no codes.
Status read_vertices(Wanted wanted, const SourceManager& sources, const BindOptions& options,
                     const runtime::IoOptions& io, const Reporter& log, Table& table);
/// The same of these parts.
Status read_table(Wanted wanted, const SourceManager& sources, const BindOptions& options, const runtime::IoOptions& io,
                  const Reporter& log, Table& table);

}  // namespace matcha::session::ledger
