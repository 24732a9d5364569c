// Edges whose deltas are shared among threads, compared with one edge after the other.

#include "incremental/runtime/shared_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "runtime/cpu/set_kernels.h"

namespace matcha::runtime::stream {
namespace {

using Edges = std::vector<EdgeUpdate>;
using Match = std::vector<std::uint32_t>;

TermPattern pattern_of(int size, int walked, bool directed, std::vector<Mask> after) {
  TermPattern pattern;
  pattern.directed = directed;
  pattern.size = size;
  pattern.walked = walked;
  pattern.after = std::move(after);
  pattern.before.assign(at(size), 0);
  pattern.off_after = pattern.off_before = pattern.larger = pattern.before;
  pattern.classes.assign(at(size), kAnyClass);
  return pattern;
}

DynamicGraph random_graph(bool directed, std::uint32_t vertices, std::mt19937& random, unsigned of_ten) {
  DynamicGraph graph(directed, 1, std::vector<std::uint32_t>(vertices, 0));
  for (std::uint32_t u = 0; u < vertices; ++u) {
    for (std::uint32_t v = 0; v < vertices; ++v) {
      if (u != v && random() % 10 < of_ten) graph.insert(u, v);
    }
  }
  return graph;
}

/// Edges that are in the graph, or that are not, in random order. The first vertex has many of them.
Edges random_edges(const DynamicGraph& graph, bool there, std::size_t most, std::mt19937& random) {
  Edges edges;
  for (std::uint32_t u = 0; u < graph.places_of(0).second; ++u) {
    for (std::uint32_t v = graph.directed() ? 0 : u + 1; v < graph.places_of(0).second; ++v) {
      if (u != v && graph.has_edge(u, v) == there) edges.push_back({u, v});
    }
  }
  std::shuffle(edges.begin(), edges.end(), random);
  std::ranges::stable_partition(edges, [](const EdgeUpdate& edge) { return edge.u == 0; });
  edges.resize(std::min(edges.size(), most));
  std::shuffle(edges.begin(), edges.end(), random);
  return edges;
}

std::vector<std::vector<std::uint32_t>> rows_of(const DynamicGraph& graph, bool backwards) {
  std::vector<std::vector<std::uint32_t>> rows;
  for (std::uint32_t p = 0; p < graph.places_of(0).second; ++p) {
    const std::span<const std::uint32_t> row = backwards ? graph.before(p) : graph.after(p);
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

TEST(SharedSearch, VersionsAreTheGraphsInBetween) {
  constexpr std::uint32_t kVertices = 30;
  for (const bool directed : {false, true}) {
    for (const bool adds : {false, true}) {
      std::mt19937 random(directed ? 3 : 4);
      DynamicGraph graph = random_graph(directed, kVertices, random, 4);
      const Edges edges = random_edges(graph, !adds, 60, random);
      random.seed(directed ? 3 : 4);
      DynamicGraph alone = random_graph(directed, kVertices, random, 4);
      GraphVersions versions(graph);
      ASSERT_EQ(versions.open(edges, adds), edges.size());
      for (std::uint32_t i = 0; i < edges.size(); ++i) {
        if (!adds) {
          ASSERT_TRUE(alone.erase(edges[i].u, edges[i].v));
        }
        for (const bool backwards : {false, true}) {
          const auto rows = rows_of(alone, backwards);
          for (std::uint32_t p = 0; p < kVertices; ++p) {
            ASSERT_TRUE(std::ranges::equal(versions.row(backwards, p, i), rows[p])) << "update " << i << " place " << p;
          }
        }
        if (adds) {
          ASSERT_TRUE(alone.insert(edges[i].u, edges[i].v));
        }
      }
      versions.close(true);
      EXPECT_EQ(graph.edge_count(), alone.edge_count());
      EXPECT_EQ(rows_of(graph, false), rows_of(alone, false));
      EXPECT_EQ(rows_of(graph, true), rows_of(alone, true));
      // They are there now, or are not any more.
      EXPECT_EQ(versions.open(edges, adds), 0U);
      const Edges twice = {edges[0], edges[0]};
      EXPECT_EQ(versions.open(twice, !adds), 0U);
      EXPECT_EQ(rows_of(graph, false), rows_of(alone, false));
    }
  }
}

/// One of two workers on the same updates: the first takes every other block of three.
class Half final : public Partners {
 public:
  struct Both {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<__int128> sum;
    int ready = 0;
  };
  Half(Both& both, bool is_first) : both_(both), at_(is_first ? 0 : kBlock) {}

  std::optional<Range> next(std::size_t updates) override {
    if (at_ >= updates) return std::nullopt;
    const Range range{at_, std::min(at_ + kBlock, updates)};
    at_ += 2 * kBlock;
    return range;
  }
  void done(const std::vector<__int128>& maps) override {
    const std::lock_guard lock(both_.mutex);
    both_.sum.resize(maps.size(), 0);
    for (std::size_t i = 0; i < maps.size(); ++i) both_.sum[i] += maps[i];
  }
  Result<std::vector<__int128>> sum() override {
    std::unique_lock lock(both_.mutex);
    ++both_.ready;
    both_.changed.notify_all();
    both_.changed.wait(lock, [this] { return both_.ready == 2; });
    return both_.sum;
  }
  std::size_t number() const override { return 0; }
  std::size_t count() const override { return 2; }
  Result<std::vector<__int128>> sum_of_all(const std::vector<__int128>&) override { return sum(); }

 private:
  static constexpr std::size_t kBlock = 3;
  Both& both_;
  std::size_t at_;
};

TEST(SharedSearch, PartnersTogetherFindTheSameAsOne) {
  const Term triangle = make_term(pattern_of(3, 2, false, {0b110, 0b101, 0b011}));
  const SharedTerms terms{{{&triangle, false}}, 1, {{0}}};
  for (const bool adds : {false, true}) {
    const auto make = [] {
      std::mt19937 random(7);
      return random_graph(false, 60, random, 3);
    };
    DynamicGraph alone = make(), first = make(), second = make();
    std::mt19937 random(8);
    const Edges edges = random_edges(alone, !adds, 40, random);
    const SetKernels& kernels = set_kernels(best_tier());
    SharedSearch one(alone, kernels, 1), left(first, kernels, 1), right(second, kernels, 2);
    const SharedSearch::Result wanted = one.run({terms, edges, adds, {}, {}});
    Half::Both both;
    Half of_left(both, true), of_right(both, false);
    SharedSearch::Result of_other;
    std::thread other([&] { of_other = right.run({terms, edges, adds, {}, {}, &of_right}); });
    const SharedSearch::Result found = left.run({terms, edges, adds, {}, {}, &of_left});
    other.join();
    ASSERT_TRUE(found.fits && of_other.fits && !found.failure && !of_other.failure);
    EXPECT_TRUE(wanted.maps[0] != 0);
    EXPECT_TRUE(found.maps == wanted.maps && of_other.maps == wanted.maps);
    EXPECT_EQ(found.updates, edges.size());
    EXPECT_EQ(rows_of(first, false), rows_of(alone, false));
    EXPECT_EQ(rows_of(second, false), rows_of(alone, false));
  }
}

/// A whole batch by `workers`, and by one search edge after edge.
void compare(const SharedTerms& terms, bool directed, bool adds, unsigned workers, unsigned of_ten) {
  SCOPED_TRACE(testing::Message() << (adds ? "come" : "go") << (directed ? ", directed, " : ", ") << workers);
  std::mt19937 random(workers);
  constexpr std::uint32_t kVertices = 150;
  DynamicGraph graph = random_graph(directed, kVertices, random, of_ten);
  const Edges edges = random_edges(graph, !adds, 40, random);
  random.seed(workers);
  DynamicGraph alone = random_graph(directed, kVertices, random, of_ten);
  const SetKernels& kernels = set_kernels(best_tier());
  DeltaSearch search(alone, kernels);
  std::vector<__int128> maps(terms.all.size(), 0);
  std::vector<Match> matches, shared_matches;
  const auto match_of = [&](std::uint32_t term, const std::uint32_t* places) {
    return Match(places, places + terms.all[term].term->pattern.size);
  };
  for (const EdgeUpdate& edge : edges) {
    if (!adds) alone.erase(edge.u, edge.v);
    for (std::uint32_t i = 0; i < terms.all.size(); ++i) {
      const SharedTerms::One& one = terms.all[i];
      const auto take = [&](const std::uint32_t* places) { matches.push_back(match_of(i, places)); };
      ASSERT_EQ(
          one.listed ? search.list(*one.term, edge.u, edge.v, take) : search.count(*one.term, edge.u, edge.v, maps[i]),
          DeltaSearch::Ending::Complete);
    }
    if (adds) alone.insert(edge.u, edge.v);
  }
  SharedSearch shared(graph, kernels, workers);
  std::mutex mutex;
  const SharedSearch::Result found =
      shared.run({terms, edges, adds, {}, [&](unsigned, std::uint32_t term, const std::uint32_t* places) {
                    const std::lock_guard lock(mutex);
                    shared_matches.push_back(match_of(term, places));
                  }});
  EXPECT_EQ(found.ending, DeltaSearch::Ending::Complete);
  EXPECT_EQ(found.updates, edges.size());
  EXPECT_EQ(rows_of(graph, false), rows_of(alone, false));
  for (std::size_t i = 0; i < maps.size(); ++i) EXPECT_TRUE(maps[i] == found.maps[i]) << "term " << i;
  std::ranges::sort(matches);
  std::ranges::sort(shared_matches);
  EXPECT_EQ(matches, shared_matches);
  EXPECT_FALSE(matches.empty());
}

TEST(SharedSearch, ManyThreadsFindTheSameAsOne) {
  for (const bool directed : {false, true}) {
    // A triangle, paths of four vertices along and closed, and triangles one by one.
    const Term triangle = make_term(pattern_of(3, 2, directed, {0b110, 0b101, 0b011}));
    const Term path = make_term(pattern_of(5, 4, directed, {0, 1, 0b10, 0b100, 0b1000}));
    const Term cycle = make_term(pattern_of(4, 3, directed, {0b1000, 1, 0b10, 0b101}));
    const Term listed = make_term(pattern_of(3, 3, directed, {0b110, 0b101, 0b011}));
    SharedTerms terms{{{&triangle, false}, {&path, false}, {&cycle, false}, {&listed, true}}, 1, {{0, 1, 2, 3}}};
    for (const bool adds : {false, true}) {
      for (const unsigned workers : {1U, 2U, 4U}) compare(terms, directed, adds, workers, directed ? 2 : 1);
    }
  }
}

/// Takes everything it can get, for later.
class Greedy final : public DeltaSearch::Helpers {
 public:
  bool wanting() const override { return true; }
  void take(const DeltaSearch::Range& range) override { ranges.push_back(range); }
  std::vector<DeltaSearch::Range> ranges;
};

TEST(SharedSearch, PartsOfAWalkAddUp) {
  std::mt19937 random(2);
  constexpr std::uint32_t kVertices = 400;
  DynamicGraph graph = random_graph(false, kVertices, random, 3);
  graph.erase(0, 1);
  const Term term = make_term(pattern_of(4, 3, false, {0b1000, 0b101, 0b10, 0b101}));
  DeltaSearch search(graph, set_kernels(best_tier()));
  __int128 whole = 0, sum = 0;
  ASSERT_EQ(search.count(term, 0, 1, whole), DeltaSearch::Ending::Complete);
  Greedy greedy;
  greedy.ranges.push_back({});
  std::size_t parts = 0;
  for (; !greedy.ranges.empty(); ++parts) {
    const DeltaSearch::Range range = greedy.ranges.back();
    greedy.ranges.pop_back();
    ASSERT_EQ(search.count_part(term, 0, 1, range, greedy, sum), DeltaSearch::Ending::Complete);
  }
  EXPECT_GT(parts, 2U);
  EXPECT_TRUE(whole > 0 && whole == sum);
}

TEST(SharedSearch, EndsWhenItIsStopped) {
  std::mt19937 random(1);
  DynamicGraph graph = random_graph(false, 200, random, 5);
  const Term path = make_term(pattern_of(6, 6, false, {0, 1, 0b10, 0b100, 0b1000, 0b10000}));
  const SharedTerms terms{{{&path, true}}, 1, {{0}}};
  const Edges edges = random_edges(graph, true, 20, random);
  SharedSearch shared(graph, set_kernels(best_tier()), 3);
  std::atomic<std::uint32_t> stop{0};
  const SharedSearch::Result found = shared.run(
      {terms, edges, false, {&stop, std::nullopt}, [&](unsigned, std::uint32_t, const std::uint32_t*) { stop = 1; }});
  EXPECT_EQ(found.ending, DeltaSearch::Ending::Stopped);
}

}  // namespace
}  // namespace matcha::runtime::stream
