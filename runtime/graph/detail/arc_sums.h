#pragma once

#include <cstdint>

#include "runtime/graph/label_slices.h"
#include "runtime/graph/mapped_pages.h"

/// Fingerprints of the arcs of a graph: sums over its arcs that do not depend on their order. Two lists of arcs are
/// compared with one pass over each, whatever their orders.
namespace matcha::runtime::detail {

/// The sum of the arcs to higher vertices, and of the reversed arcs to lower ones. An undirected graph has each edge
/// and each loop in both. For a directed graph `up` has all arcs as they are, and `down` those that are listed by their
/// targets.
struct ArcSums {
  std::uint64_t up = 0;
  std::uint64_t down = 0;

  ArcSums& operator+=(const ArcSums& other) {
    up += other.up;
    down += other.down;
    return *this;
  }
  bool operator==(const ArcSums&) const = default;
};

/// The key of the fingerprints, random in each process: no file can be crafted to have the sums of other arcs.
struct ArcKey {
  std::uint64_t pair, info, low, high;
};
const ArcKey& arc_key();

/// One term: a pair of vertices and its edge info, or 0.
inline std::uint64_t arc_term(const ArcKey& key, std::uint32_t from, std::uint32_t to, std::uint64_t info) {
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t pair = std::uint64_t{from} << 32 | to;
  const Wide once = static_cast<Wide>(pair ^ key.pair) * (info ^ key.info);
  const Wide twice = static_cast<Wide>(static_cast<std::uint64_t>(once) ^ key.low) *
                     (static_cast<std::uint64_t>(once >> 64) ^ key.high);
  return static_cast<std::uint64_t>(twice) ^ static_cast<std::uint64_t>(twice >> 64);
}

/// Rows of vertices whose neighbours are in range.
struct SummedRows {
  const std::uint64_t* offsets = nullptr;
  const std::uint32_t* neighbors = nullptr;
  const std::uint64_t* maybe_info = nullptr;  ///< Edge info, if it is part of an arc.
  const std::uint32_t* maybe_from = nullptr;  ///< The number of each vertex in the sums; null: the vertex itself.
  bool directed = false;
};

/// The sums of the rows of the vertices [first, last).
ArcSums sums_of_rows(const SummedRows& rows, std::uint64_t first, std::uint64_t last);

/// The sums of a table, with its labels as edge info, on all threads. Requires: `problem_of` accepts it.
ArcSums sums_of_table(const LabelTable& table, bool directed, const MappedPages& pages = {});

}  // namespace matcha::runtime::detail
