// Kernels started by groups, with one thread for each group: a start is put on a list, and threads of the test run the
// groups of the list.
#define MATCHA_KERNELS
#define MATCHA_STEALING kKernel

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "runtime/common/task_walk.h"

namespace matcha_program {
namespace {

struct Ticking : Group<1> {
  static Ticking here() { return {}; }
  static u64 now() {
    thread_local u64 ticks = 0;
    return ++ticks;
  }
};

/// One group of a kernel that was started.
struct Waiting {
  KernelStart start;
  u64 group;
};

/// The device: waiting kernels, and the number it still accepts.
struct Device {
  std::mutex mutex;
  std::deque<Waiting> waiting;
  u64 running = 0;  ///< Groups that have not ended, the first ones too.
  u64 takes = ~0ull;
  std::vector<u64> sizes;  ///< Positions of each kernel.
};
Device* device = nullptr;

}  // namespace

inline bool start_kernel(const Launch&, const KernelStart& start) {
  const std::lock_guard<std::mutex> lock(device->mutex);
  if (device->takes == 0) return false;
  --device->takes;
  device->sizes.push_back(start.task.end - start.task.begin);
  for (u64 i = 0; i < start.groups; ++i) device->waiting.push_back({start, i});
  device->running += start.groups;
  return true;
}

namespace {

/// Three loops inside each other, with a fourth that is not split.
struct Loops {
  u64 sizes[3];

  template <typename Visit>
  void walk(TaskWalk<Ticking>& w, const Task& task, Visit visit) const {
    auto walk0 = w.walk(task, 0, sizes[0]);
    for (u64 at0 = walk0.begin; at0 < walk0.end; ++at0) {
      if (w.leave(task, 0, walk0, 0, 0, at0)) break;
      auto walk1 = w.walk(task, 1, u32(at0 % 3 == 0 ? sizes[1] : 1));
      for (u32 at1 = walk1.begin; at1 < walk1.end; ++at1) {
        if (w.leave(task, 1, walk1, at0, 0, at1)) break;
        auto walk2 = w.walk(task, 2, at1 % 2 == 0 ? sizes[2] : 1);
        for (u64 at2 = walk2.begin; at2 < walk2.end; ++at2) {
          if (w.leave(task, 2, walk2, at0, at1, at2)) break;
          visit(at0, at1, at2);
        }
      }
      w.finish_positions(task, 1);
    }
  }
  u64 all() const {
    u64 count = 0;
    for (u64 a = 0; a < sizes[0]; ++a) {
      for (u64 b = 0; b < (a % 3 == 0 ? sizes[1] : 1); ++b) count += b % 2 == 0 ? sizes[2] : 1;
    }
    return count;
  }
};

struct Setting {
  u64 threads = 1, places = 4, fanout = 8, split = 3, takes = ~0ull, stop_at = ~0ull;
};

struct Outcome {
  u64 visits = 0, twice = 0, kernels = 0, refused = 0, done = 0, live = 0;
  std::vector<u64> sizes;
};

Outcome run(const Loops& loops, const Setting& setting) {
  Shared shared{};
  shared.live = loops.sizes[0];
  std::vector<u64> free((setting.places + 63) / 64, 0), running(setting.places, 0);
  for (u64 i = 0; i < setting.places; ++i) free[i / 64] |= 1ull << (i % 64);
  Launch launch{};
  launch.shared = &shared;
  launch.positions = loops.sizes[0];
  launch.chunk = 2;
  launch.workers = setting.threads;
  launch.split = setting.split;
  launch.tau = 3;
  launch.queue.ready = &shared.queue_ready;
  launch.kernels = {free.data(), running.data(), setting.places, setting.fanout, 0, nullptr};
  Device its;
  its.running = setting.threads;
  its.takes = setting.takes;
  device = &its;
  Outcome outcome;
  // A group's place is plain memory, which the next kernel in that place reuses.
  std::vector<u64> slots(setting.threads + setting.places * kKernelGroups, 0);
  std::vector<std::atomic<u32>> met(loops.sizes[0] * loops.sizes[1] * loops.sizes[2]);
  const auto work_on = [&](TaskWalk<Ticking>& w, u64 worker) {
    w.run<false>([&](const Task& task) {
      loops.walk(w, task, [&](u64 a, u64 b, u64 c) {
        if (++met[(a * loops.sizes[1] + b) * loops.sizes[2] + c] > 1) atomic_add(&outcome.twice, 1);
        ++slots[worker];
        if (atomic_add(&outcome.visits, 1) == setting.stop_at) atomic_exchange(&shared.stop, 1);
      });
    });
  };
  const auto thread = [&](u64 index) {
    {
      TaskState state;
      TaskWalk<Ticking> w(launch, Ticking::here(), index, state);
      work_on(w, index);
    }
    std::unique_lock<std::mutex> lock(its.mutex);
    --its.running;
    while (its.running != 0) {
      if (its.waiting.empty()) {
        lock.unlock();
        nap();
        lock.lock();
        continue;
      }
      const Waiting next = its.waiting.front();
      its.waiting.pop_front();
      lock.unlock();
      {
        const u64 worker = launch.workers + next.start.place * kKernelGroups + next.group;
        TaskState state;
        TaskWalk<Ticking> w(launch, Ticking::here(), worker, state);
        take_part(Ticking::here(), state, next.start, next.group);
        if (!w.stopped()) work_on(w, worker);
        end_part(Ticking::here(), launch, next.start);
      }
      lock.lock();
      --its.running;
    }
  };
  std::vector<std::thread> others;
  for (u64 i = 1; i < setting.threads; ++i) others.emplace_back(thread, i);
  thread(0);
  for (std::thread& other : others) other.join();
  u64 sum = 0;
  for (const u64 slot : slots) sum += slot;
  EXPECT_EQ(sum, outcome.visits);
  for (u64 i = 0; i < setting.places; ++i) {
    EXPECT_EQ(running[i], 0U);
    EXPECT_EQ(free[i / 64] >> (i % 64) & 1, 1U) << "place " << i << " was not given back";
  }
  outcome.kernels = shared.kernels;
  outcome.refused = shared.kernels_refused;
  outcome.done = shared.positions_done;
  outcome.live = shared.live;
  outcome.sizes = its.sizes;
  return outcome;
}

TEST(KernelWalk, WalksEveryPositionOnce) {
  std::mt19937_64 random(3);
  const auto below = [&](u64 bound) { return random() % bound; };
  u64 started = 0, refused = 0;
  for (int round = 0; round < 150; ++round) {
    const Loops loops{{1 + below(12), 1 + below(90), 1 + below(70)}};
    Setting setting{1 + below(4), 1 + below(70), 1 + below(40), 1 + below(3)};
    if (below(3) == 0) setting.places = 1;
    if (below(4) == 0) setting.takes = below(9);
    const Outcome got = run(loops, setting);
    ASSERT_EQ(got.visits, loops.all()) << "round " << round;
    ASSERT_EQ(got.twice, 0U) << "round " << round;
    ASSERT_EQ(got.done, loops.sizes[0]) << "round " << round;
    ASSERT_EQ(got.live, 0U) << "round " << round;
    started += got.kernels;
    refused += got.refused;
  }
  EXPECT_GT(started, 200U);
  EXPECT_GT(refused, 20U);
}

/// Kernels of 32 groups at most, 32 positions a group, that have about as many positions each.
TEST(KernelWalk, StartsKernelsForLoopsBeyondTheFanout) {
  const Outcome got = run({{1, 2500, 1}}, {.places = 64, .fanout = 1024});
  std::vector<u64> sizes = got.sizes;
  std::ranges::sort(sizes);
  EXPECT_EQ(sizes, (std::vector<u64>{833, 833, 834}));
  EXPECT_EQ(got.refused, 0U);
  EXPECT_EQ(run({{1, 1024, 1}}, {.places = 64, .fanout = 1024}).kernels, 0U);
  EXPECT_EQ(run({{1, 1025, 1}}, {.places = 64, .fanout = 1024}).kernels, 2U);
  EXPECT_EQ(run({{4000, 1, 1}}, {.places = 64, .fanout = 8}).kernels, 0U) << "the outermost loop is dealt out";
  EXPECT_EQ(run({{1, 1, 2500}}, {.places = 64, .fanout = 1024, .split = 2}).kernels, 0U) << "beyond the split";
}

TEST(KernelWalk, WithoutRoomTheGroupContinuesItself) {
  const Outcome full = run({{1, 2500, 1}}, {.places = 1, .fanout = 1024});
  EXPECT_EQ(full.kernels, 1U);
  EXPECT_EQ(full.refused, 1U);
  EXPECT_EQ(full.visits, 2500U);
  const Outcome none = run({{3, 2500, 2}}, {.places = 8, .fanout = 10, .takes = 0});
  EXPECT_EQ(none.kernels, 0U);
  EXPECT_GT(none.refused, 0U);
  EXPECT_EQ(none.live, 0U);
}

TEST(KernelWalk, RunThatWasStoppedIsWholeOnlyIfAllWasVisited) {
  std::mt19937_64 random(9);
  int cut_short = 0;
  for (int round = 0; round < 100; ++round) {
    const Loops loops{{3, 40, 30}};
    const u64 all = loops.all();
    const Outcome got = run(loops, {.threads = 1 + random() % 3, .places = 8, .fanout = 6, .stop_at = random() % all});
    const bool whole = got.done == loops.sizes[0] && got.live == 0;
    ASSERT_TRUE(!whole || got.visits == all) << "round " << round;
    cut_short += whole ? 0 : 1;
  }
  EXPECT_GT(cut_short, 50);
}

}  // namespace
}  // namespace matcha_program
