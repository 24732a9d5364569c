#include <gtest/gtest.h>

#include "frontend/builtins.h"
#include "tests/unit/frontend/support.h"

namespace matcha::frontend::testing {
namespace {

/// Every ```mt block of the language reference.
std::vector<std::string> examples() {
  std::string text = read_file("grammar/README.md");
  std::vector<std::string> out;
  std::size_t at = 0;
  while ((at = text.find("```mt\n", at)) != std::string::npos) {
    std::size_t begin = at + 6;
    std::size_t end = text.find("```", begin);
    out.push_back(text.substr(begin, end - begin));
    at = end + 3;
  }
  return out;
}

TEST(Reference, ExamplesCompile) {
  std::vector<std::string> blocks = examples();
  EXPECT_GE(blocks.size(), 20u);
  for (const std::string& block : blocks) {
    SCOPED_TRACE(block);
    EXPECT_TRUE(compile_fully(block)) << asg_text(block);
  }
}

TEST(Reference, EveryOperatorHasAnExample) {
  std::string all;
  for (const std::string& block : examples()) all += block;
  for (const Builtin& builtin : builtins()) {
    EXPECT_NE(all.find(std::string(builtin.name) + "("), std::string::npos) << builtin.name;
  }
}

}  // namespace
}  // namespace matcha::frontend::testing
