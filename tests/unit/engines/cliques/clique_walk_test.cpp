// Pivot trees walked by groups of a device, compared with cliques that are listed one by one: once with a thread as a
// group, and, with MATCHA_TEST_WARP, once with a warp of fibers.

#include "tests/unit/runtime/common/on_lanes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engines/cliques/counter.h"
#include "engines/cliques/device/clique_walk.h"
#include "engines/cliques/device_cells.h"
#include "tests/unit/engines/cliques/clique_cases.h"

namespace matcha::runtime::cliques {
namespace {

using matcha_program::CliqueLaunch;
using matcha_program::CliqueRoom;
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

/// Everything that a launch points to.
struct Device {
  Device(const Graph& graph, std::uint32_t size, Order order)
      : roots(std::move(*make_roots(graph, order))),
        order_of_roots(widest_first(roots)),
        cells(roots.widest, size),
        counted(cells.size()),
        tasks(kTasks) {
    launch.begin = reinterpret_cast<const matcha_program::u64*>(roots.begin.data());
    launch.near = roots.near.data();
    launch.roots = order_of_roots.data();
    launch.root_count = order_of_roots.size();
    launch.single_count = launch.root_count / 2;
    launch.roots_of_unit = 3;
    launch.size = size;
    launch.widest = roots.widest;
    launch.cells = counted.data();
    launch.rows = cells.rows().data();
    launch.scratch_words = matcha_program::clique_scratch_words(roots.widest);
    scratch.resize(kWorkers * launch.scratch_words);
    launch.scratch = scratch.data();
    launch.nodes = &nodes;
    launch.shared = &shared;
    launch.tasks = tasks.data();
    launch.task_capacity = kTasks;
    launch.number = 1;
    launch.unit_count = launch.single_count + (launch.root_count - launch.single_count + 2) / 3;
    launch.chunk = 1;
    launch.patience = 1;
    launch.workers = kWorkers;
    launch.wish = &wish;
    shared.live = launch.unit_count;
  }

  void run() {
    std::vector<std::thread> threads;
    for (std::uint64_t i = 0; i < kWorkers; ++i) {
      threads.emplace_back([&, i] {
        const auto room = std::make_unique<CliqueRoom>();
        warp::on_lanes([&] {
          matcha_program::CliqueWorker<Lanes> worker(launch, i, *room);
          worker.work();
        });
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  std::vector<std::string> counts(const Graph& graph) const {
    const std::vector<std::uint64_t> from(counted.begin(), counted.end());
    return texts(counts_of_sizes(cells.counts(from.data(), roots.by_count()), graph, launch.size));
  }

  Roots roots;
  std::vector<std::uint32_t> order_of_roots;
  DeviceCells cells;
  std::vector<matcha_program::u64> counted;
  std::vector<CliqueTask> tasks;
  std::vector<std::uint32_t> scratch;
  matcha_program::u64 nodes = 0;
  UnitShared shared{};
  matcha_program::u64 wish = 0;
  CliqueLaunch launch{};
};

/// With `maybe_pushed` groups give branches away as if others waited.
std::vector<std::string> walked(const Graph& graph, std::uint32_t size, Order order, std::uint64_t* maybe_pushed) {
  Device device(graph, size, order);
  if (maybe_pushed != nullptr) device.shared.idle = 1000;
  device.run();
  EXPECT_EQ(device.shared.live, 0U);
  EXPECT_EQ(device.shared.stop, 0U);
  if (maybe_pushed != nullptr) *maybe_pushed += device.shared.pushed;
  return device.counts(graph);
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
  }
}

TEST(CliqueWalk, EndsOnRequest) {
  const Graph graph = graph_of(random_graph(120, 0.6, 3));
  Device device(graph, 0, Order::Degree);
  device.wish = 1;
  device.run();
  EXPECT_NE(device.shared.stop, 0U);
  EXPECT_NE(device.shared.live, 0U);
}

}  // namespace
}  // namespace matcha::runtime::cliques
