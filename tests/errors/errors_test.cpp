#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
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

std::vector<Expected> expectations(const SourceManager& sources) {
  static const std::regex kComment(R"(# expected-(error|warning)(@([+-]?)(\d+))? \{\{(.*)\}\})");
  std::vector<Expected> out;
  for (std::uint32_t file = 0; file < sources.size(); ++file) {
    std::istringstream lines{std::string(sources.text(file))};
    std::string line;
    for (std::uint32_t number = 1; std::getline(lines, line); ++number) {
      std::smatch found;
      if (!std::regex_search(line, found, kComment)) continue;
      std::uint32_t at = number;
      if (found[4].matched) {
        std::uint32_t offset = static_cast<std::uint32_t>(std::stoul(found[4]));
        at = found[3] == "+" ? number + offset : found[3] == "-" ? number - offset : offset;
      }
      out.push_back({file, at, found[1] == "error" ? Severity::Error : Severity::Warning, found[5]});
    }
  }
  return out;
}

class ErrorTest : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(ErrorTest, ReportsWhatTheFileSays) {
  std::string text = read(GetParam());
  SourceManager sources;
  std::uint32_t file = sources.add(GetParam().string(), text);
  Diagnostics diagnostics(sources);
  frontend::Options options;
  options.read_module = frontend::default_module_reader(kFolder.string());
  std::smatch entry;
  if (std::regex_search(text, entry, std::regex("^# entry: (\\w+)"))) options.entry = entry[1];
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

/// Ids of the front end must have a case here; three are about files that no `.mt` with comments can be.
TEST(ErrorCoverage, EveryIdOfTheFrontEndHasACase) {
  std::set<std::string> covered{"encoding", "too-deep", "too-large"};  // tests/unit/frontend/limits_test.cpp
  static const std::regex kId(R"(\[([a-z0-9-]+)\]\}\})");
  auto collect = [&](const std::filesystem::path& folder) {
    for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".mt") continue;
      std::string text = read(entry.path());
      for (std::sregex_iterator it(text.begin(), text.end(), kId), end; it != end; ++it) covered.insert((*it)[1]);
    }
  };
  collect(kFolder);
  collect(kFolder / "lib");
  bool frontend = false;
  std::istringstream table(read("ir/support/diagnostics.def"));
  std::string line;
  std::size_t ids = 0;
  static const std::regex kEntry(R"re(^MATCHA_DIAGNOSTIC\(\w+, "([a-z0-9-]+)")re");
  while (std::getline(table, line)) {
    if (line.starts_with("// ")) frontend = line.starts_with("// frontend");
    std::smatch found;
    if (!frontend || !std::regex_search(line, found, kEntry)) continue;
    ++ids;
    EXPECT_TRUE(covered.contains(found[1])) << "no case for " << found[1];
  }
  EXPECT_GT(ids, 30u);
}

}  // namespace
}  // namespace matcha
