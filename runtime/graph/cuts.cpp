#include "runtime/graph/cuts.h"

#include <algorithm>

namespace matcha::runtime {

namespace {

/// Part `part` of `parts` of a number: about `total * part / parts`, without overflow.
std::uint64_t fraction(std::uint64_t total, std::uint64_t part, std::uint64_t parts) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(total) * part / parts);
}

/// The smallest multiple of `grain` that is at least `at`, or `limit`.
std::uint64_t rounded(std::uint64_t at, std::uint64_t grain, std::uint64_t limit) {
  const std::uint64_t over = at % grain;
  return over == 0 ? at : limit - at < grain - over ? limit : at + (grain - over);
}

}  // namespace

std::vector<std::uint64_t> cut_evenly(std::uint64_t positions, std::uint64_t units, std::uint64_t grain) {
  std::vector<std::uint64_t> cuts(units + 1, positions);
  for (std::uint64_t unit = 0; unit < units; ++unit) {
    cuts[unit] = rounded(fraction(positions, unit, units), grain, positions);
  }
  return cuts;
}

std::vector<std::uint64_t> cut_by_arcs(const GraphView& graph, std::uint64_t units, std::uint64_t grain) {
  const std::uint64_t positions = graph.vertex_count;
  if (graph.slots != nullptr || graph.offsets == nullptr) return cut_evenly(positions, units, grain);
  // The number of arcs and vertices before a position.
  const auto before = [&](std::uint64_t position) {
    if (position == positions) return graph.arc_count + positions;
    return graph.offsets[graph.vertices != nullptr ? graph.vertices[position] : position] + position;
  };
  std::vector<std::uint64_t> cuts(units + 1, positions);
  for (std::uint64_t unit = 0; unit < units; ++unit) {
    const std::uint64_t wanted = fraction(graph.arc_count + positions, unit, units);
    std::uint64_t low = unit == 0 ? 0 : cuts[unit - 1], high = positions;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (before(middle) < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    cuts[unit] = rounded(low, grain, positions);
  }
  return cuts;
}

std::vector<PositionRange> share_of(const std::vector<std::uint64_t>& cuts, std::uint64_t index, std::uint64_t count) {
  std::vector<PositionRange> ranges;
  std::uint64_t dealt = 0;
  for (std::size_t unit = 0; unit + 1 < cuts.size(); ++unit) {
    if (cuts[unit] == cuts[unit + 1]) continue;
    if (dealt++ % count == index) ranges.push_back({cuts[unit], cuts[unit + 1]});
  }
  return ranges;
}

}  // namespace matcha::runtime
