#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/frontend/support.h"

namespace matcha::frontend::testing {
namespace {

TEST(Stdlib, EveryFunctionOfEveryModuleCompiles) {
  std::vector<std::string> modules = stdlib_modules();
  EXPECT_TRUE(std::is_sorted(modules.begin(), modules.end()));
  EXPECT_GE(modules.size(), 3u);
  for (const std::string& module : modules) {
    std::optional<ModuleText> text = default_module_reader({})(module);
    ASSERT_TRUE(text);
    SourceManager sources;
    std::uint32_t file = sources.add(text->name, text->text);
    Diagnostics diagnostics(sources);
    std::unique_ptr<Program> program = check(sources, file, {}, diagnostics);
    for (const ast::Def* def : program->main->defs) {
      std::string name(def->decl->name);
      std::unique_ptr<Compiled> compiled = compile_text(text->text, name);
      // A function with a result can be an entry, unless that is a graph; the others serve functions.
      bool helper = def->maybe_result == nullptr || compiled->has(DiagId::EntryResult);
      EXPECT_TRUE(compiled->graph || helper) << module << ": " << render_text(*compiled->diagnostics, false);
      EXPECT_FALSE(def->doc.empty() && text->text.find("\"\"\"") == std::string::npos) << name;
    }
  }
}

TEST(Stdlib, UnknownModules) {
  EXPECT_FALSE(default_module_reader({})("std.nothing"));
  EXPECT_FALSE(default_module_reader({})("nothing"));
  EXPECT_FALSE(default_module_reader("tests/errors")("std.good"));
  EXPECT_TRUE(default_module_reader("tests/errors")("lib.good"));
}

}  // namespace
}  // namespace matcha::frontend::testing
