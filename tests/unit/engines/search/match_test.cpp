#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "engines/search/candidates.h"
#include "engines/search/matcher.h"
#include "runtime/cpu/set_kernels.h"
#include "tests/unit/engines/search/side_cases.h"
#include "tests/unit/engines/search/small_cases.h"
#include "tests/unit/sanitized.h"

/// Matching of patterns against all maps of small graphs.
namespace matcha::runtime::match {
namespace {

/// The rows of a run, which must be different; and its result.
std::set<Map> rows_of(MatchIndex& index, const Query& query, const SetKernels& kernels, MatchRequest request,
                      MatchOutcome& outcome) {
  std::set<Map> rows;
  std::uint64_t given = 0;
  request.on_rows = [&](const std::uint32_t* const* columns, std::uint64_t count) {
    for (std::uint64_t row = 0; row < count; ++row) {
      Map map;
      for (int u = 0; u < query.size; ++u) map.push_back(columns[u][row]);
      rows.insert(map);
    }
    given += count;
    return true;
  };
  outcome = find_matches(index, query, kernels, request);
  EXPECT_EQ(rows.size(), given) << "a match was given twice";
  return rows;
}

/// Runs a query in all ways; `expected` are its matches.
void check_query(MatchIndex& index, const Query& query, const SetKernels& kernels, std::uint64_t most,
                 const std::set<Map>& expected) {
  for (unsigned threads : {1U, 3U}) {
    MatchRequest request;
    request.threads = threads;
    request.steps_alone = 0;
    const MatchOutcome counted = find_matches(index, query, kernels, request);
    EXPECT_EQ(static_cast<std::uint64_t>(counted.found), expected.size());
    EXPECT_EQ(counted.ending, SearchEnding::Complete);
    MatchOutcome listed;
    EXPECT_EQ(rows_of(index, query, kernels, request, listed), expected);
    EXPECT_EQ(static_cast<std::uint64_t>(listed.found), expected.size());

    std::set<Map> of_parts;
    request.parts = 3;
    for (request.part = 0; request.part < request.parts; ++request.part) {
      const std::set<Map> of_part = rows_of(index, query, kernels, request, listed);
      EXPECT_EQ(static_cast<std::uint64_t>(find_matches(index, query, kernels, request).found), of_part.size());
      for (const Map& one : of_part) EXPECT_TRUE(of_parts.insert(one).second) << "two parts have a match";
    }
    EXPECT_EQ(of_parts, expected);
    request.part = 0;
    request.parts = 1;

    request.most = most;
    const std::uint64_t wanted = std::min<std::uint64_t>(most, expected.size());
    const MatchOutcome some = find_matches(index, query, kernels, request);
    EXPECT_EQ(static_cast<std::uint64_t>(some.found), wanted);
    EXPECT_EQ(some.ending, most <= expected.size() ? SearchEnding::Limit : SearchEnding::Complete);
    const std::set<Map> some_rows = rows_of(index, query, kernels, request, listed);
    EXPECT_EQ(some_rows.size(), wanted);
    EXPECT_TRUE(std::ranges::includes(expected, some_rows));
  }
}

const SetKernels& some_kernels(std::mt19937& random) {
  const std::vector<Tier> tiers = supported_tiers();
  return set_kernels(tiers[std::uniform_int_distribution<std::size_t>(0, tiers.size() - 1)(random)]);
}

void check(std::uint32_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto number = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
  const int labels = number(1, 4);
  const TestGraph graph(random, static_cast<std::uint32_t>(number(1, 12)), 0.1 * number(1, 9), labels);
  MatchIndex index(graph.view());
  const SetKernels& kernels = some_kernels(random);
  // The arrays of an index are reused.
  for (int repeat = 0; repeat < 3; ++repeat) {
    Query query = random_query(random, number(1, labels == 1 ? 5 : 7), labels);
    if (query.size > 1 && number(0, 1) == 1) add_chain(random, query);
    std::set<Map> expected;
    Map map;
    all_maps(graph, query, map, expected);
    check_query(index, query, kernels, static_cast<std::uint64_t>(number(1, 20)), expected);
  }
}

/// The same of edges with labels and directions; gives how many matches there were.
std::size_t check_sides(std::uint32_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto number = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
  const bool directed = number(0, 1) == 1;
  const int vertex_labels = number(1, 3), edge_labels = number(1, 3);
  const SideGraph cases(random, static_cast<std::uint32_t>(number(1, 11)), 0.1 * number(1, 7), directed, vertex_labels,
                        edge_labels);
  const Graph graph = cases.graph();
  MatchIndex index(graph);
  const SetKernels& kernels = some_kernels(random);
  std::size_t found = 0;
  for (int repeat = 0; repeat < 4; ++repeat) {
    // With more than 3 labels, the graph has none of them.
    const SidePattern pattern =
        random_side_pattern(random, number(1, 10), vertex_labels, edge_labels + number(0, 9) / 9);
    std::set<Map> expected;
    Map map;
    all_maps(cases, pattern, map, expected);
    if (expected.size() > kMostMaps) continue;
    found += expected.size();
    check_query(index, query_of(pattern, directed), kernels, static_cast<std::uint64_t>(number(1, 20)), expected);
  }
  return found;
}

/// All of its vertices are labelled 0.
Query clique(int size) {
  Query query;
  query.size = size;
  for (int u = 0; u < size; ++u) query.near.push_back(query.all() & ~bit(u));
  query.anti.assign(at(size), 0);
  query.labels.assign(at(size), 0);
  return query;
}

#if defined(__SANITIZE_THREAD__)
constexpr std::uint32_t kSeeds = 60;
#else
constexpr std::uint32_t kSeeds = unless_sanitized(300U, 150U);
#endif

/// A clique that takes seconds to find in a graph of 40 vertices.
constexpr int kLongClique = 6;

TEST(Match, IsThatOfAllMaps) {
  for (std::uint32_t seed = 1; seed <= kSeeds && !HasFailure(); ++seed) check(seed);
}

TEST(Match, DistinguishesEdges) {
  std::size_t found = 0;
  for (std::uint32_t seed = 1; seed <= kSeeds / 2 && !HasFailure(); ++seed) found += check_sides(seed);
  EXPECT_GT(found, kSeeds);
}

TEST(Match, OfTooManyStepsHasNoAnswer) {
  std::mt19937 random(1);
  const TestGraph graph(random, 40, 0.6, 1);
  MatchIndex index(graph.view());
  const Query query = clique(6);
  MatchRequest request;
  request.most_steps = 100;
  EXPECT_EQ(find_matches(index, query, set_kernels(Tier::Scalar), request).ending, SearchEnding::Slice);
  request.most_steps.reset();
  const MatchOutcome all = find_matches(index, query, set_kernels(Tier::Scalar), request);
  EXPECT_EQ(all.ending, SearchEnding::Complete);
  request.most_steps = all.steps + 1;
  const MatchOutcome tried = find_matches(index, query, set_kernels(Tier::Scalar), request);
  EXPECT_EQ(tried.ending, SearchEnding::Complete);
  EXPECT_EQ(tried.found, all.found);
}

TEST(Match, ReportsProgress) {
  std::mt19937 random(2);
  const TestGraph graph(random, 40, 0.6, 1);
  MatchIndex index(graph.view());
  const Query query = clique(kLongClique);
  const SetKernels& kernels = set_kernels(Tier::Scalar);
  for (unsigned threads : {1U, 3U}) {
    std::vector<std::uint64_t> reported;
    MatchRequest request;
    request.threads = threads;
    request.steps_alone = 0;
    request.on_progress = [&](std::uint64_t done, std::uint64_t total) {
      EXPECT_LE(done, total);
      EXPECT_EQ(total, 40U);
      reported.push_back(done);
    };
    const MatchOutcome all = find_matches(index, query, kernels, request);
    EXPECT_EQ(all.roots, 40U);
    EXPECT_EQ(all.roots_done, 40U);
    EXPECT_GT(std::ranges::count_if(reported, [](std::uint64_t done) { return done > 0 && done < 40; }), 2);
    EXPECT_TRUE(threads > 1 || std::ranges::is_sorted(reported));

    // One that is stopped has done a part.
    std::atomic<std::uint32_t> stop{0};
    request.stops.maybe_request = &stop;
    request.on_progress = [&](std::uint64_t done, std::uint64_t) { stop = done >= 10 ? 1 : 0; };
    const MatchOutcome part = find_matches(index, query, kernels, request);
    EXPECT_EQ(part.ending, SearchEnding::Stopped);
    EXPECT_EQ(part.roots, 40U);
    EXPECT_GE(part.roots_done, 10U);
    EXPECT_LT(part.roots_done, 40U);

    // With a sufficient number given, matches are reported.
    request.stops = {};
    request.most = static_cast<std::uint64_t>(all.found) - 1;
    std::uint64_t last = 0;
    request.on_progress = [&](std::uint64_t done, std::uint64_t total) {
      EXPECT_LE(done, total);
      EXPECT_EQ(total, *request.most);
      last = std::max(last, done);
    };
    EXPECT_EQ(find_matches(index, query, kernels, request).ending, SearchEnding::Limit);
    EXPECT_GT(last, *request.most / 2);
  }
}

/// A star whose leaves have 2^18 images each: the product of eight of them exceeds 128 binary digits.
TEST(Match, CountsThatAreTooLargeSaySo) {
  constexpr std::uint32_t kLeaves = 1U << 18;
  std::vector<std::uint64_t> offsets{0, kLeaves};
  std::vector<std::uint32_t> neighbors(2 * kLeaves + 16);
  std::iota(neighbors.begin(), neighbors.begin() + kLeaves, 1U);
  for (std::uint32_t leaf = 0; leaf < kLeaves; ++leaf) offsets.push_back(kLeaves + leaf + 1);
  const std::vector<std::int64_t> labels(kLeaves + 1, 0);
  GraphView view{};
  view.universe = view.vertex_count = kLeaves + 1;
  view.arc_count = 2 * kLeaves;
  view.offsets = offsets.data();
  view.neighbors = neighbors.data();
  view.labels = labels.data();
  MatchIndex index(view);
  for (int leaves : {7, 8}) {
    Query query;
    query.size = leaves + 1;
    query.near.assign(at(query.size), bit(0));
    query.near[0] = query.all() & ~bit(0);
    query.anti.assign(at(query.size), 0);
    query.labels.assign(at(query.size), 0);
    MatchRequest request;
    const MatchOutcome all = find_matches(index, query, set_kernels(best_tier()), request);
    Count expected = 1;
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(leaves); ++i) expected *= kLeaves - i;
    EXPECT_TRUE(all.found == (leaves == 7 ? expected : kTooMany));
    request.most = 1000;
    const MatchOutcome some = find_matches(index, query, set_kernels(best_tier()), request);
    EXPECT_EQ(static_cast<std::uint64_t>(some.found), 1000U);
  }
}

/// A query of vertices that are all labelled 0, with images that ascend.
Query ascending(int size, bool is_clique) {
  Query query = clique(size);
  if (!is_clique) {
    query.near.assign(at(size), bit(0));
    query.near[0] = query.all() & ~bit(0);
    query.labels[0] = 1;
  }
  for (int w = is_clique ? 0 : 1; w < size; ++w) {
    for (int u = w + 1; u < size; ++u) query.restrictions.emplace_back(u, w);
  }
  return query;
}

/// 64! maps of one clique, and 30! of each star: none of them is walked.
TEST(Match, CountsSetsOfAlikeVertices) {
  constexpr std::uint32_t kSize = 64;
  std::mt19937 random(1);
  const SetKernels& kernels = set_kernels(best_tier());
  const TestGraph whole(random, kSize, 1, 1);
  MatchIndex index(whole.view());
  EXPECT_EQ(static_cast<std::uint64_t>(find_matches(index, ascending(kSize, true), kernels, {}).found), 1U);
  EXPECT_EQ(static_cast<std::uint64_t>(find_matches(index, ascending(kSize - 2, true), kernels, {}).found), 2016U);

  TestGraph star(random, kSize, 1, 1);
  star.labels[0] = 1;
  MatchIndex of_star(star.view());
  EXPECT_EQ(static_cast<std::uint64_t>(find_matches(of_star, ascending(31, false), kernels, {}).found),
            860778005594247069U);  // 63 over 30.
  // The rows of a few matches.
  MatchOutcome outcome;
  MatchRequest request;
  request.most = 3;
  EXPECT_EQ(rows_of(of_star, ascending(31, false), kernels, request, outcome).size(), 3U);
  request.most.reset();
  EXPECT_EQ(rows_of(of_star, ascending(63, false), kernels, request, outcome).size(), 63U);
}

TEST(Match, StopsOnRequest) {
  std::mt19937 random(2);
  const TestGraph graph(random, 300, 0.5, 1);
  MatchIndex index(graph.view());
  const Query query = clique(9);
  for (unsigned threads : {1U, 4U}) {
    MatchRequest request;
    request.threads = threads;
    request.stops.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    EXPECT_EQ(find_matches(index, query, set_kernels(best_tier()), request).ending, SearchEnding::Deadline);
    request.stops.deadline.reset();
    const std::atomic<std::uint32_t> stop{1};
    request.stops.maybe_request = &stop;
    EXPECT_EQ(find_matches(index, query, set_kernels(best_tier()), request).ending, SearchEnding::Stopped);
    EXPECT_TRUE(Candidates(index, query, request.stops).stopped());
  }
}

}  // namespace
}  // namespace matcha::runtime::match
