#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/graph/detail/arc_sums.h"
#include "runtime/graph/mapped_pages.h"

/// Passes over the rows of a graph on all threads, with the vectors that the processor has.
namespace matcha::runtime::detail {

/// The rows of a file, which may have anything in them.
struct UncheckedRows {
  const std::uint64_t* offsets = nullptr;  ///< universe + 1, the first 0 and the last `arc_count`.
  const std::uint32_t* neighbors = nullptr;
  std::uint64_t universe = 0;
  std::uint64_t arc_count = 0;
  bool simple = true;      ///< Rows have to ascend strictly.
  bool loop_free = true;   ///< No row has its own vertex.
  bool wants_sums = true;  ///< Else they are 0, and the next three do not matter.
  bool directed = false;
  const std::uint64_t* maybe_info = nullptr;  ///< Edge info.
  const std::uint32_t* maybe_from = nullptr;  ///< What each vertex is in the sums, below the universe; null: itself.
  MappedPages pages = {};                     ///< They are let go of behind the check.
};

/// The sums of all arcs, if offsets ascend, rows ascend and all neighbours are in the universe. A row without arcs is
/// good.
std::optional<ArcSums> sums_of_good_rows(const UncheckedRows& rows);

/// The positions `at` of [1, count) with `items[at - 1]` above `items[at]`, or equal to it if `strict`.
std::uint64_t descents(const std::uint32_t* items, std::uint64_t count, bool strict);

/// How many items of an ascending row are below `vertex`.
std::uint64_t count_below(const std::uint32_t* begin, const std::uint32_t* end, std::uint64_t vertex);

/// XXH3 of some bytes, which may be more than may be in memory (PageLimit).
std::uint64_t plain_sum(std::string_view bytes);
/// The checksum of a section of a `.mtg` from version 2 on. Pages are let go of behind it.
std::uint64_t mtg_sum(std::string_view bytes, const MappedPages& pages = {});

}  // namespace matcha::runtime::detail
