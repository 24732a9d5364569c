#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "codegen/shares.h"
#include "session/cluster/dealers.h"
#include "session/cluster/record.h"

namespace matcha::session::cluster {
namespace {

using codegen::PartialValue;
using runtime::SinkKind;

PartialValue sum_of(__int128 value) {
  PartialValue sum;
  sum.kind = SinkKind::SumInt;
  sum.integer = value;
  return sum;
}

/// The value of a unit: all differ, so that a unit counted twice or not at all is noticed.
std::vector<PartialValue> found_by(std::uint64_t unit) {
  std::vector<PartialValue> found;
  found.push_back(sum_of(static_cast<__int128>(unit) * unit + 1));
  return found;
}

__int128 found_by_all(std::uint64_t units) {
  __int128 all = 0;
  for (std::uint64_t unit = 0; unit < units; ++unit) all += found_by(unit)[0].integer;
  return all;
}

class Cluster : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("matcha-cluster-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    header_.key = "k";
    header_.version = "1";
    header_.words = {"q.mt", "g.mtg"};
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
  LedgerHeader header_;
};

TEST_F(Cluster, RecordsComeBack) {
  Record record{3, 7, {}};
  record.values.push_back(sum_of(-(static_cast<__int128>(1) << 100) - 5));
  record.values[0].wide = false;
  PartialValue& floats = record.values.emplace_back();
  floats.kind = SinkKind::SumFloat;
  runtime::exact_sum_clear(floats.sum);
  runtime::exact_sum_add(floats.sum, 0.1);
  PartialValue& least = record.values.emplace_back();
  least.kind = SinkKind::MinFloat;
  least.has_value = true;
  least.number = -2.5;
  PartialValue& rows = record.values.emplace_back();
  rows.kind = SinkKind::Rows;
  rows.list.size = 2;
  const std::uint32_t ranks[] = {4, 9};
  const double reals[] = {0.5, 1.5};
  ASSERT_TRUE(rows.list.columns.emplace_back(runtime::ElementKind::Vid).append(ranks, 2));
  ASSERT_TRUE(rows.list.columns.emplace_back(runtime::ElementKind::Float).append(reals, 2));
  const std::string bytes = encode(record);
  runtime::Result<Record> again = decode(bytes, "file");
  ASSERT_TRUE(again);
  EXPECT_EQ(encode(*again), bytes);
  EXPECT_EQ(again->region, 3U);
  EXPECT_EQ(again->unit, 7U);
  EXPECT_EQ(again->values[0].integer, record.values[0].integer);
  EXPECT_EQ(runtime::exact_sum_round(again->values[1].sum), 0.1);
  EXPECT_EQ(again->values[3].list.columns[0].view<std::uint32_t>()[1], 9U);
  // Every shorter text is an error, and so is a longer one.
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(decode(bytes.substr(0, size), "file"));
  EXPECT_FALSE(decode(bytes + "x", "file"));
}

TEST_F(Cluster, FramesDetectChanges) {
  const std::string bytes = framed("abc") + framed("") + framed("defg");
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    std::string_view rest = changed;
    std::string all;
    bool failed = false;
    while (!rest.empty() && !failed) {
      const runtime::Result<std::string_view> frame = next_frame(rest, "file");
      failed = !frame;
      if (frame) all += *frame;
    }
    EXPECT_TRUE(failed) << at;
  }
}

TEST_F(Cluster, ShardsOfAnyNumberHaveEachUnitOnce) {
  for (const std::uint64_t shards : {1, 2, 7, 512}) {
    header_.shards = shards;
    header_.units = shards * kUnitsOfShard;
    std::vector<Ledger> ledgers;
    for (std::uint64_t shard = 0; shard < shards; ++shard) {
      header_.shard = shard;
      const std::string file = path(std::to_string(shards) + "-" + std::to_string(shard));
      {
        auto dealer = make_shard_dealer(file, header_);
        ASSERT_TRUE(dealer);
        // Half of it, as by a process that was killed then.
        for (int i = 0; i < 50; ++i) {
          const std::optional<std::uint64_t> unit = (*dealer)->next(0);
          ASSERT_TRUE(unit);
          EXPECT_FALSE((*dealer)->done(0, *unit, found_by(*unit)));
        }
        EXPECT_FALSE((*dealer)->is_complete(0));
      }
      auto dealer = make_shard_dealer(file, header_);
      ASSERT_TRUE(dealer);
      while (const std::optional<std::uint64_t> unit = (*dealer)->next(0)) (*dealer)->done(0, *unit, found_by(*unit));
      EXPECT_TRUE((*dealer)->is_complete(0));
      EXPECT_EQ((*dealer)->units_done(), kUnitsOfShard);
      runtime::Result<Ledger> ledger = read_ledger(file);
      ASSERT_TRUE(ledger);
      ledgers.push_back(std::move(*ledger));
    }
    auto merged = make_ledger_dealer(std::move(ledgers), header_.key);
    ASSERT_TRUE(merged);
    runtime::Result<std::vector<PartialValue>> all = (*merged)->finish(0);
    ASSERT_TRUE(all);
    EXPECT_EQ((*all)[0].integer, found_by_all(header_.units));
    EXPECT_FALSE((*merged)->finish(1));
  }
}

/// Many processes in turns, of which some die with a unit in hand.
TEST_F(Cluster, ProcessesOfAFolderDieAndOthersDoTheirUnits) {
  std::mt19937 random(7);
  header_.units = 200;
  std::vector<std::unique_ptr<codegen::Dealer>> living;
  for (int i = 0; i < 40; ++i) {
    auto dealer = make_folder_dealer(path("work"), header_, {});
    ASSERT_TRUE(dealer);
    living.push_back(std::move(*dealer));
  }
  std::map<std::uint64_t, int> runs;
  std::size_t deaths = 0;
  for (int turn = 0; turn < 150; ++turn) {
    const std::size_t i = random() % living.size();
    const std::optional<std::uint64_t> unit = living[i]->next(0);
    ASSERT_TRUE(unit);
    ++runs[*unit];
    if (living.size() > 1 && random() % 6 == 0) {
      living.erase(living.begin() + static_cast<std::ptrdiff_t>(i));
      ++deaths;
      continue;
    }
    EXPECT_FALSE(living[i]->done(0, *unit, found_by(*unit)));
  }
  // While others may be at work, no unit is given twice.
  for (const auto& [unit, count] : runs) EXPECT_EQ(count, 1) << unit;
  std::uint64_t again = 0;
  while (const std::optional<std::uint64_t> unit = living[0]->next(0)) {
    again += runs[*unit]++ > 0 ? 1 : 0;
    EXPECT_FALSE(living[0]->done(0, *unit, found_by(*unit)));
  }
  EXPECT_EQ(again, deaths);
  for (const std::unique_ptr<codegen::Dealer>& dealer : living) {
    while (dealer->next(0)) ADD_FAILURE() << "all units are done";
    EXPECT_TRUE(dealer->is_complete(0));
    runtime::Result<std::vector<PartialValue>> all = dealer->finish(0);
    ASSERT_TRUE(all);
    EXPECT_EQ((*all)[0].integer, found_by_all(header_.units));
  }
}

TEST_F(Cluster, AStopEndsTheWaitForOthers) {
  header_.units = 1;
  auto first = make_folder_dealer(path("work"), header_, {});
  ASSERT_TRUE(first);
  ASSERT_TRUE((*first)->next(0));
  const std::atomic<std::uint32_t> stop{1};
  auto second = make_folder_dealer(path("work"), header_, {&stop, std::nullopt});
  ASSERT_TRUE(second);
  EXPECT_FALSE((*second)->next(0));
  EXPECT_FALSE((*second)->is_complete(0));
  runtime::Result<std::vector<PartialValue>> nothing = (*second)->finish(0);
  ASSERT_TRUE(nothing);
  EXPECT_TRUE(nothing->empty());
}

TEST_F(Cluster, OneLedgerHasOneWriter) {
  header_.units = kUnitsOfShard;
  auto first = make_shard_dealer(path("a"), header_);
  ASSERT_TRUE(first);
  // Locks are a process's own, so another one tries.
  const pid_t child = ::fork();
  if (child == 0) ::_exit(make_shard_dealer(path("a"), header_) ? 0 : 3);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

}  // namespace
}  // namespace matcha::session::cluster
