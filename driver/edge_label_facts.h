#pragma once

#include <memory>

#include "frontend/pattern/label_model.h"
#include "runtime/graph/graph.h"

namespace matcha::driver {

/// What a cost model wants to know of the labels of edges of a directed graph, which must outlive it; null where that
/// cannot be told.
std::shared_ptr<const frontend::pattern::EdgeLabelFacts> edge_label_facts(const runtime::Graph& graph,
                                                                          const runtime::LabelDictionary& dictionary);

}  // namespace matcha::driver
