#pragma once

#include <nlohmann/json.hpp>

#include "runtime/graph/inputs.h"
#include "tools/console.h"

namespace matcha::tools {

/// What `graph info` prints: a table, or one JSON object.
Status print_graph_info(const runtime::LoadedGraph& loaded, bool json, const Console& console);

/// The facts of a loaded graph for JSON: `vertices`, `edges`, `max_degree` and what was read and dropped.
nlohmann::ordered_json graph_facts(const runtime::LoadReport& report);

}  // namespace matcha::tools
