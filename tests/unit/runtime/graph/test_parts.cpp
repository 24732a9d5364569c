#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "runtime/graph/generate.h"
#include "runtime/graph/mtg.h"
#include "runtime/graph/order.h"
#include "runtime/graph/parts.h"
#include "tests/unit/runtime/graph/support.h"

namespace matcha::runtime::test {
namespace {

std::shared_ptr<const PartedGraph> parted(const std::string& path) {
  const Result<std::shared_ptr<const PartedGraph>> graph = PartedGraph::open(path);
  EXPECT_TRUE(graph) << graph.error().render();
  return *graph;
}

/// A graph with hubs, a number of ranks that no number of parts divides, and labels that distinguish the vertices.
std::string write_skewed(const TemporaryFolder& folder, bool by_degree) {
  RmatSpec spec;
  spec.scale = 7;
  const Result<Graph> graph = generate_rmat(spec);
  EXPECT_TRUE(graph);
  std::string edges, labels;
  for (std::uint32_t v = 0; v < graph->view().universe; ++v) {
    labels += std::to_string(v) + " " + std::to_string(1000 + v) + "\n";
    for (std::uint64_t at = graph->view().offsets[v]; at < graph->view().offsets[v + 1]; ++at) {
      edges += std::to_string(v) + " " + std::to_string(graph->view().neighbors[at]) + "\n";
    }
  }
  GraphSpec labelled = spec_of(folder.file("g.txt", edges));
  labelled.labels_path = folder.file("g.labels", labels);
  const LoadedGraph loaded = load(labelled);
  const Result<Graph> ranked = ordered_by_degree(loaded.graph, Halves::Lower);
  EXPECT_TRUE(ranked);
  const std::string path = folder.path(by_degree ? "d.mtg" : "g.mtg");
  EXPECT_TRUE(write_mtg(loaded.graph, path, {}, by_degree ? RankedCopy{&*ranked, Halves::Lower} : RankedCopy{}));
  return path;
}

/// Edges by the labels of their ends.
std::set<std::pair<std::int64_t, std::int64_t>> edges_of(const Graph& graph) {
  std::set<std::pair<std::int64_t, std::int64_t>> edges;
  const GraphView view = graph.view();
  for (std::uint64_t v = 0; v < view.universe; ++v) {
    for (std::uint64_t at = view.offsets[v]; at < view.offsets[v + 1]; ++at) {
      EXPECT_TRUE(at == view.offsets[v] || view.neighbors[at - 1] < view.neighbors[at]);
      edges.emplace(view.labels[v], view.labels[view.neighbors[at]]);
    }
  }
  return edges;
}

TEST(Parts, EveryMatchCountsOnce) {
  for (std::uint64_t match = 1; match <= 5; ++match) {
    for (const std::uint64_t parts : {match + 1, match + 2, std::uint64_t{9}, std::uint64_t{14}}) {
      const std::vector<__int128> weights = part_weights(parts, match);
      // Number of matches inside exactly the first t parts.
      std::vector<__int128> counted(match + 1, 0);
      std::set<std::vector<std::uint32_t>> seen;
      for (const std::vector<std::uint32_t>& set : part_sets(parts, match)) {
        EXPECT_TRUE(std::is_sorted(set.begin(), set.end()) && seen.insert(set).second && set.back() < parts);
        std::size_t first = 0;
        while (first < set.size() && set[first] == first) ++first;
        for (std::size_t t = 1; t <= first; ++t) counted[t] += weights[set.size()];
      }
      for (std::uint64_t t = 1; t <= match; ++t) EXPECT_TRUE(counted[t] == 1) << parts << " " << match << " " << t;
    }
  }
}

TEST(Parts, SubgraphsAreThoseOfTheWholeGraph) {
  const TemporaryFolder folder;
  for (const bool by_degree : {false, true}) {
    const std::shared_ptr<const PartedGraph> graph = parted(write_skewed(folder, by_degree));
    const std::set<std::pair<std::int64_t, std::int64_t>> whole = edges_of(graph->whole());
    const std::uint64_t memory = graph->whole_bytes(false) / 4;
    const Result<PartsPlan> plan = graph->plan(memory, 3);
    ASSERT_TRUE(plan) << plan.error().render();
    EXPECT_LE(plan->largest_bytes, memory);
    EXPECT_EQ(plan->subgraphs, part_sets(plan->parts, 3).size());
    // Of one part each, that is all vertices once.
    std::map<std::int64_t, std::uint32_t> part_of;
    for (std::uint32_t part = 0; part < plan->parts; ++part) {
      const Result<Graph> one = graph->induced(*plan, std::vector<std::uint32_t>{part});
      ASSERT_TRUE(one);
      for (std::uint64_t v = 0; v < one->view().universe; ++v) {
        EXPECT_TRUE(part_of.emplace(one->view().labels[v], part).second);
      }
    }
    EXPECT_EQ(part_of.size(), graph->whole().view().universe);
    std::uint64_t largest = 0;
    for (const std::vector<std::uint32_t>& set : part_sets(plan->parts, 3)) {
      const Result<Graph> some = graph->induced(*plan, set);
      ASSERT_TRUE(some) << some.error().render();
      const auto chosen = [&](std::int64_t label) { return std::ranges::count(set, part_of.at(label)) != 0; };
      std::set<std::pair<std::int64_t, std::int64_t>> expected;
      for (const auto& [u, v] : whole) {
        if (chosen(u) && chosen(v)) expected.emplace(u, v);
      }
      EXPECT_EQ(edges_of(*some), expected);
      const GraphView view = some->view();
      largest = std::max(largest, view.universe * 24 + view.arc_count * 4);
    }
    EXPECT_EQ(largest, plan->largest_bytes);
  }
}

TEST(Parts, RanksThatAreNoVerticesStayNone) {
  const TemporaryFolder folder;
  // 0 - 2, and 3 without edges; 1 and 4 are no vertices.
  const std::vector<std::uint64_t> offsets = {0, 1, 1, 2, 2, 2};
  GraphArrays arrays;
  arrays.offsets = Buffer<std::uint64_t>(6);
  std::ranges::copy(offsets, arrays.offsets.begin());
  arrays.neighbors = Buffer<std::uint32_t>(2);
  arrays.neighbors[0] = 2, arrays.neighbors[1] = 0;
  arrays.vertices = Buffer<std::uint32_t>(3);
  arrays.vertices[0] = 0, arrays.vertices[1] = 2, arrays.vertices[2] = 3;
  const Graph made =
      Graph::from_arrays(std::make_shared<const Universe>(Universe::identity(5)), std::move(arrays), GraphFacts());
  const std::string path = folder.path("v.mtg");
  ASSERT_TRUE(write_mtg(made, path));
  const std::shared_ptr<const PartedGraph> graph = parted(path);
  const Result<PartsPlan> plan = graph->plan(1 << 20, 1);
  ASSERT_TRUE(plan) << plan.error().render();
  ASSERT_EQ(plan->parts, 2U);
  std::uint64_t vertices = 0;
  for (std::uint32_t part = 0; part < 2; ++part) {
    const Result<Graph> some = graph->induced(*plan, std::vector<std::uint32_t>{part});
    ASSERT_TRUE(some) << some.error().render();
    vertices += some->vertex_count();
    EXPECT_EQ(some->view().arc_count, part == 0 ? 2U : 0U);
  }
  EXPECT_EQ(vertices, 3U);
}

TEST(Parts, PatternsThatCannotBeSplitAreErrors) {
  const TemporaryFolder folder;
  GraphSpec spec = spec_of(folder.file("g.txt", "1 2\n2 3\n"));
  spec.directed = true;
  const std::string path = folder.path("g.mtg");
  ASSERT_TRUE(write_mtg(load(spec).graph, path));
  EXPECT_FALSE(parted(path)->has_parts());
  EXPECT_FALSE(PartedGraph::open(folder.path("none.mtg")));
  spec.directed = false;
  ASSERT_TRUE(write_mtg(load(spec).graph, path));
  EXPECT_TRUE(parted(path)->has_parts());
  const Result<std::shared_ptr<const PartedGraph>> packed = PartedGraph::open(folder.file("p", gzip(read_bytes(path))));
  ASSERT_FALSE(packed);
  EXPECT_NE(packed.error().message.find("packed"), std::string::npos);
  std::string bad = read_bytes(path);
  bad.back() = static_cast<char>(bad.back() ^ 1);
  EXPECT_FALSE(PartedGraph::open(folder.file("bad.mtg", bad)));
  const Result<PartsPlan> plan = parted(path)->plan(1, 3);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().kind, ErrorKind::Resource);
}

}  // namespace
}  // namespace matcha::runtime::test
