// Matches of labelled patterns by groups of a device, compared with all maps and the search of a thread: once with a
// thread as a group, and, with MATCHA_TEST_WARP, once with a warp of fibers.

#include "tests/unit/runtime/common/on_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engines/search/device/match_walk.h"
#include "engines/search/device_batch.h"
#include "engines/search/device_sides.h"
#include "engines/search/match_index.h"
#include "engines/search/matcher.h"
#include "runtime/cpu/set_kernels.h"
#include "tests/unit/engines/search/side_cases.h"
#include "tests/unit/engines/search/small_cases.h"
#include "tests/unit/sanitized.h"

namespace matcha::runtime::match {
namespace {

using matcha_program::LeafRoom;
using matcha_program::MatchLaunch;
using matcha_program::MatchState;
using matcha_program::MatchSum;
using matcha_program::MatchTask;
using matcha_program::MatchUndo;
using matcha_program::UnitShared;

#ifdef MATCHA_TEST_WARP
using Lanes = matcha_program::Group<32>;
constexpr std::uint32_t kSeeds = 4;
#else
using Lanes = matcha_program::Group<1>;
constexpr std::uint32_t kSeeds = unless_sanitized(400U, 100U);
#endif

struct Schedule {
  std::uint64_t workers = 3, tasks = 64, tried = 1, patience = ~std::uint64_t{0};
  std::uint64_t idle = 0;  ///< Waiting groups, in addition to the existing ones.
};

/// The matches of the groups; `shared`: the state that they leave.
std::vector<MatchOutcome> run(MatchIndex& index, const DeviceBatch& batch, const Schedule& schedule,
                              UnitShared& shared) {
  const GraphView& graph = index.graph();
  std::vector<matcha_program::MatchSide> sides;
  for (const Side& side : batch.sides()) sides.push_back(side_on_host(index.neighbors(side)));
  std::vector<std::uint64_t> masks(batch.masks(), 0);
  auto* const words = reinterpret_cast<matcha_program::u64*>(masks.data());
  matcha_program::place_masks(batch.places().data(), batch.places().size(), words, 0, 1);
  const std::vector<matcha_program::MatchQuery> queries = batch.queries_at(batch.roots().data(), masks.data());
  std::vector<MatchSum> sums = batch.sums();
  std::vector<MatchTask> tasks(schedule.tasks + 1);
  std::vector<MatchUndo> undos(batch.undo_room() * schedule.workers);
  std::vector<std::uint32_t> lists(batch.list_room() * schedule.workers);
  std::vector<LeafRoom> leaves(schedule.workers);
  const matcha_program::u64 stop_word = 0;
  shared = {};
  shared.live = batch.units();
  shared.idle = schedule.idle;
  MatchLaunch launch{};
  launch.offsets = reinterpret_cast<const matcha_program::u64*>(graph.offsets);
  launch.neighbors = graph.neighbors;
  launch.queries = queries.data();
  launch.query_count = queries.size();
  launch.sums = sums.data();
  launch.unit_count = batch.units();
  launch.chunk = 1;
  launch.shared = &shared;
  launch.tasks = tasks.data();
  launch.task_capacity = schedule.tasks;
  launch.number = 1;
  launch.tried = schedule.tried;
  launch.patience = schedule.patience;
  launch.workers = schedule.workers;
  launch.undos = undos.data();
  launch.undo_room = batch.undo_room();
  launch.lists = lists.data();
  launch.list_room = batch.list_room();
  launch.leaves = leaves.data();
  launch.ties = batch.ties().data();
  launch.tie_sides = batch.tie_sides().data();
  launch.sides = sides.data();
  launch.stop_word = &stop_word;
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < schedule.workers; ++i) {
    threads.emplace_back([&launch, i] {
      MatchState state{};
      const auto work = [&] { matcha_program::MatchWorker<Lanes>(launch, i, state).work(); };
      warp::on_lanes(work);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(shared.live, 0U);
  EXPECT_EQ(shared.stop, 0U);
  for (const MatchSum& sum : sums) EXPECT_EQ(sum.left, 0U);
  return batch.outcomes(sums, SearchEnding::Stopped);
}

/// Several queries, some of them with a limit of matches.
void check_batch(MatchIndex& index, const std::vector<Query>& queries, const std::vector<std::uint64_t>& expected,
                 std::mt19937& random, const Schedule& schedule) {
  const auto number = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
  std::vector<DeviceBatch::Pattern> patterns;
  for (const Query& query : queries) {
    patterns.push_back({&query, {}});
    if (number(0, 3) == 0) patterns.back().most = static_cast<std::uint64_t>(number(0, 20));
  }
  const DeviceBatch batch(index, patterns);
  UnitShared shared{};
  const std::vector<MatchOutcome> outcomes = run(index, batch, schedule, shared);
  ASSERT_EQ(outcomes.size(), patterns.size());
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const std::uint64_t most = patterns[i].most.value_or(~std::uint64_t{0});
    EXPECT_EQ(static_cast<std::uint64_t>(outcomes[i].found), std::min(most, expected[i])) << "pattern " << i;
    const bool limited = patterns[i].most && expected[i] >= most;
    EXPECT_EQ(outcomes[i].ending, limited ? SearchEnding::Limit : SearchEnding::Complete) << "pattern " << i;
  }
}

void check(std::uint32_t seed, const Schedule& schedule) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto number = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
  const int labels = number(1, 3);
  const TestGraph graph(random, static_cast<std::uint32_t>(number(4, 11)), 0.1 * number(3, 9), labels);
  MatchIndex index(graph.view());
  std::vector<Query> queries;
  std::vector<std::uint64_t> expected;
  for (int i = 0; i < 4; ++i) {
    Query query = random_query(random, number(1, labels == 1 ? 5 : 7), labels);
    query.restrictions.clear();
    if (!DeviceBatch::problem_of(query).empty()) continue;
    std::set<Map> maps;
    Map map;
    all_maps(graph, query, map, maps);
    expected.push_back(maps.size());
    queries.push_back(std::move(query));
  }
  check_batch(index, queries, expected, random, schedule);
}

/// The same of edges with labels and directions.
void check_sides(std::uint32_t seed, const Schedule& schedule) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto number = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
  const bool directed = number(0, 1) == 1;
  const int vertex_labels = number(1, 3), edge_labels = number(1, 3);
  const SideGraph cases(random, static_cast<std::uint32_t>(number(4, 11)), 0.1 * number(1, 7), directed, vertex_labels,
                        edge_labels);
  const Graph graph = cases.graph();
  MatchIndex index(graph);
  std::vector<Query> queries;
  std::vector<std::uint64_t> expected;
  for (int i = 0; i < 4; ++i) {
    SidePattern pattern = random_side_pattern(random, number(1, 8), vertex_labels, edge_labels);
    pattern.restrictions.clear();
    Query query = query_of(pattern, directed);
    std::set<Map> maps;
    Map map;
    all_maps(cases, pattern, map, maps);
    if (!DeviceBatch::problem_of(query).empty() || maps.size() > kMostMaps) continue;
    expected.push_back(maps.size());
    queries.push_back(std::move(query));
  }
  check_batch(index, queries, expected, random, schedule);
}

TEST(MatchWalk, FindsAllMaps) {
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) check(seed, {});
}

TEST(MatchWalk, DistinguishesEdges) {
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) check_sides(seed, {});
  for (std::uint32_t seed = 1; seed <= kSeeds / 2; ++seed) {
    check_sides(seed, {4, 1000, 1, ~std::uint64_t{0}, 2});
    check_sides(seed, {3, 1000, 1, 1, 0});
  }
}

TEST(MatchWalk, PartsAreGivenAway) {
  for (std::uint32_t seed = 1; seed <= kSeeds / 2; ++seed) {
    check(seed, {4, 1000, 1, ~std::uint64_t{0}, 2});
    check(seed, {4, 2, 1, ~std::uint64_t{0}, 2});
  }
}

TEST(MatchWalk, LongTasksAreQueued) {
  for (std::uint32_t seed = 1; seed <= kSeeds / 2; ++seed) {
    check(seed, {3, 1000, 1, 1, 0});
    check(seed, {1, 3, 2, 2, 0});
    check(seed, {2, 0, 1, 1, 1});
  }
}

/// A path of vertices with a label each, from whose end a tree of three levels goes, and the same as a pattern with one
/// vertex a level.
TEST(MatchWalk, PartsBehindManyVerticesAreGivenAway) {
  constexpr std::uint32_t kPath = 20, kFan = 24;
  std::vector<std::vector<std::uint32_t>> rows(kPath + kFan + kFan * 2 + kFan * 4);
  std::vector<std::int64_t> labels(rows.size());
  const auto join = [&](std::uint32_t u, std::uint32_t v) {
    rows[u].push_back(v);
    rows[v].push_back(u);
  };
  for (std::uint32_t v = 0; v < rows.size(); ++v) {
    const std::uint32_t fan = v - kPath;
    labels[v] = v < kPath ? v : fan < kFan ? 100 : fan < 3 * kFan ? 101 : 102;
    if (v == 0) continue;
    join(v, v < kPath ? v - 1 : fan < kFan ? kPath - 1 : kPath + (fan - kFan) / 2);
  }
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> neighbors;
  for (std::vector<std::uint32_t>& row : rows) {
    std::ranges::sort(row);
    neighbors.insert(neighbors.end(), row.begin(), row.end());
    offsets.push_back(neighbors.size());
  }
  neighbors.resize(neighbors.size() + 16);
  GraphView view{};
  view.universe = view.vertex_count = rows.size();
  view.arc_count = offsets.back();
  view.offsets = offsets.data();
  view.neighbors = neighbors.data();
  view.labels = labels.data();
  Query query;
  query.size = kPath + 3;
  query.near.assign(at(query.size), 0);
  query.anti.assign(at(query.size), 0);
  for (int u = 0; u < query.size; ++u) {
    query.labels.emplace_back(u < static_cast<int>(kPath) ? u : 100 + u - static_cast<int>(kPath));
    if (u == 0) continue;
    query.near[at(u)] |= bit(u - 1);
    query.near[at(u - 1)] |= bit(u);
  }
  MatchIndex index(view);
  const std::vector<DeviceBatch::Pattern> patterns = {{&query, {}}};
  const DeviceBatch batch(index, patterns);
  ASSERT_EQ(batch.units(), 1U);
  UnitShared shared{};
  const std::vector<MatchOutcome> outcomes = run(index, batch, {2, 1000, 1, ~std::uint64_t{0}, 2}, shared);
  EXPECT_EQ(static_cast<std::uint64_t>(outcomes[0].found), kFan * 4);
  EXPECT_GT(shared.pushed, 0U);
}

/// A graph of one label, complete but for its loops.
TestGraph complete_graph(std::uint32_t n) {
  std::mt19937 random(1);
  return {random, n, 1.0, 1};
}

/// A vertex of label 0 and its leaves.
Query star(int leaves) {
  Query query;
  query.size = leaves + 1;
  query.near.assign(at(query.size), bit(0));
  query.near[0] = query.all() & ~bit(0);
  query.anti.assign(at(query.size), 0);
  query.labels.assign(at(query.size), 0);
  return query;
}

TEST(MatchWalk, NumbersOf128BitsAreExact) {
  const TestGraph graph = complete_graph(40);
  MatchIndex index(graph.view());
  const Query query = star(15);
  const std::vector<DeviceBatch::Pattern> patterns = {{&query, {}}};
  const DeviceBatch batch(index, patterns);
  UnitShared shared{};
  const std::vector<MatchOutcome> outcomes = run(index, batch, {}, shared);
  Count expected = 40;
  for (unsigned i = 0; i < 15; ++i) expected *= 39 - i;
  EXPECT_TRUE(outcomes[0].found == expected);
  EXPECT_GT(static_cast<std::uint64_t>(expected >> 64), 0U);
}

TEST(MatchWalk, NumbersThatAreTooLargeSaySo) {
  const TestGraph graph = complete_graph(60);
  MatchIndex index(graph.view());
  const Query query = star(30), small = star(2);
  const std::vector<DeviceBatch::Pattern> patterns = {{&query, {}}, {&small, {}}, {&query, 1000}};
  const DeviceBatch batch(index, patterns);
  UnitShared shared{};
  const std::vector<MatchOutcome> outcomes = run(index, batch, {}, shared);
  EXPECT_TRUE(outcomes[0].found == kTooMany);
  EXPECT_EQ(static_cast<std::uint64_t>(outcomes[1].found), 60U * 59 * 58);
  EXPECT_EQ(static_cast<std::uint64_t>(outcomes[2].found), 1000U);
  EXPECT_EQ(outcomes[2].ending, SearchEnding::Limit);
}

TEST(MatchWalk, LeavesWithDifferentListsAreCountedTogether) {
  // A path whose inner vertices have leaves: their lists differ, and leaves may be the same vertex.
  std::mt19937 random(7);
  const TestGraph graph(random, 11, 0.6, 1);
  MatchIndex index(graph.view());
  Query query;
  query.size = 7;
  query.near.assign(7, 0);
  query.anti.assign(7, 0);
  query.labels.assign(7, 0);
  for (const auto& [u, w] : {std::pair{0, 1}, {1, 2}, {0, 3}, {1, 4}, {2, 5}, {2, 6}}) {
    query.near[at(u)] |= bit(w);
    query.near[at(w)] |= bit(u);
  }
  std::set<Map> maps;
  Map map;
  all_maps(graph, query, map, maps);
  const std::vector<DeviceBatch::Pattern> patterns = {{&query, {}}};
  const DeviceBatch batch(index, patterns);
  UnitShared shared{};
  const std::vector<MatchOutcome> outcomes = run(index, batch, {}, shared);
  EXPECT_EQ(static_cast<std::uint64_t>(outcomes[0].found), maps.size());
  EXPECT_GT(maps.size(), 0U);
}

}  // namespace
}  // namespace matcha::runtime::match
