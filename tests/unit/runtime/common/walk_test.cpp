#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <functional>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "runtime/common/worker.h"

namespace matcha_program {
namespace {

/// A group whose clock runs as the test wants it: each look advances it by one tick.
struct ForcedGroup : Group<1> {
  static ForcedGroup here() { return {}; }
  static u64 now() {
    thread_local u64 ticks = 0;
    return ++ticks;
  }
};

/// A region of `depth` nested loops, the sizes of the inner ones drawn from the positions outside, walked as generated
/// code walks it.
struct Nest {
  u32 depth;
  u64 outer;
  u64 seed;
  u64 sizes[4] = {};  ///< Sizes of the loops of a level, unless 0.

  u64 size(u64 level, u64 a, u64 b, u64 c) const {
    if (level == 0) return outer;
    if (sizes[level] != 0) return sizes[level];
    u64 mixed = (a * 31 + b * 17 + c * 7 + level * 5 + seed) * 0x9E3779B97F4A7C15ull;
    return (mixed >> 40) % (level == 1 ? 24 : 6);
  }

  template <typename Visit>
  void walk(TaskWalk<ForcedGroup>& w, const Task& task, Visit visit) const {
    auto walk0 = w.walk(task, 0, outer);
    for (u64 at0 = walk0.begin; at0 < walk0.end; ++at0) {
      if (w.leave(task, 0, walk0, 0, 0, at0)) break;
      if (depth == 1) visit(at0, 0, 0, 0);
      auto walk1 = depth > 1 ? w.walk(task, 1, u32(size(1, at0, 0, 0))) : Walk<u32>{0, 0};
      for (u32 at1 = walk1.begin; at1 < walk1.end; ++at1) {
        if (w.leave(task, 1, walk1, at0, 0, at1)) break;
        if (depth == 2) visit(at0, at1, 0, 0);
        auto walk2 = depth > 2 ? w.walk(task, 2, size(2, at0, at1, 0)) : Walk<u64>{0, 0};
        for (u64 at2 = walk2.begin; at2 < walk2.end; ++at2) {
          if (w.leave(task, 2, walk2, at0, at1, at2)) break;
          if (depth == 3) visit(at0, at1, at2, 0);
          for (u64 at3 = 0; depth == 4 && at3 < size(3, at0, at1, at2); ++at3) visit(at0, at1, at2, at3);
        }
      }
      w.finish_positions(task, 1);
    }
  }
};

struct Outcome {
  u64 visits = 0, digest = 0, splits = 0, done = 0;
  u64 left = 0;  ///< Unfinished tasks.
};

/// How a nest is walked. `at_visit` may hold a worker up.
struct Schedule {
  u64 threads = 1;
  u64 stealing = kTimeout;
  u64 split = 0;
  u64 tau = 0;
  u64 capacity = 0;
  u64 chunk = 8;
  u64 block = 2;
  Deal deal = {};
  std::function<void(const Shared&)> at_visit = [](const Shared&) {};
  bool eager = true;
  u64 stop_at = ~0ull;  ///< The visit that ends the run, from 0.
};

Outcome run(const Nest& nest, const Schedule& schedule) {
  Shared shared{};
  shared.live = schedule.deal.tile != 0 ? schedule.deal.tiles : nest.outer;
  std::vector<u64> words(ring_words(schedule.capacity), kEmptyWord);
  std::vector<u64> boards(schedule.threads * kBoardWords, 0);
  std::vector<u64> idle(schedule.threads / 64 + 1, 0);
  Launch launch{};
  launch.shared = &shared;
  launch.positions = nest.outer;
  launch.chunk = schedule.chunk;
  launch.deal = schedule.deal;
  launch.workers = schedule.threads;
  launch.stealing = schedule.stealing;
  launch.split = schedule.split;
  launch.tau = schedule.tau;
  launch.eager = schedule.eager;
  shared.queue_room = schedule.capacity;
  launch.queue = {words.data(),        schedule.capacity,  ring_shift(schedule.capacity),
                  &shared.queue_ready, &shared.queue_room, &shared.queue_front,
                  &shared.queue_back};
  launch.block = schedule.block;
  launch.boards = boards.data();
  launch.idle = idle.data();
  Outcome outcome;
  const auto work = [&](u64 index) {
    TaskState state;
    TaskWalk<ForcedGroup> worker(launch, ForcedGroup::here(), index, state);
    worker.run<true>([&](const Task& task) {
      nest.walk(worker, task, [&](u64 a, u64 b, u64 c, u64 d) {
        schedule.at_visit(shared);
        if (atomic_add(&outcome.visits, 1) == schedule.stop_at) atomic_exchange(&shared.stop, 1);
        atomic_add(&outcome.digest, (a * 1000003 + b * 10007 + c * 101 + d + 1) * 0xD6E8FEB86659FD93ull);
      });
    });
  };
  std::vector<std::thread> others;
  for (u64 i = 1; i < schedule.threads; ++i) others.emplace_back(work, i);
  work(0);
  for (std::thread& other : others) other.join();
  if (shared.stop == 0) {
    EXPECT_EQ(shared.live, 0U);
    EXPECT_EQ(tasks_in(shared.queue_ready), 0U);
  }
  EXPECT_EQ(shared.idle_blocks, std::accumulate(idle.begin(), idle.end(), 0ull,
                                                [](u64 sum, u64 word) { return sum + u64(std::popcount(word)); }));
  outcome.splits = shared.splits;
  outcome.done = shared.positions_done;
  outcome.left = shared.live + tasks_in(shared.queue_ready);
  return outcome;
}

TEST(TaskWalk, WalksEveryPositionOnceHoweverItIsSplit) {
  std::mt19937_64 random(7);
  const auto below = [&](u64 bound) { return random() % bound; };
  for (int round = 0; round < 240; ++round) {
    Nest nest{u32(1 + below(4)), below(60), random()};
    Outcome plain = run(nest, {});
    Schedule schedule;
    schedule.threads = 1 + below(4);
    schedule.stealing = round % 2 == 0 ? kTimeout : kHalf;
    schedule.split = 1 + below(3);
    schedule.tau = 1 + below(20);
    schedule.capacity = below(2) == 0 ? below(4) : below(200);
    schedule.chunk = 1 + below(9);
    schedule.block = 1 + below(4);
    Outcome got = run(nest, schedule);
    ASSERT_EQ(got.visits, plain.visits) << "round " << round;
    ASSERT_EQ(got.digest, plain.digest) << "round " << round;
    ASSERT_EQ(got.done, nest.outer) << "round " << round;
  }
}

/// Also when all positions have been begun, each by another worker.
TEST(TaskWalk, RunThatWasStoppedIsWholeOnlyIfAllWasVisited) {
  std::mt19937_64 random(9);
  const auto below = [&](u64 bound) { return random() % bound; };
  int cut_short = 0;
  for (int round = 0; round < 400; ++round) {
    Nest nest{u32(2 + below(3)), 1 + below(4), random()};
    u64 all = run(nest, {}).visits;
    if (all == 0) continue;
    Schedule schedule;
    schedule.threads = 1 + below(4);
    schedule.stealing = round % 3 == 0 ? kNoStealing : round % 3 == 1 ? kTimeout : kHalf;
    schedule.split = 1 + below(3);
    schedule.tau = 1 + below(3);
    schedule.capacity = below(60);
    schedule.chunk = 1 + below(4);
    schedule.stop_at = below(all);
    Outcome got = run(nest, schedule);
    bool whole = got.done == nest.outer && got.left == 0;
    ASSERT_LE(got.visits, all) << "round " << round;
    ASSERT_TRUE(!whole || got.visits == all) << "round " << round << ": " << got.visits << " of " << all;
    cut_short += whole ? 0 : 1;
  }
  EXPECT_GT(cut_short, 100);
}

/// Degrees are independent of the sizes of the loops: tiles only determine the worker.
TEST(TaskWalk, TilesOfArcsWalkEveryPositionOnce) {
  std::mt19937_64 random(8);
  const auto below = [&](u64 bound) { return random() % bound; };
  int cut_in_two = 0;
  for (int round = 0; round < 200; ++round) {
    u64 universe = 1 + below(60);
    std::vector<u64> offsets(universe + 1, 0);
    std::vector<u32> vertices;
    u64 most = 1 + below(30);
    for (u64 v = 0; v < universe; ++v) {
      u64 degree = below(3) == 0 ? 0 : below(most);
      if (degree > 0 || below(2) == 0) vertices.push_back(u32(v));
      offsets[v + 1] = offsets[v] + degree;
    }
    bool all = vertices.size() == universe;
    u64 arcs = offsets[universe];
    if (arcs == 0) continue;
    u64 tile = 1 + below(2 * most);
    Deal deal{offsets.data(),
              all ? nullptr : vertices.data(),
              vertices.size(),
              arcs,
              tile,
              (arcs + tile - 1) / tile,
              1 + below(4),
              nullptr,
              share_bits_of(1 + below(4))};
    std::vector<u32> starts(deal.tiles + 1);
    u64 cut = below(deal.tiles + 2);  // Parts of the table are filled by themselves.
    find_tile_starts(deal, starts.data(), cut, deal.tiles + 1);
    find_tile_starts(deal, starts.data(), 0, cut);
    deal.starts = starts.data();
    Nest nest{u32(2 + below(3)), vertices.size(), random()};
    Outcome plain = run(nest, {});
    Schedule schedule{.threads = 1 + below(4), .deal = deal};
    Outcome whole = run(nest, schedule);
    schedule.split = 1 + below(3);
    schedule.tau = 1 + below(20);
    schedule.capacity = below(2) == 0 ? below(4) : below(200);
    Outcome split = run(nest, schedule);
    schedule.stealing = kHalf;
    schedule.block = 1 + below(4);
    Outcome half = run(nest, schedule);
    for (const Outcome& got : {whole, split, half}) {
      ASSERT_EQ(got.visits, plain.visits) << "round " << round;
      ASSERT_EQ(got.digest, plain.digest) << "round " << round;
      ASSERT_EQ(got.done, nest.outer) << "round " << round;
    }
    // Two parts of the positions have tiles of their own.
    const u64 middle = below(vertices.size() + 1);
    const u64 before = middle == vertices.size() ? arcs : offsets[all ? middle : vertices[middle]];
    if (before == 0 || before == arcs) continue;
    Outcome parts;
    for (const bool second : {false, true}) {
      Deal part = deal;
      part.vertex_count = second ? vertices.size() : middle;
      part.arcs = second ? arcs - before : before;
      part.tiles = (part.arcs + tile - 1) / tile;
      part.first = second ? middle : 0;
      part.arcs_before = second ? before : 0;
      find_tile_starts(part, starts.data(), 0, part.tiles + 1);
      part.starts = starts.data();
      schedule.deal = part;
      const Outcome got = run(nest, schedule);
      parts.visits += got.visits;
      parts.digest += got.digest;
      parts.done += got.done;
    }
    ASSERT_EQ(parts.visits, plain.visits) << "round " << round;
    ASSERT_EQ(parts.digest, plain.digest) << "round " << round;
    ASSERT_EQ(parts.done, nest.outer) << "round " << round;
    ++cut_in_two;
  }
  EXPECT_GT(cut_in_two, 100);
}

TEST(TaskWalk, SplitsAtEachLevelAlone) {
  for (u64 level = 1; level <= 3; ++level) {
    Nest nest{u32(level), level == 1 ? 50ull : 5ull, 11};
    Schedule schedule{.split = level, .tau = 1, .capacity = 100, .chunk = 1000};
    Outcome got = run(nest, schedule);
    EXPECT_GT(got.splits, 0U) << level;
    EXPECT_EQ(got.digest, run(nest, {}).digest) << level;
  }
}

TEST(TaskWalk, SplitsWhenOthersWaitOnly) {
  Nest nest{2, 50, 11};
  Outcome plain = run(nest, {});
  Schedule schedule{.split = 2, .tau = 1, .capacity = 100, .chunk = 25, .eager = false};
  Outcome got = run(nest, schedule);
  EXPECT_EQ(got.digest, plain.digest);
  EXPECT_GT(got.splits, 0U);
  schedule.eager = true;
  EXPECT_GT(run(nest, schedule).splits, got.splits);
}

/// Waits for an action of another worker; the limit keeps a broken protocol from hanging the test.
template <typename F>
void wait_for(F happened) {
  const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!happened() && std::chrono::steady_clock::now() < late) nap();
}

/// A nest that has one position at every level but the one that is to be split.
Nest split_at(u64 level) {
  Nest nest{3, level == 1 ? 40ull : 1ull, 11};
  nest.sizes[1] = level == 2 ? 40 : 1;
  nest.sizes[2] = level == 3 ? 40 : 1;
  return nest;
}

TEST(HalfStealing, AnIdleWorkerOfTheBlockTakesHalfAtEachLevel) {
  for (u64 level = 1; level <= 3; ++level) {
    Nest nest = split_at(level);
    Schedule schedule{.threads = 2, .stealing = kHalf, .split = level, .chunk = 1000, .block = 2};
    // There is no queue and no check for waiters, so every split was a steal.
    schedule.at_visit = [](const Shared& shared) { wait_for([&] { return atomic_read(&shared.splits) != 0; }); };
    Outcome got = run(nest, schedule);
    EXPECT_GT(got.splits, 0U) << level;
    EXPECT_EQ(got.visits, 40U) << level;
    EXPECT_EQ(got.digest, run(nest, {}).digest) << level;
  }
}

TEST(HalfStealing, ABusyWorkerGivesHalfToABlockThatAsksAtEachLevel) {
  for (u64 level = 1; level <= 3; ++level) {
    Nest nest = split_at(level);
    Schedule schedule{
        .threads = 2, .stealing = kHalf, .split = level, .tau = 1, .capacity = 1, .chunk = 1000, .block = 1};
    schedule.at_visit = [](const Shared& shared) {
      wait_for([&] { return atomic_read(&shared.idle_blocks) != 0 || atomic_read(&shared.splits) != 0; });
    };
    Outcome got = run(nest, schedule);
    EXPECT_GT(got.splits, 0U) << level;
    EXPECT_EQ(got.digest, run(nest, {}).digest) << level;
  }
}

TEST(HalfStealing, WithoutRoomInTheQueueTheWorkStays) {
  Nest nest = split_at(1);
  Schedule schedule{.threads = 3, .stealing = kHalf, .split = 3, .tau = 1, .capacity = 0, .chunk = 1000, .block = 1};
  schedule.at_visit = [](const Shared& shared) { wait_for([&] { return atomic_read(&shared.idle_blocks) != 0; }); };
  Outcome got = run(nest, schedule);
  EXPECT_EQ(got.splits, 0U);
  EXPECT_EQ(got.digest, run(nest, {}).digest);
}

TEST(TaskWalk, NothingIsSplitWithoutRoomOrTime) {
  Nest nest{3, 20, 5};
  EXPECT_EQ(run(nest, {.threads = 2, .split = 3, .tau = 1, .capacity = 0, .chunk = 4}).splits, 0U);
  EXPECT_EQ(run(nest, {.threads = 2, .split = 3, .tau = 0, .capacity = 64, .chunk = 4}).splits, 0U);
  EXPECT_EQ(run(nest, {.threads = 2, .split = 0, .tau = 1, .capacity = 64, .chunk = 4}).splits, 0U);
  EXPECT_EQ(run(nest, {.threads = 2, .stealing = kHalf, .split = 0, .tau = 1, .capacity = 64, .chunk = 4}).splits, 0U);
}

}  // namespace
}  // namespace matcha_program
