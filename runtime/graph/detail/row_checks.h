#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/graph/detail/arc_sums.h"
#include "runtime/graph/mapped_pages.h"

/// Passes over the rows of a graph on all threads, with the vector instructions of the processor.
namespace matcha::runtime::detail {

/// The rows of a file before validation.
struct UncheckedRows {
  const std::uint64_t* offsets = nullptr;  ///< universe + 1, the first 0 and the last `arc_count`.
  const std::uint32_t* neighbors = nullptr;
  std::uint64_t universe = 0;
  std::uint64_t arc_count = 0;
  bool simple = true;      ///< Rows must ascend strictly.
  bool loop_free = true;   ///< No row contains its own vertex.
  bool wants_sums = true;  ///< False: the sums are 0, and the next three fields are unused.
  bool directed = false;
  const std::uint64_t* maybe_info = nullptr;  ///< Edge info.
  /// The number of each vertex in the sums, below the universe; null: the vertex itself.
  const std::uint32_t* maybe_from = nullptr;
  MappedPages pages = {};  ///< Dropped after the check.
};

/// The sums of all arcs, if offsets ascend, rows ascend and all neighbours are in the universe; otherwise empty. A row
/// without arcs is valid.
std::optional<ArcSums> sums_of_good_rows(const UncheckedRows& rows);

/// The number of positions `at` of [1, count) with `items[at - 1]` above `items[at]`, or equal to it if `strict`.
std::uint64_t descents(const std::uint32_t* items, std::uint64_t count, bool strict);

/// The number of items of an ascending row below `vertex`.
std::uint64_t count_below(const std::uint32_t* begin, const std::uint32_t* end, std::uint64_t vertex);

/// XXH3 of some bytes, which may exceed the page limit (PageLimit).
std::uint64_t plain_sum(std::string_view bytes);
/// The checksum of a section of a `.mtg` from version 2 on. Drops pages after use.
std::uint64_t mtg_sum(std::string_view bytes, const MappedPages& pages = {});

}  // namespace matcha::runtime::detail
