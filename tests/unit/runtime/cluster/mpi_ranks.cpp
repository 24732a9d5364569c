// A rank of the jobs that mpi_test.py launches: `mpi_ranks SCENARIO`. Rank 0 prints its result; an error found by any
// rank ends the job with code 9.
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/cluster/mpi_team.h"

namespace {

using matcha::runtime::Result;
using matcha::runtime::cluster::MpiTeam;
using matcha::runtime::cluster::TeamResult;

constexpr int kWrong = 9;
constexpr std::uint64_t kRegions = 3;
constexpr std::uint64_t kUnits = 100;
constexpr std::size_t kSmallPiece = 40'001;
constexpr std::size_t kLongRecord = 100'000;

/// The value of a unit; different in each region.
std::uint64_t value_of(std::uint64_t region, std::uint64_t unit) { return (region + 1) * 1'000'003 + unit * unit; }

/// A record: the value, followed by bytes whose number depends on the unit.
std::string record_of(std::uint64_t region, std::uint64_t unit, std::size_t more) {
  const std::uint64_t value = value_of(region, unit);
  std::string record(reinterpret_cast<const char*>(&value), sizeof(value));
  record.append(more, static_cast<char>('a' + unit % 26));
  return record;
}

/// The sum of the values, then all other bytes, in the order of the records.
Result<std::string> merge(const std::vector<std::string>& records) {
  std::uint64_t sum = 0;
  std::string others;
  for (const std::string& record : records) {
    std::uint64_t value = 0;
    std::memcpy(&value, record.data(), sizeof(value));
    sum += value;
    others += record.substr(sizeof(value));
  }
  return std::string(reinterpret_cast<const char*>(&sum), sizeof(sum)) + others;
}

[[noreturn]] void wrong(MpiTeam& team, const std::string& what) {
  std::fprintf(stderr, "rank %d: %s\n", team.rank(), what.c_str());
  team.abort(kWrong);
}

/// Ends the job after its launcher had time to read the reason: MPICH's loses output from right before the end.
[[noreturn]] void tell_and_abort(MpiTeam& team, const std::string& message, int code) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::this_thread::sleep_for(std::chrono::seconds(1));
  team.abort(code);
}

void check(MpiTeam& team, bool right, const char* what) {
  if (!right) wrong(team, what);
}

/// All regions; each rank must get the same, equal to the result of a single process.
void share(MpiTeam& team, std::size_t more) {
  std::uint64_t mine = 0;
  for (std::uint64_t region = 0; region < kRegions; ++region) {
    while (const std::optional<std::uint64_t> unit = team.claim(region, kUnits)) {
      // One that has had its part is slow, so that a rank that starts late on a busy machine finds something to do.
      const bool had_its_part = mine * static_cast<std::uint64_t>(team.size()) >= kRegions * kUnits;
      std::this_thread::sleep_for(std::chrono::microseconds(had_its_part ? 20000 : *unit % 7 == 0 ? 2000 : 200));
      check(team, bool(team.done(region, *unit, record_of(region, *unit, more))), "a unit is not taken");
      ++mine;
    }
    const Result<TeamResult> found = team.finish(region, false, merge);
    check(team, found && found->is_complete, "a region is not complete");
    std::vector<std::string> all;
    for (std::uint64_t u = 0; u < kUnits; ++u) all.push_back(record_of(region, u, more));
    check(team, found->merged == *merge(all), "the merged values are others");
  }
  // With this many units each rank has had some.
  check(team, mine != 0, "a rank had nothing to do");
  if (team.rank() != 0) return;
  const auto [done, total] = team.progress();
  check(team, done == kRegions * kUnits && total == done, "not all units are done");
  std::printf("%d ranks, %s\n", team.size(), team.mpi_version().c_str());
}

/// Rank 1 is stopped after three units; there are far more than the others do meanwhile, even if it is late.
void stop(MpiTeam& team) {
  const bool stops = team.rank() == 1;
  int mine = 0;
  while (!stops || mine < 3) {
    const std::optional<std::uint64_t> unit = team.claim(0, 1'000'000);
    if (!unit) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    check(team, bool(team.done(0, *unit, record_of(0, *unit, 0))), "a unit is not taken");
    ++mine;
  }
  const Result<TeamResult> found = team.finish(0, stops, merge);
  check(team, found && !found->is_complete, "a stopped region is complete");
  if (team.rank() == 0) std::printf("stopped\n");
}

/// A stopped rank leaves before it reaches the second region; the others find a part of that.
void leave_early(MpiTeam& team, int leaver) {
  for (std::uint64_t region = 0; region < 2; ++region) {
    if (region == 1 && team.rank() == leaver) return;
    while (const std::optional<std::uint64_t> unit = team.claim(region, kUnits)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(region == 0 ? 0 : 5));
      check(team, bool(team.done(region, *unit, record_of(region, *unit, 0))), "a unit is not taken");
    }
    const Result<TeamResult> found = team.finish(region, false, merge);
    check(team, bool(found), "no result");
    // All units of the second region may have been done before the rank left.
    check(team, region == 1 || found->is_complete, "the first region is not complete");
    check(team, found->is_complete || leaver != 0 || found->merged.empty(), "rank 0 has left, and merged");
  }
  if (team.rank() == (leaver == 0 ? 1 : 0)) std::printf("left\n");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view scenario = argc > 1 ? argv[1] : "share";
  Result<std::unique_ptr<MpiTeam>> joined = scenario == "long" ? MpiTeam::join(kSmallPiece) : MpiTeam::join();
  if (!joined) {
    std::fprintf(stderr, "%s\n", joined.error().render().c_str());
    return 4;
  }
  MpiTeam& team = **joined;
  const std::string text = scenario == "other" && team.rank() == 2 ? "other" : "same";
  // All find the same, and any of them may be the first to end the job.
  if (const auto same = team.agree(text); !same) tell_and_abort(team, same.error().message, 4);
  if (scenario == "share") share(team, 0);
  if (scenario == "long") share(team, kLongRecord);
  if (scenario == "stop") stop(team);
  if (scenario == "leave0") leave_early(team, 0);
  if (scenario == "leave1") leave_early(team, 1);
  if (scenario == "cuts") {
    while (team.claim(0, team.rank() == 1 ? 60 : 50)) {
    }
    if (const auto found = team.finish(0, false, merge); !found && team.rank() == 0) {
      tell_and_abort(team, found.error().message, 4);
    }
  }
  if (scenario == "abort" && team.rank() == 2) team.abort(5);
  if (scenario == "killed" && team.rank() == 2) std::_Exit(3);
  if (scenario == "abort" || scenario == "killed") (void)team.finish(0, false, merge);
  const auto left = team.leave();
  check(team, bool(left), "leaving failed");
  return 0;
}
