#pragma once

#include <cstdint>
#include <vector>

#include "runtime/abi.h"

/// Shares of an outermost loop. Its positions are cut into many units of about the same work, and share i of n gets
/// each n-th unit. So shares have similar work even where the first positions take longer than others. The cuts follow
/// from the graph and the numbers alone: all processes that share a loop compute the same cuts.
namespace matcha::runtime {

/// Units for each share. With this number, the largest share of a skewed graph has 1 % more work than the mean.
inline constexpr std::uint64_t kUnitsOfShare = 100;

/// The positions [begin, end).
struct PositionRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// `units` + 1 cuts from 0 to `positions`, ascending; all but the last are multiples of `grain`. Units may be empty.
/// Requires: `units` and `grain` are not 0.
std::vector<std::uint64_t> cut_evenly(std::uint64_t positions, std::uint64_t units, std::uint64_t grain = 1);

/// The same for a loop over the vertices of a graph: units have about the same number of arcs plus vertices. For a
/// graph with a hash index they have the same number of vertices.
std::vector<std::uint64_t> cut_by_arcs(const GraphView& graph, std::uint64_t units, std::uint64_t grain = 1);

/// Share `index` of `count`: the non-empty units with numbers `index`, `index + count`, …
std::vector<PositionRange> share_of(const std::vector<std::uint64_t>& cuts, std::uint64_t index, std::uint64_t count);

}  // namespace matcha::runtime
