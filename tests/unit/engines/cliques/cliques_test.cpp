#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engines/cliques/counter.h"
#include "engines/cliques/leaves.h"
#include "engines/cliques/maximal.h"
#include "engines/cliques/root_walk.h"
#include "engines/cliques/sample.h"
#include "engines/cliques/sum_counter.h"
#include "engines/cliques/tree.h"
#include "runtime/cpu/set_kernels.h"
#include "tests/unit/engines/cliques/clique_cases.h"
#include "tests/unit/sanitized.h"

/// Counts of cliques against those that are listed one by one, and against binomials.
namespace matcha::runtime::cliques {
namespace {

std::vector<std::string> counted(const Graph& graph, std::uint32_t size, Tier tier, unsigned threads = 1) {
  CliqueRequest request;
  request.size = size;
  request.tier = tier;
  request.threads = threads;
  const Result<CliqueOutcome> outcome = count_cliques(graph, request);
  EXPECT_TRUE(outcome) << outcome.error().message;
  return texts(outcome->counts);
}

/// The same by three shares.
std::vector<std::string> counted_in_shares(const Graph& graph, std::uint32_t size) {
  CliqueRequest request;
  request.size = size;
  request.tier = best_tier();
  const Result<DealtRoots> roots = DealtRoots::make(graph, size);
  EXPECT_TRUE(roots) << roots.error().message;
  std::vector<WideInt> sums;
  for (std::uint64_t share = 0; share < 3; ++share) {
    const Result<CliqueOutcome> outcome = roots->count(share, 3, request);
    EXPECT_TRUE(outcome) << outcome.error().message;
    sums.resize(outcome->counts.size());
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += outcome->counts[i];
  }
  return texts(counts_of_shares(std::move(sums), graph.vertex_count(), size));
}

void expect_counts(const Adjacency& adjacency, const std::vector<std::string>& wanted) {
  const Graph graph = graph_of(adjacency);
  for (const Tier tier : supported_tiers()) {
    ASSERT_EQ(counted(graph, 0, tier), wanted) << tier_name(tier);
    for (std::uint32_t size = 1; size <= wanted.size() + 1; ++size) {
      const std::string one = size <= wanted.size() ? wanted[size - 1] : "0";
      ASSERT_EQ(counted(graph, size, tier), std::vector<std::string>{one}) << size << " " << tier_name(tier);
    }
  }
  ASSERT_EQ(counted_in_shares(graph, 0), wanted);
  for (std::uint32_t size = 1; size <= wanted.size(); ++size) {
    ASSERT_EQ(counted_in_shares(graph, size), std::vector<std::string>{wanted[size - 1]}) << size;
  }
}

/// Cliques at each vertex, or each edge, in the order of rows.
std::vector<std::uint64_t> counted_at(const Graph& graph, std::uint32_t size, bool by_edge, Tier tier,
                                      unsigned threads = 1) {
  std::vector<std::uint64_t> found;
  std::pair<std::uint32_t, std::uint32_t> last;
  SumRequest request;
  request.size = size;
  request.by_edge = by_edge;
  request.tier = tier;
  request.threads = threads;
  request.on_rows = [&](const SumRows& rows) {
    for (std::uint64_t i = 0; i < rows.count; ++i) {
      const std::pair<std::uint32_t, std::uint32_t> ends(rows.ends[0][i], by_edge ? rows.ends[1][i] : 0);
      EXPECT_TRUE(found.empty() || last < ends);
      last = ends;
      found.push_back(static_cast<std::uint64_t>(rows.cliques[i]));
    }
    return true;
  };
  const Result<SumOutcome> outcome = count_cliques_at(graph, request);
  EXPECT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->rows, found.size());
  return found;
}

/// Rows of all sizes are those of each size that are not 0.
void expect_rows_of_all_sizes(const Graph& graph, const BruteForce& wanted, bool by_edge) {
  std::vector<std::vector<std::uint64_t>> found(wanted.counts().size() + 1), expected(found);
  for (std::size_t size = 2; size <= wanted.counts().size(); ++size) {
    expected[size] = wanted.at(size, by_edge);
    std::erase(expected[size], 0);
  }
  SumRequest request;
  request.by_edge = by_edge;
  request.tier = best_tier();
  request.on_rows = [&](const SumRows& rows) {
    for (std::uint64_t i = 0; i < rows.count; ++i) {
      found.at(static_cast<std::size_t>(rows.sizes[i])).push_back(static_cast<std::uint64_t>(rows.cliques[i]));
    }
    return true;
  };
  ASSERT_TRUE(count_cliques_at(graph, request));
  ASSERT_EQ(found, expected);
}

void expect_rows(const Adjacency& adjacency, const BruteForce& wanted) {
  const Graph graph = graph_of(adjacency);
  for (const bool by_edge : {false, true}) expect_rows_of_all_sizes(graph, wanted, by_edge);
  for (std::uint32_t size = 2; size <= wanted.counts().size() + 1; ++size) {
    for (const bool by_edge : {false, true}) {
      for (const Tier tier : supported_tiers()) {
        ASSERT_EQ(counted_at(graph, size, by_edge, tier), wanted.at(size, by_edge))
            << size << " by " << (by_edge ? "edge " : "vertex ") << tier_name(tier);
      }
    }
  }
}

void expect_maximal(const Adjacency& adjacency, const BruteForce& found) {
  std::vector<std::string> wanted;
  for (const std::uint64_t count : found.maximal()) wanted.push_back(std::to_string(count));
  const Graph graph = graph_of(adjacency);
  CliqueRequest request;
  for (const Tier tier : supported_tiers()) {
    request.tier = tier;
    request.threads = 1 + adjacency.size() % 2;
    const Result<CliqueOutcome> outcome = count_maximal(graph, request);
    ASSERT_TRUE(outcome) << outcome.error().message;
    ASSERT_EQ(texts(outcome->counts), wanted) << tier_name(tier);
  }
}

void expect_brute_force(const Adjacency& adjacency) {
  std::vector<std::string> wanted;
  const BruteForce found(adjacency);
  expect_maximal(adjacency, found);
  for (const std::uint64_t count : found.counts()) wanted.push_back(std::to_string(count));
  expect_counts(adjacency, wanted);
  expect_rows(adjacency, found);
}

/// Rows of Pascal's triangle.
std::vector<std::vector<WideInt>> binomials(std::size_t most) {
  std::vector<std::vector<WideInt>> rows = {{WideInt(1)}};
  for (std::size_t n = 1; n <= most; ++n) {
    std::vector<WideInt> row(n + 1, WideInt(1));
    for (std::size_t k = 1; k < n; ++k) {
      row[k] = rows[n - 1][k - 1];
      row[k] += rows[n - 1][k];
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

TEST(Cliques, RandomGraphsEqualBruteForce) {
  const bool all = std::getenv("MATCHA_TEST_ALL") != nullptr;
  for (int seed = 0; seed < (all ? 100'000 : unless_sanitized(2'000, 300)) && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    expect_brute_force(graph_of_seed(seed));
  }
}

TEST(Cliques, EveryWidthEqualsBruteForce) {
  // A vertex that is adjacent to all others is a root with all of them.
  for (const std::size_t size : {20, 40, 65, 70, 130, 200, 260, 400}) {
    const double density = size < 50 ? 0.5 : size < 100 ? 0.35 : size < 300 ? 0.15 : 0.08;
    SCOPED_TRACE(size);
    Adjacency graph = random_graph(size, density, size);
    for (std::size_t v = 1; v < size; ++v) join(graph, 0, v);
    expect_brute_force(graph);
  }
}

TEST(Cliques, ComplementsOfMatchingsArePairs) {
  // Each clique takes one or none of each pair.
  Adjacency graph = random_graph(24, 1, 0);
  for (std::size_t v = 0; v < 24; v += 2) graph[v][v + 1] = graph[v + 1][v] = false;
  expect_brute_force(graph);
}

TEST(Cliques, RootsWiderThanRowsOfBits) {
  // Two centres with 4,200 vertices in a ring around them: 4,200 edges and no triangle in the ring.
  constexpr std::uint64_t kRing = 4200;
  std::vector<std::vector<std::uint32_t>> rows(kRing + 2);
  const auto add = [&](std::uint64_t u, std::uint64_t v) {
    rows[u].push_back(static_cast<std::uint32_t>(v));
    rows[v].push_back(static_cast<std::uint32_t>(u));
  };
  add(kRing, kRing + 1);
  for (std::uint64_t v = 0; v < kRing; ++v) {
    add(v, (v + 1) % kRing);
    add(v, kRing);
    add(v, kRing + 1);
  }
  Roots roots;
  roots.size = kRing + 2;
  roots.begin = Buffer<std::uint64_t>(roots.size + 1);
  roots.near = Buffer<std::uint32_t>(3 * kRing + 1);
  // The centres come first, which no order of the counter would take.
  std::uint64_t at = 0;
  for (std::uint64_t v = 0; v < roots.size; ++v) {
    roots.begin[v] = at;
    for (const std::uint32_t u : rows[v]) {
      if (v >= kRing ? u < kRing || u > v : u < kRing && u > v) roots.near[at++] = u;
    }
    roots.widest = std::max(roots.widest, static_cast<std::uint32_t>(at - roots.begin[v]));
  }
  roots.begin[roots.size] = at;
  EXPECT_EQ(roots.widest, kRing + 1);
  const std::vector<std::string> wanted = {std::to_string(kRing + 2), std::to_string(3 * kRing + 1),
                                           std::to_string(3 * kRing), std::to_string(kRing)};
  for (const std::uint32_t size : {0U, 3U, 4U}) {
    const WalkHooks hooks;
    RootWalk walk(roots, size, walk_tree(best_tier()), hooks);
    for (std::uint64_t v = 0; v < roots.size; ++v) walk.root(v);
    const std::vector<std::string> found = texts(walk.leaves().counts());
    for (std::size_t k = 1; k <= 4; ++k) {
      if (size == 0 || k == size) {
        EXPECT_EQ(found[k], wanted[k - 1]) << k;
      }
    }
  }
}

TEST(Cliques, NumbersOfAllWidthsAreExact) {
  constexpr std::size_t kMost = 255;
  const std::vector<std::vector<WideInt>> rows = binomials(kMost);
  for (const std::size_t size : {60, 70, 130, 140, 255}) {
    const Graph graph = graph_of(random_graph(size, 1, 0));
    const std::vector<WideInt> wanted(rows[size].begin() + 1, rows[size].end());
    EXPECT_EQ(counted(graph, 0, best_tier()), texts(wanted)) << size;
    EXPECT_EQ(counted(graph, static_cast<std::uint32_t>(size / 2), best_tier()).front(),
              rows[size][size / 2].to_string());
  }
}

TEST(Cliques, NumbersBeyond256BitsAreAnErrorBefore) {
  const Graph graph = graph_of(random_graph(270, 1, 0));
  CliqueRequest request;
  const Result<CliqueOutcome> all = count_cliques(graph, request);
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().message, "the cliques of some size may be a number of 266 bits; counts have at most 256");
  request.size = 135;
  const Result<CliqueOutcome> one = count_cliques(graph, request);
  ASSERT_FALSE(one);
  EXPECT_EQ(one.error().message, "135-cliques may be a number of 266 bits; counts have at most 256");
  request.size = 268;
  EXPECT_EQ(counted(graph, 268, best_tier()), std::vector<std::string>{"36315"});
}

TEST(Cliques, BranchesThatAreGivenAwayAreCounted) {
  // Long trees, of which other threads get a part.
  Adjacency graph = random_graph(150, 0.6, 5);
  const Graph loaded = graph_of(graph);
  const std::vector<std::string> wanted = counted(loaded, 0, best_tier());
  EXPECT_EQ(counted(loaded, 0, best_tier(), 2), wanted);
  EXPECT_EQ(counted(loaded, 7, best_tier(), 2).front(), wanted[6]);
}

TEST(Cliques, RowsOfWideNumbersAndThreads) {
  constexpr std::size_t kSize = 130;
  const std::vector<std::vector<WideInt>> rows = binomials(kSize);
  const Graph graph = graph_of(random_graph(kSize, 1, 0));
  // All may be a number of more than 64 bits, those of a row fit.
  const std::vector<std::uint64_t> by_edge = counted_at(graph, 14, true, best_tier());
  EXPECT_EQ(by_edge.size(), kSize * (kSize - 1) / 2);
  for (const std::uint64_t count : by_edge) ASSERT_EQ(std::to_string(count), rows[kSize - 2][12].to_string());
  SumRequest request;
  request.size = 20;
  request.on_rows = [](const SumRows&) { return true; };
  const Result<SumOutcome> wide = count_cliques_at(graph, request);
  ASSERT_FALSE(wide);
  EXPECT_EQ(wide.error().message, "20-cliques at one vertex are a number of more than 63 bits, the most of a row");
  request.size = 65;
  const Result<SumOutcome> all = count_cliques_at(graph_of(random_graph(140, 1, 0)), request);
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().message, "65-cliques may be a number of 136 bits; counts have at most 128");
  const Graph random = graph_of(random_graph(200, 0.4, 3));
  for (const bool edges : {false, true}) {
    EXPECT_EQ(counted_at(random, 6, edges, best_tier(), 2), counted_at(random, 6, edges, best_tier()));
  }
}

TEST(Cliques, StopsEndACount) {
  const Graph graph = graph_of(random_graph(300, 0.7, 9));
  const std::atomic<std::uint32_t> stop{1};
  CliqueRequest request;
  request.stops.maybe_request = &stop;
  for (const bool maximal : {false, true}) {
    const Result<CliqueOutcome> stopped = maximal ? count_maximal(graph, request) : count_cliques(graph, request);
    ASSERT_TRUE(stopped);
    EXPECT_EQ(stopped->end, motif::End::Stopped);
    EXPECT_TRUE(stopped->counts.empty());
  }
}

TEST(Cliques, SamplesAreNearTheNodesThatAreWalked) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Graph graph = graph_of(random_graph(300 + 50 * seed, 0.05 + 0.05 * static_cast<double>(seed % 5), seed));
    for (const std::uint32_t size : {0U, 5U}) {
      CliqueRequest request;
      request.size = size;
      request.tier = best_tier();
      const Result<Roots> roots = roots_to_count(graph, size, best_tier());
      ASSERT_TRUE(roots);
      const auto nodes = static_cast<double>(count_cliques(graph, request)->nodes);
      // Small samples are of branches alone.
      for (const std::uint64_t most : {kLongSample, kShortSample, kShortSample / 10}) {
        const ExpectedWork expected = expected_work(*roots, size, best_tier(), most);
        EXPECT_LT(expected.nodes, 4 * nodes + 100);
        EXPECT_TRUE(expected.at_least || 4 * expected.nodes + 100 > nodes) << expected.nodes << " of " << nodes;
      }
    }
  }
}

/// Moon and Moser's graph, in which one vertex has nearly all cliques: threads take branches over.
TEST(Cliques, MaximalOfOneRootAreShared) {
  constexpr std::size_t kParts = 12;
  Adjacency adjacency = without_edges(3 * kParts);
  for (std::size_t u = 0; u < 3 * kParts; ++u) {
    for (std::size_t v = 0; v < u; ++v) {
      if (u / 3 != v / 3) join(adjacency, u, v);
    }
  }
  CliqueRequest request;
  request.threads = 4;
  for (const Tier tier : {Tier::Scalar, best_tier()}) {
    request.tier = tier;
    const Result<CliqueOutcome> outcome = count_maximal(graph_of(adjacency), request);
    ASSERT_TRUE(outcome);
    std::vector<std::string> wanted(kParts, "0");
    wanted.back() = "531441";
    EXPECT_EQ(texts(outcome->counts), wanted);
  }
}

}  // namespace
}  // namespace matcha::runtime::cliques
