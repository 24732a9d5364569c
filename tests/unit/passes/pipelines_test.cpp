#include "passes/pipelines.h"

#include <gtest/gtest.h>

namespace matcha::passes {

namespace {

class PipelinesTest : public testing::Test {
 protected:
  std::string round_trip(const std::string& text) {
    std::optional<Pipeline> pipeline = parse_pipeline(text, diagnostics_);
    if (!pipeline) return "error: " + diagnostics_.all().back().message + "; " + diagnostics_.all().back().hint;
    std::string out;
    for (const PipelineStep& step : *pipeline) out += (out.empty() ? "" : ",") + to_string(step);
    return out;
  }

  SourceManager sources_;
  Diagnostics diagnostics_{sources_};
};

TEST_F(PipelinesTest, ReadsItsOwnText) {
  EXPECT_EQ(round_trip(""), "");
  EXPECT_EQ(round_trip("fuse"), "fuse");
  EXPECT_EQ(round_trip(" fuse , fixpoint { simplify , restrict } "), "fuse,fixpoint{simplify,restrict}");
  EXPECT_EQ(round_trip("fuse{copies=2}"), "fuse{copies=2}");
  EXPECT_EQ(round_trip("plan-memory{split=1,literal=3}"), "plan-memory{split=1,literal=3}");
  EXPECT_EQ(round_trip("fuse{copies=-1}"), "fuse{copies=-1}");
}

TEST_F(PipelinesTest, NamesStandForTheirLists) {
  std::string loop = round_trip("loop");
  EXPECT_NE(loop.find("fuse"), std::string::npos);
  EXPECT_EQ(round_trip("cpu"), loop + ",count-wedges,bitset-neighborhood,plan-memory,batch,legalize");
  EXPECT_EQ(round_trip("c-family"), loop +
                                        ",count-wedges{part=32},distribute,simplify,bitset-neighborhood{least=2,most="
                                        "2048,full=2048,lists=0},plan-memory,"
                                        "schedule-regions,map-lanes,legalize");
  EXPECT_EQ(round_trip("loop,plan-memory"), loop + ",plan-memory");
}

TEST_F(PipelinesTest, AnUnknownPassIsAnErrorWithTheNearName) {
  EXPECT_EQ(round_trip("restrikt"), "error: no pass is called `restrikt`; did you mean `restrict`?");
  EXPECT_EQ(diagnostics_.all()[0].id, DiagId::UnknownPass);
}

TEST_F(PipelinesTest, OldNamesOfPassesAreAccepted) {
  EXPECT_EQ(round_trip("demand,tally{part=3},localize{lists=0}"),
            "prune-by-degree,count-wedges{part=3},bitset-neighborhood{lists=0}");
}

TEST_F(PipelinesTest, AnUnknownOptionIsAnError) {
  EXPECT_EQ(round_trip("fuse{copy=1}"), "error: no option of `fuse` is called `copy`; known: copies");
  EXPECT_EQ(round_trip("hoist{copy=1}"), "error: no option of `hoist` is called `copy`; there is none");
}

TEST_F(PipelinesTest, ABadListIsAnErrorNotACrash) {
  for (const char* text : {"fuse,", ",", "fuse{", "fuse{copies", "fuse{copies=", "fuse{copies=x}", "fuse}", "fixpoint",
                           "fixpoint{", "fixpoint{fuse", "fuse fuse", "fuse{copies=99999999999999999999}"}) {
    std::size_t errors = diagnostics_.error_count();
    EXPECT_EQ(round_trip(text).rfind("error", 0), 0u) << text;
    EXPECT_EQ(diagnostics_.error_count(), errors + 1) << text;
  }
}

}  // namespace
}  // namespace matcha::passes
