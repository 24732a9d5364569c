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

TEST(Stdlib, PartsOfModulesHaveAllThatTheirFunctionsNeed) {
  for (const std::string& module : stdlib_modules()) {
    const std::string text = default_module_reader({})(module)->text;
    SourceManager sources;
    Diagnostics diagnostics(sources);
    const std::unique_ptr<Program> program = parse(sources, sources.add(module, text), diagnostics);
    for (const ast::Def* def : program->main->defs) {
      const std::string name(def->decl->name);
      const std::string part = with_functions(text, {name});
      EXPECT_EQ(std::ranges::count(part, '\n'), std::ranges::count(text, '\n'));
      const std::unique_ptr<Compiled> whole = compile_text(text, name), own = compile_text(part, name);
      ASSERT_EQ(whole->graph.has_value(), own->graph.has_value()) << module << " " << name;
      if (whole->graph) {
        EXPECT_EQ(asg::print(*whole->graph), asg::print(*own->graph)) << module << " " << name;
      }
    }
    EXPECT_EQ(with_functions(text, {"nothing"}), text);
  }
  const std::string text =
      "\"\"\"Two.\"\"\"\nfrom std.set import union, symdiff\nfrom std.graph import reversed\n\ndef a(g):\n"
      "    return union(g, g)\n\n# Comment\ndef b(g):\n    return reversed(g)\n";
  EXPECT_EQ(with_functions(text, {"a"}),
            "\"\"\"Two.\"\"\"\nfrom std.set import union\n\n\ndef a(g):\n"
            "    return union(g, g)\n\n# Comment\n\n\n");
}

TEST(Stdlib, UnknownModules) {
  EXPECT_FALSE(default_module_reader({})("std.nothing"));
  EXPECT_FALSE(default_module_reader({})("nothing"));
  EXPECT_FALSE(default_module_reader("tests/errors")("std.good"));
  EXPECT_TRUE(default_module_reader("tests/errors")("lib.good"));
}

}  // namespace
}  // namespace matcha::frontend::testing
