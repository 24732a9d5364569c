#pragma once

#include <string>
#include <vector>

namespace matcha::answers {

/// A command with its answer, and the ways to ask it that must give this answer.
struct Case {
  int line = 0;                       ///< Where it begins in its file, from 1 on.
  std::vector<std::string> words;     ///< The command line without `matcha`.
  std::string output;                 ///< Expected standard output, with its line breaks.
  int status = 0;                     ///< Expected exit code.
  std::vector<std::string> messages;  ///< Texts required in standard error.
  std::vector<std::string> engines;   ///< Names of `engines()`; never empty.
};

/// A file that the commands read, such as a graph.
struct Input {
  std::string name;
  std::string content;
};

/// The contents of a `.answers` file. README.md of tests has the format.
struct CaseFile {
  std::vector<Input> inputs;
  std::vector<Case> cases;
};

/// A way to run a command: options added to its words, and the cases that it cannot run.
struct Engine {
  std::string name;
  std::vector<std::string> options;
  bool needs_device = false;  ///< Runs on a GPU; here on the emulated one.
};

/// All engines, `auto` first.
const std::vector<Engine>& engines();

/// Reads a file of cases. Errors: `file:line: …` on standard error, and exit code 2.
CaseFile read_cases(const std::string& path);

}  // namespace matcha::answers
