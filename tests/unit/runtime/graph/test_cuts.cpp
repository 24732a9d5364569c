#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/graph/cuts.h"
#include "runtime/graph/generate.h"
#include "runtime/graph/graph.h"
#include "tests/unit/runtime/graph/support.h"

namespace matcha::runtime::test {
namespace {

void expect_cuts(const std::vector<std::uint64_t>& cuts, std::uint64_t positions, std::uint64_t units,
                 std::uint64_t grain) {
  ASSERT_EQ(cuts.size(), units + 1);
  EXPECT_EQ(cuts.front(), 0U);
  EXPECT_EQ(cuts.back(), positions);
  EXPECT_TRUE(std::is_sorted(cuts.begin(), cuts.end()));
  for (std::uint64_t cut : cuts) EXPECT_TRUE(cut % grain == 0 || cut == positions) << cut << " of " << positions;
}

/// Every position is in exactly one share.
void expect_shares(const std::vector<std::uint64_t>& cuts, std::uint64_t positions, std::uint64_t count) {
  std::vector<int> seen(positions, 0);
  for (std::uint64_t index = 0; index < count; ++index) {
    std::uint64_t last = 0;
    for (const PositionRange& range : share_of(cuts, index, count)) {
      EXPECT_LT(range.begin, range.end);
      EXPECT_GE(range.begin, last);
      last = range.end;
      for (std::uint64_t at = range.begin; at != range.end; ++at) ++seen[at];
    }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(positions));
}

Graph rmat(std::uint64_t scale) {
  RmatSpec spec;
  spec.scale = scale;
  Result<Graph> made = generate_rmat(spec);
  EXPECT_TRUE(made) << made.error().render();
  return std::move(*made);
}

/// The largest share of `count`, in means.
double worst_share(const GraphView& view, const std::vector<std::uint64_t>& cuts, std::uint64_t count) {
  std::uint64_t most = 0;
  for (std::uint64_t index = 0; index < count; ++index) {
    std::uint64_t arcs = 0;
    for (const PositionRange& range : share_of(cuts, index, count)) {
      for (std::uint64_t at = range.begin; at != range.end; ++at) {
        const ArcRange own = arcs_of(view, view.vertices != nullptr ? view.vertices[at] : at);
        arcs += own.end - own.begin;
      }
    }
    most = std::max(most, arcs);
  }
  return static_cast<double>(most) * static_cast<double>(count) / static_cast<double>(view.arc_count);
}

TEST(Cuts, CoverEveryPositionOnce) {
  const Graph graph = rmat(9);
  const std::uint64_t vertices = graph.vertex_count();
  for (const std::uint64_t units : {1, 2, 7, 100, 800, 5000}) {
    for (const std::uint64_t grain : {1, 3, 64, 100000}) {
      for (const std::uint64_t positions : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000}}) {
        const std::vector<std::uint64_t> even = cut_evenly(positions, units, grain);
        expect_cuts(even, positions, units, grain);
        expect_shares(even, positions, 3);
      }
      const std::vector<std::uint64_t> cuts = cut_by_arcs(graph.view(), units, grain);
      expect_cuts(cuts, vertices, units, grain);
      for (const std::uint64_t count : {1, 2, 8}) expect_shares(cuts, vertices, count);
    }
  }
  constexpr std::uint64_t kMany = ~std::uint64_t{0} / 2;
  expect_cuts(cut_evenly(kMany, 7, 1000), kMany, 7, 1000);
}

TEST(Cuts, SharesOfSkewedGraphsHaveEqualArcs) {
  const Graph graph = rmat(14);
  const GraphView view = graph.view();
  constexpr std::uint64_t kShares = 8;
  EXPECT_LT(worst_share(view, cut_by_arcs(view, kShares * kUnitsOfShare), kShares), 1.1);
  // Each eighth vertex is another matter.
  EXPECT_GT(worst_share(view, cut_evenly(view.vertex_count, view.vertex_count), kShares), 2.5);
}

TEST(Cuts, OfGraphsWithListedVerticesOrAHashIndex) {
  // Ranks 0…999 of which a few are vertices.
  std::vector<std::uint32_t> sources, targets;
  for (std::uint32_t at = 0; at < 40; ++at) {
    sources.push_back(at < 20 ? 7 : 100 + at);
    targets.push_back(500 + at);
  }
  BuildInput input;
  input.universe = std::make_shared<const Universe>(Universe::identity(1000));
  input.sources = sources.data();
  input.targets = targets.data();
  input.count = sources.size();
  for (const IndexKind index : {IndexKind::Csr, IndexKind::Hash}) {
    input.index = index;
    const Result<Graph> graph = build_graph(input);
    ASSERT_TRUE(graph);
    const GraphView view = graph->view();
    ASSERT_NE(view.vertices, nullptr);
    const std::vector<std::uint64_t> cuts = cut_by_arcs(view, 4);
    expect_cuts(cuts, view.vertex_count, 4, 1);
    expect_shares(cuts, view.vertex_count, 2);
    // 40 arcs and 61 vertices, of which the first has 20 arcs.
    EXPECT_EQ(cuts[1], index == IndexKind::Csr ? 3U : 15U);
  }
}

}  // namespace
}  // namespace matcha::runtime::test
