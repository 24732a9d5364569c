// Runs the cases of `.answers` files, each on its engines, in this process: a child that is forked has the whole
// command line and needs no start of a program. Usage: answers [--only ENGINE] FILE...

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
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
#include "tools/cli.h"

namespace matcha::answers {
namespace {

/// Seconds after which a command is said to hang; the kernel counts them.
constexpr unsigned kLimitSeconds = 300;

struct Outcome {
  int status = 0;  ///< The exit code, or -1 - the signal that ended it.
  std::string output;
  std::string errors;
};

std::string content_of(int descriptor) {
  std::string text;
  char block[4096];
  ::lseek(descriptor, 0, SEEK_SET);
  for (ssize_t got = 0; (got = ::read(descriptor, block, sizeof block)) > 0;)
    text.append(block, static_cast<std::size_t>(got));
  ::close(descriptor);
  return text;
}

/// Runs a command of the command line in a child.
Outcome run(std::vector<std::string> words) {
  words.insert(words.begin(), "matcha");
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  arguments.push_back(nullptr);
  const int output = ::memfd_create("output", 0);
  const int errors = ::memfd_create("errors", 0);
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(errors, STDERR_FILENO);
    ::alarm(kLimitSeconds);
    const int status = tools::run_command_line(static_cast<int>(words.size()), arguments.data());
    std::fflush(nullptr);
    ::_exit(status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  Outcome outcome;
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1 - WTERMSIG(status);
  outcome.output = content_of(output);
  outcome.errors = content_of(errors);
  return outcome;
}

/// The command of a case on an engine: its options come behind the verb.
std::vector<std::string> command(const Case& one, const Engine& engine) {
  std::vector<std::string> words = one.words;
  words.insert(words.begin() + 1, engine.options.begin(), engine.options.end());
  return words;
}

/// True if the case has its answer on the engine; else prints what came instead.
bool check(const std::string& path, const Case& one, const Engine& engine) {
  const std::vector<std::string> words = command(one, engine);
  const Outcome outcome = run(words);
  bool right = outcome.status == one.status && outcome.output == one.output;
  for (const std::string& text : one.says) right = right && outcome.errors.find(text) != std::string::npos;
  if (right) return true;
  std::printf("%s:%d: %s: matcha", path.c_str(), one.line, engine.name.c_str());
  for (const std::string& word : words) std::printf(" %s", word.c_str());
  std::printf("\n  exit code %d, expected %d\n  output   %s\n  expected %s\n  errors   %s\n", outcome.status,
              one.status, outcome.output.c_str(), one.output.c_str(), outcome.errors.c_str());
  return false;
}

/// Runs the cases of a file in a folder that has its inputs; the numbers of right and of wrong answers.
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
