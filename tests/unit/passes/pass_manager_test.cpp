#include "passes/pass_manager.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "ir/builder.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "tests/unit/passes/occurrences.h"

namespace matcha::passes {

namespace {

constexpr const char* kTwoLists = R"(module loop "m" (%G: graph) {
  collect %l: list list<i64> {
    for %u in vertices(%G) {
      let %unused = neighbors(%G, %u)
      yield %l, 1
    }
  }
  collect %n: sum i128 {
    for %x in %l {
      yield %n, %x
    }
  }
  return %n
}
)";

/// Names an unbound value, like a pass with a bug.
ir::Module broken(const ir::Module& module, PassContext& context) {
  ir::Builder builder(context.context);
  const ir::Var* nowhere = builder.var(builder.context().i64(), "nowhere");
  const ir::Expr* value = nowhere;
  const ir::Stmt* ret = builder.ret({&value, 1});
  ir::Module result = module;
  result.body = builder.block({&ret, 1});
  return result;
}

class ManagerTest : public testing::Test {
 protected:
  PipelineResult run(const std::string& passes, const ManagerOptions& options = {}) {
    std::optional<Pipeline> pipeline = parse_pipeline(passes, diagnostics_);
    EXPECT_TRUE(pipeline) << render_text(diagnostics_, false);
    return run_pipeline(module(), pipeline.value_or(Pipeline{}), context_, TargetInfo{}, LabelWords{}, options,
                        diagnostics_);
  }

  ir::Module module() {
    std::uint32_t file = sources_.add("test.mtir", kTwoLists);
    std::optional<ir::Module> parsed = ir::parse(context_, file, diagnostics_);
    EXPECT_TRUE(parsed) << render_text(diagnostics_, false);
    return *parsed;
  }

  bool reported(DiagId id) const {
    for (const Diagnostic& diagnostic : diagnostics_.all()) {
      if (diagnostic.id == id) return true;
    }
    return false;
  }

  SourceManager sources_;
  Diagnostics diagnostics_{sources_};
  ir::Context context_;
};

TEST_F(ManagerTest, ReportsRunsThatChangedTheModule) {
  PipelineResult result = run("simplify,simplify");
  ASSERT_TRUE(result.ok);
  ASSERT_EQ(result.runs.size(), 2u);
  EXPECT_TRUE(result.runs[0].changed);
  EXPECT_EQ(result.runs[0].statistics.count("dead values"), 1u);
  EXPECT_FALSE(result.runs[1].changed);
}

TEST_F(ManagerTest, AnUnchangedModuleIsTheSameOne) {
  PipelineResult first = run("loop");
  PipelineResult again = run_pipeline(first.module, *parse_pipeline("fuse,restrict,hoist", diagnostics_), context_, {},
                                      {}, {}, diagnostics_);
  EXPECT_EQ(first.module.body, again.module.body);
}

TEST_F(ManagerTest, FixpointEndsWhenNothingChanges) {
  PipelineResult result = run("fixpoint{simplify,fuse}");
  ASSERT_TRUE(result.ok);
  EXPECT_GE(result.runs.size(), 4u);
  EXPECT_FALSE(result.runs.back().changed);
  EXPECT_LE(result.runs.size(), 2u * 12u);
}

TEST_F(ManagerTest, PassLimitEndsAfterThatManyRuns) {
  ManagerOptions options;
  options.pass_limit = 2;
  EXPECT_EQ(run("simplify,fuse,restrict", options).runs.size(), 2u);
}

TEST_F(ManagerTest, StopAfterEndsAfterThePass) {
  ManagerOptions options;
  options.stop_after = "fuse";
  PipelineResult result = run("fixpoint{simplify,fuse},plan-memory", options);
  EXPECT_EQ(result.runs.size(), 2u);
  EXPECT_EQ(result.module.stage, ir::Stage::Loop);
}

TEST_F(ManagerTest, DisabledPassesDoNotRun) {
  ManagerOptions options;
  options.disabled = {"fuse"};
  PipelineResult result = run("cpu", options);
  ASSERT_TRUE(result.ok);
  for (const PassRun& one : result.runs) EXPECT_NE(one.text, "fuse");
}

TEST_F(ManagerTest, PrintsAfterThePassesAskedFor) {
  ManagerOptions options;
  options.print_after = {"fuse"};
  std::string one = run("simplify,fuse", options).printed;
  EXPECT_NE(one.find("# after fuse (run 2)"), std::string::npos) << one;
  EXPECT_EQ(test::occurrences(one, "# after "), 1) << one;
  options.print_after = {"all"};
  EXPECT_NE(run("simplify,fuse", options).printed.find("# after simplify"), std::string::npos);
}

TEST_F(ManagerTest, PrintsChangesOnly) {
  ManagerOptions options;
  options.print_changed = true;
  std::string printed = run("simplify,simplify", options).printed;
  EXPECT_NE(printed.find("(run 1)"), std::string::npos);
  EXPECT_EQ(test::occurrences(printed, "(run "), 1) << printed;
}

TEST_F(ManagerTest, DumpsAreModules) {
  ManagerOptions options;
  std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "matcha-dumps";
  std::filesystem::remove_all(folder);
  options.dump_dir = folder.string();
  ASSERT_TRUE(run("simplify,fuse", options).ok);
  std::ifstream file(folder / "02-fuse.mtir");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  ir::Context context;
  EXPECT_TRUE(ir::parse(context, sources_.add("dump", text), diagnostics_)) << text;
}

TEST_F(ManagerTest, ADumpThatCannotBeWrittenIsAnError) {
  ManagerOptions options;
  options.dump_dir = "/dev/null/nowhere";
  EXPECT_FALSE(run("simplify", options).ok);
  EXPECT_TRUE(reported(DiagId::DumpFailed));
}

TEST_F(ManagerTest, AnUnknownNameInTheOptionsIsAnError) {
  ManagerOptions options;
  options.disabled = {"fuze"};
  EXPECT_FALSE(run("simplify", options).ok);
  ASSERT_TRUE(reported(DiagId::UnknownPass));
  EXPECT_EQ(diagnostics_.all()[0].hint, "did you mean `fuse`?");
}

TEST_F(ManagerTest, APassIsLeftOutByItsOldNameToo) {
  ManagerOptions options;
  options.disabled = {"demand"};
  const PipelineResult result = run("hoist,prune-by-degree", options);
  ASSERT_TRUE(result.ok);
  ASSERT_EQ(result.runs.size(), 1u);
  EXPECT_EQ(result.runs[0].text, "hoist");
}

TEST_F(ManagerTest, APassOfAnotherStageIsAnError) {
  EXPECT_FALSE(run("plan-memory,fuse").ok);
  EXPECT_TRUE(reported(DiagId::BadPipeline));
}

TEST_F(ManagerTest, AnInvalidInputIsNoBugOfAPass) {
  PipelineResult result;
  PassOptions none;
  Statistics statistics;
  PassContext context{context_, none, TargetInfo{}, LabelWords{}, diagnostics_, statistics};
  ir::Module bad = broken(module(), context);
  result = run_pipeline(bad, *parse_pipeline("fuse", diagnostics_), context_, {}, {}, {}, diagnostics_);
  EXPECT_FALSE(result.ok);
  EXPECT_TRUE(result.bug.empty());
  EXPECT_TRUE(reported(DiagId::IrInvalid));
}

TEST_F(ManagerTest, ABrokenPassIsNamedWithACommandThatRepeatsIt) {
  const PassInfo bad{"broken", broken, ir::Stage::Loop, ir::Stage::Loop, "breaks the rules"};
  Pipeline pipeline = *parse_pipeline("simplify", diagnostics_);
  pipeline.push_back({&bad, {}, {}});
  PipelineResult result = run_pipeline(module(), pipeline, context_, {}, {}, {}, diagnostics_);
  EXPECT_FALSE(result.ok);
  EXPECT_TRUE(reported(DiagId::BrokenPass));
  EXPECT_NE(diagnostics_.all()[0].message.find("`broken`"), std::string::npos);
  EXPECT_NE(result.bug.find("--passes='broken'"), std::string::npos) << result.bug;
  EXPECT_NE(result.bug.find("module loop \"m\""), std::string::npos) << result.bug;
  EXPECT_NE(ir::print(result.module).find("collect"), std::string::npos);
}

TEST_F(ManagerTest, TheTimeReportNamesEveryRun) {
  std::string report = time_report(run("simplify,fuse"));
  EXPECT_NE(report.find("simplify"), std::string::npos);
  EXPECT_NE(report.find("total"), std::string::npos);
}

}  // namespace
}  // namespace matcha::passes
