#pragma once

#include "ir/analysis/facts.h"
#include "ir/nodes.h"

/// Graphs built from edges that a region collects row by row, so that no list of edges is needed.
namespace matcha::ir {

/// The statement that builds a graph from the edges in `sink` of a region, if they come in order and are read nowhere
/// else. The region walks the vertices of a graph and yields each vertex with others in ascending order; a `csr`
/// without labels and edge information reads the list. Null: there is none.
const BuildGraph* built_of_rows(const Facts& facts, const Module& module, const Region& region, const Sink& sink);

/// True if the program has the same results if every rank counts as a vertex of `graph`, even those without edges: it
/// walks the vertices of the graph only to walk their neighbours.
bool every_rank_may_be_vertex(const Module& module, const Var* graph);

/// The number of yields into `sink` in `block` and its nested blocks.
int yields_into(const Block& block, const Var* sink);

}  // namespace matcha::ir
