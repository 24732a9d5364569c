#include "session/pattern_list.h"

#include <fmt/format.h>

#include <sstream>

#include "session/text_file.h"

namespace matcha::session {

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
  const std::string name = path == "-" ? "<stdin>" : path;
  std::string text;
  if (const std::string why = read_pattern_file(path, text); !why.empty()) {
    return bad_list(name, fmt::format("cannot open: {}", why));
  }
  std::istringstream in(std::move(text));
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
  if (patterns.empty()) return bad_list(name, "there are no patterns", "one a line, such as `a-b-c-a` or `clique:4`");
  return patterns;
}

}  // namespace matcha::session
