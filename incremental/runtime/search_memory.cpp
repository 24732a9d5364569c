#include "incremental/runtime/search_memory.h"

#include <algorithm>

#include "engines/search/unit_kernels.h"
#include "incremental/runtime/device/delta_data.h"

namespace matcha::runtime::stream {

namespace {

constexpr std::uint64_t kItemBytes = sizeof(std::uint32_t), kTaskBytes = sizeof(matcha_program::DeltaTask);
constexpr std::uint64_t kShortRoom = 64, kMostLong = 64, kFewestMatches = 16;

/// Leaves room for rows to grow.
std::uint64_t words_of_longest(const SearchNeeds& needs) {
  constexpr std::uint64_t kStep = 32;
  const std::uint64_t longest = std::max(needs.longest, kShortRoom);
  return (longest + longest / 4 + kStep - 1) / kStep * kStep;
}

}  // namespace

SearchRooms share_rooms(const SearchNeeds& needs, std::uint64_t bytes) {
  const std::uint64_t items = bytes / kItemBytes / needs.arrays, whole = words_of_longest(needs);
  SearchRooms rooms;
  rooms.groups = needs.most_groups;
  rooms.words = rooms.long_words = whole;
  if (rooms.groups * whole <= items) return rooms;
  rooms.long_count = std::clamp<std::uint64_t>(items / 4 / whole, 1, kMostLong);
  const std::uint64_t left = items - std::min(items, rooms.long_count * whole);
  rooms.words = std::clamp(left / rooms.groups, kShortRoom, whole);
  rooms.groups = std::clamp(left / rooms.words, match::kGroupsOfBlock, rooms.groups);
  rooms.groups -= rooms.groups % match::kGroupsOfBlock;
  return rooms;
}

std::uint64_t SearchMemory::least(const SearchNeeds& needs) {
  return needs.record_bytes + 2 * needs.least_batch + needs.least_control + kFewestMatches * needs.match_bytes +
         kFewestTasks * kTaskBytes + share_rooms(needs, 0).items(needs.arrays) * kItemBytes;
}

std::optional<SearchMemory> SearchMemory::share(const SearchNeeds& needs, std::uint64_t bytes) {
  const std::uint64_t least = SearchMemory::least(needs);
  if (bytes < least) return std::nullopt;
  constexpr std::uint64_t kOfControl = 16, kOfBatches = 8, kOfTasks = 16;
  constexpr std::uint64_t kMostControl = std::uint64_t{64} << 20, kMostBatch = std::uint64_t{32} << 20;
  const std::uint64_t spare = bytes - least;
  SearchMemory memory;
  memory.tasks = std::min(kFewestTasks + spare / kOfTasks / kTaskBytes, kMostTasks);
  memory.control = needs.least_control + std::min(spare / kOfControl, kMostControl) / match::kLine * match::kLine;
  memory.batch = needs.least_batch + std::min(spare / kOfBatches / 2, kMostBatch) / match::kLine * match::kLine;
  constexpr std::uint64_t kOfMatches = 8, kMostMatches = std::uint64_t{1} << 30;
  if (needs.match_bytes != 0) {
    const std::uint64_t more = std::min(spare / kOfMatches, kMostMatches) / needs.match_bytes;
    memory.matches = (kFewestMatches + more) * needs.match_bytes;
  }
  return memory.grown(needs, bytes);
}

std::optional<SearchMemory> SearchMemory::grown(const SearchNeeds& needs, std::uint64_t bytes) const {
  constexpr std::uint64_t kOfRooms = 3;
  SearchMemory memory = *this;
  const std::uint64_t kept = tasks * kTaskBytes + control + 2 * batch + matches;
  const std::uint64_t least_rooms = share_rooms(needs, 0).items(needs.arrays) * kItemBytes;
  if (bytes < kept + least_rooms + needs.record_bytes) return std::nullopt;
  const std::uint64_t left = bytes - kept - least_rooms - needs.record_bytes;
  memory.rooms = share_rooms(needs, least_rooms + left / kOfRooms);
  memory.rows = bytes - kept - memory.rooms.items(needs.arrays) * kItemBytes;
  return memory;
}

}  // namespace matcha::runtime::stream
