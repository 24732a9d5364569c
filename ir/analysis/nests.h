#pragma once

#include <string>
#include <vector>

#include "ir/analysis/term.h"
#include "ir/nodes.h"

namespace matcha::ir {

/// The values that one sink of the module's own block combines (sum, minimum, …), as nests over one input graph.
struct SinkNests {
  SourceLoc loc;
  const Var* var = nullptr;
  /// Values are unchanged except for sizes and sums, whose items become items of the nest.
  std::vector<Nest> nests;
  /// The same sum with all sizes multiplied out, so that each nest counts one pattern. Empty if that is impossible.
  std::vector<Nest> expanded;
};

/// The word of a term that is the value of a sink of the module's own block.
std::string result_word(const Var& sink);

/// The nests of a module, or the reason why they are unknown.
struct ModuleNests {
  std::vector<SinkNests> sinks;
  int item_count = 0;   ///< Items are numbers below it.
  std::string problem;  ///< Empty: all results are functions of the sinks' values.
  SourceLoc loc;        ///< Place of the problem.
};

/// Reads a module of stage loop whose graph is simple and without loops, and symmetric. It understands walks over
/// vertices, edges and sets of neighbours, lists that filter such sets, and values made of sizes, sums and labels.
/// Anything else is a problem: ids as numbers, positions, lists as results, several graphs, steps that may end with an
/// error before all conditions on their items are tested. A graph that is built of the edges in the direction of an
/// order, of ids or of numbers of neighbours and then ids, is read as that order; a sink may have one of the two.
///
/// `maybe_labels`: for each parameter, the edge label of its graph, whose edges are some of those of the one graph with
/// an empty label. In that graph several edges with different labels may join two vertices; then only its vertices, and
/// whether there is an edge, are understood. Null: there are no other graphs.
///
/// `has_arcs`: the graph need not be symmetric. In place of the condition that two items are adjacent there is an arc
/// from one to the other then (`is_arc`), and no order of built graphs.
ModuleNests read_nests(const Module& module, const std::vector<std::string>* maybe_labels = nullptr,
                       bool has_arcs = false);

}  // namespace matcha::ir
