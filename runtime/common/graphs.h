// Graphs as generated C-family programs access them, on host and device.
#pragma once

#include "runtime/common/lists.h"

namespace matcha_program {

/// Words that are loaded at once.
struct alignas(16) WordPair {
  u64 first, second;
};

/// The field order of runtime/abi.h.
struct HashSlot {
  u64 vertex, begin, end;
};
struct HubRows {
  const u32* numbers;
  const u64* rows;
  u64 words, least;
};
struct Graph {
  u64 universe, arc_count;
  const u64* offsets;
  const u32* arcs;
  const u32* sources;
  const void* info;
  const i64* labels;
  const u32* vertex_list;
  u64 vertex_count;
  const i64* original_ids;
  u64 max_degree;
  const HashSlot* slots;
  u64 slot_mask;
  const u64* halves;
  const HubRows* hubs;
  const i64* moved;
};
/// A graph with offsets and no hash index, as all graphs but those that a program builds from few, sparse ids: the code
/// to find its neighbours is half as long.
struct CsrGraph : Graph {
  CsrGraph() = default;
  MATCHA_MEMBER CsrGraph(const Graph& graph) : Graph(graph) {}
};

/// As `hash_place` of runtime/abi.h.
MATCHA_FN u64 hash_of(u64 vertex) { return (vertex * 0x9E3779B97F4A7C15ull) >> 32; }

struct ArcRange {
  u64 begin, end;
};
MATCHA_FN ArcRange arcs_of(const CsrGraph& g, u32 v) { return {g.offsets[v], g.offsets[v + 1]}; }
MATCHA_FN ArcRange arcs_of(const Graph& g, u32 v) {
  if (g.slots == nullptr) return {g.offsets[v], g.offsets[v + 1]};
  for (u64 at = hash_of(v) & g.slot_mask;; at = (at + 1) & g.slot_mask) {
    if (g.slots[at].vertex == v) return {g.slots[at].begin, g.slots[at].end};
    if (g.slots[at].vertex == ~0ull) return {0, 0};
  }
}

/// Each 2^kMovedBits ranks may have rows displaced from `arcs` (runtime/abi.h). Only texts for graphs that may exceed
/// the device's memory have the code for it.
inline constexpr u32 kMovedBits = 4;
#ifdef MATCHA_MOVED_ROWS
inline constexpr bool kMovedRows = true;
#else
inline constexpr bool kMovedRows = false;
#endif
/// `arcs`, displaced for the row of this vertex.
MATCHA_FN const u32* arcs_around(const Graph& g, u32 v) {
  if constexpr (kMovedRows) {
    if (g.moved != nullptr) return g.arcs + g.moved[v >> kMovedBits];
  }
  return g.arcs;
}

/// True if lists of neighbours may have hub rows. Only texts that use them have the code for it.
#ifdef MATCHA_HUBS
inline constexpr bool kHubs = true;
#else
inline constexpr bool kHubs = false;
#endif

/// The neighbours of a vertex, or a contiguous part of them.
struct NearList : ShortList<u32> {
  const HubRows* hubs;
  u32 vertex;
#ifdef MATCHA_MOVED_ROWS
  bool far;  ///< In host memory.
  MATCHA_MEMBER NearList part(u32 begin, u32 end) const {
    return {ShortList<u32>::part(begin, end), hubs, vertex, far};
  }
#else
  MATCHA_MEMBER NearList part(u32 begin, u32 end) const { return {ShortList<u32>::part(begin, end), hubs, vertex}; }
#endif
  /// The bit row of the vertex's neighbours, by rank; null when the list must be searched.
  MATCHA_MEMBER const u64* row() const {
    if (!kHubs || hubs == nullptr || size < hubs->least) return nullptr;
    return hubs->rows + hubs->numbers[vertex] * hubs->words;
  }
};
/// True if `x` is in `list`, a part of the neighbours in `row`.
MATCHA_FN bool contains_by(const u64* row, const ShortList<u32>& list, u32 x) {
  const bool near = (reinterpret_cast<const u32*>(row)[x / 32] >> x % 32 & 1) != 0;
  return near && list.data[0] <= x && x <= list.data[list.size - 1];
}
MATCHA_FN bool contains(const NearList& list, u32 x) {
  const u64* row = list.row();
  return row != nullptr ? contains_by(row, list, x) : contains<ShortList<u32>>(list, x);
}
MATCHA_FN u32 contains_both(const NearList& list, u32 x, u32 y) {
  const u64* row = list.row();
  if (row == nullptr) return contains_both<ShortList<u32>>(list, x, y);
  return u32(contains_by(row, list, x)) + u32(contains_by(row, list, y));
}
/// True if a list is in host memory.
template <typename L>
MATCHA_FN bool is_far(const L&) {
  return false;
}
#ifdef MATCHA_MOVED_ROWS
MATCHA_FN bool is_far(const NearList& list) { return list.far; }
#endif
/// The number of remote items scanned in the time of one search: a scan is bound by the bus bandwidth, a search by its
/// latency.
inline constexpr u32 kFarWalk = 256;
/// Prefetches the lines of a remote list before it is scanned: waiting for a single line costs the bus as much as all
/// of them. A line is 32 items.
template <typename Group>
MATCHA_FN void fetch_far(const Group& group, const u32* items, u64 size) {
#ifdef __CUDA_ARCH__
  for (u64 at = group.lane * 32; at < size; at += Group::kWidth * 32) {
    u32 item;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(item) : "l"(items + at));
  }
#else
  static_cast<void>(group), static_cast<void>(items), static_cast<void>(size);
#endif
}
template <typename Group, typename L>
MATCHA_FN void fetch_if_far(const Group&, const L&) {}
#ifdef MATCHA_MOVED_ROWS
template <typename Group>
MATCHA_FN void fetch_if_far(const Group& group, const NearList& list) {
  if (list.far) fetch_far(group, list.data, list.size);
}
#endif
/// For two lists without repeats: true if the second is scanned and its items are looked up in the first. That is the
/// shorter one, or the remote one.
template <typename A, typename B>
MATCHA_FN bool walks_second(const A& a, const B& b) {
  if constexpr (kMovedRows) {
    if (is_far(a) != is_far(b)) return is_far(b) ? b.size / kFarWalk <= a.size : a.size / kFarWalk > b.size;
  }
  return b.size < a.size;
}
/// The row of a list that may have one.
MATCHA_FN const u64* row_of(const NearList& list) { return list.row(); }
template <typename L>
MATCHA_FN const u64* row_of(const L&) {
  return nullptr;
}

/// `size` neighbours of a vertex, from arc `arc` on.
MATCHA_FN NearList near_list(const Graph& g, u32 v, u64 arc, u64 size) {
#ifdef MATCHA_MOVED_ROWS
  const i64 moved = g.moved == nullptr ? 0 : g.moved[v >> kMovedBits];
  return {{g.arcs + moved + arc, u32(size)}, g.hubs, v, g.moved != nullptr && moved == 0};
#else
  return {{g.arcs + arc, u32(size)}, g.hubs, v};
#endif
}
template <typename G>
MATCHA_FN NearList neighbors(const G& g, u32 v) {
  ArcRange range = arcs_of(g, v);
  return near_list(g, v, range.begin, range.end - range.begin);
}
/// The host ensures that `halves` is present, and that the graph has no loops if the neighbours above are read.
MATCHA_FN NearList lower_neighbors(const Graph& g, u32 v) {
  const WordPair half = *reinterpret_cast<const WordPair*>(g.halves + 2 * u64(v));
  return near_list(g, v, half.first, half.second - half.first);
}
MATCHA_FN NearList upper_neighbors(const Graph& g, u32 v) {
  const u64* half = g.halves + 2 * u64(v) + 1;
  return near_list(g, v, half[0], half[1] - half[0]);
}
/// Edge information of vertices or truth values, stored in words of 8 bytes like all edge information.
template <typename T>
struct InfoList {
  using Value = T;
  const u64* data;
  u32 size;
  MATCHA_MEMBER T at(u32 i) const { return T(data[i]); }
  MATCHA_MEMBER InfoList part(u32 begin, u32 end) const { return {data + begin, end - begin}; }
};
template <typename T, typename G>
MATCHA_FN auto edge_info(const G& g, u32 v) {
  ArcRange range = arcs_of(g, v);
  const u32 size = u32(range.end - range.begin);
  if constexpr (sizeof(T) == 8) {
    return ShortList<T>{static_cast<const T*>(g.info) + range.begin, size};
  } else {
    return InfoList<T>{static_cast<const u64*>(g.info) + range.begin, size};
  }
}
/// The host ensures that `vertex_list` and, if edges are iterated over, `sources` are present.
MATCHA_FN List<u32> vertices(const Graph& g) { return {g.vertex_list, g.vertex_count}; }
MATCHA_FN List<u32, u32> edges(const Graph& g) { return {g.sources, g.arc_count, {g.arcs, g.arc_count}}; }
template <typename G>
MATCHA_FN bool has_edge(const G& g, u32 u, u32 v) {
  return contains(neighbors(g, u), v);
}
MATCHA_FN i64 max_degree(const Graph& g) { return i64(g.max_degree); }

/// The label of a vertex without one (runtime/graph/labels.h).
inline constexpr i64 kNoLabel = -9223372036854775807ll - 1;

}  // namespace matcha_program
