#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "codegen/plan/tiers.h"
#include "ir/parser.h"
#include "tests/unit/codegen/llvm/harness.h"

namespace matcha::codegen::test {

namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;

/// Triangles by loops, as a plan with LLVM behind it.
class TieredProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ifstream in("tests/unit/codegen/llvm/modules/triangles_loops.mtir");
    std::ostringstream text;
    text << in.rdbuf();
    module_ = ir::parse(context_, sources_.add("triangles.mtir", text.str()), diagnostics_);
    ASSERT_TRUE(module_) << render_text(diagnostics_, false);
  }

  std::unique_ptr<plan::Tiered> load(microseconds patience) {
    std::optional<plan::Loaded> loaded = plan::load(*module_, diagnostics_);
    if (!loaded) return nullptr;
    return std::make_unique<plan::Tiered>(*module_, sources_, std::move(*loaded), "", patience);
  }

  /// The answer and the code that ran.
  std::string run(plan::Tiered& program, unsigned threads = 1) {
    std::vector<Argument> arguments = world_.arguments();
    RunOptions options;
    options.threads = threads;
    const RunOutcome outcome = program.run(arguments, *world_.universe, options);
    const RunResult* result = std::get_if<RunResult>(&outcome);
    return render(outcome) + " by " + (result != nullptr ? result->level : "nothing");
  }

  SourceManager sources_;
  Diagnostics diagnostics_{sources_};
  ir::Context context_;
  std::optional<ir::Module> module_;
  World world_ = World::random(20, 1.0, 1, false);
};

TEST_F(TieredProgram, CompiledCodeTakesOver) {
  const std::unique_ptr<plan::Tiered> program = load(microseconds(0));
  EXPECT_TRUE(run(*program).starts_with("1140 by interp"));
  program->wait_for_native();
  EXPECT_EQ(run(*program), "1140 by native");
  EXPECT_EQ(run(*program, 2), "1140 by native");
}

TEST_F(TieredProgram, ShortRunsMeetNoCompiler) {
  const std::unique_ptr<plan::Tiered> program = load(hours(1));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(run(*program), "1140 by interp");
  for (int i = 0; i < 1000 && compiles_in_background(); ++i) std::this_thread::sleep_for(milliseconds(5));
  EXPECT_FALSE(compiles_in_background());
}

/// After a program is destroyed, nothing of its module is read.
TEST_F(TieredProgram, IsDestroyedWhileItIsCompiled) {
  for (int i = 0; i < 10; ++i) {
    const std::unique_ptr<plan::Tiered> program = load(microseconds(0));
    EXPECT_TRUE(run(*program).starts_with("1140 by interp"));
    std::this_thread::sleep_for(milliseconds(i));
  }
}

TEST_F(TieredProgram, RunsAtOnceOnManyThreads) {
  const std::unique_ptr<plan::Tiered> program = load(microseconds(200));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) EXPECT_TRUE(run(*program).starts_with("1140 by "));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

}  // namespace matcha::codegen::test
