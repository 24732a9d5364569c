#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "runtime/graph/inputs.h"
#include "session/reporter.h"
#include "session/resident_graph.h"

namespace matcha::session {

/// All facts of a loaded graph: a table, or one JSON object, `matcha.graph/1`, with a newline.
std::string graph_info(const runtime::LoadedGraph& loaded, bool json);

/// The facts of a loaded graph for JSON: `vertices`, `edges`, `max_degree`, and the lines that were read and dropped.
nlohmann::ordered_json graph_facts(const runtime::LoadReport& report);
/// The first graph as `graph` of an object, and, of several that were joined, all by their names as `graphs`. Requires:
/// they were read.
void add_graphs(const ResidentGraph& graph, nlohmann::ordered_json& object);
/// The report of each.
void note_reports(const ResidentGraph& graph, const Reporter& reporter);

}  // namespace matcha::session
