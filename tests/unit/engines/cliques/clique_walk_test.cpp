// Pivot trees walked by groups of a device, for counts of the graph and at each vertex, compared with cliques that are
// listed one by one: once with a thread as a
// group, and, with MATCHA_TEST_WARP, once with a warp of fibers.

#include "tests/unit/runtime/common/on_lanes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "engines/cliques/counter.h"
#include "engines/cliques/device/clique_leaves.h"
#include "engines/cliques/device/clique_sums.h"
#include "engines/cliques/device/clique_walk.h"
#include "engines/cliques/device_cells.h"
#include "engines/cliques/sum_counter.h"
#include "tests/unit/engines/cliques/clique_cases.h"

namespace matcha::runtime::cliques {
namespace {

using matcha_program::CliqueLaunch;
using matcha_program::CliqueTask;
using matcha_program::UnitShared;

#ifdef MATCHA_TEST_WARP
using Lanes = matcha_program::Group<32>;
constexpr std::uint64_t kGraphs = 24;
#else
using Lanes = matcha_program::Group<1>;
constexpr std::uint64_t kGraphs = 700;
#endif
constexpr std::uint64_t kWorkers = 3, kTasks = 16;

/// Everything that a launch points to, but where leaves are counted.
struct Device {
  /// Roots with fewer than `least` candidates are left out.
  Device(const Graph& graph, std::uint32_t size, Order order, std::uint64_t least)
      : roots(std::move(*make_roots(graph, order))), order_of_roots(widest_first(roots)), tasks(kTasks) {
    while (!order_of_roots.empty() && roots.count(order_of_roots.back()) < least) order_of_roots.pop_back();
    launch.begin = reinterpret_cast<const matcha_program::u64*>(roots.begin.data());
    launch.near = roots.near.data();
    launch.roots = order_of_roots.data();
    launch.root_count = order_of_roots.size();
    launch.single_count = launch.root_count / 2;
    launch.roots_of_unit = 3;
    launch.size = size;
    launch.widest = roots.widest;
    launch.nodes = &nodes;
    launch.shared = &shared;
    launch.tasks = tasks.data();
    launch.task_capacity = kTasks;
    launch.number = 1;
    launch.unit_count = launch.single_count + (launch.root_count - launch.single_count + 2) / 3;
    launch.chunk = 1;
    launch.patience = 1;
    launch.workers = kWorkers;
    launch.stop_word = &stop_word;
    shared.live = launch.unit_count;
  }

  /// With `maybe_pushed` groups give branches away as if others waited.
  template <typename Leaves>
  void run(std::uint64_t words_of_number, std::uint64_t* maybe_pushed) {
    using Worker = matcha_program::CliqueWorker<Leaves>;
    launch.scratch_words = matcha_program::clique_scratch_words(roots.widest, Leaves::kFrameSets, words_of_number);
    // Aligned for numbers of 128 bits.
    scratch.resize(kWorkers * launch.scratch_words / 4 + 1);
    launch.scratch = reinterpret_cast<std::uint32_t*>(scratch.data());
    if (maybe_pushed != nullptr) shared.idle = 1000;
    std::vector<std::thread> threads;
    for (std::uint64_t i = 0; i < kWorkers; ++i) {
      threads.emplace_back([&, i] {
        const auto room = std::make_unique<typename Worker::Room>();
        warp::on_lanes([&] {
          Worker worker(launch, i, *room);
          worker.work();
        });
      });
    }
    for (std::thread& thread : threads) thread.join();
    if (maybe_pushed != nullptr) *maybe_pushed += shared.pushed;
  }
  void expect_done() const {
    EXPECT_EQ(shared.live, 0U);
    EXPECT_EQ(shared.stop, 0U);
  }

  Roots roots;
  std::vector<std::uint32_t> order_of_roots;
  std::vector<CliqueTask> tasks;
  std::vector<unsigned __int128> scratch;
  matcha_program::u64 nodes = 0;
  UnitShared shared{};
  matcha_program::u64 stop_word = 0;
  CliqueLaunch launch{};
};

/// Counts of the graph; of size 0 by size.
std::vector<std::string> walked(const Graph& graph, std::uint32_t size, Order order, std::uint64_t* maybe_pushed) {
  Device device(graph, size, order, 2);
  const DeviceCells cells(device.roots.widest, size);
  std::vector<matcha_program::u64> counted(cells.size());
  device.launch.cells = counted.data();
  device.launch.rows = cells.rows().data();
  device.run<matcha_program::CliqueLeaves<Lanes>>(0, maybe_pushed);
  device.expect_done();
  const std::vector<std::uint64_t> from(counted.begin(), counted.end());
  return texts(counts_of_sizes(cells.counts(from.data(), device.roots.by_count()), graph, size));
}

/// Counts at each vertex.
template <typename Number>
std::vector<Number> walked_at(const Graph& graph, std::uint32_t size, Order order, std::uint64_t* maybe_pushed) {
  using Leaves = matcha_program::CliqueSums<Lanes, Number>;
  Device device(graph, size, order, size - 1);
  using Item = std::conditional_t<sizeof(Number) == 8, std::uint64_t, Number>;
  const std::vector<Item> table = coefficients_of_leaves<Item>(device.roots.widest, size);
  constexpr std::size_t kWords = sizeof(Number) / 8;
  std::vector<matcha_program::u64> sums(kWords * device.roots.size);
  device.launch.sums = sums.data();
  device.launch.table = table.data();
  device.launch.coefficients = coefficients_of_row(device.roots.widest, size);
  device.run<Leaves>(Leaves::kWordsOfNumber, maybe_pushed);
  device.expect_done();
  std::vector<Number> counts;
  for (std::size_t v = 0; v < device.roots.size; ++v) {
    Number count = sums[kWords * v];
    if constexpr (kWords == 2) count |= static_cast<Number>(sums[2 * v + 1]) << 64;
    counts.push_back(count);
  }
  return counts;
}

/// The same by a CPU.
std::vector<matcha_program::u64> counted_at(const Graph& graph, std::uint32_t size) {
  std::vector<matcha_program::u64> counts;
  SumRequest request;
  request.size = size;
  request.on_rows = [&](const SumRows& rows) {
    counts.insert(counts.end(), rows.cliques, rows.cliques + rows.count);
    return true;
  };
  EXPECT_TRUE(count_cliques_at(graph, request));
  return counts;
}

void expect_brute_force(const Adjacency& adjacency, std::uint64_t* maybe_pushed = nullptr) {
  std::vector<std::string> wanted;
  const BruteForce found(adjacency);
  for (const std::uint64_t count : found.counts()) wanted.push_back(std::to_string(count));
  const Graph graph = graph_of(adjacency);
  ASSERT_EQ(walked(graph, 0, Order::Degree, maybe_pushed), wanted);
  ASSERT_EQ(walked(graph, 0, Order::Cores, maybe_pushed), wanted);
  for (std::uint32_t size = 1; size <= wanted.size() + 1; ++size) {
    const std::string one = size <= wanted.size() ? wanted[size - 1] : "0";
    ASSERT_EQ(walked(graph, size, Order::Degree, maybe_pushed), std::vector<std::string>{one}) << size;
    if (size == 1) continue;
    const std::vector<std::uint64_t> at = found.at(size, false);
    ASSERT_EQ(walked_at<matcha_program::u64>(graph, size, Order::Degree, maybe_pushed),
              std::vector<matcha_program::u64>(at.begin(), at.end()))
        << size;
    ASSERT_EQ(walked_at<matcha_program::u128>(graph, size, Order::Cores, maybe_pushed),
              std::vector<matcha_program::u128>(at.begin(), at.end()))
        << size;
  }
}

TEST(CliqueWalk, RandomGraphsEqualBruteForce) {
  const bool all = std::getenv("MATCHA_TEST_ALL") != nullptr;
  for (std::uint64_t seed = 0; seed < (all ? 20 : 1) * kGraphs && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    std::uint64_t pushed = 0;
    expect_brute_force(graph_of_seed(seed), seed % 2 == 0 ? nullptr : &pushed);
  }
}

TEST(CliqueWalk, EveryWidthEqualsBruteForce) {
  // A vertex that is adjacent to all others is a root with all of them.
  std::uint64_t pushed = 0;
#ifdef MATCHA_TEST_WARP
  constexpr std::size_t kSizes[] = {31, 33, 65, 140};
#else
  constexpr std::size_t kSizes[] = {31, 32, 33, 34, 50, 65, 70, 129, 130, 200, 260, 400};
#endif
  for (const std::size_t size : kSizes) {
    const double density = size < 60 ? 0.5 : size < 100 ? 0.35 : size < 300 ? 0.15 : 0.08;
    SCOPED_TRACE(size);
    Adjacency graph = random_graph(size, density, size);
    for (std::size_t v = 1; v < size; ++v) join(graph, 0, v);
    expect_brute_force(graph, &pushed);
  }
  EXPECT_GT(pushed, 0U);
}

TEST(CliqueWalk, WideSetsHavePairsAndFreeVertices) {
  // Complements of matchings and paths.
  for (const std::size_t size : {40, 44, 50}) {
    Adjacency graph = random_graph(size, 1, 0);
    for (std::size_t v = 0; v + 1 < size; v += v < size / 2 ? 2 : 3) graph[v][v + 1] = graph[v + 1][v] = false;
    const Graph loaded = graph_of(graph);
    CliqueRequest request;
    EXPECT_EQ(walked(loaded, 0, Order::Degree, nullptr), texts(count_cliques(loaded, request)->counts));
    request.size = 9;
    EXPECT_EQ(walked(loaded, 9, Order::Degree, nullptr), texts(count_cliques(loaded, request)->counts));
    for (const std::uint32_t at : {4, 9, 20}) {
      EXPECT_EQ(walked_at<matcha_program::u64>(loaded, at, Order::Degree, nullptr), counted_at(loaded, at)) << at;
    }
  }
}

matcha_program::u128 binomial(std::uint32_t n, std::uint32_t k) {
  matcha_program::u128 number = 1;
  for (std::uint32_t i = 1; i <= k; ++i) number = number * (n + 1 - i) / i;
  return number;
}

TEST(CliqueWalk, NumbersAtVerticesHave128Bits) {
  constexpr std::uint32_t kVertices = 100, kSize = 40;
  Adjacency graph = random_graph(kVertices, 1, 0);
  graph[3][4] = graph[4][3] = false;
  const std::vector<matcha_program::u128> found =
      walked_at<matcha_program::u128>(graph_of(graph), kSize, Order::Degree, nullptr);
  for (std::uint32_t v = 0; v < kVertices; ++v) {
    const bool misses_one = v == 3 || v == 4;
    EXPECT_TRUE(found[v] == binomial(misses_one ? 98 : 99, kSize - 1) - (misses_one ? 0 : binomial(97, kSize - 3)));
  }
}

TEST(CliqueWalk, EndsOnRequest) {
  const Graph graph = graph_of(random_graph(120, 0.6, 3));
  Device device(graph, 0, Order::Degree, 2);
  const DeviceCells cells(device.roots.widest, 0);
  std::vector<matcha_program::u64> counted(cells.size());
  device.launch.cells = counted.data();
  device.launch.rows = cells.rows().data();
  device.stop_word = 1;
  device.run<matcha_program::CliqueLeaves<Lanes>>(0, nullptr);
  EXPECT_NE(device.shared.stop, 0U);
  EXPECT_NE(device.shared.live, 0U);
}

}  // namespace
}  // namespace matcha::runtime::cliques
