// Sums over triangles and wedges by groups of a device, compared with CPU threads: once with a thread as a group,
// and, with MATCHA_TEST_WARP, once with a warp of fibers.

#include "tests/unit/runtime/common/on_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engines/identities/device/motif_walk.h"
#include "engines/identities/ranked_graph.h"
#include "engines/identities/triangle_walk.h"
#include "engines/identities/triangles.h"
#include "engines/identities/wedge_walk.h"
#include "runtime/cpu/set_kernels.h"

namespace matcha::runtime::motif {
namespace {

using matcha_program::MotifLaunch;
using matcha_program::MotifSums;
using matcha_program::UnitShared;

#ifdef MATCHA_TEST_WARP
using Lanes = matcha_program::Group<32>;
constexpr std::uint32_t kGraphs = 6;
#else
using Lanes = matcha_program::Group<1>;
constexpr std::uint32_t kGraphs = 60;
#endif
constexpr std::uint64_t kWorkers = 3;

/// A random graph with ranks by degree: some vertices have far more neighbours than others, one has all.
RankedGraph random_ranked(std::uint32_t seed, std::uint64_t size, double density) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> chance(0, 1);
  std::vector<std::vector<std::uint32_t>> rows(size);
  for (std::uint32_t u = 0; u < size; ++u) {
    for (std::uint32_t v = 0; v < u; ++v) {
      if (chance(random) > std::min(1.0, v == 0 ? 1.0 : v % 7 == 0 ? 4 * density : density)) continue;
      rows[u].push_back(v);
      rows[v].push_back(u);
    }
  }
  GraphArrays arrays;
  arrays.offsets = Buffer<std::uint64_t>(size + 1);
  arrays.offsets[0] = 0;
  for (std::uint64_t v = 0; v < size; ++v) arrays.offsets[v + 1] = arrays.offsets[v] + rows[v].size();
  arrays.neighbors = Buffer<std::uint32_t>(arrays.offsets[size]);
  for (std::uint64_t v = 0; v < size; ++v) {
    std::ranges::sort(rows[v]);
    std::ranges::copy(rows[v], arrays.neighbors.begin() + arrays.offsets[v]);
  }
  Graph graph = Graph::from_arrays(std::make_shared<const Universe>(Universe::identity(size)), std::move(arrays), {});
  EXPECT_TRUE(ensure_split_offsets(graph));
  Result<RankedGraph> ranked = rank_for_motifs(graph);
  EXPECT_TRUE(ranked);
  return std::move(*ranked);
}

/// Everything that a launch points to.
struct Device {
  explicit Device(const RankedGraph& graph) {
    for (std::uint64_t v = 0; v < graph.size; ++v) {
      sources.insert(sources.end(), graph.degree(v), static_cast<std::uint32_t>(v));
    }
    on.resize(graph.arcs);
    counters.assign(kWorkers * graph.size, 0);
    met.resize(kWorkers * graph.size);
    launch.offsets = reinterpret_cast<const matcha_program::u64*>(graph.offsets);
    launch.neighbors = graph.near;
    launch.split = reinterpret_cast<const matcha_program::u64*>(graph.split.data());
    launch.sources = sources.data();
    launch.size = graph.size;
    launch.wants = matcha_program::kFiveCycles | matcha_program::kCommonPairs;
    launch.on = on.data();
    launch.counters = counters.data();
    launch.counter_room = launch.met_room = graph.size;
    launch.met = met.data();
    launch.sums = &sums;
    launch.shared = &shared;
    launch.chunk = 2;
    launch.workers = kWorkers;
    launch.stop_word = &stop_word;
  }

  template <typename Step>
  void run(std::uint64_t units, const Step& step) {
    shared = {};
    launch.unit_count = units;
    std::vector<std::thread> threads;
    for (std::uint64_t i = 0; i < kWorkers; ++i) {
      threads.emplace_back([&, i] {
        std::vector<std::uint32_t> places(matcha_program::kMotifPlaces, 0);
        const auto work = [&] {
          matcha_program::MotifWorker<Lanes> worker(launch, i, places.data());
          step(worker);
        };
        warp::on_lanes(work);
        EXPECT_TRUE(std::ranges::all_of(places, [](std::uint32_t count) { return count == 0; }));
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(std::ranges::all_of(counters, [](std::uint32_t count) { return count == 0; }));
  }

  std::vector<std::uint32_t> sources, on, third, counters, met;
  std::vector<matcha_program::u64> start;
  MotifSums sums{};
  UnitShared shared{};
  matcha_program::u64 stop_word = 0;
  MotifLaunch launch{};
};

void expect_sum(const matcha_program::WideSum& found, const Sum& expected, const char* what) {
  EXPECT_EQ(found.low, static_cast<std::uint64_t>(expected.value())) << what;
  EXPECT_EQ(found.high, static_cast<std::uint64_t>(expected.value() >> 64)) << what;
}

void check_walk(std::uint32_t seed, std::uint64_t size, double density) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const RankedGraph graph = random_ranked(seed, size, density);
  VertexLoop loop(graph.size, 1, {});
  Triangles triangles = count_triangles(graph, loop);
  list_triangles(graph, loop, triangles);
  WedgeRequest wants;
  wants.five_cycles = wants.pairs = wants.wheels = true;
  CyclesOfArcs cycles;
  const WedgeSums expected = walk_wedges(graph, triangles, wants, set_kernels(best_tier()), loop, cycles);
  TriangleRequest terms;
  terms.terms = true;
  const TriangleSums of_triangles = walk_triangles(graph, triangles, terms, loop);

  Device device(graph);
  device.run(graph.arcs, [](auto& worker) { worker.count_triangles(); });
  for (std::uint64_t p = 0; p < graph.arcs; ++p) ASSERT_EQ(device.on[p], triangles.on[p]) << p;
  device.start.assign(graph.arcs + 1, 0);
  for (std::uint64_t p = 0; p < graph.arcs; ++p) device.start[p + 1] = device.start[p] + device.on[p];
  device.third.resize(device.start.back() + 1);
  device.launch.start = device.start.data();
  device.launch.third = device.third.data();
  device.run(graph.arcs, [](auto& worker) { worker.list_thirds(); });
  for (std::uint64_t p = 0; p < graph.arcs; ++p) {
    for (std::uint64_t i = 0; i < device.on[p]; ++i) {
      const std::uint64_t arc = graph.begin(device.sources[p]) + device.third[device.start[p] + i];
      ASSERT_EQ(graph.near[arc], triangles.third[triangles.start[p] + i]) << p;
    }
  }
  device.run(graph.arcs, [](auto& worker) { worker.count_wheels(); });
  device.run(graph.size, [](auto& worker) { worker.count_wedges(); });
  expect_sum(device.sums.above, of_triangles.above, "above");
  expect_sum(device.sums.four_cycles, expected.four_cycles, "4-cycles");
  expect_sum(device.sums.closed, expected.closed, "closed");
  expect_sum(device.sums.returned, expected.returned, "returned");
  expect_sum(device.sums.pairs, expected.pairs, "pairs");
  expect_sum(device.sums.wheels, expected.wheels, "wheels");
}

TEST(MotifWalk, FindsTheSumsOfACpu) {
  for (std::uint32_t seed = 1; seed <= kGraphs; ++seed) check_walk(seed, 5 + seed % 40, 0.05 * (1 + seed % 9));
}

TEST(MotifWalk, EndsOnRequest) {
  const RankedGraph graph = random_ranked(1, 250, 0.05);
  Device device(graph);
  device.stop_word = 1;
  device.run(graph.size, [](auto& worker) { worker.count_wedges(); });
  EXPECT_NE(device.shared.stop, 0U);
}

TEST(MotifWalk, LongRowsHaveCountersInMemory) { check_walk(1, matcha_program::kMotifPlaces + 40, 0.001); }

}  // namespace
}  // namespace matcha::runtime::motif
