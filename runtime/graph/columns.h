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

/// Labels as numbers, or as positions in `words` if that is given. kNoLabel: no label, which the graph stores as the
/// empty word.
struct LabelColumn {
  IntColumn codes;  ///< Empty if there are no labels.
  std::vector<std::string> words;

  bool is_there() const { return codes.items != nullptr; }
};

/// A graph in columns that the caller owns. They are only read.
struct ColumnInput {
  IntColumn sources, targets;           ///< Ids.
  LabelColumn edge_labels;              ///< One per edge.
  const double* edge_floats = nullptr;  ///< One per edge, instead of labels.
  IntColumn vertices;                   ///< Ids of vertices; a vertex needs no edge, and an id may be repeated.
  LabelColumn vertex_labels;            ///< One for each of `vertices`. Other vertices have the empty word.
  bool directed = false;
  bool keep_loops = false;  ///< Directed graphs only.
  /// Not 0: ids are the places 0…name_count - 1 of names, and all occur.
  std::uint64_t name_count = 0;
  std::shared_ptr<const IdNames> maybe_names;  ///< Null: only the caller has the names.
};

/// The two forms of one graph. Programs that read edge information use the informed one if it exists, all others the
/// simple one. `maybe_looped` is the simple graph with its loops; null if there are no loops, or if the informed graph
/// has them.
struct ColumnGraphs {
  Graph simple;
  std::optional<Graph> maybe_informed;
  std::optional<Graph> maybe_looped = std::nullopt;
};

/// Builds both forms from columns. Repeated edges are dropped; loops too, unless they are kept beside the simple graph.
/// The vertices are the ends of edges and the listed ones. Edges between the same ends with different information are
/// parallel in the informed graph and one edge in the simple graph. Ids that are exactly 0…n-1, in columns of one type,
/// are sorted in place; other ids take 8 bytes an edge meanwhile. Errors: Input where columns differ in length, an id
/// is 2^63 or more or no place of a name, or a vertex has two labels; Resource where there are too many vertices, or
/// memory is out; Runtime `interrupted`.
Result<ColumnGraphs> graphs_of_columns(const ColumnInput& input, const IoOptions& options = {});

/// Both forms of a graph with edge information. The simple one has no loops.
Result<ColumnGraphs> graphs_of_informed(Graph informed);
/// Both forms of a graph with loops and without edge information.
Result<ColumnGraphs> graphs_of_looped(Graph looped);
/// The graph with one arc for each pair of adjacent vertices, loops included, without the edge information.
Result<Graph> looped_of_informed(const std::shared_ptr<const Graph>& informed);
/// A graph without edge information that has kNoLabel on each edge. It keeps the arrays of `graph` alive.
Result<Graph> blank_graph(const std::shared_ptr<const Graph>& graph);

}  // namespace matcha::runtime
