#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "tests/campaign/sample_graph.h"

namespace matcha::campaign {

/// The files of a graph, in a folder that is reused.
struct GraphFiles {
  GraphFiles(const std::filesystem::path& folder, const SampleGraph& graph);

  std::string graph, labels;
  std::map<std::string, std::string> inputs;  ///< Name of a parameter to its file.
};

}  // namespace matcha::campaign
