#pragma once

#include <cstdint>
#include <optional>

namespace matcha::runtime::stream {

/// What a search on a device needs memory for.
struct SearchNeeds {
  std::uint64_t record_bytes = 0;   ///< Where the rows of the graph are.
  std::uint64_t least_batch = 0;    ///< Of one of the two buffers of what is sent with a batch.
  std::uint64_t least_control = 0;  ///< Terms, and sums and units of one update.
  std::uint64_t arrays = 1;         ///< For sets, of a group.
  std::uint64_t longest = 0;        ///< Items of the longest row.
  std::uint64_t most_groups = 0;
  std::uint64_t match_bytes = 0;  ///< Of a match that is given; 0: all are counted.
};

/// Arrays for sets of so many groups: of `words` each, and for longer sets `long_count` times as many arrays of
/// `long_words`, as long as any row.
struct SearchRooms {
  std::uint64_t groups = 0, words = 0;
  std::uint64_t long_count = 0, long_words = 0;

  /// Of all, for groups of so many arrays.
  std::uint64_t items(std::uint64_t arrays) const { return arrays * (groups * words + long_count * long_words); }
};
/// Those of as many groups as there are, if possible, in so many bytes; at least those that nothing does without.
SearchRooms share_rooms(const SearchNeeds& needs, std::uint64_t bytes);

/// How a search shares out what it may take of a device.
struct SearchMemory {
  std::uint64_t tasks = 0;  ///< Places of the queue.
  SearchRooms rooms;
  std::uint64_t control = 0, batch = 0;  ///< Bytes; of each of two.
  std::uint64_t matches = 0;             ///< Bytes of those that are given.
  std::uint64_t rows = 0;                ///< Bytes of records and rows.

  static constexpr std::uint64_t kFewestTasks = 64, kMostTasks = std::uint64_t{1} << 18;
  /// The bytes that suffice.
  static std::uint64_t least(const SearchNeeds& needs);
  /// Nothing if so many bytes do not.
  static std::optional<SearchMemory> share(const SearchNeeds& needs, std::uint64_t bytes);
  /// The same when rows have grown: what is not for rows and sets stays.
  std::optional<SearchMemory> grown(const SearchNeeds& needs, std::uint64_t bytes) const;
};

}  // namespace matcha::runtime::stream
