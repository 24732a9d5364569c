#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "runtime/graph/graph.h"
#include "session/bind.h"
#include "session/pattern_source.h"

namespace matcha::session {

/// The edges of an undirected graph that have a label, as a separate graph with the labels of the vertices; its
/// vertices are those with such an edge. `whole` is kept by it. Errors: the edges have no labels; out of memory.
runtime::Result<runtime::Graph> graph_of_label(std::shared_ptr<const runtime::Graph> whole, std::int64_t label);

/// The code of the label that all edges of an undirected pattern have, where that is a pattern without labels of edges
/// on the graph of that label (`PatternSource::only_edge_label`). `whole`: with the labels of its edges.
std::optional<std::int64_t> only_label(const PatternSource& pattern, const runtime::Graph& whole,
                                       const runtime::LabelDictionary& dictionary);

/// Whether a query whose relationships have any type is the same without them: the graph has no loops and no parallel
/// edges, so that a pair of vertices is an edge. `whole`: with the labels of its edges.
bool needs_no_labels(const PatternSource& pattern, const runtime::Graph& whole);

/// If an undirected pattern asks for the same label of all its edges and has no condition on other edges, replaces it
/// by the pattern without labels of edges, and its graph by the graph of that label. So ranks by degree, counters of
/// wedges and identities, which need such patterns, serve it too. Likewise a query that needs no labels gets the graph
/// without them. Otherwise nothing happens. Requires: the inputs are bound and not reordered. Errors: those of making
/// the graph.
Status take_graph_of_label(PatternSource& pattern, const Reporter& reporter, BoundInputs& bound);

}  // namespace matcha::session
