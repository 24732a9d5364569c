#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>

#include "runtime/graph/generate.h"
#include "runtime/graph/mtg.h"
#include "runtime/graph/order.h"
#include "tests/unit/runtime/graph/support.h"

namespace matcha::runtime::test {
namespace {

std::uint64_t degree(const GraphView& view, std::uint64_t rank) { return view.offsets[rank + 1] - view.offsets[rank]; }

/// The squares of the lengths of halves.
double squares(const Graph& graph, Halves halves) {
  const GraphView view = graph.view();
  double sum = 0;
  for (std::uint64_t rank = 0; rank < view.universe; ++rank) {
    const double below = static_cast<double>(half_offset(graph.split_offsets(), 2 * rank + 1) - view.offsets[rank]);
    const double above = static_cast<double>(view.offsets[rank + 1] - half_offset(graph.split_offsets(), 2 * rank + 1));
    sum += halves == Halves::Lower ? below * below : above * above;
  }
  return sum;
}

/// The neighbours of each id, in the order of ids.
Adjacency by_ids(const Graph& graph) {
  Adjacency adjacency = adjacency_of(graph);
  for (auto& [id, neighbors] : adjacency) std::sort(neighbors.begin(), neighbors.end());
  return adjacency;
}

void expect_ordered(const Graph& graph, Halves halves) {
  Result<Graph> made = ordered_by_degree(graph, halves);
  ASSERT_TRUE(made) << made.error().render();
  const GraphView view = made->view();
  // By ids nothing has changed.
  EXPECT_TRUE(by_ids(*made) == by_ids(graph));
  EXPECT_EQ(labels_of(*made), labels_of(graph));
  EXPECT_EQ(made->edge_count(), graph.edge_count());
  EXPECT_EQ(view.max_degree, graph.view().max_degree);
  EXPECT_EQ(made->facts().directed, false);
  for (std::uint64_t rank = 0; rank < view.universe; ++rank) {
    EXPECT_TRUE(std::is_sorted(view.neighbors + view.offsets[rank], view.neighbors + view.offsets[rank + 1]));
    if (rank == 0) continue;
    const std::uint64_t before = degree(view, rank - 1), own = degree(view, rank);
    const std::uint64_t large = halves == Halves::Lower ? before : own, small = halves == Halves::Lower ? own : before;
    EXPECT_LE(small, large + large / 3) << "at rank " << rank;
  }
  EXPECT_EQ(oriented_work(graph, halves), squares(graph, halves));
  EXPECT_EQ(oriented_work(*made, halves), squares(*made, halves));
}

TEST(Order, SmallGraphs) {
  TemporaryFolder folder;
  for (const char* text : {"# nothing\n", "1 2\n", "5 -7\n5 1000000007\n5 3\n3 -7\n", "0 1\n0 2\n0 3\n0 4\n9 4\n"}) {
    const Graph graph = load(folder.file("g.txt", text)).graph;
    expect_ordered(graph, Halves::Lower);
    expect_ordered(graph, Halves::Upper);
  }
}

TEST(Order, LabelsAndVerticesWithoutEdgesFollow) {
  TemporaryFolder folder;
  GraphSpec spec = spec_of(folder.file("g.txt", "10 20\n20 30\n20 40\n"));
  spec.labels_path = folder.file("labels.txt", "10 a\n20 b\n30 c\n40 a\n50 z\n");
  const Graph graph = load(spec).graph;
  ASSERT_EQ(graph.vertex_count(), 5U);
  expect_ordered(graph, Halves::Lower);
  expect_ordered(graph, Halves::Upper);
}

TEST(Order, LargeGraphsOnAnyNumberOfThreads) {
  RmatSpec spec;
  spec.scale = 14;
  Result<Graph> made = generate_rmat(spec);
  ASSERT_TRUE(made);
  TemporaryFolder folder;
  ASSERT_TRUE(write_mtg(*made, folder.path("g.mtg")));
  const Graph graph = load(folder.path("g.mtg")).graph;
  expect_ordered(graph, Halves::Lower);
  expect_ordered(graph, Halves::Upper);
  const Result<Graph> many = ordered_by_degree(graph, Halves::Lower);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const Result<Graph> alone = ordered_by_degree(graph, Halves::Lower);
  ASSERT_TRUE(many && alone);
  EXPECT_TRUE(
      std::equal(many->view().neighbors, many->view().neighbors + many->view().arc_count, alone->view().neighbors));
}

/// Writes the graph with its order by degree stored, and loads it.
Graph stored(const TemporaryFolder& folder, const Graph& graph, Halves halves) {
  const Result<Graph> ranked = ordered_by_degree(graph, halves);
  EXPECT_TRUE(ranked);
  EXPECT_TRUE(write_mtg(graph, folder.path("stored.mtg"), {}, {&*ranked, halves}));
  return load(folder.path("stored.mtg")).graph;
}

TEST(Order, AStoredOrderIsTheOneThatIsMade) {
  TemporaryFolder folder;
  GraphSpec spec = spec_of(folder.file("g.txt", "10 20\n20 30\n20 40\n-7 40\n"));
  spec.labels_path = folder.file("labels.txt", "10 a\n20 b\n30 c\n40 a\n50 z\n-7 a\n");
  RmatSpec rmat;
  rmat.scale = 10;
  Result<Graph> made = generate_rmat(rmat);
  ASSERT_TRUE(made);
  const Graph labelled = load(spec).graph, skewed = std::move(*made);
  for (const Graph* graph : {&labelled, &skewed}) {
    for (const Halves halves : {Halves::Lower, Halves::Upper}) {
      const Halves others = halves == Halves::Lower ? Halves::Upper : Halves::Lower;
      EXPECT_FALSE(has_stored_order(*graph, halves));
      const Graph loaded = stored(folder, *graph, halves);
      EXPECT_TRUE(has_stored_order(loaded, halves));
      EXPECT_FALSE(has_stored_order(loaded, others));
      EXPECT_EQ(adjacency_of(loaded), adjacency_of(*graph));
      expect_ordered(loaded, halves);
      expect_ordered(loaded, others);
      // Its arcs are those in the file.
      const Result<Graph> taken = ordered_by_degree(loaded, halves), anew = ordered_by_degree(*graph, halves);
      ASSERT_TRUE(taken && anew);
      const GraphView ours = taken->view(), theirs = anew->view();
      EXPECT_EQ(ours.neighbors, loaded.stored_order().neighbors);
      EXPECT_TRUE(std::equal(theirs.neighbors, theirs.neighbors + theirs.arc_count, ours.neighbors));
      EXPECT_TRUE(std::equal(theirs.original_ids, theirs.original_ids + theirs.universe, ours.original_ids));
    }
  }
}

TEST(Order, AStoredOrderOutlivesTheGraphById) {
  TemporaryFolder folder;
  std::optional<Graph> ranked;
  {
    const Graph loaded = stored(folder, load(folder.file("g.txt", "1 2\n2 3\n2 9\n")).graph, Halves::Lower);
    Result<Graph> taken = ordered_by_degree(loaded, Halves::Lower);
    ASSERT_TRUE(taken);
    ranked = std::move(*taken);
  }
  EXPECT_EQ(by_ids(*ranked), (Adjacency{{1, {2}}, {2, {1, 3, 9}}, {3, {2}}, {9, {2}}}));
}

TEST(Order, ShortensTheHalvesOfAStar) {
  TemporaryFolder folder;
  std::string text;
  for (int leaf = 0; leaf < 100; ++leaf) text += std::to_string(leaf) + " 100\n";
  const Graph graph = load(folder.file("star.txt", text)).graph;
  EXPECT_EQ(oriented_work(graph, Halves::Lower), 10000);
  EXPECT_EQ(longest_oriented_list(graph, Halves::Lower), 100U);
  EXPECT_EQ(longest_oriented_list(graph, Halves::Upper), 1U);
  EXPECT_EQ(longest_oriented_list(load(folder.file("empty.txt", "# nothing\n")).graph, Halves::Lower), 0U);
  EXPECT_EQ(expected_work_by_degree(load(folder.file("none.txt", "# nothing\n")).graph), 0);
  const Result<Graph> ordered = ordered_by_degree(graph, Halves::Lower);
  ASSERT_TRUE(ordered);
  EXPECT_EQ(oriented_work(*ordered, Halves::Lower), 100);
}

TEST(Order, WorkByDegreeIsExpectedRoughly) {
  for (const char* name : {"wiki-vote.txt.gz", "ca-grqc.txt.gz"}) {
    const Graph graph = load(std::string("examples/graphs/") + name).graph;
    const Result<Graph> ordered = ordered_by_degree(graph, Halves::Lower);
    ASSERT_TRUE(ordered);
    const double work = oriented_work(*ordered, Halves::Lower), expected = expected_work_by_degree(graph);
    EXPECT_GT(expected, work / 3) << name;
    EXPECT_LT(expected, work * 3) << name;
    const GraphView view = ordered->view();
    double cubes = 0, squares = 0;
    for (std::uint64_t rank = 0; rank < view.universe; ++rank) {
      const std::uint32_t* const begin = view.neighbors + view.offsets[rank];
      const std::uint32_t* const end = view.neighbors + view.offsets[rank + 1];
      const double half = static_cast<double>(std::lower_bound(begin, end, rank) - begin);
      cubes += half * half * half;
      squares += half * half;
    }
    const SampledWork sampled = sampled_work_by_degree(graph);
    EXPECT_GT(sampled.squares, squares / 2) << name;
    EXPECT_LT(sampled.squares, squares * 2) << name;
    EXPECT_GT(sampled.cubes, cubes / 2) << name;
    EXPECT_LT(sampled.cubes, cubes * 2) << name;
  }
}

TEST(Order, WorkOfLittleIsExpected) {
  TemporaryFolder folder;
  EXPECT_EQ(sampled_work_by_degree(load(folder.file("none.txt", "# nothing\n")).graph).cubes, 0);
  EXPECT_EQ(sampled_work_by_degree(load(folder.file("edge.txt", "1 2\n")).graph).cubes, 1);
  EXPECT_EQ(sampled_wheel_ns(load(folder.file("none.txt", "# nothing\n")).graph), 0);
  EXPECT_EQ(sampled_wheel_ns(load(folder.file("edge.txt", "1 2\n")).graph), 0);
}

TEST(Order, RankingTakesLongerForLargerGraphs) {
  TemporaryFolder folder;
  const Graph small = load(folder.file("edge.txt", "1 2\n")).graph,
              large = load("examples/graphs/wiki-vote.txt.gz").graph;
  for (const unsigned threads : {1U, 2U, 16U}) EXPECT_LT(ns_to_rank(small, threads), ns_to_rank(large, threads));
  EXPECT_LT(ns_to_rank(large, 2), ns_to_rank(large, 1));
}

}  // namespace
}  // namespace matcha::runtime::test
