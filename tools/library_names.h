#pragma once

#include <string>
#include <vector>

namespace matcha::tools {

/// Names in the modules of the binary, for completions; sorted, each once.
struct LibraryNames {
  std::vector<std::string> modules;     ///< `std.clique`.
  std::vector<std::string> entries;     ///< Functions of all of them.
  std::vector<std::string> parameters;  ///< Ints, floats and bools that these take, as `--param` begins: `k=`.
};

/// Parses the modules.
LibraryNames library_names();

}  // namespace matcha::tools
