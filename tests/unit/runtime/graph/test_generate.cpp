#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "runtime/graph/generate.h"
#include "runtime/graph/labels.h"
#include "runtime/graph/stats.h"
#include "tests/unit/runtime/graph/support.h"
#include "tests/unit/sanitized.h"

namespace matcha::runtime::test {
namespace {

Graph good(Result<Graph> graph) {
  if (!graph) {
    ADD_FAILURE() << graph.error().render();
    return Graph();
  }
  return std::move(*graph);
}

TEST(Generate, SmallShapes) {
  EXPECT_EQ(adjacency_of(good(generate_clique(3))), (Adjacency{{0, {1, 2}}, {1, {0, 2}}, {2, {0, 1}}}));
  EXPECT_EQ(adjacency_of(good(generate_star(4))), (Adjacency{{0, {1, 2, 3}}, {1, {0}}, {2, {0}}, {3, {0}}}));
  EXPECT_EQ(adjacency_of(good(generate_path(3))), (Adjacency{{0, {1}}, {1, {0, 2}}, {2, {1}}}));
  EXPECT_EQ(adjacency_of(good(generate_cycle(3))), adjacency_of(good(generate_clique(3))));
  EXPECT_EQ(adjacency_of(good(generate_cycle(4))), (Adjacency{{0, {1, 3}}, {1, {0, 2}}, {2, {1, 3}}, {3, {0, 2}}}));
  EXPECT_EQ(adjacency_of(good(generate_grid(2, 3))),
            (Adjacency{{0, {1, 3}}, {1, {0, 2, 4}}, {2, {1, 5}}, {3, {0, 4}}, {4, {1, 3, 5}}, {5, {2, 4}}}));
  EXPECT_EQ(adjacency_of(good(generate_bipartite(2, 1))), (Adjacency{{0, {2}}, {1, {2}}, {2, {0, 1}}}));
}

TEST(Generate, NothingAndOne) {
  for (const std::uint64_t size : {0ULL, 1ULL}) {
    for (const Graph& graph : {good(generate_clique(size)), good(generate_star(size)), good(generate_path(size)),
                               good(generate_grid(size, 1)), good(generate_bipartite(size, 0)),
                               good(generate_erdos_renyi(size, 0, 1)), good(generate_gnp(size, 1, 1))}) {
      EXPECT_EQ(graph.vertex_count(), size);
      EXPECT_EQ(graph.edge_count(), 0U);
    }
  }
}

TEST(Generate, SizesOfLargerOnes) {
  EXPECT_EQ(good(generate_clique(500)).edge_count(), 500U * 499 / 2);
  EXPECT_EQ(good(generate_grid(30, 41)).edge_count(), 29U * 41 + 30 * 40);
  EXPECT_EQ(good(generate_bipartite(50, 70)).edge_count(), 3500U);
  EXPECT_EQ(good(generate_star(100'000)).view().max_degree, 99'999U);
  for (const std::uint64_t edges : {0ULL, 1ULL, 500ULL, 2000ULL, 4950ULL}) {
    EXPECT_EQ(good(generate_erdos_renyi(100, edges, 3)).edge_count(), edges);
  }
}

TEST(Generate, EveryPairIsReached) {
  EXPECT_EQ(adjacency_of(good(generate_erdos_renyi(60, 1770, 1))), adjacency_of(good(generate_clique(60))));
  EXPECT_EQ(adjacency_of(good(generate_gnp(60, 1, 1))), adjacency_of(good(generate_clique(60))));
  EXPECT_EQ(good(generate_gnp(60, 0, 1)).edge_count(), 0U);
}

TEST(Generate, GnpHasTheExpectedDensity) {
  for (const double probability : {0.001, 0.03, 0.5, 0.97}) {
    constexpr std::uint64_t kSize = unless_sanitized(2000, 500);
    const double pairs = kSize * (kSize - 1.0) / 2;
    const double edges = static_cast<double>(good(generate_gnp(kSize, probability, 9)).edge_count());
    const double deviation = std::sqrt(pairs * probability * (1 - probability));
    EXPECT_NEAR(edges, pairs * probability, 5 * deviation);
  }
}

/// Every possible edge is about equally often there.
TEST(Generate, ErdosRenyiIsUniform) {
  std::map<std::pair<std::int64_t, std::int64_t>, int> seen;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    for (const auto& [id, list] : adjacency_of(good(generate_erdos_renyi(5, 3, seed)))) {
      for (const std::int64_t other : list) {
        if (id < other) ++seen[{id, other}];
      }
    }
  }
  ASSERT_EQ(seen.size(), 10U);
  for (const auto& [pair, count] : seen) EXPECT_NEAR(count, 900, 125);
}

TEST(Generate, SameSeedSameGraphForAnyThreads) {
  const std::vector<std::function<Result<Graph>(std::uint64_t)>> makers = {
      [](std::uint64_t seed) {
        return generate_rmat({12, 8, 0.57, 0.19, 0.19, seed});
      },
      [](std::uint64_t seed) { return generate_erdos_renyi(5000, 30'000, seed); },
      [](std::uint64_t seed) { return generate_gnp(5000, 0.002, seed); }};
  for (const std::function<Result<Graph>(std::uint64_t)>& make : makers) {
    const Adjacency first = adjacency_of(good(make(5)));
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 1);
    EXPECT_EQ(adjacency_of(good(make(5))), first);
    EXPECT_NE(adjacency_of(good(make(6))), first);
  }
}

/// Pinned, so that another machine or compiler that draws other numbers is noticed.
TEST(Generate, DrawsArePinned) {
  EXPECT_EQ(adjacency_of(good(generate_erdos_renyi(6, 4, 1))),
            (Adjacency{{0, {2, 3}}, {1, {5}}, {2, {0, 3}}, {3, {0, 2}}, {4, {}}, {5, {1}}}));
  EXPECT_EQ(good(generate_rmat({10, 16, 0.57, 0.19, 0.19, 1})).edge_count(), 10538U);
  EXPECT_EQ(good(generate_gnp(1000, 0.01, 1)).edge_count(), 4904U);
}

TEST(Generate, RmatIsSkewed) {
  const Graph graph = good(generate_rmat({12, 16, 0.57, 0.19, 0.19, 1}));
  EXPECT_EQ(graph.vertex_count(), 4096U);
  const GraphStats stats = graph_stats(graph);
  EXPECT_GT(stats.max_degree, 20 * stats.median_degree);
  EXPECT_EQ(good(generate_rmat({0, 4, 0.25, 0.25, 0.25, 1})).edge_count(), 0U);
}

TEST(Generate, NonsenseIsRefused) {
  EXPECT_EQ(generate_cycle(2).error().kind, ErrorKind::Input);
  EXPECT_EQ(generate_erdos_renyi(4, 7, 1).error().message, "4 vertices have at most 6 edges, not 7");
  EXPECT_EQ(generate_gnp(4, 1.5, 1).error().kind, ErrorKind::Input);
  EXPECT_EQ(generate_gnp(4, std::nan(""), 1).error().kind, ErrorKind::Input);
  EXPECT_EQ(generate_rmat({10, 1, 0.9, 0.9, 0.9, 1}).error().kind, ErrorKind::Input);
  EXPECT_EQ(generate_rmat({40, 1, 0.5, 0.1, 0.1, 1}).error().kind, ErrorKind::Input);
}

TEST(Generate, TooLargeIsAResourceError) {
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 40;
  for (const Result<Graph>& graph :
       {generate_clique(4'000'000'000ULL), generate_clique(kHuge), generate_star(kHuge),
        generate_path(~std::uint64_t{0}), generate_grid(kHuge, kHuge), generate_bipartite(kHuge, 2),
        generate_erdos_renyi(kHuge, 1, 1), generate_rmat({31, ~std::uint64_t{0}, 0.5, 0.1, 0.1, 1}),
        generate_gnp(kHuge, 0.1, 1)}) {
    ASSERT_FALSE(graph);
    EXPECT_EQ(graph.error().kind, ErrorKind::Resource) << graph.error().render();
  }
  IoOptions options;
  options.max_bytes = 1 << 20;
  EXPECT_EQ(generate_gnp(10'000, 0.9, 1, options).error().kind, ErrorKind::Resource);
}

TEST(Stats, CountsDegreesAndLabels) {
  const TemporaryFolder folder;
  GraphSpec spec = spec_of(folder.file("g", "0 1\n0 2\n0 3\n0 4\n1 2\n"));
  spec.labels_path = folder.file("l", "5\n6\n5\n6\n6\n7\n");
  const GraphStats stats = graph_stats(load(spec).graph);
  EXPECT_EQ(stats.vertices, 6U);
  EXPECT_EQ(stats.edges, 5U);
  EXPECT_EQ(stats.arcs, 10U);
  EXPECT_EQ(stats.min_degree, 0U);
  EXPECT_EQ(stats.median_degree, 1U);
  EXPECT_EQ(stats.max_degree, 4U);
  EXPECT_DOUBLE_EQ(stats.mean_degree, 10.0 / 6);
  EXPECT_EQ(stats.isolated, 1U);
  EXPECT_EQ(stats.degree_histogram, (std::vector<std::uint64_t>{1, 2, 2, 1}));
  EXPECT_EQ(stats.labels, (std::vector<std::pair<std::int64_t, std::uint64_t>>{{6, 3}, {5, 2}, {7, 1}}));
  EXPECT_EQ(graph_stats(Graph()).vertices, 0U);
}

const std::int64_t* edge_labels_of(const Graph& graph) {
  return static_cast<const std::int64_t*>(graph.view().edge_info);
}

TEST(RandomLabels, AllAreEquallyLikelyAndBothArcsAgree) {
  const Graph plain = good(generate_rmat({}));
  const Graph graph = good(with_random_labels(plain, {7, 5, 3}));
  EXPECT_EQ(adjacency_of(graph), adjacency_of(plain));
  EXPECT_EQ(graph.facts().info, InfoKind::Int);
  const GraphView view = graph.view();
  std::vector<std::uint64_t> of_vertices(8, 0), of_edges(6, 0);
  for (std::uint64_t v = 0; v < view.universe; ++v) ++of_vertices.at(static_cast<std::size_t>(view.labels[v]));
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::int64_t> seen;
  for (std::uint64_t u = 0; u < view.universe; ++u) {
    for (std::uint64_t at = view.offsets[u]; at != view.offsets[u + 1]; ++at) {
      const std::int64_t label = edge_labels_of(graph)[at];
      ++of_edges.at(static_cast<std::size_t>(label));
      const auto [known, fresh] = seen.try_emplace(std::minmax<std::uint64_t>(u, view.neighbors[at]), label);
      EXPECT_EQ(known->second, label);
    }
  }
  const auto near = [](std::uint64_t found, std::uint64_t all, std::uint64_t n) {
    EXPECT_NEAR(static_cast<double>(found), static_cast<double>(all / n), 0.15 * static_cast<double>(all / n));
  };
  EXPECT_EQ(of_vertices[0] + of_edges[0], 0U);
  for (std::size_t label = 1; label <= 7; ++label) near(of_vertices[label], view.universe, 7);
  for (std::size_t label = 1; label <= 5; ++label) near(of_edges[label], view.arc_count, 5);
}

TEST(RandomLabels, SeedsDecide) {
  const Graph plain = good(generate_clique(60));
  const auto drawn = [&](std::uint64_t vertices, std::uint64_t edges, std::uint64_t seed) {
    const Graph graph = good(with_random_labels(plain, {vertices, edges, seed}));
    const GraphView view = graph.view();
    std::vector<std::int64_t> all(view.labels, view.labels + view.universe);
    if (edges != 0) all.insert(all.end(), edge_labels_of(graph), edge_labels_of(graph) + view.arc_count);
    return all;
  };
  const std::vector<std::int64_t> first = drawn(9, 9, 1);
  EXPECT_EQ(drawn(9, 9, 1), first);
  EXPECT_NE(drawn(9, 9, 2), first);
  // Those of vertices are the same without those of edges.
  EXPECT_EQ(drawn(9, 0, 1), std::vector<std::int64_t>(first.begin(), first.begin() + 60));
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  EXPECT_EQ(drawn(9, 9, 1), first);
}

TEST(RandomLabels, OnlyVerticesGetThemAndLabelsAreNotReplaced) {
  const TemporaryFolder folder;
  GraphSpec spec = spec_of(folder.file("g", "0 1 4\n5 1 4\n"));
  spec.directed = true;
  const LoadedGraph loaded = load(spec);
  const Graph graph = good(with_random_labels(loaded.graph, {3, 2, 1}));
  for (std::uint64_t v = 0; v < graph.view().universe; ++v) {
    const bool there = arcs_of(graph.view(), v).begin != arcs_of(graph.view(), v).end || v == 1;
    if (graph.view().vertices != nullptr && !there) {
      EXPECT_EQ(graph.view().labels[v], kNoLabel);
    }
  }
  spec.edge_info = true;
  EXPECT_FALSE(with_random_labels(load(spec).graph, {0, 2, 1}));
  EXPECT_TRUE(with_random_labels(load(spec).graph, {2, 0, 1}));
}

/// The edges of a graph, undirected ones from their smaller end.
std::vector<std::pair<std::uint32_t, std::uint32_t>> rank_pairs(const Graph& graph) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  const GraphView view = graph.view();
  for (std::uint32_t v = 0; v < view.universe; ++v) {
    for (std::uint64_t at = view.offsets[v]; at < view.offsets[v + 1]; ++at) {
      if (graph.facts().directed || v < view.neighbors[at]) edges.emplace_back(v, view.neighbors[at]);
    }
  }
  return edges;
}

TEST(Rewired, KeepsDegreesAndLabels) {
  const TemporaryFolder folder;
  const Graph undirected = good(with_random_labels(good(generate_rmat({8, 6})), {3, 0, 1}));
  GraphSpec spec = spec_of(folder.file("g", "0 1\n1 2\n2 0\n3 1\n1 3\n4 0\n4 2\n9 4\n3 9\n2 9\n0 9\n"));
  spec.directed = true;
  const LoadedGraph directed = load(spec);
  for (const Graph* graph : {&undirected, &directed.graph}) {
    const auto before = rank_pairs(*graph);
    bool moved = false;
    for (const std::uint64_t seed : {1ULL, 2ULL, 3ULL}) {
      const Graph made = good(rewired(*graph, seed));
      const auto after = rank_pairs(made);
      EXPECT_EQ(rank_pairs(good(rewired(*graph, seed))), after);
      moved = moved || before != after;
      ASSERT_EQ(before.size(), after.size());
      EXPECT_EQ(std::set(after.begin(), after.end()).size(), after.size());
      std::map<std::uint32_t, int> out, in;
      for (const auto& [source, target] : before) {
        ++out[source];
        ++in[target];
      }
      for (const auto& [source, target] : after) {
        EXPECT_NE(source, target);
        --out[source];
        --in[target];
      }
      for (std::uint32_t v = 0; v < graph->view().universe; ++v) {
        EXPECT_EQ(0, graph->facts().directed ? out[v] : out[v] + in[v]);
        EXPECT_TRUE(!graph->facts().directed || in[v] == 0);
        EXPECT_TRUE(graph->view().labels == nullptr || graph->view().labels[v] == made.view().labels[v]);
      }
      EXPECT_EQ(graph->view().vertex_count, made.view().vertex_count);
    }
    EXPECT_TRUE(moved);
  }
}

TEST(Rewired, AllGraphsOfTheDegreesAreEquallyLikely) {
  // The 15 perfect matchings of six vertices.
  const TemporaryFolder folder;
  const LoadedGraph loaded = load(spec_of(folder.file("g", "0 1\n2 3\n4 5\n")));
  std::map<std::vector<std::pair<std::uint32_t, std::uint32_t>>, int> seen;
  constexpr int kDraws = 15'000;
  for (int seed = 0; seed < kDraws; ++seed) ++seen[rank_pairs(good(rewired(loaded.graph, seed)))];
  EXPECT_EQ(15U, seen.size());
  double chi = 0;
  for (const auto& [edges, times] : seen) chi += (times - 1000.0) * (times - 1000.0) / 1000.0;
  EXPECT_LT(chi, 36.12) << "99.9% of chi-squared with 14 degrees of freedom";
}

TEST(Rewired, NothingToExchange) {
  for (const Graph& graph : {good(generate_clique(0)), good(generate_clique(5)), good(generate_star(9))}) {
    EXPECT_EQ(adjacency_of(graph), adjacency_of(good(rewired(graph, 7))));
  }
  const TemporaryFolder folder;
  GraphSpec spec = spec_of(folder.file("g", "0 1 5\n1 2 6\n"));
  spec.edge_info = true;
  EXPECT_FALSE(rewired(load(spec).graph, 1));
}

TEST(Stats, DirectedSinkIsNotIsolated) {
  const TemporaryFolder folder;
  GraphSpec spec = spec_of(folder.file("g", "0 1\n2 2\n"));
  spec.directed = true;
  const LoadedGraph loaded = load(spec);
  EXPECT_EQ(loaded.report.isolated, 1U);
  EXPECT_EQ(graph_stats(loaded.graph).isolated, 1U);
}

TEST(Stats, IsolatedVerticesOfLargeGraphs) {
  const TemporaryFolder folder;
  constexpr std::uint64_t kVertices = 200'000;
  std::string edges, vertices;
  std::vector<bool> touched(kVertices, false);
  for (std::uint64_t from = 0; from < kVertices; from += 3) {
    const std::uint64_t to = (from * 7 + 1) % kVertices;
    edges += std::to_string(from) + " " + std::to_string(to) + "\n";
    touched[from] = touched[to] = true;
  }
  for (std::uint64_t at = 0; at < kVertices; ++at) vertices += std::to_string(at) + "\n";
  const std::uint64_t wanted = static_cast<std::uint64_t>(std::count(touched.begin(), touched.end(), false));
  EXPECT_GT(wanted, kVertices / 4);
  GraphSpec spec = spec_of(folder.file("g", edges));
  spec.vertices_path = folder.file("v", vertices);
  for (const bool directed : {false, true}) {
    spec.directed = directed;
    EXPECT_EQ(load(spec).report.isolated, wanted);
  }
}

}  // namespace
}  // namespace matcha::runtime::test
