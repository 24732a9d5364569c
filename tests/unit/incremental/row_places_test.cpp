// Rows that move between two memories, compared with their expected contents: the moves are done as a device may do
// them, those of a round in any order.

#include "incremental/runtime/row_places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "incremental/runtime/search_memory.h"

namespace matcha::runtime::stream {
namespace {

using Row = std::vector<std::uint32_t>;

class RowMemory {
 public:
  RowMemory(std::uint64_t slots, std::uint64_t resident, RowPlaces::Kind kind, unsigned seed)
      : random_(seed), rows_(slots), resident_(resident) {
    places.reset(slots, resident, kind);
  }

  Row some_row(std::uint32_t most) {
    Row row(random_() % (most + 1));
    for (std::uint32_t& item : row) item = static_cast<std::uint32_t>(random_());
    return row;
  }
  bool put(std::uint64_t slot, const Row& row, bool resident) {
    if (!places.put(slot, static_cast<std::uint32_t>(row.size()), resident)) return false;
    rows_[slot] = row;
    if (places.is_resident(slot)) std::ranges::copy(row, resident_.data() + places.home(slot).word);
    return true;
  }
  /// Announces another row; its contents are written by its last move, if it is resident.
  bool change(std::uint64_t slot, const Row& row) {
    if (!places.change(slot, static_cast<std::uint32_t>(row.size()))) return false;
    if (places.is_resident(slot)) made_.push_back({places.moves().size() - 1, row});
    rows_[slot] = row;
    return true;
  }
  /// Does the moves of the turn: in each round first all reads, then all writes. No word that is read or written is
  /// written by another move of the round.
  void do_moves() {
    std::size_t first = 0, made = 0;
    for (const std::size_t end : places.rounds()) {
      std::vector<Row> read;
      std::vector<std::pair<std::uint64_t, std::uint64_t>> reads, writes;
      for (std::size_t i = first; i < end; ++i) {
        const RowPlaces::Move& move = places.moves()[i];
        // Remote rows are where the host has them.
        const bool is_remote = (move.before.word & RowPlaces::kRemote) != 0;
        const std::uint32_t* const from = is_remote ? rows_[move.slot].data() : resident_.data() + move.before.word;
        if (made < made_.size() && made_[made].first == i) {
          read.push_back(made_[made++].second);
        } else {
          ASSERT_EQ(move.before.size, move.after.size);
          read.emplace_back(from, from + move.before.size);
        }
        if (!is_remote) reads.emplace_back(move.before.word, move.before.word + move.before.size);
        ASSERT_EQ(move.after.word & RowPlaces::kRemote, 0U);
        writes.emplace_back(move.after.word, move.after.word + move.after.size);
      }
      for (std::size_t w = 0; w < writes.size(); ++w) {
        const auto meets = [&](const auto& other) {
          return std::max(other.first, writes[w].first) < std::min(other.second, writes[w].second);
        };
        ASSERT_FALSE(std::ranges::any_of(reads, meets));
        ASSERT_EQ(std::ranges::count_if(writes, meets), writes[w].first < writes[w].second ? 1 : 0);
      }
      for (std::size_t i = first; i < end; ++i) {
        std::ranges::copy(read[i - first], resident_.data() + places.moves()[i].after.word);
      }
      first = end;
    }
    ASSERT_EQ(first, places.moves().size());
    made_.clear();
  }
  void check() {
    for (std::uint64_t slot = 0; slot < rows_.size(); ++slot) {
      const RowPlaces::Home& home = places.home(slot);
      ASSERT_EQ(home.size, rows_[slot].size());
      if (!places.is_resident(slot)) continue;
      ASSERT_TRUE(std::equal(rows_[slot].begin(), rows_[slot].end(), resident_.data() + home.word)) << "slot " << slot;
    }
  }
  const Row& row(std::uint64_t slot) const { return rows_[slot]; }
  std::mt19937& random() { return random_; }

  RowPlaces places;

 private:
  std::mt19937 random_;
  std::vector<Row> rows_;
  Row resident_;
  std::vector<std::pair<std::size_t, Row>> made_;
};

TEST(RowPlaces, RowsKeepTheirContentsDuringMoves) {
  constexpr std::uint64_t kSlots = 40;
  constexpr std::uint32_t kLongest = 9;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    RowMemory memory(kSlots, 160 + seed * 3, RowPlaces::Kind::Remote, seed);
    for (std::uint64_t slot = 0; slot < kSlots; ++slot) {
      const Row row = memory.some_row(kLongest);
      ASSERT_TRUE((slot % 3 == 0 && memory.put(slot, row, true)) || memory.put(slot, row, false));
    }
    std::uint64_t sent = 0, evicted = 0;
    for (int turn = 0; turn < 60; ++turn) {
      memory.places.begin_turn(1000);
      for (int i = 0; i < 6; ++i) {
        // Some of them twice in a turn.
        ASSERT_TRUE(memory.change(memory.random()() % (kSlots / 4), memory.some_row(kLongest)));
      }
      std::vector<RowPlaces::Read> reads;
      for (std::uint64_t slot = 0; slot < kSlots; ++slot) {
        if (memory.random()() % 4 == 0) reads.push_back({slot, static_cast<double>(memory.random()() % 50)});
      }
      const RowPlaces::Chosen chosen = memory.places.choose(reads);
      EXPECT_EQ(chosen.evicted, memory.places.evicted().size());
      const auto is_wanted = [&](const RowPlaces::Read& read) {
        return read.times >= 2 && memory.places.home(read.slot).size != 0;
      };
      EXPECT_EQ(chosen.kept + chosen.sent + chosen.left,
                static_cast<std::uint64_t>(std::ranges::count_if(reads, is_wanted)));
      sent += chosen.sent;
      evicted += chosen.evicted;
      ASSERT_NO_FATAL_FAILURE(memory.do_moves());
      ASSERT_NO_FATAL_FAILURE(memory.check());
    }
    EXPECT_GT(sent, 20U);
    EXPECT_GT(evicted, 20U);
  }
}

TEST(RowPlaces, OneMemoryIsUsedAgain) {
  constexpr std::uint64_t kSlots = 30;
  RowMemory memory(kSlots, 600, RowPlaces::Kind::Scarce, 5);
  for (std::uint64_t slot = 0; slot < kSlots; ++slot) ASSERT_TRUE(memory.put(slot, memory.some_row(9), true));
  for (int turn = 0; turn < 300; ++turn) {
    memory.places.begin_turn(1000);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(memory.change(memory.random()() % kSlots, memory.some_row(9)));
    ASSERT_NO_FATAL_FAILURE(memory.do_moves());
    ASSERT_NO_FATAL_FAILURE(memory.check());
  }
  // More than it has.
  memory.places.begin_turn(1000);
  bool fits = true;
  for (std::uint64_t slot = 0; slot < kSlots && fits; ++slot) fits = memory.change(slot, Row(30, 1));
  EXPECT_FALSE(fits);
}

TEST(RowPlaces, WithAmpleMemoryOnlyChangedRowsMove) {
  constexpr std::uint64_t kSlots = 60;
  RowMemory memory(kSlots, 2400, RowPlaces::Kind::Ample, 6);
  for (std::uint64_t slot = 0; slot < kSlots; ++slot) ASSERT_TRUE(memory.put(slot, memory.some_row(20), true));
  for (int turn = 0; turn < 500; ++turn) {
    memory.places.begin_turn(1000);
    for (int i = 0; i < 12; ++i) ASSERT_TRUE(memory.change(memory.random()() % kSlots, memory.some_row(20)));
    EXPECT_EQ(memory.places.moves().size(), 12U);
    ASSERT_NO_FATAL_FAILURE(memory.do_moves());
    ASSERT_NO_FATAL_FAILURE(memory.check());
  }
  // More than it has.
  memory.places.begin_turn(1000);
  bool fits = true;
  for (std::uint64_t slot = 0; slot < kSlots && fits; ++slot) fits = memory.change(slot, Row(60, 1));
  EXPECT_FALSE(fits);
}

TEST(RowPlaces, RowsReadMoreOftenAreResident) {
  constexpr std::uint64_t kSlots = 100;
  RowMemory memory(kSlots, 200, RowPlaces::Kind::Remote, 1);
  for (std::uint64_t slot = 0; slot < kSlots; ++slot) ASSERT_TRUE(memory.put(slot, Row(10, 7), slot >= 90));
  std::vector<RowPlaces::Read> reads;
  for (std::uint64_t slot = 0; slot < 10; ++slot) reads.push_back({slot, 100});
  for (std::uint64_t slot = 40; slot < 80; ++slot) reads.push_back({slot, 3});
  for (std::uint64_t slot = 80; slot < 90; ++slot) reads.push_back({slot, 1});
  for (int turn = 0; turn < 4; ++turn) {
    memory.places.begin_turn(1000);
    const RowPlaces::Chosen chosen = memory.places.choose(reads);
    ASSERT_NO_FATAL_FAILURE(memory.do_moves());
    for (std::uint64_t slot = 0; slot < 10; ++slot) EXPECT_TRUE(memory.places.is_resident(slot)) << turn << " " << slot;
    for (std::uint64_t slot = 80; slot < 90; ++slot)
      EXPECT_FALSE(memory.places.is_resident(slot)) << turn << " " << slot;
    // They stay, and nothing is sent for them again.
    if (turn != 0) {
      EXPECT_GE(chosen.kept, 10U);
      EXPECT_EQ(chosen.sent, 0U);
    }
  }
  ASSERT_NO_FATAL_FAILURE(memory.check());
}

TEST(SearchMemory, PartsTakeNoMoreThanTheBound) {
  SearchNeeds needs;
  needs.record_bytes = 1600;
  needs.least_batch = 1024;
  needs.least_control = 2048;
  needs.most_groups = 4000;
  for (const std::uint64_t arrays : {1U, 3U, 20U}) {
    for (const std::uint64_t longest : {3U, 64U, 1000U, 300000U}) {
      needs.arrays = arrays;
      needs.longest = longest;
      const std::uint64_t least = SearchMemory::least(needs);
      EXPECT_FALSE(SearchMemory::share(needs, least - 1));
      for (std::uint64_t bytes = least; bytes < std::uint64_t{1} << 36; bytes += bytes / 3 + 1) {
        const std::optional<SearchMemory> memory = SearchMemory::share(needs, bytes);
        ASSERT_TRUE(memory) << bytes;
        const SearchRooms& rooms = memory->rooms;
        EXPECT_EQ(bytes,
                  memory->tasks * 32 + memory->control + 2 * memory->batch + memory->rows + rooms.items(arrays) * 4);
        EXPECT_GE(memory->rows, needs.record_bytes);
        EXPECT_TRUE(rooms.groups >= 4 && rooms.groups <= needs.most_groups && rooms.groups % 4 == 0);
        EXPECT_GE(rooms.long_words, longest);
        EXPECT_TRUE(rooms.long_count != 0 || rooms.words >= longest);
        EXPECT_TRUE(memory->tasks >= 64 && memory->control >= 2048 && memory->batch >= 1024);
        // Rows that have grown only use the memory for rows and sets.
        SearchNeeds more = needs;
        more.longest = longest + 100;
        const std::optional<SearchMemory> grown = memory->grown(more, bytes);
        if (!grown) continue;
        EXPECT_EQ(grown->tasks, memory->tasks);
        EXPECT_EQ(grown->control, memory->control);
        EXPECT_GE(grown->rooms.long_words, longest + 100);
      }
    }
  }
}

}  // namespace
}  // namespace matcha::runtime::stream
