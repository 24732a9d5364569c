// Set operations of groups of several lanes, on a warp of fibers; compiled for each way to search.

#include "tests/unit/runtime/common/warp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "runtime/common/worker.h"

namespace matcha_program {
namespace {

using Items = std::vector<u32>;

/// Lists and the expected results.
struct Case {
  Items a, b;
  Items mixed;  ///< In any order, with repeats.
  Items both, only, mixed_both;
};

Items drawn(std::mt19937_64& random, u64 size, u64 range, bool set) {
  Items items;
  for (u64 i = 0; i < size; ++i) items.push_back(u32(random() % range));
  if (!set) return items;
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
  return items;
}

/// Lists of no items, of a few, of similar length and of very different ones, by turns.
Case drawn_case(std::mt19937_64& random, int round) {
  Case c;
  u64 range = 1 + random() % 1500;
  c.a = drawn(random, random() % (round % 3 == 0 ? 900 : 60), range, true);
  c.b = drawn(random, random() % (round % 5 == 0 ? 3000 : round % 7 == 0 ? 30 : 300), range * 2, true);
  if (round % 11 == 0) (round % 2 == 0 ? c.a : c.b).clear();
  c.mixed = drawn(random, random() % 90, range, false);
  std::set_intersection(c.a.begin(), c.a.end(), c.b.begin(), c.b.end(), std::back_inserter(c.both));
  std::set_difference(c.a.begin(), c.a.end(), c.b.begin(), c.b.end(), std::back_inserter(c.only));
  std::copy_if(c.mixed.begin(), c.mixed.end(), std::back_inserter(c.mixed_both),
               [&](u32 x) { return std::binary_search(c.b.begin(), c.b.end(), x); });
  return c;
}

ShortList<u32> view(const Items& items) { return {items.data(), u32(items.size())}; }

/// The errors seen by one lane.
template <u32 width>
class Lane {
 public:
  Lane(const Case& c, std::vector<Items>& rooms) : case_(c), rooms_(rooms), next_room_(threadIdx.x / width * kRooms) {
    launch_.shared = &shared_;
  }

  static constexpr u32 kRooms = 4;

  int wrong() {
    TaskState book;
    const WorkerOf<Group<width>> w(launch_, 0, book);
    const ShortList<u32> a = view(case_.a);
    const ShortList<u32> b = view(case_.b);
    const ShortList<u32> mixed = view(case_.mixed);
    const Literal<2, u32> few{{3, 1}};
    // An uncut list beside a cut one must not change the count.
    for (u32 x : {0U, 5U, case_.a.empty() ? 1U : case_.a[case_.a.size() / 2], ~0U}) {
      const ShortList<u32> low = below(a, x);
      const i64 both = w.count_intersect(low, below(b, x));
      expect(w.count_intersect(low, w.cut_beside(low, b, x)) == both);
      expect(w.count_intersect(low, cut_beside(low, b, x)) == both);
      expect(w.count_diff(low, w.cut_beside(low, b, x)) == low.size - both);
    }
    expect(w.count_intersect(a, b) == i64(case_.both.size()));
    expect(w.count_intersect(b, a) == i64(case_.both.size()));
    expect(w.count_diff(a, b) == i64(case_.only.size()));
    expect(w.count_intersect_repeats(mixed, b) == i64(case_.mixed_both.size()));
    expect(w.count_intersect(a, few) ==
           std::count(case_.a.begin(), case_.a.end(), 3U) + std::count(case_.a.begin(), case_.a.end(), 1U));
    expect(same(w.intersect(a, b, room()), case_.both));
    expect(same(w.diff(a, b, room()), case_.only));
    expect(same(w.intersect_repeats(mixed, b, room()), case_.mixed_both));
    expect(same(w.intersect(b, a, room()), case_.both));
    return wrong_;
  }

 private:
  void expect(bool right) { wrong_ += right ? 0 : 1; }
  static bool same(ShortList<u32> list, const Items& items) {
    return std::equal(items.begin(), items.end(), list.data, list.data + list.size);
  }
  Room<u32> room() {
    Items& items = rooms_[next_room_++];
    return {items.data(), u32(items.size())};
  }

  const Case& case_;
  std::vector<Items>& rooms_;
  u32 next_room_;
  Shared shared_{};
  Launch launch_{};
  int wrong_ = 0;
};

template <u32 width>
void check() {
  std::mt19937_64 random{width};
  warp::Warp warp;
  for (int round = 0; round < 40; ++round) {
    const Case c = drawn_case(random, round);
    std::vector<Items> rooms(Lane<width>::kRooms * (warp::kLanes / width),
                             Items(std::max({c.a.size(), c.b.size(), c.mixed.size()}) + 1));
    int wrong = 0;
    warp.run([&] { wrong += Lane<width>(c, rooms).wrong(); });
    ASSERT_EQ(wrong, 0) << "round " << round << ", lists of " << c.a.size() << " and " << c.b.size();
  }
}

TEST(LaneSearchTest, GroupsOf32) { check<32>(); }
TEST(LaneSearchTest, GroupsOf16) { check<16>(); }
TEST(LaneSearchTest, GroupsOf4) { check<4>(); }
TEST(LaneSearchTest, GroupsOf1) { check<1>(); }

}  // namespace
}  // namespace matcha_program
