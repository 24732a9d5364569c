#include "tests/answers/command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "tools/cli.h"
#include "tools/verbs.h"

namespace matcha::answers {
namespace {

/// Seconds after which a command counts as hanging; the kernel measures them.
constexpr unsigned kLimitSeconds = 300;

std::string content_of(int descriptor) {
  std::string text;
  char block[4096];
  ::lseek(descriptor, 0, SEEK_SET);
  for (ssize_t got = 0; (got = ::read(descriptor, block, sizeof block)) > 0;)
    text.append(block, static_cast<std::size_t>(got));
  ::close(descriptor);
  return text;
}

}  // namespace

Outcome run_command(std::vector<std::string> words) {
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
    const int status =
        tools::run_command_line(static_cast<int>(words.size()), arguments.data(), tools::program_verbs());
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

}  // namespace matcha::answers
