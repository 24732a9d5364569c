#include "runtime/graph/detail/row_checks.h"

#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>

#include "runtime/graph/buffer.h"
#include "runtime/graph/detail/mtg_layout.h"
#include "runtime/graph/page_limit.h"
#include "runtime/parallel.h"

namespace matcha::runtime::detail {

namespace {

/// Vertices of a task: their rows stay in the cache between the pass over all arcs and those over single rows.
constexpr std::uint64_t kVertices = 2048;
/// Rows up to this length are scanned, longer ones are searched.
constexpr std::uint64_t kShort = 64;

/// The number of positions `at` of [1, count) with `items[at - 1]` above `items[at]`, or equal to it if `strict`.
/// Requires: fewer than 2^32 items.
[[gnu::always_inline]] inline std::uint32_t descents_of(const std::uint32_t* items, std::uint32_t count, bool strict) {
  std::uint32_t found = 0;
  if (strict) {
    for (std::uint32_t at = 1; at < count; ++at) found += items[at - 1] >= items[at] ? 1 : 0;
  } else {
    for (std::uint32_t at = 1; at < count; ++at) found += items[at - 1] > items[at] ? 1 : 0;
  }
  return found;
}

[[gnu::always_inline]] inline std::uint32_t below_of(const std::uint32_t* items, std::uint32_t count,
                                                     std::uint32_t vertex) {
  std::uint32_t below = 0;
  for (std::uint32_t at = 0; at < count; ++at) below += items[at] < vertex ? 1 : 0;
  return below;
}

/// The kernels, compiled for several instruction sets.
struct RowKernels {
  std::uint32_t (*descents)(const std::uint32_t* items, std::uint32_t count, bool strict);
  std::uint32_t (*below)(const std::uint32_t* items, std::uint32_t count, std::uint32_t vertex);
};

std::uint32_t plain_descents(const std::uint32_t* items, std::uint32_t count, bool strict) {
  return descents_of(items, count, strict);
}
std::uint32_t plain_below(const std::uint32_t* items, std::uint32_t count, std::uint32_t vertex) {
  return below_of(items, count, vertex);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) std::uint32_t avx2_descents(const std::uint32_t* items, std::uint32_t count,
                                                            bool strict) {
  return descents_of(items, count, strict);
}
__attribute__((target("avx2"))) std::uint32_t avx2_below(const std::uint32_t* items, std::uint32_t count,
                                                         std::uint32_t vertex) {
  return below_of(items, count, vertex);
}

const RowKernels kRowKernels = __builtin_cpu_supports("avx2") != 0 ? RowKernels{avx2_descents, avx2_below}
                                                                   : RowKernels{plain_descents, plain_below};
#else
const RowKernels kRowKernels = {plain_descents, plain_below};
#endif

bool has_own_vertex(const UncheckedRows& rows, std::uint64_t vertex, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t place =
      begin + count_below(rows.neighbors + begin, rows.neighbors + end, vertex);  // For an ascending row.
  return place != end && rows.neighbors[place] == vertex;
}

/// True if the rows of the vertices [first, last) are valid. Descents inside a row are counted as all descents minus
/// those at the start of a row.
bool block_is_good(const UncheckedRows& rows, std::uint64_t first, std::uint64_t last) {
  const std::uint64_t* const offsets = rows.offsets;
  for (std::uint64_t vertex = first; vertex != last; ++vertex) {
    if (offsets[vertex] > offsets[vertex + 1] || offsets[vertex + 1] > rows.arc_count) return false;
  }
  const std::uint64_t begin = offsets[first], end = offsets[last];
  std::uint64_t allowed = 0;
  for (std::uint64_t vertex = first; vertex != last; ++vertex) {
    const std::uint64_t row = offsets[vertex], next = offsets[vertex + 1];
    if (row == next) continue;
    PageLimit::check();
    if (row != begin) {
      const std::uint32_t before = rows.neighbors[row - 1], here = rows.neighbors[row];
      allowed += before > here || (rows.simple && before == here) ? 1 : 0;
    }
    if (rows.neighbors[next - 1] >= rows.universe) return false;
  }
  if (descents(rows.neighbors + begin, end - begin, rows.simple) != allowed) return false;
  if (!rows.loop_free) return true;
  for (std::uint64_t vertex = first; vertex != last; ++vertex) {
    PageLimit::check();
    if (has_own_vertex(rows, vertex, offsets[vertex], offsets[vertex + 1])) return false;
  }
  return true;
}

}  // namespace

std::uint64_t descents(const std::uint32_t* items, std::uint64_t count, bool strict) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 16;
  std::uint64_t found = 0;
  // The last item of a piece is the first of the next one.
  for (std::uint64_t at = 0; at + 1 < count; at += kPiece - 1) {
    PageLimit::check();
    found += kRowKernels.descents(items + at, static_cast<std::uint32_t>(std::min(kPiece, count - at)), strict);
  }
  return found;
}

std::uint64_t count_below(const std::uint32_t* begin, const std::uint32_t* end, std::uint64_t vertex) {
  const std::uint64_t count = static_cast<std::uint64_t>(end - begin);
  if (count > kShort) return static_cast<std::uint64_t>(std::lower_bound(begin, end, vertex) - begin);
  if (count > 8) return kRowKernels.below(begin, static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(vertex));
  std::uint64_t below = 0;
  for (const std::uint32_t* at = begin; at != end; ++at) below += *at < vertex ? 1 : 0;
  return below;
}

std::optional<ArcSums> sums_of_good_rows(const UncheckedRows& rows) {
  const SummedRows summed{rows.offsets, rows.neighbors, rows.maybe_info, rows.maybe_from, rows.directed};
  std::atomic<bool> good{true};
  std::atomic<std::uint64_t> up{0}, down{0};
  for_blocks(Block(0, rows.universe, kVertices), [&](const Block& block) {
    for (std::uint64_t first = block.begin(); first < block.end() && good.load(std::memory_order_relaxed);
         first += kVertices) {
      const std::uint64_t last = std::min(first + kVertices, block.end());
      if (!block_is_good(rows, first, last)) {
        good.store(false);
        return;
      }
      // Computed while the rows are in the cache.
      const ArcSums sums = rows.wants_sums ? sums_of_rows(summed, first, last) : ArcSums{};
      up.fetch_add(sums.up, std::memory_order_relaxed);
      down.fetch_add(sums.down, std::memory_order_relaxed);
      const std::uint64_t begin = rows.offsets[first], count = rows.offsets[last] - begin;
      rows.pages.drop(rows.neighbors + begin, count * sizeof(std::uint32_t));
      if (rows.maybe_info != nullptr) rows.pages.drop(rows.maybe_info + begin, count * sizeof(std::uint64_t));
    }
  });
  if (!good.load()) return std::nullopt;
  return ArcSums{up.load(), down.load()};
}

std::uint64_t plain_sum(std::string_view bytes) {
  if (!PageLimit::is_any()) return XXH3_64bits(bytes.data(), bytes.size());
  constexpr std::uint64_t kBytesALook = std::uint64_t{1} << 18;
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), XXH3_freeState);
  if (state == nullptr) throw std::bad_alloc();
  XXH3_64bits_reset(state.get());
  for (std::uint64_t at = 0; at < bytes.size(); at += kBytesALook) {
    PageLimit::check();
    const std::string_view part = bytes.substr(at, kBytesALook);
    XXH3_64bits_update(state.get(), part.data(), part.size());
  }
  return XXH3_64bits_digest(state.get());
}

std::uint64_t mtg_sum(std::string_view bytes, const MappedPages& pages) {
  const std::uint64_t pieces = (bytes.size() + kMtgPiece - 1) / kMtgPiece;
  if (pieces <= 1) return plain_sum(bytes);
  Buffer<std::uint64_t> sums(pieces);
  for_indices(0, pieces, [&](std::uint64_t piece) {
    const std::string_view part = bytes.substr(piece * kMtgPiece, kMtgPiece);
    sums[piece] = plain_sum(part);
    pages.drop(part.data(), part.size());
  });
  return XXH3_64bits(sums.data(), pieces * sizeof(std::uint64_t));
}

}  // namespace matcha::runtime::detail
