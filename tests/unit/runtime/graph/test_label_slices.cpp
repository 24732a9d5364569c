#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "runtime/graph/label_slices.h"
#include "tests/unit/runtime/graph/support.h"

namespace matcha::runtime::test {
namespace {

struct LabelledEdge {
  std::int64_t from, to, label;
};

/// For each vertex with such arcs: the range of its outgoing or incoming arcs of the label.
Adjacency naive_slice(const std::vector<LabelledEdge>& edges, bool directed, ArcSide side, std::int64_t label) {
  std::map<std::int64_t, std::set<std::int64_t>> found;
  for (const LabelledEdge& edge : edges) {
    if (edge.label != label || edge.from == edge.to) continue;
    const bool forward = side == ArcSide::Targets;
    if (forward || !directed) found[edge.from].insert(edge.to);
    if (!forward || !directed) found[edge.to].insert(edge.from);
  }
  Adjacency lists;
  for (const auto& [vertex, items] : found) lists[vertex].assign(items.begin(), items.end());
  return lists;
}

LoadedGraph load_edges(const TemporaryFolder& folder, const std::vector<LabelledEdge>& edges, bool directed) {
  std::string text;
  for (const LabelledEdge& e : edges)
    text += std::to_string(e.from) + " " + std::to_string(e.to) + " " + std::to_string(e.label) + "\n";
  GraphSpec spec = spec_of(folder.file("g.txt", text));
  spec.directed = directed;
  spec.edge_info = true;
  spec.info = ColumnKind::Label;
  return load(spec);
}

TEST(LabelSlices, AreTheEdgesOfEachLabel) {
  const TemporaryFolder folder;
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const bool directed = round % 2 == 0;
    const auto below = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
    std::vector<LabelledEdge> edges;
    for (int i = 0; i < 1 + 3 * round; ++i) edges.push_back({5 * below(12), 5 * below(12), below(4) - 1});
    edges.push_back({0, 5, 3});
    const LoadedGraph loaded = load_edges(folder, edges, directed);
    LabelSlices& slices = loaded.graph.label_slices();
    for (std::int64_t label = -2; label < 5; ++label) {
      for (const ArcSide side : {ArcSide::Targets, ArcSide::Sources}) {
        const auto slice = slices.slice(loaded.graph, side, label);
        ASSERT_TRUE(slice);
        const Adjacency wanted = naive_slice(edges, directed, side, label);
        EXPECT_EQ(adjacency_of(**slice), wanted) << "label " << label;
        EXPECT_EQ((*slice)->vertex_count(), wanted.size());
        const LabelPartFacts facts = facts_of(part_of(*slices.table(loaded.graph), directed, side, label));
        std::size_t longest = 0, arcs = 0;
        for (const auto& [vertex, items] : wanted) longest = std::max(longest, items.size()), arcs += items.size();
        EXPECT_EQ(facts.longest, longest);
        EXPECT_EQ(facts.arcs, arcs);
        EXPECT_EQ((*slice)->view().max_degree, longest);
      }
    }
    EXPECT_EQ(problem_of(*slices.table(loaded.graph), directed, loaded.graph.universe().size()), nullptr);
  }
}

TEST(LabelSlices, AreMadeOnceAndOutliveTheGraph) {
  const TemporaryFolder folder;
  std::shared_ptr<const Graph> kept;
  {
    const LoadedGraph loaded = load_edges(folder, {{1, 2, 7}, {2, 3, 7}, {1, 3, 8}}, true);
    const Graph alias = Graph::alias(loaded.graph, nullptr);
    kept = *loaded.graph.label_slices().slice(loaded.graph, ArcSide::Sources, 7);
    EXPECT_EQ(kept, *alias.label_slices().slice(alias, ArcSide::Sources, 7));
  }
  EXPECT_EQ(adjacency_of(*kept), (Adjacency{{2, {1}}, {3, {2}}}));
}

TEST(LabelSlices, BackwardsTurnsEveryArc) {
  const TemporaryFolder folder;
  const LoadedGraph loaded = load_edges(folder, {{1, 2, 7}, {1, 2, 4}, {2, 3, 7}, {3, 1, 8}}, true);
  const auto back = loaded.graph.label_slices().backwards(loaded.graph);
  ASSERT_TRUE(back);
  EXPECT_EQ(adjacency_of(**back), (Adjacency{{1, {3}}, {2, {1, 1}}, {3, {2}}}));
  const auto* const info = static_cast<const std::int64_t*>((*back)->view().edge_info);
  EXPECT_EQ(std::vector<std::int64_t>(info, info + 4), (std::vector<std::int64_t>{8, 4, 7, 7}));
}

TEST(LabelSlices, WantLabels) {
  const TemporaryFolder folder;
  const LoadedGraph loaded = load(folder.file("g.txt", "1 2\n2 3\n"));
  const auto slice = loaded.graph.label_slices().slice(loaded.graph, ArcSide::Targets, 1);
  ASSERT_FALSE(slice);
  EXPECT_EQ(slice.error().message, "the edges of the graph have no labels");
}

}  // namespace
}  // namespace matcha::runtime::test
