#include "codegen/host/host_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "ir/verifier.h"
#include "tests/ir/parsed.h"

namespace matcha::codegen::host {
namespace {

/// The plan of a module of stage kernel with these statements.
class Planned {
 public:
  explicit Planned(const std::string& body)
      : parsed_("module kernel \"m\" (%G: graph, %H: graph, %k: i64, %l: list<vid, vid>) {\n" + body + "\n}") {
    EXPECT_TRUE(parsed_.module && ir::verify(*parsed_.module, parsed_.diagnostics))
        << render_text(parsed_.diagnostics, false);
    plan_.emplace(*parsed_.module);
  }

  const Plan* operator->() const { return &*plan_; }
  const RegionStep& region(std::size_t i) const { return *plan_->regions().at(i); }
  const ir::Module& module() const { return *parsed_.module; }

  /// `l b r r`: a letter a step.
  std::string steps() const {
    std::string text;
    for (const Step& step : plan_->steps) text += "lbrR"[step.index()];
    return text;
  }
  /// The names that the workers of a region read, sorted.
  std::string reads(std::size_t i) const {
    std::vector<std::string> names;
    for (const ir::Var* var : region(i).reads) names.emplace_back(var->hint);
    std::ranges::sort(names);
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
    return text;
  }
  static std::string needs(const NeedsByGraph& graphs, const ir::Var* graph) {
    const auto found = graphs.find(graph);
    if (found == graphs.end()) return "unread";
    const GraphNeeds& needs = found->second;
    return std::string(needs.sources ? "s" : "") + (needs.halves ? "h" : "") + (needs.labels ? "l" : "") +
           (needs.edge_info != nullptr ? "i" : "");
  }

 private:
  ir::Parsed parsed_;
  std::optional<Plan> plan_;
};

/// A region over the vertices of %G, each `vertex`, that fills `sinks` with `yields`.
std::string region(const std::string& sinks, const std::string& yields, const std::string& vertex = "%v") {
  return "region (parallel, split=2, group=1) { collect " + sinks + " { for " + vertex + " in vertices(%G) { " +
         yields + " } } }\n";
}

TEST(HostPlan, TheStepsInOrder) {
  Planned p("let %a = (%k + 1)\n" + region("%e: list list<vid, vid>", "yield %e, %v, %v") +
            "build_graph %B = csr(%e)\n"
            "region (sequential, split=0, group=1) { collect %n: sum i64 { yield %n, %a } }\n"
            "return %n, size(vertices(%B))");
  EXPECT_EQ(p.steps(), "lrbrR");
  EXPECT_NE(p.region(0).outer, nullptr);
  EXPECT_EQ(p.region(1).outer, nullptr);
  EXPECT_EQ(p.reads(0), "G");
  EXPECT_EQ(p.reads(1), "a");
}

TEST(HostPlan, TheAnswerIsTheOneListThatIsReturnedAndReadNowhereElse) {
  const std::string list = region("%e: list list<vid>", "yield %e, %v");
  EXPECT_EQ(Planned(list + "return %e").region(0).answer, 0);
  EXPECT_EQ(Planned(list + "return %e, %k").region(0).answer, -1);
  EXPECT_EQ(Planned(list + "return size(%e)").region(0).answer, -1);
  EXPECT_EQ(Planned(list + "return span(%e, 0, 5)").region(0).answer, -1);
  EXPECT_EQ(Planned(list + "let %f = %e\n return %f").region(0).answer, -1);
  EXPECT_EQ(Planned(list + "let %n = size(%e)\n return %e").region(0).answer, -1);
}

TEST(HostPlan, OtherSinksOfTheRegionOfTheAnswerAreNoLists) {
  const std::string sum = region("%n: sum i64, %e: list list<vid>", "yield %e, %v yield %n, 1");
  EXPECT_EQ(Planned(sum + "return %e").region(0).answer, 1);
  const std::string lists = region("%e: list list<vid>, %f: list list<vid>", "yield %e, %v yield %f, %v");
  EXPECT_EQ(Planned(lists + "return %e").region(0).answer, -1);
}

TEST(HostPlan, OnlyItsOwnRegionHandsTheAnswerOver) {
  Planned p(region("%d: list list<vid>", "yield %d, %v") + region("%e: list list<vid>", "yield %e, %w", "%w") +
            "return %e");
  EXPECT_EQ(p.region(0).answer, -1);
  EXPECT_EQ(p.region(1).answer, 0);
}

TEST(HostPlan, NeedsOfGraphs) {
  Planned p(region("%n: sum i64",
                   "for %w in lower_neighbors(%G, %v) { yield %n, label(%H, %w) } "
                   "for %i in edge_info<list<i64>>(%H, %v) { yield %n, %i }") +
            "return %n, edges(%G), size(edges(%H))");
  const ir::Var* g = p.module().params[0];
  const ir::Var* h = p.module().params[1];
  EXPECT_EQ(Planned::needs(p.region(0).graphs, g), "h");
  EXPECT_EQ(Planned::needs(p.region(0).graphs, h), "li");
  EXPECT_EQ(Planned::needs(p->worker_graphs, g), "h");
  EXPECT_EQ(Planned::needs(p->graphs, g), "sh");
  EXPECT_EQ(Planned::needs(p->graphs, h), "li") << "edges that are counted are not walked";
  ASSERT_NE(p->graphs.at(h).edge_info, nullptr);
  EXPECT_EQ(p->graphs.at(h).edge_info->kind, ir::Kind::EdgeInfo);
}

TEST(HostPlan, LanesThatTakeArcsReadWhereTheyBegin) {
  Planned p(
      "region (parallel, split=2, group=32) { collect %n: sum i64 { for %v in vertices(%G) by arcs {"
      " for %w in neighbors(%G, %v) by items { yield %n, size(intersect(neighbors(%G, %v), neighbors(%G, %w))) } } } "
      "}\n"
      "return %n");
  EXPECT_EQ(Planned::needs(p.region(0).graphs, p.module().params[0]), "s");
}

TEST(HostPlan, AGraphThatIsChosenIsReadUnderBothNames) {
  Planned p("let %S = select((%k < 1), %G, %H)\n return edges(select((%k < 2), %H, %S))");
  const ir::Var* chosen = std::get<const ir::Let*>(p->steps[0])->var;
  EXPECT_EQ(Planned::needs(p->graphs, p.module().params[0]), "unread") << "but by the name %S";
  EXPECT_EQ(Planned::needs(p->graphs, p.module().params[1]), "s");
  EXPECT_EQ(Planned::needs(p->graphs, chosen), "s");
}

TEST(HostPlan, SinksAndBuffers) {
  Planned p(
      "region (parallel, split=2, group=1) {\n"
      "  buffer %b: list<vid>[max_degree(%G)]\n"
      "  buffer %c: list<vid, i64>[7]\n"
      "  buffer %t: list<vid>[size(vertices(%G))] counters\n"
      "  collect %n: sum i128, %x: max f64, %a: any bool {\n"
      "    for %v in vertices(%G) {\n"
      "      store %s in %b = intersect(neighbors(%G, %v), neighbors(%H, %v))\n"
      "      yield %n, size(%s)\n"
      "      yield %x, 0.5\n"
      "      yield %a, true\n"
      "    }\n"
      "  }\n"
      "}\n"
      "return %n");
  const RegionStep& step = p.region(0);
  EXPECT_EQ(step.sinks, (std::vector{SinkForm::SumInt, SinkForm::MaxFloat, SinkForm::Any}));
  ASSERT_EQ(step.buffers.size(), 3U);
  EXPECT_EQ(step.buffers[0].form, BufferForm::Items);
  EXPECT_EQ(step.buffers[0].item_bytes, 4U);
  EXPECT_EQ(step.buffers[1].item_bytes, 16U) << "columns of a row take a word each";
  EXPECT_EQ(step.buffers[2].form, BufferForm::Counters);
  EXPECT_FALSE(step.adds_up());
  EXPECT_FALSE(step.reads_ids);
}

TEST(HostPlan, ValuesInTheOrderOfTheProgram) {
  Planned p("let %a = (%k + 1)\n" + region("%e: list list<vid, vid>, %m: min i64", "yield %e, %v, %v yield %m, 1") +
            "build_graph %B = csr(%e)\n build_graph %C = hash(%e)\n return %a");
  std::string text;
  for (const Value& value : top_level_values(p.module()))
    text += std::string(value.var->hint) + (value.csr ? " csr" : "") + (value.may_be_empty() ? " perhaps" : "") + ", ";
  EXPECT_EQ(text, "G csr, H csr, k, l, a, e, m perhaps, B csr, C, ");
}

TEST(HostPlan, PartsOfSumsAddUp) {
  Planned sums(region("%n: sum i64, %f: sum f64", "yield %n, convert<i64>(%v) yield %f, 1.0") + "return %n");
  EXPECT_TRUE(sums.region(0).adds_up());
  EXPECT_TRUE(sums.region(0).reads_ids);
  Planned alone("region (sequential, split=0, group=1) { collect %n: sum i64 { yield %n, 1 } }\n return %n");
  EXPECT_FALSE(alone.region(0).adds_up());
}

}  // namespace
}  // namespace matcha::codegen::host
