#pragma once

#include <nlohmann/json.hpp>

#include "runtime/graph/inputs.h"
#include "session/resident_graph.h"
#include "tools/console.h"

namespace matcha::tools {

/// What `graph info` prints: a table, or one JSON object.
Status print_graph_info(const runtime::LoadedGraph& loaded, bool json, const Console& console);

/// The facts of a loaded graph for JSON: `vertices`, `edges`, `max_degree` and what was read and dropped.
nlohmann::ordered_json graph_facts(const runtime::LoadReport& report);
/// The first graph as `graph` of an object, and, of several that were joined, all by their names as `graphs`. Requires:
/// they were read.
void add_graphs(const session::ResidentGraph& graph, nlohmann::ordered_json& object);
/// The report of each.
void note_reports(const session::ResidentGraph& graph, const Console& console);

}  // namespace matcha::tools
