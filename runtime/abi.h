#pragma once

#include <cstdint>

/// The plain structures that generated code and the runtime share. Every field is 8 bytes wide, so the layout is the
/// same for g++, LLVM and nvcc. `codegen/llvm` reads fields by their offsets; runtime/common/graphs.h has the same
/// fields for the C family.
namespace matcha::runtime {

/// One slot of the hash index of a sparse graph: neighbours of `vertex` are `neighbors[begin, end)`.
struct HashSlot {
  std::uint64_t vertex;  ///< `kEmptySlot` when free.
  std::uint64_t begin;
  std::uint64_t end;
};
inline constexpr std::uint64_t kEmptySlot = ~std::uint64_t{0};

/// Where the search for a vertex starts; it probes the following slots (cyclically) until the vertex or a free slot.
inline constexpr std::uint64_t kHashMultiplier = 0x9E3779B97F4A7C15ULL;
constexpr std::uint64_t hash_place(std::uint64_t vertex, std::uint64_t slot_mask) {
  return (vertex * kHashMultiplier >> 32) & slot_mask;
}

/// Bit rows of the vertices with many neighbours, so that a membership test is one load instead of a search. On GPUs.
struct HubRows {
  const std::uint32_t* numbers;  ///< By rank; only for a vertex with at least `least` neighbours.
  const std::uint64_t* rows;     ///< Row n is [n * words, (n + 1) * words): a bit for each rank.
  std::uint64_t words;
  std::uint64_t least;
};

/// A read-only view of a directed adjacency (an undirected graph holds both directions). Vertices are ranks
/// 0…universe-1 in the order of the original ids; all graphs and lists of one run share the universe.
struct GraphView {
  std::uint64_t universe;          ///< Number of ids; ranks are below it.
  std::uint64_t arc_count;         ///< Length of `neighbors`.
  const std::uint64_t* offsets;    ///< `universe + 1` offsets into `neighbors`; null if `slots` is used.
  const std::uint32_t* neighbors;  ///< Ascending within each vertex.
  const std::uint32_t* sources;    ///< Source of each arc, aligned with `neighbors`; null until requested.
  const void* edge_info;           ///< 8 bytes an arc (int64 or double), aligned with `neighbors`; may be null.
  const std::int64_t* labels;      ///< A label per rank; may be null.
  const std::uint32_t* vertices;   ///< Ascending ranks of the vertices; null: all of 0…universe-1.
  std::uint64_t vertex_count;
  const std::int64_t* original_ids;  ///< Original id of each rank, ascending; null: the identity.
  std::uint64_t max_degree;
  const HashSlot* slots;  ///< Open addressing, `slot_mask + 1` slots; null: CSR.
  std::uint64_t slot_mask;
  /// `2 * universe + 1` offsets that keep both halves of a row together: rank v's neighbours below it are [halves[2 v],
  /// halves[2 v + 1]), the others [halves[2 v + 1], halves[2 v + 2]). Aligned to 16 bytes; null until requested, and
  /// with `slots`. Used by GPUs.
  const std::uint64_t* halves;
  const HubRows* hubs;  ///< Null: lists are searched.
  /// For each 2^kMovedBits ranks, the number of items by which their rows are displaced from their place in
  /// `neighbors`; null: no row is. On GPUs that hold a part of the rows of a graph.
  const std::int64_t* moved;
};
inline constexpr unsigned kMovedBits = 4;

/// `GraphView::halves` in the form for CPUs: half the memory, since on sparse graphs the loads of these offsets
/// dominate.
struct SplitOffsets {
  const std::uint32_t* offsets;  ///< The lower 32 bits of each; null until requested, and with `slots`.
  const std::uint64_t* bases;    ///< The offset of the first arc of each block of 2^shift ranks.
  std::uint64_t shift;           ///< Chosen so that every block has fewer than 2^32 arcs.
};

/// `GraphView::halves[at]`.
constexpr std::uint64_t half_offset(const SplitOffsets& halves, std::uint64_t at) {
  const std::uint64_t base = halves.bases[at / 2 >> halves.shift];
  return base + static_cast<std::uint32_t>(halves.offsets[at] - static_cast<std::uint32_t>(base));
}

/// The view of a graph for CPU code.
struct CpuGraphView {
  GraphView graph;
  SplitOffsets halves;
};

/// Two lists whose common items are counted.
struct SetPair {
  const std::uint32_t* a;
  std::uint64_t na;
  const std::uint32_t* b;
  std::uint64_t nb;
};

/// Counting and storing kernels over ascending lists of ranks (not 0xffffffff) *without repeats*; one table for each
/// SIMD tier. `out` needs room for min(na, nb) (intersect) or na (diff) items plus 16; it may not overlap the inputs.
struct SetKernels {
  const char* tier;  ///< "scalar", "avx2", "avx512" or "avx512-vp2intersect".
  std::uint64_t (*intersect_count)(const std::uint32_t* a, std::uint64_t na, const std::uint32_t* b, std::uint64_t nb);
  std::uint64_t (*intersect)(const std::uint32_t* a, std::uint64_t na, const std::uint32_t* b, std::uint64_t nb,
                             std::uint32_t* out);
  std::uint64_t (*diff_count)(const std::uint32_t* a, std::uint64_t na, const std::uint32_t* b, std::uint64_t nb);
  std::uint64_t (*diff)(const std::uint32_t* a, std::uint64_t na, const std::uint32_t* b, std::uint64_t nb,
                        std::uint32_t* out);
  /// Position of the first item not below `x` (ascending list, repeats allowed).
  std::uint64_t (*lower_bound)(const std::uint32_t* a, std::uint64_t na, std::uint64_t x);
  /// Marks the items of `a` that are in `b`: bit i % 64 of word i / 64 of `out` is item i, with zeros after the last.
  /// Writes (na + 63) / 64 words.
  void (*member_bits)(const std::uint32_t* a, std::uint64_t na, const std::uint32_t* b, std::uint64_t nb,
                      std::uint64_t* out);
  /// `intersect_count` of each of `n` pairs, into `counts`; returns their sum.
  std::uint64_t (*count_pairs)(const SetPair* pairs, std::uint64_t n, std::uint64_t* counts);
  /// The same where the second list of a pair is row `nb`: the items from places[nb] up to places[nb + 1]. Writes that
  /// list into the pair.
  std::uint64_t (*count_rows)(SetPair* pairs, std::uint64_t n, std::uint64_t* counts, const std::uint32_t* items,
                              const std::uint64_t* places);
  /// The same where it is half of row `nb` of a graph: its neighbours below that vertex (`side` 0) or the others (1).
  std::uint64_t (*count_halves)(SetPair* pairs, std::uint64_t n, std::uint64_t* counts, const std::uint32_t* items,
                                const SplitOffsets* halves, std::uint64_t side);
  /// Positions of the `n` marks that are 1 and not 0, ascending; returns their number. `out` needs room for n + 16
  /// items.
  std::uint64_t (*marked)(const std::uint8_t* marks, std::uint64_t n, std::uint32_t* out);
};

}  // namespace matcha::runtime
