#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "runtime/cpu/scheduler.h"
#include "runtime/cpu/set_kernels.h"

/// How much of a region's work is done: by the arcs of its vertices, not by their number.
namespace matcha::runtime {
namespace {

using u64 = std::uint64_t;

bool stopped(RegionContext* region) {
  return std::atomic_ref<std::uint32_t>(region->stop).load(std::memory_order_relaxed) != 0;
}

/// A region over the vertices of a graph of which only the degrees are known.
struct Walk {
  std::vector<u64> offsets = {0};
  GraphView view{};
  RegionLaunch launch;
  RunControl control;

  Walk(const std::vector<u64>& degrees, RegionBody body, unsigned threads) {
    for (u64 degree : degrees) offsets.push_back(offsets.back() + degree);
    view.offsets = offsets.data();
    view.universe = view.vertex_count = degrees.size();
    launch.body = body;
    launch.positions = degrees.size();
    launch.sets = &set_kernels(best_tier());
    launch.maybe_walked = &view;
    control.threads = threads;
  }

  RegionResult run() {
    RegionOutcome outcome = run_region(launch, control);
    const RegionError* error = std::get_if<RegionError>(&outcome);
    EXPECT_EQ(error, nullptr) << error->message;
    return std::move(std::get<RegionResult>(outcome));
  }
};

void walk_all(RegionContext*, Worker* worker, u64 begin, u64 end) { worker->positions_done += end - begin; }

class WorkTest : public testing::TestWithParam<unsigned> {};

TEST_P(WorkTest, IsTheNumberOfPositionsAndArcs) {
  std::vector<u64> degrees(2000, 3);
  degrees[0] = 5000;
  Walk walk(degrees, walk_all, GetParam());
  u64 last = 0;
  walk.control.on_progress = [&](u64 done, u64 total) {
    EXPECT_EQ(total, 2000u + 5000u + 1999u * 3u);
    EXPECT_GE(done, last);
    last = done;
  };
  RegionResult result = walk.run();
  EXPECT_EQ(result.work_done, 2000u + 5000u + 1999u * 3u);
  EXPECT_EQ(result.work_total, result.work_done);
  EXPECT_EQ(last, result.work_done);
  walk.launch.maybe_walked = nullptr;
  walk.control.on_progress = nullptr;
  result = walk.run();
  EXPECT_EQ(result.work_done, 2000u);
  EXPECT_EQ(result.work_total, 2000u);
}

TEST_P(WorkTest, OfLoopsThatAreSplitOffIsCountedByTheirItems) {
  std::vector<u64> degrees(50, 1);
  degrees[7] = 4001;
  const RegionBody body = [](RegionContext* region, Worker* worker, u64 begin, u64 end) {
    for (u64 at = begin; at < end; ++at) {
      if (at == 7) static_cast<void>(rt_defer(region, worker, at, 777));
      ++worker->positions_done;
    }
  };
  Walk walk(degrees, body, GetParam());
  walk.launch.inner = [](RegionContext*, Worker* worker, u64, u64 begin, u64 end) {
    worker->items_done += end - begin;
  };
  const RegionResult result = walk.run();
  EXPECT_EQ(result.deferred, GetParam() > 1 ? 1u : 0u);
  EXPECT_EQ(result.work_done, 50u + 49u + 4001u);
  EXPECT_EQ(result.work_total, result.work_done);
}

TEST(Work, HubsThatComeFirstAreGivenToSeveralThreads) {
  std::vector<u64> degrees(10'000, 1);
  for (int hub = 0; hub < 8; ++hub) degrees[hub] = 10'000;
  static std::atomic<bool> second_is_walked, in_time;
  second_is_walked = in_time = false;
  const RegionBody body = [](RegionContext*, Worker* worker, u64 begin, u64 end) {
    for (u64 at = begin; at < end; ++at) {
      // Only another thread can walk the second hub in the meantime.
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
      while (at == 0 && !second_is_walked && std::chrono::steady_clock::now() < until) std::this_thread::yield();
      if (at == 0) in_time = second_is_walked.load();
      if (at == 1) second_is_walked = true;
      ++worker->positions_done;
    }
  };
  Walk walk(degrees, body, 2);
  EXPECT_EQ(walk.run().positions_done, 10'000u);
  EXPECT_TRUE(in_time);
}

INSTANTIATE_TEST_SUITE_P(Threads, WorkTest, testing::Values(1u, 2u, 5u));

TEST(Work, OfAStoppedRegionIsThatOfTheVerticesThatWereWalked) {
  // The first vertex has half of all arcs, and the region ends behind it.
  std::vector<u64> degrees(1001, 1);
  degrees[0] = 1000;
  static std::atomic<std::uint32_t> request;
  request = 0;
  const RegionBody body = [](RegionContext* region, Worker* worker, u64 begin, u64 end) {
    for (u64 at = begin; at < end && !stopped(region); ++at) {
      ++worker->positions_done;
      request = 1;
      while (!stopped(region)) std::this_thread::yield();
    }
  };
  Walk walk(degrees, body, 1);
  walk.control.stop_request = &request;
  const RegionResult result = walk.run();
  EXPECT_EQ(result.end, RegionEnd::StopRequested);
  EXPECT_EQ(result.positions_done, 1u);
  EXPECT_EQ(result.work_done, 1001u);
  EXPECT_EQ(result.work_total, 3001u);
}

TEST(Work, IsReportedDuringLongPositions) {
  // Each position takes long; progress is reported before many of them are walked.
  static std::atomic<bool> was_reported;
  was_reported = false;
  const RegionBody body = [](RegionContext*, Worker* worker, u64 begin, u64 end) {
    for (u64 at = begin; at < end; ++at) {
      if (!was_reported) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ++worker->positions_done;
    }
  };
  Walk walk(std::vector<u64>(1000, 1), body, 1);
  u64 first = 0;
  walk.control.on_progress = [&](u64 done, u64) {
    if (done != 0 && !was_reported.exchange(true)) first = done;  // The first position may take longer than a look.
  };
  walk.run();
  EXPECT_GT(first, 0u);
  EXPECT_LT(first, 400u);
}

}  // namespace
}  // namespace matcha::runtime
