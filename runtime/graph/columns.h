#pragma once

#include <memory>
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
  bool keep_loops = false;  ///< Only if it is directed.
};

/// A graph for programs that do not read information of edges; and for those that do, if there is any. `maybe_looped`
/// is the simple one with its loops; none: there are no loops, or they are in the one with information.
struct ColumnGraphs {
  Graph simple;
  std::optional<Graph> maybe_informed;
  std::optional<Graph> maybe_looped = std::nullopt;
};

/// Without loops, unless they are kept beside the simple one, and without repeats. Its vertices are the
/// ends of the edges and those that are listed. Edges between the same ends are parallel in the one, and one edge in
/// the other, where their information differs. Ids that are exactly 0…n-1, of columns of one kind, are sorted into the
/// graph as they lie; others take 8 bytes an edge meanwhile. Errors: Input where columns do not fit each other, an id
/// is 2^63 or more, or a vertex has two labels; Resource where there are too many vertices, or memory is out;
/// Runtime `interrupted`.
Result<ColumnGraphs> graphs_of_columns(const ColumnInput& input, const IoOptions& options = {});

/// Both graphs of one with information of edges. The simple one has no loops.
Result<ColumnGraphs> graphs_of_informed(Graph informed);
/// Both graphs of one with loops and without information.
Result<ColumnGraphs> graphs_of_looped(Graph looped);
/// Of a graph with information of edges: one arc for each pair of vertices that edges join, loops too, without the
/// information.
Result<Graph> looped_of_informed(const std::shared_ptr<const Graph>& informed);
/// A graph without information of edges, with kNoLabel as that of each; it keeps the arrays of the other.
Result<Graph> blank_graph(const std::shared_ptr<const Graph>& graph);

}  // namespace matcha::runtime
