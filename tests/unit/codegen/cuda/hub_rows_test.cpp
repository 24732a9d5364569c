#include "codegen/cuda/hub_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "tests/ir/parsed.h"

namespace matcha::codegen::gpu {
namespace {

/// Offsets of vertices with these numbers of neighbours.
runtime::GraphView graph_of(const std::vector<std::uint64_t>& degrees, std::vector<std::uint64_t>& offsets) {
  runtime::GraphView view{};
  offsets = {0};
  for (std::uint64_t degree : degrees) {
    offsets.push_back(offsets.back() + degree);
    view.max_degree = std::max(view.max_degree, degree);
  }
  view.universe = degrees.size();
  view.offsets = offsets.data();
  view.arc_count = offsets.back();
  return view;
}

TEST(HubRows, ThePlanFitsTheBudget) {
  std::vector<std::uint64_t> offsets;
  // Rows of one word each.
  const runtime::GraphView graph = graph_of({3, 4, 7, 8, 15, 16, 100, 0}, offsets);
  struct Case {
    std::uint64_t least, budget, wanted_least, wanted_hubs;
  };
  for (const Case& c : {Case{4, 1000, 4, 6},
                        {4, 6 * 8, 4, 6},
                        {4, 5 * 8, 8, 4},
                        {4, 4 * 8, 8, 4},
                        {4, 3 * 8, 16, 2},
                        {4, 8, 32, 1},
                        {3, 1000, 3, 7},
                        {101, 1000, 0, 0},
                        {4, 7, 0, 0},
                        {0, 1000, 0, 0}}) {
    const std::optional<HubPlan> plan = plan_hub_rows(graph, c.least, c.budget);
    EXPECT_EQ(plan ? plan->least : 0, c.wanted_least) << c.least << " " << c.budget;
    EXPECT_EQ(plan ? plan->hubs : 0, c.wanted_hubs) << c.least << " " << c.budget;
    EXPECT_EQ(plan ? plan->words : 1, 1u);
  }
  runtime::GraphView hashed = graph;
  hashed.offsets = nullptr;
  EXPECT_FALSE(plan_hub_rows(hashed, 4, 1000));
}

TEST(HubRows, HubsMustHaveAnEighthOfTheArcs) {
  std::vector<std::uint64_t> offsets;
  const runtime::GraphView few = graph_of({9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 10}, offsets);
  EXPECT_FALSE(worth_hub_rows(few, 10));
  EXPECT_FALSE(worth_hub_rows(few, 0));
  EXPECT_FALSE(worth_hub_rows(few, 11));
  EXPECT_TRUE(worth_hub_rows(few, 9));
  std::vector<std::uint64_t> others;
  EXPECT_TRUE(worth_hub_rows(graph_of({9, 9, 9, 9, 9, 9, 9, 10}, others), 10));
}

/// How many graphs a region with this body looks into; its loops walk the vertices u and v of %G and w of %D.
std::size_t looked_into(const std::string& value) {
  ir::Parsed parsed(
      "module loop \"m\" (%G: graph, %H: graph) assumes simple(%G), simple(%H) {\n  build_graph %D = csr(edges(%G))\n" +
      ("  collect %n: sum i128 { for %u in vertices(%G) { for %v in vertices(%G) { for %w in vertices(%D) "
       "{ yield %n, " +
       value + " } } } }\n  return %n\n}"));
  EXPECT_TRUE(parsed.module) << render_text(parsed.diagnostics, false);
  const ir::Facts facts(*parsed.module);
  const ir::Collect* collect = ir::as<ir::Collect>(parsed.module->body->body[1]);
  ir::Region region{};
  region.collect = collect;
  return searched_graphs(facts, region).size();
}

TEST(HubRows, GraphsWhoseWholeListsAreSearched) {
  EXPECT_EQ(looked_into("size(intersect(neighbors(%G, %u), neighbors(%G, %v)))"), 1u);
  EXPECT_EQ(looked_into("size(diff(neighbors(%G, %u), below(neighbors(%H, %v), %u)))"), 2u);
  EXPECT_EQ(looked_into("convert<i64>(contains(neighbors(%G, %u), %v))"), 1u);
  EXPECT_EQ(looked_into("convert<i64>(has_edge(%H, %u, %v))"), 1u);
  EXPECT_EQ(looked_into("size(neighbors(%G, %u))"), 0u);
  EXPECT_EQ(looked_into("size(intersect(lower_neighbors(%G, %u), lower_neighbors(%G, %v)))"), 0u);
  EXPECT_EQ(looked_into("size(intersect(neighbors(%D, %u), neighbors(%D, %v)))"), 0u);
}

}  // namespace
}  // namespace matcha::codegen::gpu
