#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <bit>
#include <random>

#include "runtime/graph/graph.h"
#include "tests/unit/runtime/graph/support.h"

namespace matcha::runtime::test {
namespace {

std::shared_ptr<const Universe> identity(std::uint64_t size) {
  return std::make_shared<const Universe>(Universe::identity(size));
}

struct Edge {
  std::uint32_t source;
  std::uint32_t target;
};

struct Columns {
  std::vector<std::uint32_t> sources;
  std::vector<std::uint32_t> targets;
  std::vector<std::int64_t> info;

  explicit Columns(const std::vector<Edge>& edges) {
    for (const Edge& edge : edges) {
      sources.push_back(edge.source);
      targets.push_back(edge.target);
      info.push_back(static_cast<std::int64_t>(info.size()) * 10);
    }
  }

  BuildInput input(std::shared_ptr<const Universe> universe) const {
    BuildInput input;
    input.universe = std::move(universe);
    input.sources = sources.data();
    input.targets = targets.data();
    input.count = sources.size();
    return input;
  }
};

Graph build(const BuildInput& input) {
  Result<Graph> graph = build_graph(input);
  if (!graph) {
    ADD_FAILURE() << graph.error().render();
    return Graph();
  }
  return std::move(*graph);
}

TEST(BuildGraph, SortsEdgesByInfoThenInInputOrder) {
  Columns columns({{3, 1}, {0, 4}, {3, 2}, {3, 0}, {3, 3}, {3, 1}});
  const std::vector<std::vector<std::int64_t>> infos = {{7, 1, -5, 7, INT64_MIN, -5}, {-2, -1, -1, 0, 0, 9}};
  const std::vector<std::vector<std::uint32_t>> targets = {{3, 2, 1, 1, 0}, {1, 2, 0, 3, 1}};
  for (std::size_t i = 0; i < infos.size(); ++i) {
    for (const IndexKind index : {IndexKind::Csr, IndexKind::Hash}) {
      columns.info = infos[i];
      BuildInput input = columns.input(identity(9));
      input.edge_info = columns.info.data();
      input.info_kind = InfoKind::Int;
      input.index = index;
      input.by_info = true;
      const Graph graph = build(input);
      const GraphView view = graph.view();
      const ArcRange row = arcs_of(view, 3);
      const std::vector<std::uint32_t> found(view.neighbors + row.begin, view.neighbors + row.end);
      EXPECT_EQ(found, targets[i]);
      const std::int64_t* const words = static_cast<const std::int64_t*>(view.edge_info);
      EXPECT_TRUE(std::is_sorted(words + row.begin, words + row.end));
      EXPECT_EQ(words[arcs_of(view, 0).begin], infos[i][1]);
      EXPECT_EQ(view.arc_count, 6U);
    }
  }
}

TEST(BuildGraph, KeepsLoopsAndRepeatsInInputOrder) {
  const Columns columns({{3, 1}, {0, 4}, {3, 1}, {3, 0}, {3, 3}, {3, 1}});
  for (const IndexKind index : {IndexKind::Csr, IndexKind::Hash}) {
    BuildInput input = columns.input(identity(9));
    input.edge_info = columns.info.data();
    input.info_kind = InfoKind::Int;
    input.index = index;
    const Graph graph = build(input);
    EXPECT_EQ(adjacency_of(graph), (Adjacency{{0, {4}}, {1, {}}, {3, {0, 1, 1, 1, 3}}, {4, {}}}));
    const GraphView view = graph.view();
    const ArcRange arcs = arcs_of(view, 3);
    const std::int64_t* const info = static_cast<const std::int64_t*>(view.edge_info);
    EXPECT_EQ(std::vector<std::int64_t>(info + arcs.begin, info + arcs.end),
              (std::vector<std::int64_t>{30, 0, 20, 50, 40}));
    EXPECT_EQ(view.max_degree, 5U);
    EXPECT_EQ(view.vertex_count, 4U);
    EXPECT_EQ(view.slots != nullptr, index == IndexKind::Hash);
    EXPECT_EQ(view.offsets != nullptr, index == IndexKind::Csr);
    EXPECT_TRUE(graph.facts().directed);
    EXPECT_EQ(graph.facts().info, InfoKind::Int);
  }
}

TEST(BuildGraph, SortedInputTakesTheShortWay) {
  const Columns columns({{0, 1}, {0, 1}, {0, 2}, {2, 0}, {5, 5}});
  BuildInput input = columns.input(identity(6));
  input.edge_info = columns.info.data();
  input.info_kind = InfoKind::Int;
  input.index = IndexKind::Csr;
  const Graph graph = build(input);
  EXPECT_EQ(adjacency_of(graph), (Adjacency{{0, {1, 1, 2}}, {1, {}}, {2, {0}}, {5, {5}}}));
  const std::int64_t* const info = static_cast<const std::int64_t*>(graph.view().edge_info);
  EXPECT_EQ(std::vector<std::int64_t>(info, info + 5), columns.info);
}

TEST(BuildGraph, NoEdgesHasNoVertices) {
  for (const IndexKind index : {IndexKind::Auto, IndexKind::Csr, IndexKind::Hash}) {
    BuildInput input;
    input.universe = identity(4);
    input.index = index;
    const Graph graph = build(input);
    EXPECT_EQ(graph.vertex_count(), 0U);
    EXPECT_EQ(graph.view().arc_count, 0U);
    EXPECT_EQ(adjacency_of(graph), Adjacency{});
    EXPECT_EQ(arcs_of(graph.view(), 2).end - arcs_of(graph.view(), 2).begin, 0U);
  }
  BuildInput none;
  none.universe = identity(0);
  EXPECT_EQ(build(none).vertex_count(), 0U);
}

TEST(BuildGraph, LabelsAddVertices) {
  const Columns columns({{0, 1}});
  const std::vector<std::uint32_t> vertices = {2, 0, 2};
  const std::vector<std::int64_t> labels = {7, -1, 7};
  BuildInput input = columns.input(identity(4));
  input.label_vertices = vertices.data();
  input.labels = labels.data();
  input.label_count = 3;
  const Graph graph = build(input);
  EXPECT_EQ(adjacency_of(graph), (Adjacency{{0, {1}}, {1, {}}, {2, {}}}));
  EXPECT_EQ(graph.view().labels[0], -1);
  EXPECT_EQ(graph.view().labels[1], kNoLabel);
  EXPECT_EQ(graph.view().labels[2], 7);
}

TEST(BuildGraph, TwoLabelsForAVertexIsAnError) {
  const std::vector<std::uint32_t> vertices = {2, 2};
  const std::vector<std::int64_t> labels = {7, 8};
  BuildInput input;
  input.universe = identity(4);
  input.label_vertices = vertices.data();
  input.labels = labels.data();
  input.label_count = 2;
  const Result<Graph> graph = build_graph(input);
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().kind, ErrorKind::Runtime);
  EXPECT_EQ(graph.error().message, "`mk_graph` got two labels for vertex 2: 7 and 8");
}

TEST(BuildGraph, RankOutsideTheUniverseIsAnError) {
  for (const Edge& edge : {Edge{4, 0}, Edge{0, 4}}) {
    const Columns columns({{0, 1}, edge});
    const Result<Graph> graph = build_graph(columns.input(identity(4)));
    ASSERT_FALSE(graph);
    EXPECT_EQ(graph.error().kind, ErrorKind::Runtime);
  }
}

TEST(BuildGraph, SparseEdgesGetAHashIndexByThemselves) {
  const Columns columns({{900'000, 3}, {3, 900'000}});
  EXPECT_NE(build(columns.input(identity(1'000'000))).view().slots, nullptr);
  EXPECT_EQ(build(columns.input(identity(901'000 / 90 + 900'000))).view().offsets, nullptr);
  const Columns dense({{1, 2}});
  EXPECT_NE(build(dense.input(identity(3))).view().offsets, nullptr);
}

TEST(Sources, AreAlignedWithNeighbors) {
  const Columns columns({{3, 1}, {0, 4}, {3, 1}, {3, 0}});
  for (const IndexKind index : {IndexKind::Csr, IndexKind::Hash}) {
    BuildInput input = columns.input(identity(5));
    input.index = index;
    Graph graph = build(input);
    EXPECT_EQ(graph.view().sources, nullptr);
    ASSERT_TRUE(ensure_sources(graph));
    ASSERT_TRUE(ensure_sources(graph));
    const std::uint32_t* const sources = graph.view().sources;
    EXPECT_EQ(std::vector<std::uint32_t>(sources, sources + 4), (std::vector<std::uint32_t>{0, 3, 3, 3}));
  }
}

TEST(Halves, MeetWhereNeighborsStopToBeBelow) {
  std::vector<Edge> edges = {{3, 1}, {0, 4}, {3, 1}, {3, 0}, {3, 3}, {3, 5}, {5, 2}, {41, 0}};
  for (std::uint32_t target = 0; target < 60; ++target) edges.push_back({40, target});
  const Columns columns(edges);
  // Blocks of all ranks, of 32 and of one.
  for (const auto& [block_arcs, shift] :
       {std::pair<std::uint64_t, std::uint64_t>{std::uint64_t{1} << 32, 32}, {62, 5}, {61, 0}}) {
    Graph graph = build(columns.input(identity(64)));
    EXPECT_EQ(graph.split_offsets().offsets, nullptr);
    ASSERT_TRUE(ensure_split_offsets(graph, block_arcs));
    EXPECT_EQ(graph.split_offsets().shift, shift);
    EXPECT_EQ(graph.view().halves, nullptr);
    ASSERT_TRUE(ensure_halves(graph));
    ASSERT_TRUE(ensure_halves(graph));
    const GraphView view = graph.view();
    for (std::uint64_t vertex = 0; vertex < view.universe; ++vertex) {
      std::uint64_t split = view.offsets[vertex];
      while (split < view.offsets[vertex + 1] && view.neighbors[split] < vertex) ++split;
      EXPECT_EQ(half_offset(graph.split_offsets(), 2 * vertex), view.offsets[vertex]) << vertex;
      EXPECT_EQ(half_offset(graph.split_offsets(), 2 * vertex + 1), split) << vertex;
      EXPECT_EQ(view.halves[2 * vertex], view.offsets[vertex]) << vertex;
      EXPECT_EQ(view.halves[2 * vertex + 1], split) << vertex;
    }
    EXPECT_EQ(view.halves[2 * view.universe], view.arc_count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view.halves) % 16, 0U);
  }
}

TEST(Halves, AreNotNarrowWhereAVertexHasTooManyArcs) {
  std::vector<Edge> edges;
  for (std::uint32_t target = 0; target < 60; ++target) edges.push_back({40, target});
  const Columns columns(edges);
  Graph graph = build(columns.input(identity(64)));
  const Status made = ensure_split_offsets(graph, 60);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::Resource);
  EXPECT_EQ(graph.split_offsets().offsets, nullptr);
}

TEST(GraphOfRows, LiesWhereItsRowsLie) {
  std::vector<std::uint64_t> counts = {2, 0, 1, 0, 0, 99};
  const std::vector<std::uint32_t> neighbors = {1, 4, 1};
  Result<Graph> graph = Graph::from_rows(identity(5), nullptr, 5, counts.data(), neighbors.data(), false, nullptr);
  ASSERT_TRUE(graph);
  const GraphView view = graph->view();
  EXPECT_EQ(view.offsets, counts.data());
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{0, 2, 2, 3, 3, 3}));
  EXPECT_EQ(view.arc_count, 3u);
  EXPECT_EQ(view.max_degree, 2u);
  EXPECT_EQ(std::vector<std::uint32_t>(view.vertices, view.vertices + view.vertex_count),
            (std::vector<std::uint32_t>{0, 1, 2, 4}));
  ASSERT_TRUE(ensure_sources(*graph));
  EXPECT_EQ(graph->view().sources[2], 2u);
}

TEST(GraphOfRows, PutsRowsOfSomeRanksInTheirPlaces) {
  std::vector<std::uint64_t> counts = {1, 2, 0};
  const std::vector<std::uint32_t> rows = {1, 4, 5};
  const std::vector<std::uint32_t> neighbors = {5, 1, 5};
  for (const bool every_rank : {false, true}) {
    Result<Graph> graph =
        Graph::from_rows(identity(7), rows.data(), 3, counts.data(), neighbors.data(), every_rank, nullptr);
    ASSERT_TRUE(graph);
    const GraphView view = graph->view();
    EXPECT_EQ(std::vector<std::uint64_t>(view.offsets, view.offsets + 8),
              (std::vector<std::uint64_t>{0, 0, 1, 1, 1, 3, 3, 3}));
    EXPECT_EQ(view.vertex_count, every_rank ? 7u : 3u);
    EXPECT_EQ(view.vertices == nullptr, every_rank);
  }
}

/// Random edges against a map of vectors, for both indices and one or many threads.
TEST(BuildGraph, RandomEdgesMatchAMap) {
  std::mt19937_64 random(11);
  for (const std::uint64_t universe : {1ULL, 5ULL, 300ULL, 40'000ULL}) {
    for (const std::uint64_t count : {0ULL, 1ULL, 50ULL, 60'000ULL}) {
      std::vector<Edge> edges(count);
      for (Edge& edge : edges) {
        // Squaring makes hubs.
        const std::uint64_t draw = random() % universe;
        edge.source = static_cast<std::uint32_t>(draw * draw / universe);
        edge.target = static_cast<std::uint32_t>(random() % universe);
      }
      const Columns columns(edges);
      std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, std::int64_t>>> expected;
      for (std::size_t at = 0; at < edges.size(); ++at) {
        expected[edges[at].source].emplace_back(edges[at].target, columns.info[at]);
      }
      for (auto& [source, arcs] : expected) std::sort(arcs.begin(), arcs.end());
      for (const IndexKind index : {IndexKind::Csr, IndexKind::Hash}) {
        for (const std::size_t threads : {1, 4}) {
          const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
          BuildInput input = columns.input(identity(universe));
          input.index = index;
          const Graph plain = build(input);
          input.edge_info = columns.info.data();
          input.info_kind = InfoKind::Int;
          const Graph graph = build(input);
          const GraphView view = graph.view();
          ASSERT_EQ(view.arc_count, count);
          std::uint64_t next = 0;
          for (const auto& [source, arcs] : expected) {
            const ArcRange range = arcs_of(view, source);
            ASSERT_EQ(range.begin, next) << "arcs lie in the order of their sources";
            next = range.end;
            ASSERT_EQ(range.end - range.begin, arcs.size());
            ASSERT_TRUE(std::equal(view.neighbors + range.begin, view.neighbors + range.end,
                                   plain.view().neighbors + arcs_of(plain.view(), source).begin));
            for (std::size_t at = 0; at < arcs.size(); ++at) {
              ASSERT_EQ(view.neighbors[range.begin + at], arcs[at].first);
              ASSERT_EQ(static_cast<const std::int64_t*>(view.edge_info)[range.begin + at], arcs[at].second);
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace matcha::runtime::test
