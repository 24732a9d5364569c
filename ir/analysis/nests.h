#pragma once

#include <string>
#include <vector>

#include "ir/analysis/term.h"
#include "ir/nodes.h"

namespace matcha::ir {

/// What one sink of the module's own block adds up (or finds the least of, …), as nests over one input graph.
struct SinkNests {
  SourceLoc loc;
  /// Values stay as they are, but for sizes and sums that are added up: their items are items of the nest.
  std::vector<Nest> nests;
  /// The same sum with all sizes multiplied out, so that each nest counts one pattern. Empty if there is none.
  std::vector<Nest> expanded;
};

/// The nests of a module, or why it cannot be told what they are.
struct ModuleNests {
  std::vector<SinkNests> sinks;
  int item_count = 0;   ///< Items are below it.
  std::string problem;  ///< Empty: all results are functions of what the sinks hold.
  SourceLoc loc;        ///< Of the problem.
};

/// Reads a module of stage loop of which neighbours are symmetric, simple and without loops. It understands walks over
/// vertices, edges and sets of neighbours, lists that filter such sets, and values that are made of sizes, sums and
/// labels. A problem is whatever else is there: ids as numbers, positions, lists as results, several graphs, steps
/// that may end with an error before it is known whether their items count.
///
/// `maybe_labels`: by parameter of the module, the label of the edges that a graph has, which are some of those of the
/// one graph for which it is empty; several edges with different labels may join two vertices of that one, of which
/// only vertices and whether there is an edge are understood then. Null: there are no other graphs.
ModuleNests read_nests(const Module& module, const std::vector<std::string>* maybe_labels = nullptr);

}  // namespace matcha::ir
