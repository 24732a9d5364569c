#pragma once

#include <string>
#include <string_view>

#include "runtime/graph/inputs.h"
#include "session/reporter.h"

namespace matcha::session {

/// Which columns of tables a run reads, in the words of the command line. Columns are numbers, from 0, or names.
struct TableBinding {
  std::string header = "auto";  ///< `auto`, `yes` or `no`.
  std::string ids = "auto";     ///< `auto` or `text`.
  std::string format = "auto";  ///< A word of `runtime::format_options`.
  std::string src, dst;         ///< Ends of edges; empty: as the heading says.
  std::string edge_label;       ///< The column with the label of an edge; empty: not given.
  std::string time;             ///< The column with the times of edges, and its unit, `ts:ms`; empty: not given.
  std::string edge_id;          ///< The column with the ids of edges, for rows; empty: their numbers.
  std::string vertices;         ///< A file of vertices; empty: none.
  std::string id, label;        ///< Its columns; empty: the first one is the id, and there are no labels. Without that
                                ///< file `label` is an attribute of the vertices of the graph's file.
  std::string labels;           ///< A file of labels; empty: none.
  bool no_literals = false;     ///< N-Triples: leave out triples with a literal as their object.
  std::string sql;              ///< A query that gives the edges instead of a file; empty: none.

  runtime::TableOptions options() const;
  /// Whether vertices get labels.
  bool gives_labels() const { return !labels.empty() || !label.empty(); }
  /// Errors: Usage where options contradict each other.
  Status check(const Reporter& reporter) const;
  /// Puts the files of vertices and labels, and the columns of edges unless the spec has some, into a spec. An edge
  /// label is a column only where the spec reads one.
  void put_into(runtime::GraphSpec& spec) const;
};

/// The columns `a,b` after a path, or `0,1`. Names are columns only if the path without them is a file or `-`; the path
/// loses them. None: there are no columns.
std::vector<runtime::ColumnRef> take_columns(std::string& path);

}  // namespace matcha::session
