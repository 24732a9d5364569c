#pragma once

#include <string>
#include <vector>

namespace matcha::answers {

/// How a command ended, and its output.
struct Outcome {
  int status = 0;  ///< The exit code, or -1 - the signal that ended it.
  std::string output;
  std::string errors;
};

/// Runs a command of the command line in a child of this process: `words` without `matcha`.
Outcome run_command(std::vector<std::string> words);

}  // namespace matcha::answers
