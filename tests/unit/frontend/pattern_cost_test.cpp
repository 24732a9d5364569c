// Facts that the cost model learns from sampled matches of a graph.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <string>

#include "planner/cost.h"
#include "planner/decompose.h"
#include "planner/order.h"
#include "question/symmetry.h"

namespace matcha::pattern {
namespace {

using Vertex = std::uint32_t;

/// Draws every match of a small graph, once.
class WholeGraph final : public GraphSampler {
 public:
  explicit WholeGraph(std::vector<std::set<Vertex>> near) : near_(std::move(near)) {}

  MatchSample draw(const Pattern& pattern) const override {
    MatchSample sample;
    std::vector<Vertex> images;
    extend(pattern, images, sample);
    return sample;
  }

  Members members(const std::vector<Vertex>& in, const std::vector<Vertex>& off) const override {
    ++looks;
    Members found;
    for (Vertex v = 0; v < near_.size(); ++v) {
      const auto adjacent = [&](Vertex u) { return near_[u].contains(v); };
      if (std::all_of(in.begin(), in.end(), adjacent) && std::none_of(off.begin(), off.end(), adjacent)) {
        found.vertices.push_back(v);
      }
    }
    return found;
  }

  std::uint64_t rank(Vertex v) const override { return v; }

  mutable int looks = 0;

 private:
  void extend(const Pattern& pattern, std::vector<Vertex>& images, MatchSample& sample) const {
    const int next = static_cast<int>(images.size());
    if (next == pattern.size()) {
      sample.matches += 1;
      sample.weights.push_back(1);
      sample.images.push_back(images);
      return;
    }
    for (Vertex image = 0; image < near_.size(); ++image) {
      bool fits = std::find(images.begin(), images.end(), image) == images.end();
      for (int u = 0; u < next; ++u) {
        const bool adjacent = near_[images[at(u)]].contains(image);
        fits = fits && (adjacent || !has(pattern.near(next), u)) && !(adjacent && has(pattern.anti[at(next)], u));
      }
      if (!fits) continue;
      images.push_back(image);
      extend(pattern, images, sample);
      images.pop_back();
    }
  }

  const std::vector<std::set<Vertex>> near_;
};

/// Edges between vertices of small ids are the more frequent, as in a crawl that begins at hubs.
std::vector<std::set<Vertex>> skewed_graph(Vertex n) {
  std::mt19937_64 random(5);
  std::vector<std::set<Vertex>> near(n);
  for (Vertex u = 0; u < n; ++u) {
    for (Vertex v = 0; v < u; ++v) {
      if (random() % (1 + u * (v + 1)) >= n) continue;
      near[u].insert(v);
      near[v].insert(u);
    }
  }
  return near;
}

GraphSketch sketch_of(const std::vector<std::set<Vertex>>& near, const WholeGraph** maybe_sampler = nullptr) {
  GraphSketch sketch = typical_graph();
  auto sampler = std::make_unique<WholeGraph>(near);
  if (maybe_sampler != nullptr) *maybe_sampler = sampler.get();
  sketch.maybe_samples = std::make_shared<MatchSamples>(std::move(sampler));
  return sketch;
}

bool satisfies(const std::vector<Vertex>& images, const Restrictions& larger) {
  for (std::size_t v = 0; v < images.size(); ++v) {
    bool good = true;
    for_each(larger[v], [&](int u) { good = good && images[at(u)] > images[v]; });
    if (!good) return false;
  }
  return true;
}

TEST(PatternCost, SharesOfRestrictionsAreThoseOfTheGraph) {
  const std::vector<std::set<Vertex>> near = skewed_graph(14);
  const WholeGraph whole(near);
  const GraphSketch sketch = sketch_of(near);
  double furthest = 0;
  for (const Pattern& one : connected_patterns(4)) {
    const CostModel model(one, Induced::Edge, sketch);
    const MatchSample all = whole.draw(one);
    if (all.images.size() < 100) continue;
    Symmetry symmetry(one);
    OrderSearch search;
    search.most = 4;
    for (const Order& order : best_orders(one, model, symmetry, search)) {
      const double kept = static_cast<double>(std::count_if(
          all.images.begin(), all.images.end(), [&](const auto& images) { return satisfies(images, order.larger); }));
      const double share = kept / all.matches, random = share_of_random_ids(order.larger, one.all());
      // A few matches with random ids are thought of beside those that were drawn.
      EXPECT_NEAR(model.restricted_share(one.all(), order.larger), (kept + 4 * random) / (all.matches + 4), 1e-9)
          << to_text(one);
      furthest = std::max({furthest, share / random, random / share});
    }
    // Any one restriction between two vertices, which symmetry need not bring about.
    for (int u = 0; u < 4; ++u) {
      Restrictions larger(4, 0);
      larger[at(u)] = bit((u + 1) % 4);
      const double kept = static_cast<double>(std::count_if(
          all.images.begin(), all.images.end(), [&](const auto& images) { return satisfies(images, larger); }));
      const double share = kept / all.matches;
      furthest = std::max({furthest, share / 0.5, 0.5 / share});
      EXPECT_NEAR(model.restricted_share(one.all(), larger), (kept + 2) / (all.matches + 4), 1e-9) << to_text(one);
    }
  }
  // So the graph's ids are not like random ones.
  EXPECT_GT(furthest, 1.5);
}

TEST(PatternCost, SharesOfPartsThatAreApartAreMultiplied) {
  const std::vector<std::set<Vertex>> near = skewed_graph(14);
  const GraphSketch sketch = sketch_of(near);
  Pattern path = Pattern::empty(4);
  for (int v = 0; v < 3; ++v) path.add_edge(v, v + 1);
  const CostModel model(path, Induced::Edge, sketch);
  Restrictions larger(4, 0);
  larger[1] = bit(0);
  // An edge's two ways have the same share, whatever the graph.
  EXPECT_NEAR(model.restricted_share(bit(0) | bit(1) | bit(3), larger), 0.5, 1e-9);
  larger[3] = bit(0);
  EXPECT_NEAR(model.restricted_share(bit(0) | bit(3), larger), 0.5, 1e-9);
}

TEST(PatternCost, TheSmallerOfTwoSetsIsWalked) {
  // Two stars with adjacent centers: one side has one leaf, the other has twenty.
  constexpr Vertex kLeaves = 20;
  std::vector<std::set<Vertex>> near(kLeaves + 3);
  const auto join = [&](Vertex u, Vertex v) {
    near[u].insert(v);
    near[v].insert(u);
  };
  join(0, 1);
  join(1, 2);
  for (Vertex v = 3; v < near.size(); ++v) join(0, v);
  const GraphSketch sketch = sketch_of(near);
  Pattern path = Pattern::empty(4);
  for (int v = 0; v < 3; ++v) path.add_edge(v, v + 1);
  const CostModel model(path, Induced::Vertex, sketch);
  const Restrictions none(4, 0);
  const Candidates before{bit(1), bit(2), 0, 0}, behind{bit(2), bit(1), 0, 0};
  const double walk_all =
      model.prices().iteration + model.meeting(bit(0) | bit(1) | bit(2), none, behind, {bit(0), 0, 0, 0}, 1, 1);
  const double smaller = model.meeting_smaller(bit(0) | bit(1) | bit(2), none, before, behind, {bit(0), 0, 0, 0});
  EXPECT_GT(smaller, 0);
  EXPECT_LT(smaller, walk_all / 2);
}

TEST(PatternCost, CountsOfStoredSetsWaitForListsThatNoCacheHas) {
  // Of the matches of three vertices in a path of four, half have two items in the set to walk and one in the other,
  // which is walked instead; half have it the other way round.
  const std::vector<std::set<Vertex>> near{{1}, {0, 2}, {1, 3}, {2}};
  GraphSketch small = sketch_of(near);
  small.vertices = near.size();
  small.moments.assign(kMostMoment + 1, 1);
  GraphSketch large = small;
  large.vertices = 100'000'000;
  Pattern path = Pattern::empty(4);
  for (int v = 0; v < 3; ++v) path.add_edge(v, v + 1);
  const auto cost = [&](const GraphSketch& sketch) {
    const CostModel model(path, Induced::Vertex, sketch);
    return model.meeting_smaller(bit(0) | bit(1) | bit(2), Restrictions(4, 0), {bit(1), bit(2), 0, 0},
                                 {bit(2), bit(1), 0, 0}, {bit(0), 0, 0, 0});
  };
  const CostModel model(path, Induced::Vertex, large);
  const Prices& prices = model.prices();
  EXPECT_GT(prices.awaited, prices.overlapped);
  EXPECT_GT(cost(small), 0);
  constexpr double kWalked = 0.75;
  EXPECT_NEAR(cost(large), cost(small) + kWalked * model.fetch(prices.awaited), 1e-9);
}

TEST(PatternCost, IsomorphicPartsAreExaminedOnce) {
  const std::vector<std::set<Vertex>> near = skewed_graph(14);
  const WholeGraph* sampler = nullptr;
  const GraphSketch sketch = sketch_of(near, &sampler);
  Pattern path = Pattern::empty(3), other = Pattern::empty(3);
  path.add_edge(0, 1);
  path.add_edge(1, 2);
  other.add_edge(0, 2);
  other.add_edge(2, 1);
  const double one = CostModel(path, Induced::Edge, sketch).common(path.all(), bit(0) | bit(2));
  const int looks = sampler->looks;
  EXPECT_GT(looks, 0);
  EXPECT_DOUBLE_EQ(CostModel(other, Induced::Edge, sketch).common(other.all(), bit(0) | bit(1)), one);
  EXPECT_EQ(sampler->looks, looks);
}

TEST(PatternCost, SetsAreExaminedOnceForAllBounds) {
  const std::vector<std::set<Vertex>> near = skewed_graph(14);
  const WholeGraph* sampler = nullptr;
  const GraphSketch sketch = sketch_of(near, &sampler);
  Pattern path = Pattern::empty(3);
  path.add_edge(0, 1);
  path.add_edge(1, 2);
  const CostModel model(path, Induced::Edge, sketch);
  const Restrictions none(3, 0);
  const auto work = [&](Mask below, Mask above) {
    return model.meeting(path.all(), none, {bit(0), 0, below, above}, {bit(2), 0, below, above}, 1, 1);
  };
  const double whole = work(0, 0);
  const int looks = sampler->looks;
  EXPECT_LT(work(bit(1), 0), whole);
  EXPECT_LT(work(0, bit(1)), whole);
  EXPECT_EQ(sampler->looks, looks);
}

/// A sample of edges that join 0 with 1, 2, …. The first one weighs as much as all others together, and only its ends
/// have common neighbours, kCommon of them.
class OneHeavyEdge final : public GraphSampler {
 public:
  static constexpr Vertex kEdges = 500;
  static constexpr std::size_t kCommon = 100;

  MatchSample draw(const Pattern&) const override {
    MatchSample sample;
    for (Vertex v = kEdges; v > 0; --v) {
      sample.weights.push_back(v == 1 ? kEdges - 1 : 1);
      sample.images.push_back({0, v});
      sample.matches += sample.weights.back();
    }
    return sample;
  }
  Members members(const std::vector<Vertex>& in, const std::vector<Vertex>&) const override {
    const bool heavy = std::find(in.begin(), in.end(), 1) != in.end();
    return {std::vector<Vertex>(heavy ? kCommon : 0, kEdges + 1), 1};
  }
  std::uint64_t rank(Vertex v) const override { return v; }
};

TEST(PatternCost, MatchesAreLookedAtAsOftenAsTheyWeigh) {
  GraphSketch sketch = typical_graph();
  sketch.maybe_samples = std::make_shared<MatchSamples>(std::make_unique<OneHeavyEdge>());
  Pattern edge = Pattern::empty(2);
  edge.add_edge(0, 1);
  const CostModel model(edge, Induced::Edge, sketch);
  constexpr double kHalf = OneHeavyEdge::kCommon / 2.0;
  EXPECT_NEAR(model.common(edge.all(), edge.all()), kHalf, kHalf / 20);
}

TEST(PatternCost, ListsAreLookedThroughForALabelWhenVerticesOfOthersHaveTheirOwn) {
  const GraphSketch sketch = typical_graph();
  Pattern clique = Pattern::empty(4);
  for (int v = 0; v < 4; ++v) {
    for (int u = 0; u < v; ++u) clique.add_edge(u, v);
    clique.labels[at(v)] = std::to_string(v);
  }
  const CostModel model(clique, Induced::Edge, sketch);
  Order order;
  order.vertices = {0, 1, 2, 3};
  order.larger.assign(4, 0);
  const double filter = model.prices().filtered * model.common(bit(0), bit(0));
  EXPECT_DOUBLE_EQ(set_work(model, order, bit(0), 0, bit(2), 0), filter);
  EXPECT_DOUBLE_EQ(set_work(model, order, bit(0), 0, bit(2) | bit(3), 0), 2 * filter);
  // Vertex 1 is walked in the list as it is.
  EXPECT_EQ(set_work(model, order, bit(0), 0, bit(1), 0), 0);
  const double short_lists = set_work(model, order, bit(0) | bit(1), 1, bit(2), 0);
  // From the second level on: common neighbours of all include the first vertex's.
  order.apart_from = 1;
  EXPECT_EQ(set_work(model, order, bit(0), 0, bit(2) | bit(3), 0), 0);
  EXPECT_GT(set_work(model, order, bit(0) | bit(1), 1, bit(2), 0), short_lists);
}

TEST(PatternCost, ListsForOneSetOperationAreLookedThroughBeforeIt) {
  Pattern diamond = Pattern::empty(4);
  for (int v = 0; v < 4; ++v) {
    diamond.add_edge(v, (v + 1) % 4);
    diamond.labels[at(v)] = "a";
  }
  diamond.add_edge(0, 2);
  const Requirements requirements(diamond, Induced::Edge);
  Order order;
  order.vertices = {0, 2, 1, 3};
  order.apart_from = 1;
  EXPECT_TRUE(apart(order, diamond, requirements, 0, 1));
  EXPECT_TRUE(apart(order, diamond, requirements, 0, 3));
  EXPECT_TRUE(apart(order, diamond, requirements, 1, 2));
  // The next one is walked among all neighbours.
  order.vertices = {0, 1, 2, 3};
  EXPECT_FALSE(apart(order, diamond, requirements, 0, 1));
  EXPECT_FALSE(apart(order, diamond, requirements, 0, 2));
  // One of any label has no list to look through.
  diamond.labels[3].clear();
  EXPECT_FALSE(apart(order, diamond, requirements, 1, 3));
}

/// Two triangles with a common vertex, 0.
Pattern bowtie() {
  Pattern pattern = Pattern::empty(5);
  for (int v = 1; v < 5; ++v) pattern.add_edge(0, v);
  pattern.add_edge(1, 2);
  pattern.add_edge(3, 4);
  return pattern;
}

TEST(PatternCost, TrianglesThatShareAVertexAreRowsOfBitsOnAGpu) {
  const Pattern pattern = bowtie();
  Order order;
  order.vertices = {0, 1, 3, 2, 4};
  order.larger.assign(5, 0);
  const Mask bound = bit(0) | bit(1) | bit(3);
  GraphSketch sketch = typical_graph();
  const auto expect = [&](bool rows) {
    const CostModel model(pattern, Induced::Edge, sketch);
    const double work = set_work(model, order, bound, 3, bit(4), 0);
    EXPECT_EQ(work == model.bit_operation(bound, 0, 1), rows);
  };
  expect(false);
  sketch.device = Device::Gpu;
  expect(true);
  // One triangle is counted as it is.
  order.vertices = {0, 1, 2, 3, 4};
  Pattern tailed = pattern;
  for (std::vector<Mask>* near : {&tailed.out, &tailed.in}) {
    (*near)[3] &= ~bit(4);
    (*near)[4] &= ~bit(3);
  }
  const CostModel model(tailed, Induced::Edge, sketch);
  const Mask edge = bit(0) | bit(1);
  EXPECT_DOUBLE_EQ(set_work(model, order, edge, 1, bit(2), 0),
                   model.fetch(model.prices().missed) +
                       model.meeting(edge, order.larger, {bit(1), 0, 0, 0}, {bit(0), 0, 0, 0}, 1, 1));
}

TEST(PatternCost, PartsAttachedToAHubAreCountedByOneGroup) {
  const Pattern pattern = bowtie();
  GraphSketch sketch = typical_graph();
  sketch.device = Device::Gpu;
  sketch.max_degree = 3'000;
  const double degree = 3'000;
  const CostModel model(pattern, Induced::Edge, sketch);
  EXPECT_DOUBLE_EQ(model.hub_share(0, bit(1)), degree / sketch.moments[1]);
  EXPECT_DOUBLE_EQ(model.hub_share(0, bit(0) | bit(1) | bit(3)), degree * degree / sketch.moments[2]);
  EXPECT_DOUBLE_EQ(model.hub_share(1, bit(3)), 1 / sketch.moments[0]);
  // How many patterns cost more to take apart if one of vertices with ten neighbours each has many more.
  for (std::size_t i = 1; i < sketch.moments.size(); ++i) sketch.moments[i] = 10 * sketch.moments[i - 1];
  const auto dearer = [&](Device device) {
    int found = 0;
    sketch.device = device;
    for (const Pattern& one : connected_patterns(5)) {
      std::vector<double> costs;
      for (std::uint64_t most : {20, 10'000}) {
        sketch.max_degree = most;
        Symmetry symmetry(one);
        const CostModel other(one, Induced::Edge, sketch);
        const auto products =
            best_decomposition(other, symmetry, {"a", "b", "c", "d", "e"}, 1, std::numeric_limits<double>::infinity());
        costs.push_back(products ? products->cost : 0);
      }
      found += costs[1] > costs[0] ? 1 : 0;
    }
    return found;
  };
  EXPECT_GT(dearer(Device::Gpu), 0);
  EXPECT_EQ(dearer(Device::Cpu), 0);
}

TEST(PatternCost, ProductsThatCostMoreAreNotTaken) {
  const GraphSketch sketch = typical_graph();
  Pattern book = Pattern::empty(5);
  for (int v = 2; v < 5; ++v) {
    book.add_edge(0, v);
    book.add_edge(1, v);
  }
  book.add_edge(0, 1);
  Symmetry symmetry(book);
  const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  const CostModel model(book, Induced::Edge, sketch);
  const auto found = best_decomposition(model, symmetry, names, 1, std::numeric_limits<double>::infinity());
  ASSERT_TRUE(found);
  const auto again = best_decomposition(model, symmetry, names, 1, found->cost);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->cutset_vertices, found->cutset_vertices);
  EXPECT_FALSE(best_decomposition(model, symmetry, names, 1, found->cost / 2));
}

/// A star of any size is a binomial coefficient, as long as it fits 64 bits; larger ones are chosen below more leaves.
TEST(PatternCost, LeavesOfStarsAreChosen) {
  Pattern star = Pattern::empty(12);
  std::vector<std::string> names = {"v0"};
  for (int v = 1; v < 12; ++v) {
    star.add_edge(0, v);
    names.push_back("v" + std::to_string(v));
  }
  GraphSketch sketch = sketch_of(skewed_graph(12));
  const auto cutset_of = [&](std::uint64_t max_degree, std::uint64_t times) {
    sketch.max_degree = max_degree;
    Symmetry symmetry(star);
    const CostModel model(star, Induced::Edge, sketch);
    const auto found = best_decomposition(model, symmetry, names, times, std::numeric_limits<double>::infinity());
    return found && found->chosen + found->cutset_vertices.size() == 12 ? found->cutset_vertices.size() : 0;
  };
  EXPECT_EQ(cutset_of(80, 1), 1U);
  EXPECT_EQ(cutset_of(80, 39916800), 4U);
  EXPECT_GT(cutset_of(1000, 1), 1U);
}

TEST(PatternCost, ABoundCutsOnlyWorseProductsOff) {
  const GraphSketch sketch = sketch_of(skewed_graph(12));
  const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  int decomposed = 0;
  for (const Pattern& one : connected_patterns(5)) {
    Symmetry symmetry(one);
    const CostModel model(one, Induced::Edge, sketch);
    const auto found = best_decomposition(model, symmetry, names, 1, std::numeric_limits<double>::infinity());
    if (!found) continue;
    ++decomposed;
    const auto again = best_decomposition(model, symmetry, names, 1, found->cost * (1 + 1e-12));
    ASSERT_TRUE(again) << to_text(one);
    EXPECT_DOUBLE_EQ(again->cost, found->cost) << to_text(one);
    EXPECT_FALSE(best_decomposition(model, symmetry, names, 1, found->cost * (1 - 1e-6))) << to_text(one);
  }
  EXPECT_GT(decomposed, 10);
}

TEST(PatternCost, AListBetweenTwoVerticesIsCutByASearchOfItsOwn) {
  // The last vertex of a triangle below the others, or between them: the half of the newest list is known, and where
  // it reaches the first vertex is not.
  const GraphSketch sketch = sketch_of(skewed_graph(12));
  Pattern triangle = Pattern::empty(3);
  for (int v = 0; v < 3; ++v) triangle.add_edge(v, (v + 1) % 3);
  const CostModel model(triangle, Induced::Vertex, sketch);
  const auto work = [&](const Restrictions& larger) {
    Order order;
    order.vertices = {0, 1, 2};
    order.larger = larger;
    return set_work(model, order, bit(0) | bit(1), 1, bit(2), 0);
  };
  const double below = work({0, bit(0), bit(0) | bit(1)}), between = work({0, bit(0) | bit(2), bit(0)});
  EXPECT_DOUBLE_EQ(between - below -
                       (model.meeting(bit(0) | bit(1), {0, bit(0) | bit(2), bit(0)}, {bit(0), 0, bit(0), bit(1)},
                                      {bit(1), 0, bit(0), bit(1)}, 1, 1) -
                        model.meeting(bit(0) | bit(1), {0, bit(0), bit(0) | bit(1)}, {bit(0), 0, bit(0) | bit(1), 0},
                                      {bit(1), 0, bit(0) | bit(1), 0}, 1, 1)),
                   model.look_up(bit(0) | bit(1), bit(1)));
}

TEST(PatternCost, OrdersAreLookedForUpToABound) {
  const GraphSketch sketch = sketch_of(skewed_graph(12));
  for (const Pattern& one : connected_patterns(5)) {
    Symmetry symmetry(one);
    const CostModel model(one, Induced::Edge, sketch);
    OrderSearch search;
    search.given = {0, lowest(one.near(0))};
    const Order best = best_orders(one, model, symmetry, search).front();
    search.at_most = best.cost * (1 + 1e-12);
    const std::vector<Order> again = best_orders(one, model, symmetry, search);
    ASSERT_EQ(again.size(), 1U) << to_text(one);
    EXPECT_EQ(again.front().vertices, best.vertices) << to_text(one);
    EXPECT_EQ(again.front().cost, best.cost) << to_text(one);
    search.at_most = best.cost * (1 - 1e-6);
    EXPECT_TRUE(best_orders(one, model, symmetry, search).empty()) << to_text(one);
  }
}

TEST(PatternSamples, PartsThatAreAlikeShareOne) {
  MatchSamples samples(std::make_unique<WholeGraph>(skewed_graph(12)));
  // A triangle, two ways, with and without a tail, an anti-edge and a label.
  Pattern pattern = Pattern::empty(5);
  for (int v = 1; v < 4; ++v) {
    pattern.add_edge(0, v);
    pattern.add_edge(v, v == 3 ? 1 : v + 1);
  }
  pattern.add_edge(3, 4);
  const auto alike = [&](Mask part) {
    const MatchSamples::Found& found = samples.of_part(pattern, part);
    const MatchSamples::Found other = samples.of(restricted(pattern, part));
    return found.sample == other.sample && found.column == other.column;
  };
  for (Mask part : {Mask{0b00111}, Mask{0b01011}, Mask{0b11001}, Mask{0b11011}, Mask{0b01111}, Mask{0b11111}}) {
    EXPECT_TRUE(alike(part)) << part;
  }
  const MatchSample* const triangle = samples.of_part(pattern, 0b00111).sample;
  EXPECT_EQ(samples.of_part(pattern, 0b01011).sample, triangle);
  EXPECT_NE(samples.of_part(pattern, 0b11001).sample, triangle);
  const MatchSample* const wedge = samples.of_part(pattern, 0b11001).sample;
  pattern.anti[0] = bit(4);
  pattern.anti[4] = bit(0);
  EXPECT_NE(samples.of_part(pattern, 0b11001).sample, wedge);
  EXPECT_TRUE(alike(0b11001));
  pattern.labels[1] = "3";
  EXPECT_NE(samples.of_part(pattern, 0b00111).sample, triangle);
  EXPECT_TRUE(alike(0b00111));
}

}  // namespace
}  // namespace matcha::pattern
