#pragma once

#include <cstdint>

#include "runtime/graph/graph.h"

namespace matcha::session {

/// The neighbours of a vertex, ascending. They are the graph's.
struct NeighborRow {
  const std::uint32_t* begin;
  const std::uint32_t* end;

  std::uint64_t size() const { return static_cast<std::uint64_t>(end - begin); }
  /// No branch depends on the items: samples ask for most of them once, so that none could be foreseen.
  bool has(std::uint32_t v) const {
    const std::uint32_t* first = begin;
    for (std::uint64_t rest = size(); rest > 1;) {
      const std::uint64_t half = rest / 2;
      first += first[half] <= v ? half : 0;
      rest -= half;
    }
    return begin != end && *first == v;
  }
};

inline NeighborRow neighbor_row(const runtime::GraphView& view, std::uint32_t v) {
  const runtime::ArcRange arcs = runtime::arcs_of(view, v);
  return {view.neighbors + arcs.begin, view.neighbors + arcs.end};
}

}  // namespace matcha::session
