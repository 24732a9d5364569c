// Once with a thread as a group, and, with MATCHA_TEST_WARP, once with a warp of fibers.

#ifdef MATCHA_TEST_WARP
#include "tests/unit/runtime/common/warp.h"
#endif

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "runtime/common/graph_build.h"

namespace matcha_program {
namespace {

/// Calls `work(group)` in all lanes of a group.
template <typename F>
void in_group(F work) {
#ifdef MATCHA_TEST_WARP
  static warp::Warp warp;
  warp.run([&] { work(Group<32>::here()); });
#else
  work(Group<1>::here());
#endif
}

struct Edge {
  u64 source, target, info;
};

/// Rows of edges as workers leave them: the positions in any order, the rows of a position one after the other.
class EdgeRows {
 public:
  EdgeRows(const std::vector<Edge>& list, const std::vector<u64>& positions, std::mt19937_64& random)
      : capacity_(list.size() + 3), edges_(3 * capacity_), info_(2 * capacity_) {
    std::vector<u64> order(positions.empty() ? 0 : positions.back() + 1);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    place(list, positions, order, edges_,
          [](const Edge& edge, u64 column) { return column == 0 ? edge.source : edge.target; });
    std::shuffle(order.begin(), order.end(), random);
    place(list, positions, order, info_, [](const Edge& edge, u64) { return edge.info; });
  }
  StoredRows edges(u64 count) const { return {edges_.data(), capacity_, count, nullptr}; }
  StoredRows info(u64 count) const { return {info_.data(), capacity_, count, nullptr}; }

 private:
  template <typename Word>
  void place(const std::vector<Edge>& list, const std::vector<u64>& positions, const std::vector<u64>& order,
             std::vector<u64>& words, Word word) {
    u64 at = 0;
    for (u64 position : order) {
      for (u64 i = 0; i < list.size(); ++i) {
        if (positions[i] != position) continue;
        words[at] = position;
        for (u64 column = 1; column < words.size() / capacity_; ++column) {
          words[column * capacity_ + at] = word(list[i], column - 1);
        }
        ++at;
      }
    }
  }

  u64 capacity_;
  std::vector<u64> edges_, info_;
};

/// The kernels' steps, one thread after the other.
class Builder {
 public:
  explicit Builder(u64 piece) : piece_(piece) {}

  void sort(std::vector<u64>& keys, std::vector<u32>& values, u64 bits) {
    std::vector<u64> sorted_keys(keys.size());
    std::vector<u32> sorted_values(values.size());
    const Pieces pieces = cut(keys.size());
    std::vector<u32> counts(pieces.pieces * kDigits);
    std::vector<u32> digits(kDigits);
    for (u32 shift = 0; shift < bits; shift += kDigitBits) {
      const SortStep step{pieces,
                          keys.data(),
                          sorted_keys.data(),
                          values.empty() ? nullptr : values.data(),
                          sorted_values.data(),
                          counts.data(),
                          shift};
      for (u64 i = pieces.pieces; i-- > 0;) in_group([&](auto group) { count_digits(step, group, i, digits.data()); });
      sum(counts);
      for (u64 i = pieces.pieces; i-- > 0;) in_group([&](auto group) { move_by_digit(step, group, i, digits.data()); });
      keys.swap(sorted_keys);
      values.swap(sorted_values);
    }
  }
  u32 sum(std::vector<u32>& counts) {
    const Pieces pieces = cut(counts.size());
    std::vector<u32> sums(pieces.pieces + 1);
    const Sums s{pieces, counts.data(), sums.data()};
    for (u64 i = pieces.pieces; i-- > 0;) in_group([&](auto group) { sum_piece(s, group, i); });
    in_group([&](auto group) { sum_sums(s, group); });
    for (u64 i = pieces.pieces; i-- > 0;) in_group([&](auto group) { spread_sums(s, group, i); });
    return sums.back();
  }
  std::vector<u32> order(const StoredRows& rows) {
    std::vector<u64> keys(rows.count);
    std::vector<u32> values(rows.count);
    u64 used = 0;
    for (u64 i = 0; i < rows.count; ++i) order_key(rows, keys.data(), values.data(), &used, i);
    EXPECT_EQ(used >> 16, 0u);
    sort(keys, values, 16);
    return values;
  }

 private:
  Pieces cut(u64 count) const { return {count, piece_, (count + piece_ - 1) / piece_}; }

  u64 piece_;
};

/// Labels as rows: of every third vertex, and repeated.
StoredRows labels_of(u64 universe, std::vector<u64>& words) {
  const u64 count = 2 * ((universe + 2) / 3);
  words.assign(3 * count, 0);
  for (u64 i = 0; i < count; ++i) {
    words[count + i] = i / 2 * 3;
    words[2 * count + i] = i / 2 % 5;
  }
  return {words.data(), count, count, nullptr};
}

struct Built {
  std::vector<u64> offsets, halves, info, labels;
  std::vector<u32> neighbors, sources, vertices;
  u64 max_degree = 0;
};

Built build(const EdgeRows& rows, u64 count, u64 universe, bool with_info, bool with_labels, u64 piece) {
  Builder builder(piece);
  GraphBuild b{};
  b.universe = universe;
  while ((universe - 1) >> b.bits != 0 || b.bits == 0) ++b.bits;
  b.edges = rows.edges(count);
  b.info = rows.info(count);
  std::vector<u32> edge_order = builder.order(b.edges);
  std::vector<u32> info_order = builder.order(b.info);
  std::vector<u64> keys(count);
  std::vector<u32> values(with_info ? count : 0);
  b.keys = keys.data();
  if (with_info) {
    b.edges.order = edge_order.data();
    b.info.order = info_order.data();
    b.values = values.data();
  }
  for (u64 i = 0; i < count; ++i) edge_key(b, i);
  builder.sort(keys, values, 2 * b.bits);
  b.keys = keys.data();
  b.values = values.data();
  Built built;
  built.offsets.resize(universe + 1);
  built.halves.resize(2 * universe + 1);
  built.neighbors.resize(count);
  built.sources.resize(count);
  built.info.resize(with_info ? count : 0);
  const u64 words = (universe + 63) / 64;
  std::vector<u64> marks(words);
  std::vector<u32> mark_counts(words);
  b.offsets = built.offsets.data();
  b.halves = built.halves.data();
  b.neighbors = built.neighbors.data();
  b.sources = built.sources.data();
  b.info_words = with_info ? built.info.data() : nullptr;
  b.marks = marks.data();
  b.mark_counts = mark_counts.data();
  b.max_degree = &built.max_degree;
  std::vector<u64> label_words;
  u64 clashes = 0;
  if (with_labels) {
    b.labels = labels_of(universe, label_words);
    built.labels.resize(universe);
    b.vertex_labels = built.labels.data();
    b.clashes = &clashes;
    for (u64 rank = 0; rank < universe; ++rank) clear_label(b, rank);
    for (u64 i = b.labels.count; i-- > 0;) place_label(b, i);
    EXPECT_EQ(clashes, 0u);
  }
  for (u64 i = 0; i < count; ++i) place_arc(b, i);
  for (u64 rank = 0; rank <= universe; ++rank) place_offset(b, rank);
  for (u64 word = 0; word < words; ++word) count_marks(b, word);
  for (u64 number = 0; number < 7; ++number) find_max_degree(b, number, 7);
  built.vertices.resize(builder.sum(mark_counts));
  b.vertices = built.vertices.data();
  for (u64 word = 0; word < words; ++word) place_vertices(b, word);
  return built;
}

Built expected(std::vector<Edge> list, u64 universe, bool with_info, bool with_labels) {
  std::stable_sort(list.begin(), list.end(), [](const Edge& a, const Edge& b) {
    return a.source != b.source ? a.source < b.source : a.target < b.target;
  });
  Built built;
  for (u64 rank = 0; rank <= universe; ++rank) {
    const auto before = [&](auto test) { return u64(std::count_if(list.begin(), list.end(), test)); };
    built.offsets.push_back(before([&](const Edge& edge) { return edge.source < rank; }));
    built.halves.push_back(built.offsets[rank]);
    if (rank == universe) break;
    built.halves.push_back(built.offsets[rank] +
                           before([&](const Edge& edge) { return edge.source == rank && edge.target < rank; }));
    const bool labelled = with_labels && rank % 3 == 0;
    if (with_labels) built.labels.push_back(labelled ? rank / 3 % 5 : u64(kNoLabel));
    if (labelled || before([&](const Edge& edge) { return edge.source == rank || edge.target == rank; }) != 0) {
      built.vertices.push_back(u32(rank));
    }
    built.max_degree = std::max(built.max_degree, before([&](const Edge& edge) { return edge.source == rank; }));
  }
  for (const Edge& edge : list) {
    built.neighbors.push_back(u32(edge.target));
    built.sources.push_back(u32(edge.source));
    if (with_info) built.info.push_back(edge.info);
  }
  return built;
}

TEST(GraphBuildTest, IsTheGraphOfTheList) {
  std::mt19937_64 random(7);
#ifdef MATCHA_TEST_WARP
  constexpr int kRounds = 8;
  constexpr u64 kSmallestPiece = 100;
#else
  constexpr int kRounds = 300;
  constexpr u64 kSmallestPiece = 1;
#endif
  for (int round = 0; round < kRounds; ++round) {
    const u64 universe = 1 + random() % (round % 5 == 0 ? 3 : round % 3 == 0 ? 700 : 65);
    const u64 count = random() % (round % 4 == 0 ? 1500 : 150);
    std::vector<Edge> list;
    std::vector<u64> positions;
    for (u64 i = 0; i < count; ++i) {
      list.push_back({random() % universe, random() % universe, i});
      positions.push_back((positions.empty() ? 0 : positions.back()) + random() % 3);
    }
    const EdgeRows rows(list, positions, random);
    for (bool with_info : {false, true}) {
      const bool with_labels = round % 2 != 0;
      const Built wanted = expected(list, universe, with_info, with_labels);
      const Built built = build(rows, count, universe, with_info, with_labels, kSmallestPiece + random() % 90);
      ASSERT_EQ(built.offsets, wanted.offsets);
      ASSERT_EQ(built.neighbors, wanted.neighbors);
      ASSERT_EQ(built.sources, wanted.sources);
      ASSERT_EQ(built.halves, wanted.halves);
      ASSERT_EQ(built.info, wanted.info);
      ASSERT_EQ(built.labels, wanted.labels);
      ASSERT_EQ(built.vertices, wanted.vertices);
      ASSERT_EQ(built.max_degree, wanted.max_degree);
    }
  }
}

TEST(GraphBuildTest, TwoLabelsOfAVertexAreReported) {
  for (const std::vector<u64>& labels : {std::vector<u64>{4, 4, 4}, {4, 5, 4}, {u64(kNoLabel), 4, 4}}) {
    std::vector<u64> words = {0, 0, 0, 1, 1, 1, labels[0], labels[1], labels[2]};
    std::vector<u64> by_rank(2);
    u64 marks = 0;
    u64 clashes = 0;
    GraphBuild b{};
    b.labels = {words.data(), 3, 3, nullptr};
    b.vertex_labels = by_rank.data();
    b.marks = &marks;
    b.clashes = &clashes;
    for (u64 rank = 0; rank < 2; ++rank) clear_label(b, rank);
    for (u64 i = 0; i < 3; ++i) place_label(b, i);
    EXPECT_EQ(clashes != 0, labels[0] != labels[1]);
    EXPECT_EQ(by_rank[0], u64(kNoLabel));
    EXPECT_EQ(marks, 2u);
  }
}

}  // namespace
}  // namespace matcha_program
