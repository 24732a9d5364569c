#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "runtime/graph/graph.h"
#include "session/bind.h"
#include "session/pattern_source.h"

namespace matcha::session {

/// The edges of an undirected graph that have a label, as a graph of its own with the labels of the vertices; its
/// vertices are those with such an edge. `whole` is kept by it. Errors: the edges have no labels; out of memory.
runtime::Result<runtime::Graph> graph_of_label(std::shared_ptr<const runtime::Graph> whole, std::int64_t label);

/// The code of the label that all edges of an undirected pattern have, where that is a pattern without labels of edges
/// on the graph of that label (`PatternSource::only_edge_label`). `whole`: with the labels of its edges.
std::optional<std::int64_t> only_label(const PatternSource& pattern, const runtime::Graph& whole,
                                       const runtime::LabelDictionary& dictionary);

/// Whether a query whose relationships have any type is the same without them: the graph has no loops and no parallel
/// edges, so that a pair of vertices is an edge. `whole`: with the labels of its edges.
bool needs_no_labels(const PatternSource& pattern, const runtime::Graph& whole);

/// Where an undirected pattern asks for the same label of all its edges and for nothing of other edges, that is a
/// pattern without labels of edges on the graph of that label. It takes both in place of its own, so that all that is
/// for such patterns serves this one: ranks by degree, counters of wedges, identities. So it is with a query that needs
/// no labels, and the graph without them. Else nothing happens. With the inputs there and in no other order yet.
/// Errors: those of making the graph.
Status take_graph_of_label(PatternSource& pattern, const Reporter& reporter, BoundInputs& bound);

}  // namespace matcha::session
