#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "passes/pass.h"

namespace matcha::passes {

namespace {

TEST(PassesReadme, HasTheTableOfPassesDef) {
  std::ifstream file("passes/README.md");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  std::string table = "| pass | stages | does | options |\n|---|---|---|---|\n";
  for (const PassInfo& pass : all_passes()) {
    const auto stage = [](ir::Stage s) { return s == ir::Stage::Loop ? "loop" : "kernel"; };
    std::string options;
    for (const PassOption& option : all_pass_options()) {
      if (option.pass != pass.name) continue;
      options += std::string(options.empty() ? "" : "; ") + "`" + std::string(option.name) + "=" +
                 std::to_string(option.default_value) + "` " + std::string(option.meaning);
    }
    std::string stages = stage(pass.takes);
    if (pass.gives != pass.takes) stages += std::string(" → ") + stage(pass.gives);
    table +=
        "| `" + std::string(pass.name) + "` | " + stages + " | " + std::string(pass.summary) + " | " + options + " |\n";
  }
  EXPECT_NE(text.find(table), std::string::npos) << "passes/README.md lacks this table:\n" << table;
}

}  // namespace
}  // namespace matcha::passes
