#include "runtime/graph/detail/arc_sums.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <random>

#include "runtime/graph/page_limit.h"

namespace matcha::runtime::detail {

namespace {

using Block = tbb::blocked_range<std::uint64_t>;
constexpr std::uint64_t kItemsALook = std::uint64_t{1} << 16;
constexpr std::uint64_t kRowGrain = std::uint64_t{1} << 11;

ArcKey draw_key() {
  std::random_device device;
  const auto word = [&device] { return std::uint64_t{device()} << 32 | device(); };
  return {word(), word(), word(), word()};
}

/// Adds an arc of an undirected graph to the sum of each direction that it has; a loop has both.
void add_undirected(ArcSums& sums, std::uint64_t term, bool upwards, bool downwards) {
  sums.up += upwards ? term : 0;
  sums.down += downwards ? term : 0;
}

/// Adds the arcs [begin, end), all of one vertex.
template <bool kRenamed>
ArcSums sums_of_row(const SummedRows& rows, std::uint32_t vertex, std::uint64_t begin, std::uint64_t end) {
  const ArcKey key = arc_key();
  const std::uint32_t own = kRenamed ? rows.maybe_from[vertex] : vertex;
  ArcSums sums;
  for (std::uint64_t at = begin; at != end; ++at) {
    const std::uint32_t neighbor = rows.neighbors[at];
    const std::uint32_t other = kRenamed ? rows.maybe_from[neighbor] : neighbor;
    const std::uint64_t info = rows.maybe_info != nullptr ? rows.maybe_info[at] : 0;
    if (rows.directed) {
      sums.up += arc_term(key, own, other, info);
    } else {
      add_undirected(sums, arc_term(key, std::min(own, other), std::max(own, other), info), neighbor >= vertex,
                     neighbor <= vertex);
    }
  }
  return sums;
}

/// How to interpret the items of a part.
enum class PartKind { Undirected, Targets, Sources };

ArcSums sums_of_part(const LabelPart& part, std::uint64_t label, PartKind kind, const MappedPages& pages) {
  const ArcKey key = arc_key();
  const auto add = [&](const Block& block, ArcSums sums) {
    const std::uint64_t first = block.begin() == 0 ? 0 : part.ends[block.begin() - 1];
    std::uint64_t at = first;
    for (std::uint64_t row = block.begin(); row != block.end(); ++row) {
      PageLimit::check();
      const std::uint32_t vertex = part.rows[row];
      for (; at != part.ends[row]; ++at) {
        const std::uint32_t item = part.items[at];
        switch (kind) {
          case PartKind::Undirected:
            add_undirected(sums, arc_term(key, std::min(vertex, item), std::max(vertex, item), label), item >= vertex,
                           item <= vertex);
            break;
          case PartKind::Targets: sums.up += arc_term(key, vertex, item, label); break;
          case PartKind::Sources: sums.down += arc_term(key, item, vertex, label); break;
        }
      }
    }
    pages.drop(part.items.data() + first, (at - first) * sizeof(std::uint32_t));
    return sums;
  };
  const auto join = [](ArcSums one, const ArcSums& other) { return one += other; };
  return tbb::parallel_reduce(Block(0, part.rows.size(), kRowGrain), ArcSums{}, add, join);
}

}  // namespace

const ArcKey& arc_key() {
  static const ArcKey key = draw_key();
  return key;
}

ArcSums sums_of_rows(const SummedRows& rows, std::uint64_t first, std::uint64_t last) {
  ArcSums sums;
  for (std::uint64_t vertex = first; vertex != last; ++vertex) {
    const std::uint32_t own = static_cast<std::uint32_t>(vertex);
    const std::uint64_t end = rows.offsets[vertex + 1];
    for (std::uint64_t at = rows.offsets[vertex]; at < end; at += kItemsALook) {
      PageLimit::check();
      const std::uint64_t stop = std::min(end, at + kItemsALook);
      sums +=
          rows.maybe_from != nullptr ? sums_of_row<true>(rows, own, at, stop) : sums_of_row<false>(rows, own, at, stop);
    }
  }
  return sums;
}

ArcSums sums_of_table(const LabelTable& table, bool directed, const MappedPages& pages) {
  ArcSums sums;
  std::uint64_t rows_at = 0, items_at = 0;
  const auto add = [&](const LabelEntry& entry, std::uint64_t rows, PartKind kind) {
    const LabelPart part{table.rows.subspan(rows_at, rows), table.ends.subspan(rows_at, rows),
                         table.items.subspan(items_at, entry.arcs)};
    rows_at += rows;
    items_at += entry.arcs;
    sums += sums_of_part(part, static_cast<std::uint64_t>(entry.label), kind, pages);
  };
  for (const LabelEntry& entry : table.labels) {
    add(entry, entry.source_rows, directed ? PartKind::Targets : PartKind::Undirected);
    if (directed) add(entry, entry.target_rows, PartKind::Sources);
  }
  return sums;
}

}  // namespace matcha::runtime::detail
