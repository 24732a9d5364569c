#pragma once

#include <cstdint>
#include <optional>

namespace matcha::runtime::stream {

/// The memory requirements of a search on a device.
struct SearchNeeds {
  std::uint64_t record_bytes = 0;   ///< Records of the rows of the graph.
  std::uint64_t least_batch = 0;    ///< One of the two buffers of data sent with a batch.
  std::uint64_t least_control = 0;  ///< Terms, and sums and units of one update.
  std::uint64_t arrays = 1;         ///< For sets, of each group.
  std::uint64_t longest = 0;        ///< Items of the longest row.
  std::uint64_t most_groups = 0;
  std::uint64_t match_bytes = 0;  ///< The bytes of each listed match; 0: all are counted.
};

/// Arrays for the sets of groups: of `words` words each, and for longer sets `long_count` additional sets of arrays of
/// `long_words` words, the longest row.
struct SearchRooms {
  std::uint64_t groups = 0, words = 0;
  std::uint64_t long_count = 0, long_words = 0;

  /// Items in total, for groups of `arrays` arrays.
  std::uint64_t items(std::uint64_t arrays) const { return arrays * (groups * words + long_count * long_words); }
};
/// Divides `bytes` bytes: rooms for all groups, if possible; at least the minimum.
SearchRooms share_rooms(const SearchNeeds& needs, std::uint64_t bytes);

/// The division of a device's memory for a search.
struct SearchMemory {
  std::uint64_t tasks = 0;  ///< Capacity of the queue.
  SearchRooms rooms;
  std::uint64_t control = 0, batch = 0;  ///< Bytes; `batch` is for each of two buffers.
  std::uint64_t matches = 0;             ///< Bytes of listed matches.
  std::uint64_t rows = 0;                ///< Bytes of records and rows.

  static constexpr std::uint64_t kFewestTasks = 64, kMostTasks = std::uint64_t{1} << 18;
  /// The bytes that suffice.
  static std::uint64_t least(const SearchNeeds& needs);
  /// Empty if `bytes` bytes do not suffice.
  static std::optional<SearchMemory> share(const SearchNeeds& needs, std::uint64_t bytes);
  /// The same when rows have grown: everything but rows and sets is unchanged.
  std::optional<SearchMemory> grown(const SearchNeeds& needs, std::uint64_t bytes) const;
};

}  // namespace matcha::runtime::stream
