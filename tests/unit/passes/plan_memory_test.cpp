#include "passes/plan_memory.h"

#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ir/printer.h"
#include "passes/pass_manager.h"
#include "tests/unit/passes/occurrences.h"

namespace matcha::passes {

namespace {

class PlanMemoryTest : public testing::Test {
 protected:
  /// The text after plan-memory, or the ids of the errors.
  std::string plan(const std::string& text) {
    std::optional<ir::Module> module = ir::parse(context_, sources_.add("test.mtir", text), diagnostics_);
    if (!module) return render_text(diagnostics_, false);
    PipelineResult result =
        run_pipeline(*module, *parse_pipeline("plan-memory", diagnostics_), context_, {}, {}, {}, diagnostics_);
    if (result.ok) return ir::print(result.module);
    std::string ids;
    for (const Diagnostic& diagnostic : diagnostics_.all()) ids += std::string(diag_text(diagnostic.id)) + " ";
    return ids + result.bug;
  }

  SourceManager sources_;
  Diagnostics diagnostics_{sources_};
  ir::Context context_;
};

TEST_F(PlanMemoryTest, AListOfListsIsAnErrorWithAHint) {
  std::string answer = plan(R"(module loop "m" (%G: graph) {
  collect %l: list list<list<vid>> {
    for %u in vertices(%G) {
      yield %l, neighbors(%G, %u)
    }
  }
  return size(%l)
})");
  EXPECT_EQ(diagnostics_.all()[0].id, DiagId::StoredNest) << answer;
  EXPECT_NE(diagnostics_.all()[0].hint.find("flatten"), std::string::npos);
}

TEST_F(PlanMemoryTest, AListWithoutABoundIsAnError) {
  std::string answer = plan(R"(module loop "m" (%G: graph) {
  collect %l: list list<list<vid>> {
    for %u in vertices(%G) {
      yield %l, neighbors(%G, %u)
    }
  }
  collect %n: sum i128 {
    for %x in %l {
      let %s = intersect(%x, vertices(%G))
      yield %n, size(%s)
    }
  }
  return %n
})");
  EXPECT_NE(answer.find("unbounded-list"), std::string::npos) << answer;
  EXPECT_TRUE(std::any_of(diagnostics_.all().begin(), diagnostics_.all().end(),
                          [](const Diagnostic& d) { return d.id == DiagId::UnboundedList; }));
}

TEST_F(PlanMemoryTest, LoopsThatFillDifferentSinksAreRegionsOfTheirOwn) {
  std::string answer = plan(R"(module loop "m" (%G: graph, %H: graph) {
  collect %a: sum i128, %b: sum i128 {
    for %u in vertices(%G) { yield %a, 1 }
    for %v in vertices(%H) { yield %b, 1 }
  }
  return %a, %b
})");
  EXPECT_EQ(test::occurrences(answer, "region ("), 2) << answer;
  EXPECT_EQ(test::occurrences(answer, "region (parallel"), 2) << answer;
}

TEST_F(PlanMemoryTest, LoopsThatShareASinkRunInTurn) {
  std::string answer = plan(R"(module loop "m" (%G: graph, %H: graph) {
  collect %a: sum i128 {
    for %u in vertices(%G) { yield %a, 1 }
    for %v in vertices(%H) { yield %a, 1 }
  }
  return %a
})");
  EXPECT_NE(answer.find("region (sequential"), std::string::npos) << answer;
}

TEST_F(PlanMemoryTest, AConditionAroundTheLoopOfARegionKeepsItParallel) {
  std::string answer = plan(R"(module loop "m" (%G: graph, %k: i64) {
  collect %a: sum i128 {
    if (%k < 3) {
      for %u in vertices(%G) { yield %a, 1 }
    }
  }
  return %a
})");
  EXPECT_NE(answer.find("region (parallel"), std::string::npos) << answer;
  EXPECT_NE(answer.find("span(vertices(%G), 0, select((%k < 3), size(vertices(%G)), 0))"), std::string::npos) << answer;
}

}  // namespace
}  // namespace matcha::passes
