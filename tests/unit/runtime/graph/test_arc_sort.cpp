#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

#include "runtime/graph/detail/arc_sort.h"
#include "runtime/graph/int_column.h"
#include "tests/unit/sanitized.h"

/// Arcs by source and target, against a sort of pairs.
namespace matcha::runtime {
namespace {

using detail::ArcBuckets;
using detail::ArcOptions;
using detail::SortedArcs;
using Pair = std::pair<std::uint64_t, std::uint32_t>;

struct Edges {
  std::vector<std::int64_t> sources, targets;
};

Edges random_edges(std::uint64_t n, std::uint64_t count, std::uint64_t seed, bool skewed) {
  std::mt19937_64 random(seed);
  const auto draw = [&] {
    const std::uint64_t vertex = random() % n;
    return static_cast<std::int64_t>(skewed && random() % 2 == 0 ? vertex % std::min<std::uint64_t>(n, 3) : vertex);
  };
  Edges edges;
  for (std::uint64_t at = 0; at < count; ++at) {
    edges.sources.push_back(draw());
    edges.targets.push_back(draw());
  }
  return edges;
}

SortedArcs sorted(std::uint64_t n, const Edges& edges, const ArcOptions& options, int threads) {
  using Ends = PackedItems<std::int64_t>;
  tbb::task_arena arena(threads);
  return arena.execute([&] {
    return detail::ArcSort<Ends>(n, {Ends{edges.sources.data()}, Ends{edges.targets.data()}, edges.sources.size()},
                                 options)
        .run();
  });
}

void expect_sorted(std::uint64_t n, const Edges& edges, const ArcOptions& options, int threads) {
  std::vector<Pair> pairs;
  std::uint64_t loops = 0;
  for (std::size_t at = 0; at < edges.sources.size(); ++at) {
    const std::uint32_t source = static_cast<std::uint32_t>(edges.sources[at]);
    const std::uint32_t target = static_cast<std::uint32_t>(edges.targets[at]);
    if (source == target && !options.keep_loops) {
      ++loops;
      continue;
    }
    pairs.emplace_back(source, target << options.shift);
    if (!options.directed) pairs.emplace_back(target, source << options.shift | options.shift);
  }
  std::ranges::sort(pairs);
  const SortedArcs arcs = sorted(n, edges, options, threads);
  EXPECT_EQ(arcs.loops, loops);
  ASSERT_EQ(arcs.keys.size(), pairs.size());
  ASSERT_EQ(arcs.offsets.size(), n + 1);
  ASSERT_EQ(arcs.offsets[0], 0U);
  ASSERT_EQ(arcs.offsets[n], pairs.size());
  ASSERT_TRUE(std::ranges::is_sorted(arcs.offsets));
  for (std::size_t at = 0; at < pairs.size(); ++at) {
    const auto& [source, key] = pairs[at];
    if (arcs.keys[at] == key && arcs.offsets[source] <= at && at < arcs.offsets[source + 1]) continue;
    FAIL() << "arc " << at << ": " << arcs.keys[at] << ", not " << key << " of " << source;
  }
}

constexpr bool kIsSanitized = unless_sanitized(false, true);

TEST(ArcSort, RandomEdges) {
  for (const int threads : {1, 3}) {
    for (const std::uint64_t n : {1, 2, 3, 63, 1000, 65'536, 65'537, 3'000'000}) {
      if (kIsSanitized && n > 100'000) continue;
      for (const std::uint64_t count : {0, 1, 70, 3000, 60'000}) {
        if (threads == 1 && n > 100'000 && count != 3000) continue;
        const Edges edges = random_edges(n, count, n + count, (n + count) % 2 == 0);
        expect_sorted(n, edges, {}, threads);
        expect_sorted(n, edges, {.shift = 1}, threads);
        expect_sorted(n, edges, {.directed = true}, threads);
        expect_sorted(n, edges, {.directed = true, .keep_loops = true}, threads);
      }
    }
  }
}

TEST(ArcSort, ManyBucketsAndABucketPastTheCache) {
  constexpr std::uint64_t kVertices = 700'000;
  Edges edges = random_edges(kVertices, unless_sanitized(1'500'000, 300'000), 7, false);
  for (std::int64_t at = 0; at < 1'100'000; ++at) {  // A star.
    edges.sources.push_back(kVertices / 2);
    edges.targets.push_back((at * 7919) % static_cast<std::int64_t>(kVertices));
  }
  expect_sorted(kVertices, edges, {.shift = 1}, 3);
}

TEST(ArcSort, TargetsPastTheSources) {
  Edges edges = random_edges(5000, 20'000, 3, false);
  for (std::int64_t& source : edges.sources) source %= 20;
  expect_sorted(20, edges, {.directed = true, .keep_loops = true, .target_limit = 5000}, 1);
}

TEST(ArcSort, WordsHaveRoomForEverySize) {
  for (const unsigned shift : {0U, 1U}) {
    for (const std::uint64_t n :
         {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 16, (std::uint64_t{1} << 20) + 1,
          (std::uint64_t{1} << 27) - 5, std::uint64_t{1} << 31, std::uint64_t{0xFFFFFFFE}}) {
      if (shift == 1 && n > std::uint64_t{1} << 31) continue;  // The caller does not ask for it.
      for (const std::uint64_t arcs : {std::uint64_t{0}, std::uint64_t{5000}, std::uint64_t{1} << 30}) {
        const ArcBuckets buckets(n, n, arcs, shift);
        ASSERT_LE(buckets.word_bits(), 32U);
        ASSERT_EQ(buckets.of(n - 1) + 1, buckets.count());
        for (const std::uint64_t source : {std::uint64_t{0}, n / 2, n - 1}) {
          const std::uint64_t key = (n - 1) << shift | shift;
          const std::uint32_t word = buckets.word(source, key);
          EXPECT_EQ(buckets.first_source(buckets.of(source)) + buckets.low_of(word), source);
          EXPECT_EQ(buckets.key_of(word), key);
        }
      }
    }
  }
}

}  // namespace
}  // namespace matcha::runtime
