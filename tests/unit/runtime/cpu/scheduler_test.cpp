#include "runtime/cpu/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "runtime/cpu/set_kernels.h"

/// Plays the part of generated code: bodies written by hand against RegionContext and Worker.
namespace matcha::runtime {
namespace {

using u64 = std::uint64_t;

struct Csr {
  std::vector<u64> offsets;
  std::vector<std::uint32_t> neighbors;

  u64 vertices() const { return offsets.size() - 1; }
  u64 degree(u64 v) const { return offsets[v + 1] - offsets[v]; }
  const std::uint32_t* list(u64 v) const { return neighbors.data() + offsets[v]; }
};

/// A simple symmetric graph whose low ids are hubs.
Csr hub_graph(u64 vertices, u64 edges, u64 seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<std::uint32_t>> lists(vertices);
  for (u64 i = 0; i < edges; ++i) {
    u64 u = random() % vertices;
    u64 v = random() % (1 + random() % (1 + random() % vertices));
    if (u == v) continue;
    lists[u].push_back(static_cast<std::uint32_t>(v));
    lists[v].push_back(static_cast<std::uint32_t>(u));
  }
  Csr graph;
  graph.offsets.push_back(0);
  for (std::vector<std::uint32_t>& list : lists) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    graph.neighbors.insert(graph.neighbors.end(), list.begin(), list.end());
    graph.offsets.push_back(graph.neighbors.size());
  }
  return graph;
}

bool stopped(RegionContext* region) {
  return std::atomic_ref<std::uint32_t>(region->stop).load(std::memory_order_relaxed) != 0;
}

u64 defer_threshold(RegionContext* region) {
  return std::atomic_ref<u64>(region->defer_threshold).load(std::memory_order_relaxed);
}

template <typename T>
T& frame_value(RegionContext* region, u64 slot) {
  return *reinterpret_cast<T*>(region->frame[slot]);
}

void add_int(SinkSlot& slot, std::int64_t value) {
  __int128 sum = static_cast<__int128>(static_cast<unsigned __int128>(slot.high) << 64 | slot.low) + value;
  slot.low = static_cast<u64>(sum);
  slot.high = static_cast<u64>(static_cast<unsigned __int128>(sum) >> 64);
}

/// Ordered triangles of `u`: sum of |N(u) ∩ N(v)| over its neighbours [begin, end).
void triangle_items(RegionContext* region, Worker* worker, u64 u, u64 begin, u64 end) {
  const Csr& graph = frame_value<const Csr>(region, 0);
  u64 item = begin;
  for (; item < end && !stopped(region); ++item) {
    u64 v = graph.list(u)[item];
    u64 common = region->sets->intersect_count(graph.list(u), graph.degree(u), graph.list(v), graph.degree(v));
    add_int(worker->slots[0], static_cast<std::int64_t>(common));
  }
  worker->items_done += item - begin;
}

void triangle_body(RegionContext* region, Worker* worker, u64 begin, u64 end) {
  const Csr& graph = frame_value<const Csr>(region, 0);
  u64 u = begin;
  for (; u < end && !stopped(region); ++u) {
    u64 degree = graph.degree(u);
    if (degree >= defer_threshold(region) && rt_defer(region, worker, u, degree)) continue;
    u64 counted = worker->items_done;
    triangle_items(region, worker, u, 0, degree);
    worker->items_done = counted;
  }
  worker->positions_done += u - begin;
}

u64 brute_triangles(const Csr& graph) {
  u64 total = 0;
  for (u64 u = 0; u < graph.vertices(); ++u) {
    for (u64 i = 0; i < graph.degree(u); ++i) {
      u64 v = graph.list(u)[i];
      for (u64 j = 0; j < graph.degree(u); ++j) {
        total += std::binary_search(graph.list(v), graph.list(v) + graph.degree(v), graph.list(u)[j]);
      }
    }
  }
  return total;
}

struct Launch : RegionLaunch {
  std::vector<u64> slots;

  template <typename... T>
  explicit Launch(u64 count, RegionBody code, T&... values) {
    body = code;
    positions = count;
    sets = &set_kernels(best_tier());
    (slots.push_back(reinterpret_cast<u64>(&values)), ...);
    frame = slots.data();
  }
};

RunControl with_threads(unsigned threads) {
  RunControl control;
  control.threads = threads;
  return control;
}

RegionResult result_of(RegionOutcome outcome) {
  if (const RegionError* error = std::get_if<RegionError>(&outcome)) {
    ADD_FAILURE() << error->message;
    return {};
  }
  return std::get<RegionResult>(std::move(outcome));
}

RegionError error_of(RegionOutcome outcome) {
  if (!std::holds_alternative<RegionError>(outcome)) {
    ADD_FAILURE() << "the region succeeded";
    return {};
  }
  return std::get<RegionError>(std::move(outcome));
}

class SchedulerTest : public testing::TestWithParam<unsigned> {};

TEST_P(SchedulerTest, CountsTrianglesWithAnyDeferredLoops) {
  Csr graph = hub_graph(300, 3000, 1);
  u64 expected = brute_triangles(graph);
  ASSERT_GT(expected, 0u);
  for (u64 defer : {u64{0}, u64{1}, u64{8}, u64{4096}}) {
    for (int round = 0; round < 20; ++round) {
      Launch launch(graph.vertices(), triangle_body, graph);
      launch.inner = triangle_items;
      launch.sinks = {{SinkKind::SumInt, {}}};
      RunControl control = with_threads(GetParam());
      control.defer_items = defer;
      control.defer_items_late = std::min<u64>(defer, 4);
      RegionResult result = result_of(run_region(launch, control));
      ASSERT_EQ(result.end, RegionEnd::Complete);
      ASSERT_EQ(result.positions_done, graph.vertices());
      ASSERT_EQ(static_cast<u64>(result.sinks.at(0).sum), expected);
      if (GetParam() == 1) {
        ASSERT_EQ(result.deferred, 0u);
      } else if (defer <= 8) {
        ASSERT_GT(result.deferred, 0u);
      }
    }
  }
}

TEST_P(SchedulerTest, OnePositionWithALongLoopIsSplit) {
  Csr star = hub_graph(2000, 1, 2);
  star.neighbors.clear();
  star.offsets.assign(2001, 1999);
  star.offsets[0] = 0;
  for (std::uint32_t v = 1; v < 2000; ++v) star.neighbors.push_back(v);
  for (std::uint32_t v = 1; v < 2000; ++v) {
    star.offsets[v + 1] = star.offsets[v] + 1;
    star.neighbors.push_back(0);
  }
  Launch launch(1, triangle_body, star);
  launch.inner = triangle_items;
  launch.sinks = {{SinkKind::SumInt, {}}};
  RegionResult result = result_of(run_region(launch, with_threads(GetParam())));
  EXPECT_EQ(result.positions_done, 1u);
  EXPECT_EQ(result.deferred, GetParam() == 1 ? 0u : 1u);
  EXPECT_EQ(static_cast<u64>(result.sinks.at(0).sum), 0u);
}

double float_of(u64 position) {
  return std::ldexp(static_cast<double>(position % 1000) - 499.5, static_cast<int>(position % 601) - 300);
}

void scalar_body(RegionContext* region, Worker* worker, u64 begin, u64 end) {
  (void)region;
  for (u64 p = begin; p < end; ++p) {
    std::int64_t value = static_cast<std::int64_t>((p * 7919) % 10007) - 5000;
    double number = float_of(p);
    add_int(worker->slots[0], std::numeric_limits<std::int64_t>::max() - static_cast<std::int64_t>(p));
    rt_sum_f64(reinterpret_cast<void*>(worker->slots[1].low), number);
    auto keep_int = [&](SinkSlot& slot, bool smaller) {
      std::int64_t old = static_cast<std::int64_t>(slot.low);
      if (slot.high == 0 || (smaller ? value < old : value > old)) slot = {static_cast<u64>(value), 1};
    };
    keep_int(worker->slots[2], true);
    keep_int(worker->slots[3], false);
    auto keep_float = [&](SinkSlot& slot, double (*pick)(double, double)) {
      double kept = slot.high == 0 ? number : pick(std::bit_cast<double>(slot.low), number);
      slot = {std::bit_cast<u64>(kept), 1};
    };
    keep_float(worker->slots[4], rt_min_f64);
    keep_float(worker->slots[5], rt_max_f64);
    worker->slots[6].low |= u64{value == -5000};
    worker->slots[7].low &= u64{value < 5007};
    worker->slots[8].low |= u64{value == 77777};
    worker->slots[9].low &= u64{value != -5000};
  }
  worker->positions_done += end - begin;
}

/// Says which thread walked a position. The first takes a millisecond; the next waits until another thread has begun.
void long_body(RegionContext* region, Worker* worker, u64 begin, u64 end) {
  std::vector<std::thread::id>& walked_by = frame_value<std::vector<std::thread::id>>(region, 0);
  std::atomic<u64>& threads = frame_value<std::atomic<u64>>(region, 1);
  for (u64 u = begin; u < end; ++u) {
    walked_by[u] = std::this_thread::get_id();
    if (u == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } else if (threads.fetch_add(1) == 0) {
      while (threads.load() < 2) std::this_thread::yield();
    }
  }
  worker->positions_done += end - begin;
}

TEST_P(SchedulerTest, LittleWorkBeginsWithTheCaller) {
  if (GetParam() == 1) return;  // There is no other thread.
  std::vector<std::thread::id> walked_by(16);
  std::atomic<u64> threads = 0;
  Launch launch(walked_by.size(), long_body, walked_by, threads);
  EXPECT_EQ(result_of(run_region(launch, with_threads(GetParam()))).positions_done, walked_by.size());
  EXPECT_EQ(walked_by.front(), std::this_thread::get_id());
}

TEST_P(SchedulerTest, LittleWorkOffersItsLongLoops) {
  Csr graph = hub_graph(60, 400, 3);
  Launch launch(graph.vertices(), triangle_body, graph);
  launch.inner = triangle_items;
  launch.sinks = {{SinkKind::SumInt, {}}};
  RunControl control = with_threads(GetParam());
  control.defer_items_late = 8;
  const RegionResult result = result_of(run_region(launch, control));
  EXPECT_EQ(static_cast<u64>(result.sinks.at(0).sum), brute_triangles(graph));
  EXPECT_EQ(result.deferred > 0, GetParam() > 1);
}

TEST_P(SchedulerTest, ScalarSinks) {
  constexpr u64 n = 20'000;
  Launch launch(n, scalar_body);
  for (SinkKind kind : {SinkKind::SumInt, SinkKind::SumFloat, SinkKind::MinInt, SinkKind::MaxInt, SinkKind::MinFloat,
                        SinkKind::MaxFloat, SinkKind::Any, SinkKind::All, SinkKind::Any, SinkKind::All}) {
    launch.sinks.push_back({kind, {}});
  }
  RegionResult result = result_of(run_region(launch, with_threads(GetParam())));
  __int128 expected_sum = 0;
  double low = float_of(0);
  double high = float_of(0);
  long double float_sum = 0;
  for (u64 p = 0; p < n; ++p) {
    expected_sum += std::numeric_limits<std::int64_t>::max() - static_cast<std::int64_t>(p);
    low = std::min(low, float_of(p));
    high = std::max(high, float_of(p));
    float_sum += float_of(p);
  }
  EXPECT_TRUE(result.sinks.at(0).sum == expected_sum);
  EXPECT_NEAR(result.sinks.at(1).number, static_cast<double>(float_sum),
              std::abs(static_cast<double>(float_sum)) * 1e-9);
  static double first_float_sum = result.sinks.at(1).number;
  EXPECT_EQ(result.sinks.at(1).number, first_float_sum) << "the sum depends on the number of threads";
  EXPECT_EQ(result.sinks.at(2).integer, -5000);
  EXPECT_EQ(result.sinks.at(3).integer, 5006);
  EXPECT_EQ(result.sinks.at(4).number, low);
  EXPECT_EQ(result.sinks.at(5).number, high);
  EXPECT_TRUE(result.sinks.at(6).flag);
  EXPECT_TRUE(result.sinks.at(7).flag);
  EXPECT_FALSE(result.sinks.at(8).flag);
  EXPECT_FALSE(result.sinks.at(9).flag);
}

TEST_P(SchedulerTest, NothingToDo) {
  Launch launch(0, scalar_body);
  launch.sinks = {{SinkKind::SumInt, {}},
                  {SinkKind::SumFloat, {}},
                  {SinkKind::MinInt, {}},
                  {SinkKind::All, {}},
                  {SinkKind::Rows, {ElementKind::Int}}};
  RegionResult result = result_of(run_region(launch, with_threads(GetParam())));
  EXPECT_EQ(result.end, RegionEnd::Complete);
  EXPECT_TRUE(result.sinks.at(0).sum == 0);
  EXPECT_EQ(result.sinks.at(1).number, 0.0);
  EXPECT_FALSE(result.sinks.at(2).has_value);
  EXPECT_TRUE(result.sinks.at(3).flag);
  EXPECT_EQ(result.sinks.at(4).rows, 0u);
}

void huge_sum_body(RegionContext*, Worker* worker, u64 begin, u64 end) {
  worker->slots[0] = {~u64{0}, 0x7fffffffffffffff};
  worker->positions_done += end - begin;
}

TEST(Scheduler, SumBeyond128BitsIsAnError) {
  // Both workers must run: the first position takes long enough for another thread to be woken, and the others meet.
  static std::atomic<int> met;
  met = 0;
  Launch launch(3, [](RegionContext* region, Worker* worker, u64 begin, u64 end) {
    if (begin == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } else {
      met.fetch_add(1);
      while (met.load() < 2) std::this_thread::yield();
    }
    huge_sum_body(region, worker, begin, end);
  });
  launch.sinks = {{SinkKind::SumInt, {}}};
  RegionError error = error_of(run_region(launch, with_threads(2)));
  EXPECT_EQ(error.code, TrapCode::IntegerOverflow);
}

/// Position p yields p % 4 rows (p, rank, float, bool).
void rows_body(RegionContext* region, Worker* worker, u64 begin, u64 end) {
  RowBuffer& buffer = worker->rows[0];
  u64 p = begin;
  for (; p < end && !stopped(region); ++p) {
    for (u64 i = 0; i < p % 4; ++i) {
      if (buffer.count == buffer.capacity) rt_flush_rows(region, worker, 0);
      static_cast<std::int64_t*>(buffer.columns[0])[buffer.count] = static_cast<std::int64_t>(p);
      static_cast<std::uint32_t*>(buffer.columns[1])[buffer.count] = static_cast<std::uint32_t>(i);
      static_cast<double*>(buffer.columns[2])[buffer.count] = static_cast<double>(p) / 2;
      static_cast<std::uint8_t*>(buffer.columns[3])[buffer.count] = i % 2;
      ++buffer.count;
    }
  }
  worker->positions_done += p - begin;
}

const std::vector<ElementKind> kRowKinds = {ElementKind::Int, ElementKind::Vid, ElementKind::Float, ElementKind::Bool};

TEST_P(SchedulerTest, OrderedRowsComeInTheOrderOfPositions) {
  constexpr u64 n = 5000;
  for (u64 capacity : {u64{1}, u64{3}, u64{4096}}) {
    Launch launch(n, rows_body);
    launch.sinks = {{SinkKind::Rows, kRowKinds}};
    RunControl control = with_threads(GetParam());
    control.row_capacity = capacity;
    RegionResult result = result_of(run_region(launch, control));
    const SinkResult& sink = result.sinks.at(0);
    u64 row = 0;
    for (u64 p = 0; p < n; ++p) {
      for (u64 i = 0; i < p % 4; ++i, ++row) {
        ASSERT_LT(row, sink.rows);
        ASSERT_EQ(sink.columns.at(0).view<std::int64_t>()[row], static_cast<std::int64_t>(p));
        ASSERT_EQ(sink.columns.at(1).view<std::uint32_t>()[row], i);
        ASSERT_EQ(sink.columns.at(2).view<double>()[row], static_cast<double>(p) / 2);
        ASSERT_EQ(sink.columns.at(3).view<std::uint8_t>()[row], i % 2);
      }
    }
    EXPECT_EQ(row, sink.rows);
    EXPECT_EQ(sink.columns.at(3).size(), row);
  }
}

/// Rows written where they are collected, with room made for each position at once.
void direct_body(RegionContext* region, Worker* worker, u64 begin, u64 end) {
  for (u64 p = begin; p < end; ++p) {
    const u64 rows = p % 7;
    RowBuffer& buffer = worker->rows[0];
    if (buffer.count + rows > buffer.capacity && !rt_grow_rows(region, worker, 0, rows)) return;
    for (u64 i = 0; i < rows; ++i)
      static_cast<std::uint32_t*>(buffer.columns[0])[buffer.count++] = static_cast<std::uint32_t>(p * 10 + i);
    static_cast<u64*>(worker->rows[1].columns[0])[p] = rows;
    ++worker->positions_done;
  }
}

TEST_P(SchedulerTest, DirectRowsGrowInTheOrderOfPositions) {
  RegionLaunch launch;
  launch.body = direct_body;
  launch.positions = 20'000;
  launch.sinks = {{SinkKind::Rows, {ElementKind::Vid}, true, 5}, {SinkKind::Map, {ElementKind::Int}}};
  RunControl control;
  control.threads = GetParam();
  control.row_capacity = 3;
  const RegionOutcome outcome = run_region(launch, control);
  const RegionResult& result = std::get<RegionResult>(outcome);
  std::vector<std::uint32_t> expected;
  for (u64 p = 0; p < launch.positions; ++p) {
    for (u64 i = 0; i < p % 7; ++i) expected.push_back(static_cast<std::uint32_t>(p * 10 + i));
    ASSERT_EQ(result.sinks[1].columns[0].view<std::int64_t>()[p], static_cast<std::int64_t>(p % 7));
  }
  const std::span<const std::uint32_t> rows = result.sinks[0].columns[0].view<std::uint32_t>();
  EXPECT_TRUE(std::equal(rows.begin(), rows.end(), expected.begin(), expected.end()));
}

TEST_P(SchedulerTest, StreamedRowsComeOnceInBoundedBlocks) {
  constexpr u64 n = 5000;
  Launch launch(n, rows_body);
  launch.sinks = {{SinkKind::Rows, kRowKinds}};
  launch.row_mode = RowMode::Stream;
  RunControl control = with_threads(GetParam());
  control.row_capacity = 7;
  std::vector<std::pair<std::int64_t, std::uint32_t>> seen;
  control.on_rows = [&](const RowBlock& block) {
    EXPECT_LE(block.count, 7u);
    for (u64 i = 0; i < block.count; ++i) {
      seen.emplace_back(static_cast<const std::int64_t*>(block.columns[0])[i],
                        static_cast<const std::uint32_t*>(block.columns[1])[i]);
    }
    return true;
  };
  RegionResult result = result_of(run_region(launch, control));
  std::vector<std::pair<std::int64_t, std::uint32_t>> expected;
  for (u64 p = 0; p < n; ++p) {
    for (u64 i = 0; i < p % 4; ++i) expected.emplace_back(p, i);
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(result.sinks.at(0).rows, expected.size());
  EXPECT_EQ(result.end, RegionEnd::Complete);
}

TEST_P(SchedulerTest, NoBlockFollowsARefusal) {
  Launch launch(5000, rows_body);
  launch.sinks = {{SinkKind::Rows, kRowKinds}};
  launch.row_mode = RowMode::Stream;
  RunControl control = with_threads(GetParam());
  control.row_capacity = 5;
  int calls = 0;
  control.on_rows = [&](const RowBlock&) { return ++calls < 4; };
  RegionResult result = result_of(run_region(launch, control));
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(result.end, RegionEnd::RowsRefused);
}

void map_body(RegionContext*, Worker* worker, u64 begin, u64 end) {
  for (u64 p = begin; p < end; ++p)
    static_cast<std::int64_t*>(worker->rows[0].columns[0])[p] = static_cast<std::int64_t>(p * p);
  worker->positions_done += end - begin;
}

TEST_P(SchedulerTest, MapWritesEachPositionInPlace) {
  Launch launch(3000, map_body);
  launch.sinks = {{SinkKind::Map, {ElementKind::Int}}};
  RegionResult result = result_of(run_region(launch, with_threads(GetParam())));
  ASSERT_EQ(result.sinks.at(0).rows, 3000u);
  for (u64 p = 0; p < 3000; ++p)
    ASSERT_EQ(result.sinks.at(0).columns.at(0).view<std::int64_t>()[p], static_cast<std::int64_t>(p * p));
}

void trap_body(RegionContext* region, Worker* worker, u64 begin, u64 end) {
  for (u64 p = begin; p < end; ++p) {
    if (p == 700) {
      rt_trap(region, static_cast<std::uint32_t>(TrapCode::DivisionByZero), 12, 7, "query.mt");
      return;
    }
    if (stopped(region)) return;
    ++worker->positions_done;
  }
}

TEST_P(SchedulerTest, ATrapGivesItsPlaceAndNoResult) {
  Launch launch(100'000, trap_body);
  RegionError error = error_of(run_region(launch, with_threads(GetParam())));
  EXPECT_EQ(error.code, TrapCode::DivisionByZero);
  EXPECT_EQ(error.message, "division by zero");
  EXPECT_EQ(error.file, "query.mt");
  EXPECT_EQ(error.line, 12u);
  EXPECT_EQ(error.column, 7u);
}

/// Finishes position 0 and then waits to be stopped.
void endless_body(RegionContext* region, Worker* worker, u64 begin, u64 end) {
  for (u64 p = begin; p < end; ++p) {
    if (p != 0) {
      while (!stopped(region)) {
      }
      return;
    }
    ++worker->positions_done;
  }
}

TEST_P(SchedulerTest, ADeadlineEndsTheRegion) {
  Launch launch(1000, endless_body);
  RunControl control = with_threads(GetParam());
  control.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
  RegionResult result = result_of(run_region(launch, control));
  EXPECT_EQ(result.end, RegionEnd::DeadlinePassed);
  EXPECT_LT(result.positions_done, 1000u);
}

TEST_P(SchedulerTest, AStopRequestFromTheProgressCallbackEndsTheRegion) {
  std::atomic<std::uint32_t> request{0};
  Launch launch(1000, endless_body);
  RunControl control = with_threads(GetParam());
  control.stop_request = &request;
  u64 reported_total = 0;
  control.on_progress = [&](u64 done, u64 total) {
    EXPECT_LE(done, total);
    reported_total = total;
    request.store(1);
  };
  RegionResult result = result_of(run_region(launch, control));
  EXPECT_EQ(result.end, RegionEnd::StopRequested);
  EXPECT_EQ(reported_total, 1000u);
}

TEST_P(SchedulerTest, ARequestMadeBeforehandStartsNothing) {
  std::atomic<std::uint32_t> request{1};
  Launch launch(1000, scalar_body);
  for (int i = 0; i < 10; ++i) launch.sinks.push_back({SinkKind::Any, {}});
  RunControl control = with_threads(GetParam());
  control.stop_request = &request;
  RegionResult result = result_of(run_region(launch, control));
  EXPECT_EQ(result.end, RegionEnd::StopRequested);
  EXPECT_EQ(result.positions_done, 0u);
}

TEST_P(SchedulerTest, ProgressEndsAtTheTotal) {
  Launch launch(1000, map_body);
  launch.sinks = {{SinkKind::Map, {ElementKind::Int}}};
  RunControl control = with_threads(GetParam());
  u64 last = 0;
  control.on_progress = [&](u64 done, u64) { last = done; };
  result_of(run_region(launch, control));
  EXPECT_EQ(last, 1000u);
}

TEST_P(SchedulerTest, PositionsNotWalkedAreAnInternalError) {
  Launch launch(100, [](RegionContext*, Worker* worker, u64 begin, u64 end) {
    worker->positions_done += end - begin - (begin == 0 ? 1 : 0);
  });
  RegionError error = error_of(run_region(launch, with_threads(GetParam())));
  EXPECT_NE(error.message.find("internal error: walked 99 of 100 positions"), std::string::npos) << error.message;
}

TEST(Scheduler, ItemsNotWalkedAreAnInternalError) {
  Launch launch(1, [](RegionContext* region, Worker* worker, u64 begin, u64) {
    EXPECT_TRUE(rt_defer(region, worker, begin, 50));
    ++worker->positions_done;
  });
  launch.inner = [](RegionContext*, Worker* worker, u64, u64 begin, u64 end) {
    worker->items_done += begin == 0 ? 0 : end - begin;
  };
  RegionError error = error_of(run_region(launch, with_threads(2)));
  EXPECT_NE(error.message.find("of 50 split-off items"), std::string::npos) << error.message;
}

TEST(Scheduler, OrderedRowsForbidDeferral) {
  Launch launch(10, [](RegionContext* region, Worker* worker, u64 begin, u64 end) {
    EXPECT_EQ(defer_threshold(region), ~u64{0});
    for (u64 p = begin; p < end; ++p) EXPECT_FALSE(rt_defer(region, worker, p, 1000));
    worker->positions_done += end - begin;
  });
  launch.inner = [](RegionContext*, Worker*, u64, u64, u64) { ADD_FAILURE(); };
  launch.sinks = {{SinkKind::Rows, {ElementKind::Int}}};
  RunControl control = with_threads(2);
  control.defer_items = 1;
  result_of(run_region(launch, control));
}

/// Fills the scratch memory and finds it unchanged after other workers had time to spoil it.
void scratch_body(RegionContext* region, Worker* worker, u64 begin, u64 end) {
  (void)region;
  EXPECT_EQ(reinterpret_cast<u64>(worker->scratch) % 64, 0u);
  u64* words = reinterpret_cast<u64*>(worker->scratch);
  for (u64 p = begin; p < end; ++p) {
    for (u64 i = 0; i < 100; ++i) words[i] = p * 100 + i;
    for (u64 i = 0; i < 100; ++i) {
      if (words[i] != p * 100 + i) worker->slots[0].low = 1;
    }
  }
  worker->positions_done += end - begin;
}

TEST_P(SchedulerTest, ScratchBelongsToOneWorker) {
  Launch launch(10'000, scratch_body);
  launch.scratch_bytes = 800;
  launch.sinks = {{SinkKind::Any, {}}};
  RegionResult result = result_of(run_region(launch, with_threads(GetParam())));
  EXPECT_FALSE(result.sinks.at(0).flag);
}

INSTANTIATE_TEST_SUITE_P(Threads, SchedulerTest, testing::Values(1u, 2u, 8u));

}  // namespace
}  // namespace matcha::runtime
