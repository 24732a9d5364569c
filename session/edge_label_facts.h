#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "question/label_model.h"
#include "runtime/graph/graph.h"

namespace matcha::session {

/// Statistics of the edge labels of a directed graph for a cost model; the graph must outlive them. Null if they are
/// unknown.
std::shared_ptr<const pattern::EdgeLabelFacts> edge_label_facts(const runtime::Graph& graph,
                                                                const runtime::LabelDictionary& dictionary);

/// The code of a label as a program writes it, `3` or `'a'`; nothing for a word that no vertex or edge has.
std::optional<std::int64_t> code_of_literal(const std::string& literal, const runtime::LabelDictionary& dictionary);

/// The most copies that a label has.
std::size_t most_of_copies(const runtime::LabelDictionary& dictionary);

}  // namespace matcha::session
