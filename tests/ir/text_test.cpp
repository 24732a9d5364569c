#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/ir/parsed.h"

namespace matcha::ir {
namespace {

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".mtir") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string stem(const testing::TestParamInfo<std::string>& info) {
  return std::filesystem::path(info.param).stem().string();
}

class RoundTrip : public testing::TestWithParam<std::string> {};

// The files are in the printer's own form.
TEST_P(RoundTrip, PrintsTheTextThatWasRead) {
  std::string text = read_file(GetParam());
  Parsed parsed(text);
  ASSERT_TRUE(parsed.module) << render_text(parsed.diagnostics, false);
  EXPECT_TRUE(verify(*parsed.module, parsed.diagnostics)) << render_text(parsed.diagnostics, false);
  EXPECT_EQ(print(*parsed.module), text);
}

INSTANTIATE_TEST_SUITE_P(Files, RoundTrip, testing::ValuesIn(files_in("tests/ir/roundtrip")), stem);

class Verify : public testing::TestWithParam<std::string> {};

TEST_P(Verify, ReportsTheBrokenRule) {
  const std::string text = read_file(GetParam());
  const std::string begin = "# expected-error {{";
  ASSERT_EQ(text.rfind(begin, 0), 0U) << "the first line says what is expected";
  const std::string expected = text.substr(begin.size(), text.find("}}") - begin.size());
  Parsed parsed(text);
  ASSERT_TRUE(parsed.module) << render_text(parsed.diagnostics, false);
  EXPECT_FALSE(verify(*parsed.module, parsed.diagnostics));
  bool found = false;
  for (const Diagnostic& diagnostic : parsed.diagnostics.all()) {
    EXPECT_EQ(diagnostic.id, DiagId::IrInvalid);
    found = found || diagnostic.message.find(expected) != std::string::npos;
  }
  EXPECT_TRUE(found) << "expected: " << expected << "\n" << render_text(parsed.diagnostics, false);
  EXPECT_EQ(print(*Parsed(print(*parsed.module)).module), print(*parsed.module));
}

INSTANTIATE_TEST_SUITE_P(Files, Verify, testing::ValuesIn(files_in("tests/ir/verify")), stem);

}  // namespace
}  // namespace matcha::ir
