#include "driver/pattern_list.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

namespace matcha::driver {

namespace {

constexpr std::uint32_t kMostLines = 10'000;
constexpr const char* kSpace = " \t\r";

runtime::Error bad_list(const std::string& name, std::string message, std::string hint = {}) {
  runtime::Error error;
  error.kind = runtime::ErrorKind::Input;
  error.file = name;
  error.message = std::move(message);
  error.hint = std::move(hint);
  return error;
}

/// `line` without its comment; a `#` in quotes begins none.
std::string without_comment(const std::string& line) {
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quote != '\0') {
      if (line[i] == quote) quote = '\0';
    } else if (line[i] == '\'' || line[i] == '"') {
      quote = line[i];
    } else if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      return line.substr(0, i);
    }
  }
  return line;
}

}  // namespace

runtime::Result<std::vector<PatternOptions>> read_pattern_list(const std::string& path, const PatternOptions& common) {
  const bool standard = path == "-";
  const std::string name = standard ? "<stdin>" : path;
  std::ifstream file;
  if (!standard) {
    file.open(path, std::ios::binary);
    // A folder opens, and fails when it is read.
    if (!file || (file.peek(), file.bad())) return bad_list(name, fmt::format("cannot open: {}", std::strerror(errno)));
    file.clear();
  }
  std::istream& in = standard ? std::cin : file;
  std::vector<PatternOptions> patterns;
  std::string line;
  for (std::uint32_t number = 1; std::getline(in, line); ++number) {
    if (number > kMostLines) return bad_list(name, fmt::format("more than {} lines of patterns", kMostLines));
    line = without_comment(line);
    const std::size_t end = line.find_last_not_of(kSpace);
    if (end == std::string::npos) continue;
    line.resize(end + 1);
    PatternOptions one = common;
    one.text = line;
    one.name = name;
    one.line = number;
    patterns.push_back(std::move(one));
  }
  if (in.bad()) return bad_list(name, "cannot be read");
  if (patterns.empty()) return bad_list(name, "there are no patterns", "one a line, such as `a-b-c-a` or `clique:4`");
  return patterns;
}

}  // namespace matcha::driver
