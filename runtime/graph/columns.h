#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/graph/graph.h"
#include "runtime/graph/int_column.h"
#include "runtime/graph/io.h"
#include "runtime/result.h"

namespace matcha::runtime {

/// Labels as numbers; with `words`, as positions in these. kNoLabel: none, which is the empty word in the graph.
struct LabelColumn {
  IntColumn codes;  ///< Without items: there are no labels.
  std::vector<std::string> words;

  bool is_there() const { return codes.items != nullptr; }
};

/// A graph in columns of somebody else's, which are only read.
struct ColumnInput {
  IntColumn sources, targets;           ///< Ids.
  LabelColumn edge_labels;              ///< One an edge.
  const double* edge_floats = nullptr;  ///< One an edge, instead of labels.
  IntColumn vertices;                   ///< Ids of vertices, which need no edge. An id may be there again.
  LabelColumn vertex_labels;            ///< One for each of `vertices`; vertices left out have the empty word.
  bool directed = false;
  bool keep_loops = false;  ///< Only if it is directed and edges have information.
};

/// A graph for programs that do not read information of edges; and for those that do, if there is any.
struct ColumnGraphs {
  Graph simple;
  std::optional<Graph> maybe_informed;
};

/// Without loops, unless they are kept in the one with information of edges, and without repeats. Its vertices are the
/// ends of the edges and those that are listed. Edges between the same ends are parallel in the one, and one edge in
/// the other, where their information differs. Ids that are exactly 0…n-1, of columns of one kind, are sorted into the
/// graph as they lie; others take 8 bytes an edge meanwhile. Errors: Input where columns do not fit each other, an id
/// is 2^63 or more, or a vertex has two labels; Resource where there are too many vertices, or memory is out;
/// Runtime `interrupted`.
Result<ColumnGraphs> graphs_of_columns(const ColumnInput& input, const IoOptions& options = {});

/// Both graphs of one with information of edges. The simple one has no loops.
Result<ColumnGraphs> graphs_of_informed(Graph informed);

}  // namespace matcha::runtime
