#pragma once

#include <string>

#include "runtime/graph/graph.h"
#include "runtime/graph/io.h"
#include "runtime/result.h"

namespace matcha::runtime {

/// Options of `write_text`.
struct WriteOptions {
  Format format = Format::EdgeList;  ///< EdgeList, MatrixMarket or Tve.
  Compression compression = Compression::None;
  char separator = ' ';  ///< Between the columns of an edge list; with a comma or a tab it is a table with a heading.
};

/// Writes a graph as text to a temporary file beside `path`, renamed when complete. An undirected edge is written once,
/// smaller id first, in ascending order; edge info is the third column.
/// - EdgeList: original ids, with a heading if they are text; omits labels and isolated vertices.
/// - Tve: original ids, `t N M`, `v id label degree` (label 0 when there is none), `e u v [info]`.
/// - MatrixMarket: ids are ranks counted from 1, as the format wants; `pattern`, or `integer`/`real` with edge info.
/// Comments explain the numbers: other ids, labels of vertices, words of edges (`detail/matrix_names.h`).
/// Reading the file gives the graph again; `reading_notes` describes the exceptions.
/// Errors: Input when the file cannot be written or the format cannot hold the graph.
Status write_text(const Graph& graph, const std::string& path, const WriteOptions& write,
                  const IoOptions& options = {});

/// The options needed to read a file that `write_text` wrote, or the ids that are lost; empty: none.
std::string reading_notes(const Graph& graph, Format format);

/// Refuses ids and labels that `write_labels` cannot write.
Status check_labels(const Graph& graph, const std::string& path);

/// Writes one label a line, in the order of the ids. Requires: the graph has labels.
Status write_labels(const Graph& graph, const std::string& path, const WriteOptions& write,
                    const IoOptions& options = {});

}  // namespace matcha::runtime
