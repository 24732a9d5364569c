#include <gtest/gtest.h>

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
  u64 seen_bound = 24;

  u64 size(u64 level, u64 a, u64 b, u64 c) const {
    if (level == 0) return outer;
    u64 mixed = (a * 31 + b * 17 + c * 7 + level * 5 + seed) * 0x9E3779B97F4A7C15ull;
    return (mixed >> 40) % (level == 1 ? seen_bound : 6);
  }

  template <typename Visit>
  void walk(TaskWalk<ForcedGroup>& w, const Task& task, Visit visit) const {
    Walk walk0 = w.walk(task, 0, outer);
    for (u64 at0 = walk0.begin; at0 < walk0.end; ++at0) {
      if (w.leave(task, 0, walk0, 0, 0, at0)) break;
      if (depth == 1) visit(at0, 0, 0, 0);
      Walk walk1 = depth > 1 ? w.walk(task, 1, size(1, at0, 0, 0)) : Walk{0, 0};
      for (u64 at1 = walk1.begin; at1 < walk1.end; ++at1) {
        if (w.leave(task, 1, walk1, at0, 0, at1)) break;
        if (depth == 2) visit(at0, at1, 0, 0);
        Walk walk2 = depth > 2 ? w.walk(task, 2, size(2, at0, at1, 0)) : Walk{0, 0};
        for (u64 at2 = walk2.begin; at2 < walk2.end; ++at2) {
          if (w.leave(task, 2, walk2, at0, at1, at2)) break;
          if (depth == 3) visit(at0, at1, at2, 0);
          for (u64 at3 = 0; depth == 4 && at3 < size(3, at0, at1, at2); ++at3) visit(at0, at1, at2, at3);
        }
      }
      w.finish_position(task);
    }
  }
};

struct Outcome {
  u64 visits = 0, digest = 0, splits = 0, done = 0;
};

Outcome run(const Nest& nest, u64 threads, u64 split, u64 tau, u64 capacity, u64 chunk, const Deal& deal = {}) {
  Shared shared{};
  shared.live = deal.tile != 0 ? deal.tiles : nest.outer;
  std::vector<u64> words(capacity * kTaskWords, kEmptyWord);
  Launch launch{};
  launch.shared = &shared;
  launch.positions = nest.outer;
  launch.chunk = chunk;
  launch.deal = deal;
  launch.workers = threads;
  launch.split = split;
  launch.tau = tau;
  launch.queue = {words.data(), capacity, &shared.queue_size, &shared.queue_front, &shared.queue_back};
  Outcome outcome;
  const auto work = [&] {
    TaskWalk<ForcedGroup> worker(launch, ForcedGroup::here());
    worker.run([&](const Task& task) {
      nest.walk(worker, task, [&](u64 a, u64 b, u64 c, u64 d) {
        atomic_add(&outcome.visits, 1);
        atomic_add(&outcome.digest, (a * 1000003 + b * 10007 + c * 101 + d + 1) * 0xD6E8FEB86659FD93ull);
      });
    });
  };
  std::vector<std::thread> others;
  for (u64 i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  EXPECT_EQ(shared.live, 0U);
  EXPECT_EQ(shared.queue_size, 0U);
  outcome.splits = shared.splits;
  outcome.done = shared.positions_done;
  return outcome;
}

TEST(TaskWalk, WalksEveryPositionOnceHoweverItIsSplit) {
  std::mt19937_64 random(7);
  const auto below = [&](u64 bound) { return random() % bound; };
  for (int round = 0; round < 120; ++round) {
    Nest nest{u32(1 + below(4)), below(60), random()};
    Outcome plain = run(nest, 1, 0, 0, 0, 8);
    u64 split = 1 + below(3);
    u64 tau = 1 + below(20);
    u64 capacity = below(2) == 0 ? below(4) : below(200);
    u64 chunk = 1 + below(9);
    Outcome got = run(nest, 1 + below(4), split, tau, capacity, chunk);
    ASSERT_EQ(got.visits, plain.visits) << "round " << round;
    ASSERT_EQ(got.digest, plain.digest) << "round " << round;
    ASSERT_EQ(got.done, nest.outer) << "round " << round;
  }
}

/// Degrees have nothing to do with the sizes of the loops: tiles only say who walks what.
TEST(TaskWalk, TilesOfArcsWalkEveryPositionOnce) {
  std::mt19937_64 random(8);
  const auto below = [&](u64 bound) { return random() % bound; };
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
    Deal deal{offsets.data(), all ? nullptr : vertices.data(), vertices.size(), arcs, tile, (arcs + tile - 1) / tile};
    Nest nest{u32(2 + below(3)), vertices.size(), random()};
    Outcome plain = run(nest, 1, 0, 0, 0, 8);
    Outcome whole = run(nest, 1 + below(4), 0, 0, 0, 8, deal);
    Outcome split =
        run(nest, 1 + below(4), 1 + below(3), 1 + below(20), below(2) == 0 ? below(4) : below(200), 8, deal);
    for (const Outcome& got : {whole, split}) {
      ASSERT_EQ(got.visits, plain.visits) << "round " << round;
      ASSERT_EQ(got.digest, plain.digest) << "round " << round;
      ASSERT_EQ(got.done, nest.outer) << "round " << round;
    }
  }
}

TEST(TaskWalk, SplitsAtEachLevelAlone) {
  for (u64 level = 1; level <= 3; ++level) {
    Nest nest{u32(level), level == 1 ? 50ull : 5ull, 11};
    Outcome plain = run(nest, 1, 0, 0, 0, 50);
    Outcome got = run(nest, 1, level, 1, 100, 1000);
    EXPECT_GT(got.splits, 0U) << level;
    EXPECT_EQ(got.digest, plain.digest) << level;
  }
}

TEST(TaskWalk, NothingIsSplitWithoutRoomOrTime) {
  Nest nest{3, 20, 5};
  EXPECT_EQ(run(nest, 2, 3, 1, 0, 4).splits, 0U);
  EXPECT_EQ(run(nest, 2, 3, 0, 64, 4).splits, 0U);
  EXPECT_EQ(run(nest, 2, 0, 1, 64, 4).splits, 0U);
}

}  // namespace
}  // namespace matcha_program
