#pragma once

#include "ir/analysis/facts.h"
#include "ir/nodes.h"

/// Graphs that are built of the edges which a region collects, row by row, so that no list of edges is needed.
namespace matcha::ir {

/// The statement that builds a graph of the edges in `sink` of a region, if they come in order and nothing else reads
/// them: a walk over the vertices of a graph that yields each vertex with others in ascending order, into a list that
/// one `csr` without labels and edge information reads. Null: there is none.
const BuildGraph* built_of_rows(const Facts& facts, const Module& module, const Region& region, const Sink& sink);

/// True if the program gives the same when every rank counts as a vertex of `graph`, those without edges too: it walks
/// the vertices of the graph only to walk their neighbours.
bool every_rank_may_be_vertex(const Module& module, const Var* graph);

/// The number of yields into `sink` below `block`.
int yields_into(const Block& block, const Var* sink);

}  // namespace matcha::ir
