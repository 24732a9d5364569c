#include "runtime/sample/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "runtime/graph/generate.h"
#include "runtime/sample/bounded_draws.h"
#include "tests/unit/sanitized.h"

namespace matcha::runtime::sample {
namespace {

constexpr Effort kMany{20'000, 0, 10'000'000};

std::uint32_t bit(std::size_t v) { return std::uint32_t{1} << v; }

/// A pattern by the earlier neighbours of each vertex.
std::vector<PatternVertex> pattern_of(const std::vector<std::vector<std::size_t>>& near) {
  std::vector<PatternVertex> pattern(near.size());
  for (std::size_t v = 0; v < near.size(); ++v) {
    for (const std::size_t u : near[v]) pattern[v].near |= bit(u);
  }
  return pattern;
}

std::vector<PatternVertex> clique(std::size_t size) {
  std::vector<PatternVertex> pattern(size);
  for (std::size_t v = 0; v < size; ++v) pattern[v].near = bit(v) - 1;
  return pattern;
}

bool fits(const GraphView& view, const std::vector<PatternVertex>& pattern, const std::vector<std::uint32_t>& images) {
  const std::size_t v = images.size() - 1;
  if (pattern[v].label && view.labels[images[v]] != *pattern[v].label) return false;
  for (std::size_t u = 0; u < v; ++u) {
    const bool is_near = neighbor_row(view, images[u]).has(images[v]);
    if (images[u] == images[v] || ((pattern[v].near & bit(u)) != 0 && !is_near)) return false;
    if ((pattern[v].anti & bit(u)) != 0 && is_near) return false;
  }
  return true;
}

/// All matches, by trying all images.
double matches_of(const GraphView& view, const std::vector<PatternVertex>& pattern,
                  std::vector<std::uint32_t> images = {}) {
  if (images.size() == pattern.size()) return 1;
  double found = 0;
  for (std::uint32_t image = 0; image < view.universe; ++image) {
    images.push_back(image);
    if (fits(view, pattern, images)) found += matches_of(view, pattern, images);
    images.pop_back();
  }
  return found;
}

void expect_truth(const Graph& graph, const std::vector<PatternVertex>& pattern) {
  const double truth = matches_of(graph.view(), pattern);
  const Estimate found = Sampler(graph.view(), graph.facts().directed).draw(pattern, kMany);
  constexpr double kDeviations = 5;
  // Arcs are drawn from some of all, which are all here, some of them more often than others.
  EXPECT_NEAR(found.matches, truth, kDeviations * std::sqrt(found.variance) + truth / 20);
  EXPECT_FALSE(found.is_bound);
  double weights = 0;
  for (std::size_t i = 0; i < found.weights.size(); ++i) {
    weights += found.weights[i];
    std::vector<std::uint32_t> images;
    for (std::size_t v = 0; v < pattern.size(); ++v) {
      images.push_back(found.images[i * pattern.size() + v]);
      ASSERT_TRUE(fits(graph.view(), pattern, images));
    }
  }
  EXPECT_NEAR(weights, found.matches, found.matches * 1e-9);
}

TEST(Sampler, TheMeanOfDrawsIsTheNumberOfMatches) {
  RmatSpec spec;
  spec.scale = 5;
  spec.edge_factor = 4;
  const Result<Graph> graph = generate_rmat(spec);
  ASSERT_TRUE(graph);
  for (const auto& near :
       std::vector<std::vector<std::vector<std::size_t>>>{{{}, {0}},                        // edge
                                                          {{}, {0}, {0}},                   // wedge
                                                          {{}, {0}, {0, 1}},                // triangle
                                                          {{}, {0}, {0}, {1}},              // path
                                                          {{}, {0}, {0}, {1, 2}},           // 4-cycle
                                                          {{}, {0}, {0}, {0}, {0}},         // star
                                                          {{}, {0}, {0, 1}, {0}, {1, 3}},   // house
                                                          {{}, {0}, {0}, {1}, {2, 3}},      // 5-cycle
                                                          {{}, {0}, {0, 1}, {0, 1}, {2}}})  // diamond with a tail
    expect_truth(*graph, pattern_of(near));
  expect_truth(*graph, clique(4));
}

TEST(Sampler, LabelsAndAntiEdgesAreConditions) {
  RmatSpec spec;
  spec.scale = 5;
  spec.edge_factor = 4;
  const Result<Graph> plain = generate_rmat(spec);
  ASSERT_TRUE(plain);
  const Result<Graph> graph = with_random_labels(*plain, {2, 0, 1});
  ASSERT_TRUE(graph);
  std::vector<PatternVertex> pattern = pattern_of({{}, {0}, {0}, {1, 2}});
  pattern[3].anti = bit(0);
  expect_truth(*graph, pattern);
  pattern[1].label = 1;
  pattern[2].label = 2;
  expect_truth(*graph, pattern);
  pattern[0].label = 7;
  EXPECT_EQ(Sampler(graph->view()).draw(pattern, kMany).matches, 0);
}

TEST(Sampler, LargeCliquesOfAFewVerticesAreSeen) {
  // 40 of 20,000 vertices are adjacent to each other, and a random graph is around them: 7.7e7 cliques of 8.
  constexpr std::uint32_t kVertices = 20'000, kClique = 40;
  Random random(3);
  std::vector<std::vector<std::uint32_t>> near(kVertices);
  const auto join = [&](std::uint32_t u, std::uint32_t v) {
    near[u].push_back(v);
    near[v].push_back(u);
  };
  for (std::uint32_t u = 0; u < kClique; ++u) {
    for (std::uint32_t v = 0; v < u; ++v) join(u, v);
  }
  for (std::uint32_t u = kClique; u < kVertices; ++u) {
    for (int i = 0; i < 4; ++i) join(u, static_cast<std::uint32_t>(random.below(u)));
  }
  GraphView view{};
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> neighbors;
  for (std::vector<std::uint32_t>& row : near) {
    std::ranges::sort(row);
    row.erase(std::unique(row.begin(), row.end()), row.end());
    neighbors.insert(neighbors.end(), row.begin(), row.end());
    offsets.push_back(neighbors.size());
    view.max_degree = std::max<std::uint64_t>(view.max_degree, row.size());
  }
  view.universe = view.vertex_count = kVertices;
  view.arc_count = neighbors.size();
  view.offsets = offsets.data();
  view.neighbors = neighbors.data();
  constexpr double kCliques = 76904685.0 * 40320;
  constexpr Effort kOfAPlan{128, 24, 4096};
  const Estimate found = Sampler(view).draw(clique(8), kOfAPlan);
  EXPECT_GT(found.matches, kCliques / 3);
  EXPECT_LT(found.matches, kCliques * 3);
}

TEST(Sampler, StepsAreBounded) {
  const Result<Graph> tree = generate_star(5000);
  ASSERT_TRUE(tree);
  const std::vector<PatternVertex> triangle = pattern_of({{}, {0}, {0, 1}});
  constexpr std::uint64_t kSteps = 1000, kOfABatch = 64;
  const Estimate found = Sampler(tree->view()).draw(triangle, {100, 10, kSteps});
  EXPECT_EQ(found.hits, 0);
  EXPECT_TRUE(found.is_bound);
  EXPECT_TRUE(found.images.empty());
  EXPECT_GE(found.steps, kSteps);
  EXPECT_LE(found.steps, kSteps + kOfABatch);
}

TEST(Sampler, ArcsOfDirectedGraphsHaveTheirSources) {
  // 0 → 1, …, 100 and 1 → 2.
  std::vector<std::uint64_t> offsets = {0, 100, 101};
  std::vector<std::uint32_t> neighbors;
  for (std::uint32_t v = 1; v <= 100; ++v) neighbors.push_back(v);
  neighbors.push_back(2);
  offsets.resize(102, neighbors.size());
  GraphView view{};
  view.universe = view.vertex_count = 101;
  view.arc_count = neighbors.size();
  view.max_degree = 100;
  view.offsets = offsets.data();
  view.neighbors = neighbors.data();
  const Estimate arcs = Sampler(view, true).draw(pattern_of({{}, {0}}), kMany);
  constexpr double kArcs = 101;
  EXPECT_NEAR(arcs.matches, kArcs, kArcs / 100);
  const Estimate triangles = Sampler(view, true).draw(pattern_of({{}, {0}, {0, 1}}), kMany);
  EXPECT_NEAR(triangles.matches, 1, 0.2);
}

/// Trees of several shapes: low and high, with and without edges beside the tree, and vertices that are not adjacent.
std::vector<std::vector<PatternVertex>> bounded_patterns() {
  std::vector<std::vector<PatternVertex>> all = {
      pattern_of({{}, {0}, {0, 1}}),                 // triangle
      pattern_of({{}, {0}, {0}, {1}, {2}}),          // path of five
      pattern_of({{}, {0}, {0}, {1}, {2, 3}}),       // cycle of five
      pattern_of({{}, {0}, {0, 1}, {2}, {3}}),       // triangle with a tail, whose top is on both ends
      pattern_of({{}, {0}, {0}, {0}, {1}, {1, 4}}),  // a triangle on one end, and two leaves
      clique(4),
  };
  all.push_back(pattern_of({{}, {0}, {0}, {1}}));
  all.back()[2].anti = bit(1);
  all.back()[3].anti = bit(0) | bit(2);
  return all;
}

/// The same with labels of the first edge, of inner vertices, and of leaves that other edges narrow or do not.
std::vector<std::vector<PatternVertex>> labelled_patterns() {
  std::vector<std::vector<PatternVertex>> all = bounded_patterns();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t v = 0; v < all[i].size(); ++v) {
      if ((v + i) % 3 != 0) all[i][v].label = 1 + static_cast<std::int64_t>((v * i + v) % 2);
    }
  }
  return all;
}

/// What bounded draws take, and the graphs of its lists.
struct Drawn {
  std::vector<NeighborLists> lists;
  std::vector<DrawnVertex> vertices;

  BoundedDraws draws() const { return BoundedDraws(lists, vertices); }
};

/// A pattern of edges in one undirected graph.
Drawn drawn(const GraphView& view, const std::vector<PatternVertex>& pattern) {
  Drawn made{{{view}}, {}};
  for (std::size_t v = 0; v < pattern.size(); ++v) {
    DrawnVertex& vertex = made.vertices.emplace_back();
    vertex.label = pattern[v].label;
    for (std::size_t u = 0; u < v; ++u) {
      if ((pattern[v].near & bit(u)) != 0) vertex.links.push_back({u, 0});
      if ((pattern[v].anti & bit(u)) != 0) vertex.links.push_back({u, 0, true});
    }
  }
  return made;
}

/// All matches, by trying all images.
double matches_of(const Drawn& of, std::vector<std::uint32_t> images = {}) {
  if (images.size() == of.vertices.size()) return 1;
  const GraphView& view = of.lists[0].view;
  const DrawnVertex& vertex = of.vertices[images.size()];
  double found = 0;
  for (std::uint32_t image = 0; image < view.universe; ++image) {
    bool fits = std::ranges::find(images, image) == images.end();
    fits = fits && (!vertex.label || view.labels[image] == *vertex.label);
    for (const Link& link : vertex.links) {
      fits = fits && neighbor_row(of.lists[link.list].view, images[link.to]).has(image) != link.is_absent;
    }
    if (!fits) continue;
    images.push_back(image);
    found += matches_of(of, images);
    images.pop_back();
  }
  return found;
}

void expect_mean_and_bound(const Drawn& of) {
  const double truth = matches_of(of);
  const BoundedDraws draws = of.draws();
  constexpr std::uint64_t kCount = 200'000;
  const Moments found = draws.draw(1, 0, kCount, {});
  const double mean = found.sum() / kCount, variance = found.squares() / kCount - mean * mean;
  constexpr double kDeviations = 4.5;
  EXPECT_GT(truth, 0);
  EXPECT_NEAR(mean, truth, kDeviations * std::sqrt(variance / kCount) + truth * 1e-9);
  EXPECT_LE(found.squares(), found.sum() * draws.most() * (1 + 1e-9));
  EXPECT_EQ(draws.draw(1, 0, kCount, {}).squares(), found.squares());
  EXPECT_LT(draws.draw(1, 0, kCount, [] { return true; }).draws, kCount);
}

/// The share of seeds whose interval has the truth is as promised.
void expect_coverage(const Drawn& of) {
  const double truth = matches_of(of);
  const BoundedDraws draws = of.draws();
  constexpr std::uint64_t kSeeds = unless_sanitized(400, 40);
  constexpr double kWithin = 0.1;
  std::uint64_t right = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    WithinRun run(draws, {.within = kWithin, .seed = seed});
    ASSERT_TRUE(run.draws_needed());
    const std::optional<Interval> found = run.run({});
    if (!found) continue;
    EXPECT_LE(found->half_width, kWithin * found->value);
    ++all;
    right += std::abs(found->value - truth) <= found->half_width ? 1 : 0;
  }
  EXPECT_GE(static_cast<double>(all), kConfidence * kSeeds);
  // Below the promise by two deviations of 400 seeds, or three of 40.
  constexpr double kChance = unless_sanitized(0.022, 0.105);
  EXPECT_GE(static_cast<double>(right), (kConfidence - kChance) * static_cast<double>(all));
}

Result<Graph> small_graph() {
  RmatSpec spec;
  spec.scale = 5;
  spec.edge_factor = 4;
  return generate_rmat(spec);
}

/// A random directed graph whose edges have one of two labels or both.
class Arcs {
 public:
  Arcs() {
    Random random(7);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> all, of[2];
    for (std::uint32_t u = 0; u < kVertices; ++u) {
      for (std::uint32_t v = 0; v < kVertices; ++v) {
        if (u == v || random.below(4) != 0) continue;
        const std::uint64_t labels = 1 + random.below(3);
        for (std::uint64_t label = 0; label < 2; ++label) {
          if ((labels >> label & 1) == 0) continue;
          all.emplace_back(u, v);
          of[label].emplace_back(u, v);
        }
      }
    }
    for (std::uint32_t v = 0; v < kVertices; ++v) {
      ranks_.push_back(v);
      labels_.push_back(static_cast<std::int64_t>(v % 3));
    }
    for (const auto& arcs : {all, of[0], of[1]}) {
      add(arcs, false);
      add(arcs, true);
    }
  }

  static constexpr std::size_t kTo = 0, kFrom = 1, kToByA = 2, kFromByA = 3, kToByB = 4, kFromByB = 5;
  /// Those of arcs of any label have an arc twice if it has both labels.
  std::vector<NeighborLists> lists() const {
    std::vector<NeighborLists> all;
    for (const Graph& graph : graphs_) all.push_back({graph.view(), all.size() <= kFrom});
    return all;
  }

 private:
  static constexpr std::uint32_t kVertices = 24;

  void add(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& arcs, bool backwards) {
    std::vector<std::uint32_t> sources, targets;
    for (const auto& [u, v] : arcs) {
      sources.push_back(backwards ? v : u);
      targets.push_back(backwards ? u : v);
    }
    BuildInput input;
    input.universe = std::make_shared<const Universe>(Universe::identity(kVertices));
    input.sources = sources.data();
    input.targets = targets.data();
    input.count = sources.size();
    input.label_vertices = ranks_.data();
    input.labels = labels_.data();
    input.label_count = kVertices;
    input.index = IndexKind::Csr;
    graphs_.push_back(std::move(*build_graph(input)));
  }

  std::vector<std::uint32_t> ranks_;
  std::vector<std::int64_t> labels_;
  std::vector<Graph> graphs_;
};

/// Patterns of arcs with and without labels: several links between two vertices, arcs that must not be, vertices on
/// both ends of the first edge, with a tree below, and labels of vertices.
std::vector<std::vector<DrawnVertex>> patterns_of_arcs() {
  constexpr std::size_t kTo = Arcs::kTo, kFrom = Arcs::kFrom, kToByA = Arcs::kToByA, kFromByA = Arcs::kFromByA,
                        kToByB = Arcs::kToByB, kFromByB = Arcs::kFromByB;
  const std::vector<std::vector<std::vector<Link>>> links = {
      {{}, {{0, kTo}}, {{1, kTo}}, {{2, kTo}}},
      {{}, {{0, kTo}}, {{0, kFrom}, {1, kTo}}},
      {{}, {{0, kTo}, {0, kFrom}}, {{1, kTo}}, {{0, kFrom}, {2, kTo}}},
      {{}, {{0, kToByA}}, {{0, kFromByA}, {1, kToByB}}, {{2, kTo}}},
      {{}, {{0, kToByA}, {0, kToByB}}, {{1, kFromByB}}, {{0, kToByB}, {2, kToByA}}},
      {{}, {{0, kTo}, {0, kFrom, true}}, {{0, kTo, true}, {0, kFrom, true}, {1, kTo}, {1, kFrom, true}}},
      {{}, {{0, kTo}}, {{0, kToByA}, {1, kFrom}}, {{2, kToByB}}, {{2, kFrom}}},
      {{}, {{0, kTo}}, {{1, kFromByA}}, {{2, kTo}}, {{2, kTo}, {1, kFrom}}},
  };
  std::vector<std::vector<DrawnVertex>> patterns;
  for (const auto& of_pattern : links) {
    std::vector<DrawnVertex>& pattern = patterns.emplace_back();
    for (const std::vector<Link>& of_vertex : of_pattern) pattern.emplace_back().links = of_vertex;
  }
  for (std::size_t v = 0; v < 4; ++v) patterns.back()[v].label = static_cast<std::int64_t>((v + 1) % 3);
  return patterns;
}

TEST(BoundedDraws, TheirMeanIsTheNumberOfMatchesAndNoneIsAboveTheBound) {
  const Result<Graph> graph = small_graph();
  ASSERT_TRUE(graph);
  for (const auto& pattern : bounded_patterns()) expect_mean_and_bound(drawn(graph->view(), pattern));
  const Result<Graph> labelled = with_random_labels(*graph, {.vertices = 2});
  ASSERT_TRUE(labelled);
  for (const auto& pattern : labelled_patterns()) expect_mean_and_bound(drawn(labelled->view(), pattern));
}

TEST(BoundedDraws, ArcsAndLabelsOfEdgesAreConditions) {
  const Arcs arcs;
  for (const auto& pattern : patterns_of_arcs()) expect_mean_and_bound({arcs.lists(), pattern});
}

TEST(BoundedDraws, NineteenOfTwentyIntervalsHaveTheTruth) {
  const Result<Graph> graph = small_graph();
  ASSERT_TRUE(graph);
  for (const auto& pattern : bounded_patterns()) expect_coverage(drawn(graph->view(), pattern));
  const Arcs arcs;
  for (const auto& pattern : patterns_of_arcs()) expect_coverage({arcs.lists(), pattern});
}

TEST(BoundedDraws, PartsAddUpAndNarrowerIntervalsGoOn) {
  const Result<Graph> graph = small_graph();
  ASSERT_TRUE(graph);
  const BoundedDraws draws = drawn(graph->view(), pattern_of({{}, {0}, {0}, {1}, {2, 3}})).draws();
  const auto same = [](const Interval& one, const Interval& other) {
    return one.value == other.value && one.half_width == other.half_width && one.draws == other.draws &&
           one.hits == other.hits;
  };
  WithinRun wide(draws, {.within = 0.05}), narrow(draws, {.within = 0.02});
  const std::optional<Interval> of_wide = wide.run({}), of_narrow = narrow.run({});
  ASSERT_TRUE(of_wide && of_narrow);
  WithinRun next(draws, {.within = 0.02}, wide.made());
  EXPECT_EQ(next.draws_left(), *next.draws_needed() - of_wide->draws);
  const std::optional<Interval> of_next = next.run({});
  ASSERT_TRUE(of_next);
  EXPECT_TRUE(same(*of_next, *of_narrow)) << "as if the narrower width had been asked for first";
  WithinRun back(draws, {.within = 0.05}, next.made());
  EXPECT_EQ(back.draws_left(), 0);
  EXPECT_TRUE(same(*back.run({}), *of_wide));
  for (const std::uint64_t parts : {1, 7, 1000}) {
    Moments all;
    for (std::uint64_t i = 0; i < parts; ++i) all.add(wide.part(i, parts, {}));
    EXPECT_TRUE(same(*wide.interval_of(all), *of_wide)) << parts;
  }
}

TEST(BoundedDraws, WidthsAreThoseOfTables) {
  // Two tries: values of the normal distribution for 1.25% and .25% on each side.
  EXPECT_NEAR(Width(0.95).quantile, 2.2414, 1e-4);
  EXPECT_NEAR(Width(0.99).quantile, 2.8070, 1e-4);
  EXPECT_NEAR(Width(0.95).range, 3 * std::log(60), 1e-9);
  EXPECT_NEAR(Width(0.95).certain_range, 3 * std::log(120), 1e-9);
  EXPECT_NEAR(Width(0.95).certain_errors, std::sqrt(2 * std::log(120)), 1e-9);
}

/// A star with `leaves` leaves and centre 0, and further edges.
Result<Graph> star_with(std::uint32_t leaves, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  std::vector<std::uint32_t> sources, targets;
  std::uint32_t last = leaves;
  const auto add = [&](std::uint32_t u, std::uint32_t v) {
    sources.insert(sources.end(), {u, v});
    targets.insert(targets.end(), {v, u});
    last = std::max({last, u, v});
  };
  for (std::uint32_t leaf = 1; leaf <= leaves; ++leaf) add(0, leaf);
  for (const auto& [u, v] : edges) add(u, v);
  BuildInput input;
  input.universe = std::make_shared<const Universe>(Universe::identity(last + 1));
  input.sources = sources.data();
  input.targets = targets.data();
  input.count = sources.size();
  return build_graph(input);
}

TEST(BoundedDraws, MatchesBehindAStarAreCountedOrRefused) {
  // All matches are in a clique at the end of a path, and most maps of trees in the star.
  constexpr std::uint32_t kClique = 12;
  for (const std::uint32_t leaves : {100, 400, 3000}) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges = {{leaves, leaves + 1}};
    for (std::uint32_t v = 1; v <= kClique; ++v) {
      for (std::uint32_t u = 1; u < v; ++u) edges.emplace_back(leaves + u, leaves + v);
    }
    const Result<Graph> graph = star_with(leaves, edges);
    ASSERT_TRUE(graph);
    const std::pair<std::vector<PatternVertex>, double> patterns[] = {
        {clique(3), 12 * 11 * 10}, {clique(4), 12 * 11 * 10 * 9}, {pattern_of({{}, {0}, {0, 1}, {0}, {1, 3}}), 95040}};
    for (const auto& [pattern, truth] : patterns) {
      const BoundedDraws draws = drawn(graph->view(), pattern).draws();
      constexpr std::uint64_t kSeeds = unless_sanitized(60, 6), kMostWrong = 9;  // By chance in 1 of 1,000 cells.
      std::uint64_t wrong = 0;
      for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        WithinRun run(draws, {.within = 0.1, .seed = seed});
        const std::optional<Interval> found = run.draws_needed() ? run.run({}) : std::nullopt;
        wrong += found && std::abs(found->value - truth) > found->half_width ? 1 : 0;
      }
      EXPECT_LE(wrong, kMostWrong) << leaves;
    }
  }
}

TEST(BoundedDraws, NoMatchesHaveNoInterval) {
  // No 4-cycle among the many wedges of a star.
  const Result<Graph> graph = star_with(2000, {{1, 2}});
  ASSERT_TRUE(graph);
  const BoundedDraws draws = drawn(graph->view(), pattern_of({{}, {0}, {1}, {0, 2}})).draws();
  EXPECT_FALSE(WithinRun(draws, {.within = 0.01}).draws_needed());
  const BoundedDraws path = drawn(graph->view(), pattern_of({{}, {0}, {1}})).draws();
  EXPECT_TRUE(WithinRun(path, {.within = 0.01}).draws_needed());
  EXPECT_FALSE(WithinRun(path, {.within = 1e-9}).draws_needed()) << "more than 2^40 draws";
  const Graph nothing;
  const BoundedDraws none = drawn(nothing.view(), clique(3)).draws();
  EXPECT_EQ(none.most(), 0);
  EXPECT_FALSE(WithinRun(none, {.within = 0.01}).draws_needed());
}

}  // namespace
}  // namespace matcha::runtime::sample
