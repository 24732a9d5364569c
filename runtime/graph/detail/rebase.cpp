#include "runtime/graph/detail/rebase.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "runtime/graph/detail/source.h"
#include "runtime/parallel.h"

namespace matcha::runtime::detail {

namespace {

bool keeps_order(const Buffer<std::uint32_t>& moved) {
  std::uint64_t next = 0;
  for (const std::uint32_t rank : moved) {
    if (rank == kNowhere) continue;
    if (rank < next) return false;
    next = rank + std::uint64_t{1};
  }
  return true;
}

/// Moves lists; they stay sorted and in their order.
void move_lists(const GraphView& view, const Buffer<std::uint32_t>& moved, GraphArrays& arrays) {
  for_blocks(Block(0, view.arc_count, 1 << 16), [&](const Block& block) {
    std::transform(view.neighbors + block.begin(), view.neighbors + block.end(),
                   arrays.neighbors.begin() + block.begin(), [&moved](std::uint32_t rank) { return moved[rank]; });
  });
  if (view.edge_info == nullptr) return;
  std::memcpy(arrays.edge_info.data(), view.edge_info, view.arc_count * sizeof(std::uint64_t));
}

/// Moves and sorts lists; parallel arcs keep their order.
void sort_lists(const GraphView& view, const Buffer<std::uint32_t>& moved, GraphArrays& arrays) {
  const auto* const info = static_cast<const std::uint64_t*>(view.edge_info);
  for_blocks(Block(0, view.universe, 1 << 10), [&](const Block& block) {
    std::vector<std::pair<std::uint32_t, std::uint64_t>> arcs;
    for (std::uint64_t rank = block.begin(); rank != block.end(); ++rank) {
      const std::uint64_t first = view.offsets[rank], count = view.offsets[rank + 1] - first;
      if (count == 0) continue;
      arcs.resize(count);
      for (std::uint64_t i = 0; i < count; ++i) {
        arcs[i] = {moved[view.neighbors[first + i]], first + i};
      }
      std::sort(arcs.begin(), arcs.end());
      const std::uint64_t to = arrays.offsets[moved[rank]];
      for (std::uint64_t i = 0; i < count; ++i) {
        arrays.neighbors[to + i] = arcs[i].first;
        if (info != nullptr) arrays.edge_info[to + i] = info[arcs[i].second];
      }
    }
  });
}

}  // namespace

GraphArrays rebased(const GraphView& view, const Buffer<std::uint32_t>& moved, std::uint64_t universe) {
  GraphArrays arrays;
  arrays.offsets = Buffer<std::uint64_t>(universe + 1);
  std::fill(arrays.offsets.begin(), arrays.offsets.end(), 0);
  for (std::uint64_t rank = 0; rank < view.universe; ++rank) {
    if (moved[rank] == kNowhere) continue;
    arrays.offsets[moved[rank] + std::uint64_t{1}] = view.offsets[rank + 1] - view.offsets[rank];
  }
  std::partial_sum(arrays.offsets.begin(), arrays.offsets.end(), arrays.offsets.begin());
  arrays.neighbors = Buffer<std::uint32_t>(view.arc_count);
  if (view.edge_info != nullptr) arrays.edge_info = Buffer<std::uint64_t>(view.arc_count);
  const bool in_order = keeps_order(moved);
  if (in_order) {
    move_lists(view, moved, arrays);
  } else {
    sort_lists(view, moved, arrays);
  }
  if (view.labels != nullptr) {
    arrays.labels = Buffer<std::int64_t>(universe);
    std::fill(arrays.labels.begin(), arrays.labels.end(), kNoLabel);
    for (std::uint64_t rank = 0; rank < view.universe; ++rank) {
      if (moved[rank] != kNowhere) arrays.labels[moved[rank]] = view.labels[rank];
    }
  }
  arrays.vertices = Buffer<std::uint32_t>(view.vertex_count);
  for (std::uint64_t at = 0; at < view.vertex_count; ++at) {
    arrays.vertices[at] = moved[view.vertices != nullptr ? view.vertices[at] : at];
  }
  if (!in_order) std::sort(arrays.vertices.begin(), arrays.vertices.end());
  return arrays;
}

Error negative_label(const std::string& path, std::uint64_t line, std::int64_t label) {
  return input_error(path, line, "negative label `" + std::to_string(label) + "` beside labels that are words",
                     "words are coded as negative numbers; use words or numbers from 0");
}

}  // namespace matcha::runtime::detail
