#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "frontend/frontend.h"
#include "frontend/lower.h"
#include "ir/context.h"

/// Runs every `fail_*.mt` of this folder through the front end. `# expected-error@+1 {{text [id]}}` asks for one error
/// on the next line whose message and id contain the text; `@-1`, `@7` (line 7) and no place (the same line) work too,
/// and so does `expected-warning`. Every diagnostic must be asked for. `# entry: NAME` is the option `--entry`.
namespace matcha {
namespace {

const std::filesystem::path kFolder = "tests/errors";

struct Expected {
  std::uint32_t file;
  std::uint32_t line;
  Severity severity;
  std::string text;
  bool seen = false;
};

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The text between `open` and `close` in `line` from `at` on; moves `at` behind it. Empty if there is none.
std::string between(const std::string& line, std::size_t& at, const std::string& open, const std::string& close) {
  std::size_t begin = line.find(open, at);
  std::size_t end = begin == std::string::npos ? begin : line.find(close, begin + open.size());
  if (end == std::string::npos) return {};
  at = end + close.size();
  return line.substr(begin + open.size(), end - begin - open.size());
}

/// The line that `place` (`@+1`, `@-1`, `@7` or nothing) means at line `number`.
std::uint32_t place_of(const std::string& place, std::uint32_t number) {
  std::size_t at = place.find('@');
  if (at == std::string::npos) return number;
  bool relative = place[at + 1] == '+' || place[at + 1] == '-';
  int value = std::stoi(place.substr(at + 1));
  return static_cast<std::uint32_t>(relative ? static_cast<int>(number) + value : value);
}

std::vector<Expected> expectations(const SourceManager& sources) {
  std::vector<Expected> out;
  for (std::uint32_t file = 0; file < sources.size(); ++file) {
    std::istringstream lines{std::string(sources.text(file))};
    std::string line;
    for (std::uint32_t number = 1; std::getline(lines, line); ++number) {
      std::size_t at = 0;
      std::string head = between(line, at, "# expected-", " {{");
      if (head.empty()) continue;
      at -= 2;
      Severity severity = head.starts_with("error") ? Severity::Error : Severity::Warning;
      out.push_back({file, place_of(head, number), severity, between(line, at, "{{", "}}")});
    }
  }
  return out;
}

class ErrorTest : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(ErrorTest, ReportsTheExpectedErrors) {
  std::string text = read(GetParam());
  SourceManager sources;
  std::uint32_t file = sources.add(GetParam().string(), text);
  Diagnostics diagnostics(sources);
  frontend::Options options;
  options.read_module = frontend::default_module_reader(kFolder.string());
  std::size_t at = 0;
  if (text.starts_with("# entry: ")) options.entry = between(text, at, "# entry: ", "\n");
  std::optional<frontend::asg::Graph> graph = frontend::compile(sources, file, options, diagnostics);
  if (graph) {
    ir::Context context;
    EXPECT_FALSE(frontend::lower(*graph, context, diagnostics)) << "the program compiles";
  }
  EXPECT_TRUE(diagnostics.has_errors());
  EXPECT_TRUE(std::is_sorted(diagnostics.all().begin(), diagnostics.all().end(),
                             [](const Diagnostic& a, const Diagnostic& b) {
                               return std::tie(a.loc.file, a.loc.line, a.loc.column) <
                                      std::tie(b.loc.file, b.loc.line, b.loc.column);
                             }))
      << "not in source order";
  std::vector<Expected> expected = expectations(sources);
  for (const Diagnostic& d : diagnostics.all()) {
    std::string message = d.message + " [" + std::string(diag_text(d.id)) + "]";
    auto found = std::find_if(expected.begin(), expected.end(), [&](const Expected& e) {
      return !e.seen && e.file == d.loc.file && e.line == d.loc.line && e.severity == d.severity &&
             message.find(e.text) != std::string::npos;
    });
    if (found == expected.end()) {
      ADD_FAILURE() << "unexpected: " << sources.name(d.loc.file) << ":" << d.loc.line << ": " << message;
    } else {
      found->seen = true;
    }
  }
  for (const Expected& e : expected) {
    EXPECT_TRUE(e.seen) << "missing: " << sources.name(e.file) << ":" << e.line << ": " << e.text;
  }
  EXPECT_FALSE(render_text(diagnostics, false).empty());
}

std::vector<std::filesystem::path> cases() {
  std::vector<std::filesystem::path> out;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(kFolder)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with("fail_") && name.ends_with(".mt")) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

INSTANTIATE_TEST_SUITE_P(Files, ErrorTest, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<std::filesystem::path>& info) {
                           return info.param.stem().string();
                         });

/// Ids of the front end must have a case here. Three are about files that no `.mt` with comments can be, the others
/// about patterns, which are no files.
TEST(ErrorCoverage, EveryIdOfTheFrontEndHasACase) {
  std::set<std::string> covered{
      "encoding",         "too-deep",     "too-large",     // tests/unit/frontend/limits_test.cpp
      "pattern-syntax",   "pattern-name", "pattern-edge",  // tests/unit/frontend/pattern_test.cpp
      "pattern-label",    "pattern-size", "pattern-plan",  // and tests/cli/test_pattern.py
      "pattern-condition"};                                // tests/cli/test_conditions.py
  auto collect = [&](const std::filesystem::path& folder) {
    for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".mt") continue;
      std::string text = read(entry.path());
      std::size_t at = 0;
      for (std::string words = between(text, at, "{{", "}}"); !words.empty(); words = between(text, at, "{{", "}}")) {
        std::size_t id = words.rfind('[');
        if (id != std::string::npos) covered.insert(words.substr(id + 1, words.size() - id - 2));
      }
    }
  };
  collect(kFolder);
  collect(kFolder / "lib");
  bool frontend = false;
  std::istringstream table(read("ir/support/diagnostics.def"));
  std::string line;
  std::size_t ids = 0;
  while (std::getline(table, line)) {
    if (line.starts_with("// ")) frontend = line.starts_with("// frontend");
    std::size_t at = 0;
    std::string id = line.starts_with("MATCHA_DIAGNOSTIC(") ? between(line, at, "\"", "\"") : std::string();
    if (!frontend || id.empty()) continue;
    ++ids;
    EXPECT_TRUE(covered.contains(id)) << "no case for " << id;
  }
  EXPECT_GT(ids, 30u);
}

}  // namespace
}  // namespace matcha
