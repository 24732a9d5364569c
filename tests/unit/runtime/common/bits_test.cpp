// Sets of bits of groups of several lanes, on a warp of fibers, against sets of numbers.

#include "tests/unit/runtime/common/warp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "runtime/common/worker.h"

namespace matcha_program {
namespace {

using Positions = std::set<i64>;

/// A graph, and a part of its vertices.
struct Case {
  std::vector<u64> offsets, halves;
  std::vector<u32> arcs;
  std::vector<u32> list;

  Graph graph() const {
    Graph g{};
    g.offsets = offsets.data();
    g.halves = halves.data();
    g.arcs = arcs.data();
    return g;
  }
  ShortList<u32> view() const { return {list.data(), u32(list.size())}; }
  bool near(u32 u, u32 v) const {
    return std::binary_search(arcs.begin() + i64(offsets[u]), arcs.begin() + i64(offsets[u + 1]), v);
  }
  /// The positions of the neighbours of item `i` at which `wanted` holds.
  template <typename F>
  Positions row(u64 i, F wanted) const {
    Positions found;
    for (u64 j = 0; j < list.size(); ++j) {
      if (near(list[i], list[j]) && wanted(list[j])) found.insert(i64(j));
    }
    return found;
  }
};

/// Lists of few and of many vertices, with few and with many neighbours.
Case drawn(std::mt19937_64& random, int round) {
  Case c;
  const u32 vertices = round % 4 == 0 ? 40 : 150;
  c.offsets = {0};
  for (u32 v = 0; v < vertices; ++v) {
    const u64 most = v % 5 == 0 ? 6 : random() % 2 == 0 ? vertices / 2 : vertices;
    std::set<u32> near;
    for (u64 k = 0; k < most; ++k) near.insert(u32(random() % vertices));
    near.erase(v);
    c.halves.push_back(c.arcs.size());
    c.halves.push_back(c.arcs.size() + u64(std::distance(near.begin(), near.lower_bound(v))));
    c.arcs.insert(c.arcs.end(), near.begin(), near.end());
    c.offsets.push_back(c.arcs.size());
  }
  c.halves.push_back(c.arcs.size());
  const u64 size = round % 3 == 0 ? random() % 12 : random() % vertices;
  std::set<u32> list;
  for (u64 k = 0; k < size; ++k) list.insert(u32(random() % vertices));
  c.list.assign(list.begin(), list.end());
  return c;
}

/// The errors seen by one lane.
template <u32 width>
class Lane {
 public:
  using Rooms = std::vector<std::vector<u64>>;
  static constexpr u32 kRooms = 4;

  Lane(const Case& c, Rooms& rooms, const Launch& launch)
      : case_(c), rooms_(rooms), next_room_(threadIdx.x / width * kRooms), launch_(launch) {}

  int wrong() {
    TaskState state;
    const WorkerOf<Group<width>> w(launch_, 0, state);
    const Graph g = case_.graph();
    // The groups of the warp make the first rows together; there is not enough room for all of the second ones.
    const auto rows = w.bit_rows(g, case_.view(), room(), launch_.row_states);
    const auto lower = w.lower_bit_rows(g, case_.view(), room(), launch_.row_states + 1);
    const auto upper = w.upper_bit_rows(g, case_.view(), room());
    const Room<u64> last = room();
    expect(w.size_of_bits(all_bits(rows)) == i64(case_.list.size()));
    for (u64 i = 0; i < case_.list.size(); i += 1 + case_.list.size() / 12) {
      const u32 v = case_.list[i];
      const Positions all = case_.row(i, [](u32) { return true; });
      check_bits(w, bit_row(rows, i64(i)), all);
      check_bits(w, bit_row(lower, i64(i)), case_.row(i, [&](u32 x) { return x < v; }));
      check_bits(w, bit_row(upper, i64(i)), case_.row(i, [&](u32 x) { return v < x; }));
      const u64 j = (i * 7 + 3) % case_.list.size();
      const Positions other = case_.row(j, [&](u32 x) { return x < case_.list[j]; });
      Positions both, rest;
      for (i64 p : all) (other.contains(p) ? both : rest).insert(p);
      check_bits(w, w.store_bits(common_bits(bit_row(rows, i64(i)), bit_row(lower, i64(j))), last), both);
      check_bits(w, w.store_bits(other_bits(bit_row(rows, i64(i)), bit_row(lower, i64(j))), last), rest);
      std::erase_if(rest, [&](i64 p) { return p <= i64(j); });
      check_bits(w, bits_above(other_bits(bit_row(rows, i64(i)), bit_row(lower, i64(j))), i64(j)), rest);
      std::erase_if(both, [&](i64 p) { return p >= i64(i); });
      check_bits(w, bits_below(common_bits(bit_row(rows, i64(i)), bit_row(lower, i64(j))), i64(i)), both);
    }
    expect(launch_.shared->error == 0);
    return wrong_;
  }

 private:
  void expect(bool right) { wrong_ += right ? 0 : 1; }
  Room<u64> room() {
    std::vector<u64>& words = rooms_[next_room_++];
    return {words.data(), words.size()};
  }

  template <typename W, typename A>
  void check_bits(const W& w, const A& set, const Positions& wanted) {
    const i64 size = i64(wanted.size());
    expect(count_bits(set) == size);
    expect(w.size_of_bits(set) == size);
    expect(w.gather(w.share_bits(set)) == size);
    i64 index = 0;
    auto walk = walk_bits(set);
    for (i64 position : wanted) expect(walk.next() && walk.position == position && walk.index == index++);
    expect(!walk.next());
    for (u64 begin = 0; begin <= wanted.size() + 1; begin += 1 + wanted.size() / 5) {
      auto rest = walk_bits_from(set, begin);
      auto position = std::next(wanted.begin(), i64(smaller<u64>(begin, wanted.size())));
      for (index = i64(begin); position != wanted.end(); ++position, ++index) {
        expect(rest.next() && rest.position == *position && rest.index == index);
      }
      expect(!rest.next());
    }
    for (i64 p = 0; p < i64(case_.list.size()); p += 5) expect(has_bit(set, p) == wanted.contains(p));
    // Each position is given to one lane, with its index.
    i64 sum = 0;
    for (auto own = w.walk_lanes(set); own.next();) {
      const auto at = std::next(wanted.begin(), own.index);
      expect(own.index < size && *at == own.position);
      sum += own.position + 1;
    }
    i64 expected = 0;
    for (i64 position : wanted) expected += position + 1;
    expect(w.gather(sum) == expected);
    if constexpr (width > 1) {
      check_below_each(w, set, wanted);
      check_pairs(w, set, wanted);
    }
  }

  /// Each position is paired with each one in front of it, in one lane.
  template <typename W, typename A>
  void check_pairs(const W& w, const A& set, const Positions& wanted) {
    const std::vector<i64> positions(wanted.begin(), wanted.end());
    i64 sum = 0, expected = 0, before = 0;
    for (u64 from = 0; from < positions.size();) {
      u32 own = 0, first = 0;
      const u64 at = from + w.lane();
      if (at < positions.size()) {
        first = u32(nth_position(set, u32(at)));
        expect(i64(first) == positions[at]);
        own = u32(count_bits(bits_below(set, i64(first))));
      }
      auto pairs = w.walk_pairs(own);
      while (pairs.next()) {
        expect(pairs.there == ((pairs.lanes >> (threadIdx.x & 31) & 1) != 0));
        const i64 its_first = pairs.of_owner(i64(first));
        expect(pairs.of_owner(first % 2 == 0) == (its_first % 2 == 0) && pairs.of_owner(first) == u32(its_first));
        expect(pairs.of_owner(f64(first) + 0.25) == f64(its_first) + 0.25);
        if (!pairs.there) continue;
        expect(its_first == positions[from + pairs.owner]);
        const i64 second = nth_position(bits_below(set, its_first), pairs.rank);
        expect(second == positions[pairs.rank]);
        sum += (its_first + 7) * (second + 1);
      }
      expect(pairs.taken != 0 && (pairs.all <= pairs.kMany || pairs.taken == 1));
      from += pairs.taken;
    }
    for (i64 position : positions) {
      expected += (position + 7) * before;
      before += position + 1;
    }
    expect(w.gather(sum) == expected);
  }

  /// At each of its positions, a lane walks those in front of it: some have none, some many.
  template <typename W, typename A>
  void check_below_each(const W& w, const A& set, const Positions& wanted) {
    alignas(16) u64 words[4];
    for (auto at = w.walk_lanes(set); at.next();) {
      const KeptBits below = keep_bits(bits_below(set, at.position), words);
      expect(count_bits(below) == at.index);
      i64 found = 0;
      auto right = wanted.begin();
      for (auto own = w.walk_own(below, at.lanes); own.next(); ++right) {
        expect(own.index == found++ && own.position == *right);
      }
      expect(found == at.index);
    }
  }

  const Case& case_;
  Rooms& rooms_;
  u32 next_room_;
  const Launch& launch_;
  int wrong_ = 0;
};

template <u32 width>
void check_bits() {
  std::mt19937_64 random{width};
  warp::Warp warp;
  for (int round = 0; round < 8; ++round) {
    const Case c = drawn(random, round);
    std::vector<std::vector<u64>> rooms(Lane<width>::kRooms * (warp::kLanes / width),
                                        std::vector<u64>(row_words(c.list.size()) + 1, ~0ull));
    Shared shared{};
    RowsState states[2]{};
    std::vector<u64> words(row_words(c.list.size()) + 1, ~0ull);
    Launch launch{};
    launch.shared = &shared;
    launch.row_states = states;
    launch.row_words = words.data();
    launch.row_capacity = words.size();
    int wrong = 0;
    warp.run([&] { wrong += Lane<width>(c, rooms, launch).wrong(); });
    EXPECT_EQ(states[0].done, c.list.size());
    EXPECT_EQ(words.back(), ~0ull);
    ASSERT_EQ(wrong, 0) << "round " << round << ", a list of " << c.list.size();
  }
}

TEST(BitsTest, GroupsOf32) { check_bits<32>(); }
TEST(BitsTest, GroupsOf8) { check_bits<8>(); }
TEST(BitsTest, GroupsOf1) { check_bits<1>(); }

TEST(BitsTest, BitsAreFoundByTheirNumber) {
  std::mt19937_64 random{3};
  for (u64 word : {1ull, 1ull << 63, ~0ull, 0x8000000100000000ull, u64(random()), u64(random() & random())}) {
    u32 n = 0;
    for (u64 rest = word; rest != 0; rest &= rest - 1) EXPECT_EQ(nth_bit(word, n++), lowest_bit(rest));
  }
}

/// Items of all lanes that have no number of 32 bits: the first lane's alone are walked, to their end.
TEST(BitsTest, PairsOfVeryLongListsAreWalkedLaneByLane) {
  warp::Warp warp;
  int wrong = 0;
  warp.run([&] {
    Shared shared{};
    Launch launch{};
    launch.shared = &shared;
    TaskState state;
    const WorkerOf<Group<32>> w(launch, 0, state);
    auto pairs = w.walk_pairs(~0u);
    wrong += pairs.taken != 1 || pairs.all != ~0u;
    pairs.at = ~0u - 3;
    bool more = pairs.next();
    wrong += !more || pairs.there != (w.lane() < 3) ||
             (pairs.there && (pairs.owner != 0 || pairs.rank != ~0u - 3 + w.lane()));
    wrong += pairs.next();
    // All of short lists in front of a long one.
    auto few = w.walk_pairs(w.lane() < 5 ? 2 : ~0u);
    wrong += few.taken != 5 || few.all != 10;
  });
  EXPECT_EQ(wrong, 0);
}

TEST(BitsTest, AFullBufferIsAnErrorAndNothingIsWrittenBehindIt) {
  warp::Warp warp;
  std::vector<u64> words = {0, 99};
  Shared shared{};
  warp.run([&] {
    Launch launch{};
    launch.shared = &shared;
    TaskState state;
    const WorkerOf<Group<32>> w(launch, 0, state);
    const AllBits set{70, 2};
    w.store_bits(set, {words.data(), 1});
  });
  EXPECT_EQ(words, (std::vector<u64>{0, 99}));
  EXPECT_EQ(shared.error >> 56, u64(kCapacityExceeded));
}

}  // namespace
}  // namespace matcha_program
