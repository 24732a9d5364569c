// Runs the cases of `.answers` files, each on its engines, in this process: a child that is forked has the whole
// command line and needs no start of a program. Usage: answers [--only ENGINE] FILE...

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/answers/case_file.h"
#include "tests/answers/command.h"

namespace matcha::answers {
namespace {

/// Runs the command of a case on an engine, whose options follow the verb.
std::vector<std::string> command(const Case& one, const Engine& engine) {
  std::vector<std::string> words = one.words;
  words.insert(words.begin() + 1, engine.options.begin(), engine.options.end());
  return words;
}

/// True if the engine gives the answer of the case; else prints the difference.
bool check(const std::string& path, const Case& one, const Engine& engine) {
  const std::vector<std::string> words = command(one, engine);
  const Outcome outcome = run_command(words);
  bool right = outcome.status == one.status && outcome.output == one.output;
  for (const std::string& text : one.messages) right = right && outcome.errors.find(text) != std::string::npos;
  if (right) return true;
  std::printf("%s:%d: %s: matcha", path.c_str(), one.line, engine.name.c_str());
  for (const std::string& word : words) std::printf(" %s", word.c_str());
  std::printf("\n  exit code %d, expected %d\n  output   %s\n  expected %s\n  errors   %s\n", outcome.status,
              one.status, outcome.output.c_str(), one.output.c_str(), outcome.errors.c_str());
  return false;
}

/// Runs the cases of a file in a folder with its inputs; returns the numbers of right and of wrong answers.
std::pair<int, int> run_file(const std::string& path, const std::string& only) {
  const CaseFile file = read_cases(path);
  const std::filesystem::path home = std::filesystem::current_path();
  std::string folder = std::filesystem::temp_directory_path() / "matcha-answers-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) std::exit(2);
  std::filesystem::current_path(folder);
  for (const Input& input : file.inputs) std::ofstream(input.name, std::ios::binary) << input.content;
  std::pair<int, int> counts{0, 0};
  for (const Case& one : file.cases) {
    for (const std::string& name : one.engines) {
      if (!only.empty() && name != only) continue;
      const Engine& engine = *std::ranges::find(engines(), name, &Engine::name);
      ++(check(path, one, engine) ? counts.first : counts.second);
    }
  }
  std::filesystem::current_path(home);
  std::filesystem::remove_all(folder);
  return counts;
}

}  // namespace
}  // namespace matcha::answers

int main(int argc, char** argv) {
  std::string only;
  std::pair<int, int> counts{0, 0};
  for (int at = 1; at < argc; ++at) {
    if (std::strcmp(argv[at], "--only") == 0 && at + 1 < argc) {
      only = argv[++at];
      continue;
    }
    const auto [right, wrong] = matcha::answers::run_file(std::filesystem::absolute(argv[at]), only);
    counts.first += right;
    counts.second += wrong;
  }
  std::printf("%d right, %d wrong\n", counts.first, counts.second);
  return counts.second == 0 && counts.first > 0 ? 0 : 1;
}
