#include "runtime/graph/detail/csr.h"

#include <sys/mman.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <functional>
#include <map>
#include <type_traits>

#include "runtime/graph/detail/arc_sort.h"
#include "runtime/parallel.h"

namespace matcha::runtime::detail {

namespace {

constexpr std::uint64_t kEdgeGrain = std::uint64_t{1} << 14;
constexpr std::uint64_t kVertexGrain = 512;
constexpr std::uint64_t kLongList = std::uint64_t{1} << 16;

void clear(Buffer<std::uint64_t>& buffer) {
  for_blocks(Block(0, buffer.size(), std::uint64_t{1} << 16), [&](const Block& block) {
    std::memset(buffer.data() + block.begin(), 0, (block.end() - block.begin()) * sizeof(std::uint64_t));
  });
}

/// Exclusive prefix sums of counts[0…size - 1); the last item becomes the total.
void exclusive_sums(std::uint64_t* counts, std::uint64_t size) {
  counts[size - 1] = 0;
  tbb::parallel_scan(
      Block(0, size, std::uint64_t{1} << 16), std::uint64_t{0},
      [&](const Block& block, std::uint64_t sum, bool is_final) {
        for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
          const std::uint64_t count = counts[at];
          if (is_final) counts[at] = sum;
          sum += count;
        }
        return sum;
      },
      std::plus<std::uint64_t>());
}

void exclusive_sums(Buffer<std::uint64_t>& counts) { exclusive_sums(counts.data(), counts.size()); }

std::uint64_t next_place(Buffer<std::uint64_t>& cursors, std::uint64_t at) {
  return std::atomic_ref<std::uint64_t>(cursors[at]).fetch_add(1, std::memory_order_relaxed);
}

bool is_sorted_by_ends(const EdgeColumns& edges) {
  if (edges.count < 2) return true;
  std::atomic<bool> sorted{true};
  for_blocks(Block(1, edges.count, kEdgeGrain), [&](const Block& block) {
    if (!sorted.load(std::memory_order_relaxed)) return;
    for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
      const std::uint64_t before = std::uint64_t{edges.sources[at - 1]} << 32 | edges.targets[at - 1];
      const std::uint64_t here = std::uint64_t{edges.sources[at]} << 32 | edges.targets[at];
      if (before > here) {
        sorted.store(false, std::memory_order_relaxed);
        return;
      }
    }
  });
  return sorted.load();
}

SortedArcs sort_arcs(std::uint64_t n, const EdgeColumns& edges, const ArcOptions& options) {
  using Ranks = PackedItems<std::uint32_t>;
  return ArcSort<Ranks>(n, {Ranks{edges.sources}, Ranks{edges.targets}, edges.count}, options).run();
}

/// Offsets of edges sorted by source.
Buffer<std::uint64_t> offsets_of_sorted(std::uint64_t n, const EdgeColumns& edges) {
  Buffer<std::uint64_t> offsets(n + 1);
  for_blocks(Block(0, edges.count + 1, kEdgeGrain), [&](const Block& block) {
    for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
      const std::uint64_t first = at == 0 ? 0 : std::uint64_t{edges.sources[at - 1]} + 1;
      const std::uint64_t last = at == edges.count ? n : edges.sources[at];
      for (std::uint64_t vertex = first; vertex <= last; ++vertex) offsets[vertex] = at;
    }
  });
  return offsets;
}

void sort_list(std::uint64_t* begin, std::uint64_t* end) {
  if (std::is_sorted(begin, end)) return;
  if (static_cast<std::uint64_t>(end - begin) > kLongList) {
    tbb::parallel_sort(begin, end);
  } else {
    std::sort(begin, end);
  }
}

/// Each edge as `target << 32 | place`, by source, then ascending.
Buffer<std::uint64_t> places_by_ends(std::uint64_t n, const EdgeColumns& edges, Buffer<std::uint64_t>& offsets) {
  offsets = Buffer<std::uint64_t>(n + 1);
  clear(offsets);
  for_blocks(Block(0, edges.count, kEdgeGrain), [&](const Block& block) {
    for (std::uint64_t at = block.begin(); at != block.end(); ++at) next_place(offsets, edges.sources[at]);
  });
  exclusive_sums(offsets);
  Buffer<std::uint64_t> cursors(n + 1);
  std::copy(offsets.begin(), offsets.end(), cursors.begin());
  Buffer<std::uint64_t> keys(edges.count);
  for_blocks(Block(0, edges.count, kEdgeGrain), [&](const Block& block) {
    for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
      keys[next_place(cursors, edges.sources[at])] = std::uint64_t{edges.targets[at]} << 32 | at;
    }
  });
  for_blocks(Block(0, n, kVertexGrain), [&](const Block& block) {
    for (std::uint64_t vertex = block.begin(); vertex != block.end(); ++vertex) {
      sort_list(keys.data() + offsets[vertex], keys.data() + offsets[vertex + 1]);
    }
  });
  return keys;
}

/// Drops repeats and strips the direction bits of one vertex's keys, which ascend. A key is `target << shift |
/// reversed`.
struct Cleaner {
  unsigned shift = 0;
  std::uint64_t arcs = 0;  ///< Distinct (target, direction) pairs with target above the vertex, or all of them.
  std::uint64_t both = 0;  ///< Targets above the vertex with both directions.

  std::uint64_t clean(std::uint32_t vertex, std::uint32_t* begin, std::uint32_t* end) {
    end = std::unique(begin, end);
    if (shift == 0) {
      arcs += static_cast<std::uint64_t>(end - begin);
      return static_cast<std::uint64_t>(end - begin);
    }
    std::uint32_t* out = begin;
    for (const std::uint32_t* key = begin; key != end; ++key) {
      const std::uint32_t target = *key >> 1;
      const bool repeated = out != begin && out[-1] == target;
      if (target > vertex) {
        ++arcs;
        if (repeated) ++both;
      }
      if (!repeated) *out++ = target;
    }
    return static_cast<std::uint64_t>(out - begin);
  }
};

/// Moves the lists at `from` together at `to`; the first counts[v] items of each list are kept.
template <typename Item>
Buffer<Item> moved(const Buffer<std::uint64_t>& from, const Buffer<std::uint64_t>& to, const Buffer<Item>& items) {
  const std::uint64_t n = from.size() - 1;
  Buffer<Item> packed(to[n]);
  for_blocks(Block(0, n, kVertexGrain), [&](const Block& block) {
    for (std::uint64_t vertex = block.begin(); vertex != block.end(); ++vertex) {
      std::copy_n(items.data() + from[vertex], to[vertex + 1] - to[vertex], packed.data() + to[vertex]);
    }
  });
  return packed;
}

/// Moves the first counts[v] keys of each list together.
Csr pack(const Buffer<std::uint64_t>& offsets, Buffer<std::uint64_t> counts, Buffer<std::uint32_t> keys) {
  Csr csr;
  csr.offsets = std::move(counts);
  exclusive_sums(csr.offsets);
  const std::uint64_t n = offsets.size() - 1;
  if (csr.offsets[n] == keys.size()) {
    csr.neighbors = std::move(keys);
    return csr;
  }
  csr.neighbors = moved(offsets, csr.offsets, keys);
  return csr;
}

/// Not a rank: it replaces dropped keys, at the end of their list.
constexpr std::uint32_t kNoRank = 0xFFFFFFFF;

/// Drops the items past `size`, and releases their memory if it is large.
void release_past(Buffer<std::uint32_t>& items, std::uint64_t size) {
  constexpr std::uint64_t kPage = std::uint64_t{2} << 20;  // Long arrays begin at such a page.
  constexpr std::uint64_t kSlack = 64;                     // Vector loads reach past the end.
  const std::uint64_t first = (size * sizeof(std::uint32_t) + kSlack + kPage - 1) / kPage * kPage;
  const std::uint64_t last = items.size() * sizeof(std::uint32_t) / kPage * kPage;
  if (first < last) (void)::madvise(reinterpret_cast<char*>(items.data()) + first, last - first, MADV_DONTNEED);
  items.truncate(size);
}

/// Compacts the lists in place, without the dropped keys.
Csr pack_in_place(Buffer<std::uint64_t> offsets, Buffer<std::uint32_t> keys) {
  const std::uint64_t n = offsets.size() - 1;
  std::uint64_t out = 0;
  for (std::uint64_t vertex = 0; vertex < n; ++vertex) {
    const std::uint64_t from = offsets[vertex];
    std::uint64_t end = offsets[vertex + 1];
    while (end != from && keys[end - 1] == kNoRank) --end;
    offsets[vertex] = out;
    if (from != out) std::memmove(keys.data() + out, keys.data() + from, (end - from) * sizeof(std::uint32_t));
    out += end - from;
  }
  offsets[n] = out;
  release_past(keys, out);
  Csr csr;
  csr.offsets = std::move(offsets);
  csr.neighbors = std::move(keys);
  return csr;
}

/// Calls `see(first, last)` with the range of arcs to each neighbour of a vertex.
template <typename See>
void for_each_parallel(const Csr& csr, std::uint64_t vertex, const See& see) {
  const std::uint64_t end = csr.offsets[vertex + 1];
  for (std::uint64_t first = csr.offsets[vertex], last = first; first != end; first = last) {
    while (last != end && csr.neighbors[last] == csr.neighbors[first]) ++last;
    see(first, last);
  }
}

bool less_info(std::uint64_t a, std::uint64_t b) { return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b); }

/// Sorts arcs to one target by their info; returns whether some are repeats.
bool sort_parallels(Csr& csr) {
  std::atomic<bool> repeats{false};
  std::uint64_t* const info = csr.edge_info.data();
  for_blocks(Block(0, csr.offsets.size() - 1, kVertexGrain), [&](const Block& block) {
    for (std::uint64_t vertex = block.begin(); vertex != block.end(); ++vertex) {
      for_each_parallel(csr, vertex, [&](std::uint64_t first, std::uint64_t last) {
        if (last - first == 1) return;
        std::sort(info + first, info + last, less_info);
        if (std::adjacent_find(info + first, info + last) != info + last)
          repeats.store(true, std::memory_order_relaxed);
      });
    }
  });
  return repeats.load();
}

/// Replaces the labels of the i-th repeats by codes of their own. Requires: arcs to one target ascend by their info.
void name_repeats(Csr& csr, std::vector<LabelCopy>& copies) {
  std::uint64_t* const info = csr.edge_info.data();
  std::map<std::int64_t, std::uint64_t> most;  // For each repeated label, the largest number of repeats of one edge.
  std::int64_t next = 0;                       // Above all labels, so that a copy differs from every label.
  const auto for_each_run = [&](std::uint64_t first, std::uint64_t last, const auto& use) {
    for (std::uint64_t begin = first, end = first; begin != last; begin = end) {
      while (end != last && info[end] == info[begin]) ++end;
      use(begin, end);
    }
  };
  const std::uint64_t n = csr.offsets.size() - 1;
  for (std::uint64_t vertex = 0; vertex < n; ++vertex) {
    for_each_parallel(csr, vertex, [&](std::uint64_t first, std::uint64_t last) {
      for_each_run(first, last, [&](std::uint64_t begin, std::uint64_t end) {
        const auto label = static_cast<std::int64_t>(info[begin]);
        next = std::max(next, label + 1);
        if (end - begin < 2) return;
        std::uint64_t& known = most[label];
        known = std::max(known, end - begin - 1);
      });
    });
  }
  std::map<std::int64_t, std::int64_t> first_copies;
  for (const auto& [label, repeats] : most) {
    first_copies[label] = next;
    for (std::uint64_t i = 0; i < repeats; ++i) copies.push_back({next++, label});
  }
  for_blocks(Block(0, n, kVertexGrain), [&](const Block& block) {
    for (std::uint64_t vertex = block.begin(); vertex != block.end(); ++vertex) {
      for_each_parallel(csr, vertex, [&](std::uint64_t first, std::uint64_t last) {
        if (last - first == 1) return;
        for_each_run(first, last, [&](std::uint64_t begin, std::uint64_t end) {
          if (end - begin < 2) return;
          std::int64_t copy = first_copies.at(static_cast<std::int64_t>(info[begin]));
          for (std::uint64_t at = begin + 1; at != end; ++at) info[at] = static_cast<std::uint64_t>(copy++);
        });
        std::sort(info + first, info + last, less_info);
      });
    }
  });
}

/// Sorts arcs to one target by their info and drops repeats.
Csr without_repeats(Csr csr) {
  const std::uint64_t n = csr.offsets.size() - 1;
  Buffer<std::uint64_t> kept(n + 1);
  for_blocks(Block(0, n, kVertexGrain), [&](const Block& block) {
    for (std::uint64_t vertex = block.begin(); vertex != block.end(); ++vertex) {
      const std::uint64_t end = csr.offsets[vertex + 1];
      std::uint64_t out = csr.offsets[vertex];
      for (std::uint64_t first = out, last = out; first != end; first = last) {
        while (last != end && csr.neighbors[last] == csr.neighbors[first]) ++last;
        std::uint64_t* const info = csr.edge_info.data();
        std::sort(info + first, info + last, less_info);
        for (std::uint64_t at = first; at != last; ++at) {
          if (at != first && info[at] == info[at - 1]) continue;
          csr.neighbors[out] = csr.neighbors[first];
          info[out++] = info[at];
        }
      }
      kept[vertex] = out - csr.offsets[vertex];
    }
  });
  exclusive_sums(kept);
  if (kept[n] == csr.neighbors.size()) return csr;
  Csr packed;
  packed.neighbors = moved(csr.offsets, kept, csr.neighbors);
  packed.edge_info = moved(csr.offsets, kept, csr.edge_info);
  packed.offsets = std::move(kept);
  return packed;
}

/// Cleans all rows, the first of which is that of vertex `first`; `counts` becomes the remaining number of each.
Cleaner clean_rows(std::uint64_t first, const Buffer<std::uint64_t>& offsets, Buffer<std::uint32_t>& keys,
                   unsigned shift, Buffer<std::uint64_t>& counts) {
  return tbb::parallel_reduce(
      Block(0, offsets.size() - 1, kVertexGrain), Cleaner{shift},
      [&](const Block& block, Cleaner cleaner) {
        for (std::uint64_t row = block.begin(); row != block.end(); ++row) {
          counts[row] = cleaner.clean(static_cast<std::uint32_t>(first + row), keys.data() + offsets[row],
                                      keys.data() + offsets[row + 1]);
        }
        return cleaner;
      },
      [](Cleaner a, const Cleaner& b) {
        a.arcs += b.arcs;
        a.both += b.both;
        return a;
      });
}

}  // namespace

Csr multi_csr(std::uint64_t n, const EdgeColumns& edges, const std::uint64_t* info) {
  Csr csr;
  if (is_sorted_by_ends(edges)) {
    csr.offsets = offsets_of_sorted(n, edges);
    csr.neighbors = Buffer<std::uint32_t>(edges.count);
    std::copy_n(edges.targets, edges.count, csr.neighbors.data());
    if (info != nullptr) {
      csr.edge_info = Buffer<std::uint64_t>(edges.count);
      std::copy_n(info, edges.count, csr.edge_info.data());
    }
    return csr;
  }
  if (info == nullptr) {
    SortedArcs sorted = sort_arcs(n, edges, {.directed = true, .keep_loops = true, .target_limit = edges.target_limit});
    csr.offsets = std::move(sorted.offsets);
    csr.neighbors = std::move(sorted.keys);
    return csr;
  }
  Buffer<std::uint64_t> keys = places_by_ends(n, edges, csr.offsets);
  csr.neighbors = Buffer<std::uint32_t>(edges.count);
  for_blocks(Block(0, edges.count, kEdgeGrain), [&](const Block& block) {
    for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
      csr.neighbors[at] = static_cast<std::uint32_t>(keys[at] >> 32);
      keys[at] = info[keys[at] & 0xFFFFFFFFU];
    }
  });
  csr.edge_info = std::move(keys);
  return csr;
}

SimpleCsr simple_csr(std::uint64_t n, const EdgeColumns& edges, bool directed, const std::function<void()>& edges_read,
                     bool keep_loops) {
  // The low bit of a key holds the direction while the ranks leave room for it.
  constexpr std::uint64_t kRoomForDirection = std::uint64_t{1} << 31;
  const unsigned shift = !directed && n <= kRoomForDirection ? 1 : 0;
  SimpleCsr simple;
  SortedArcs sorted = sort_arcs(n, edges, {.directed = directed, .keep_loops = keep_loops, .shift = shift});
  simple.loops = sorted.loops;
  const Buffer<std::uint64_t> offsets = std::move(sorted.offsets);
  Buffer<std::uint32_t> keys = std::move(sorted.keys);
  if (edges_read) edges_read();
  Buffer<std::uint64_t> counts(n + 1);
  const Cleaner total = clean_rows(0, offsets, keys, shift, counts);
  simple.csr = pack(offsets, std::move(counts), std::move(keys));
  const std::uint64_t distinct = !directed && shift == 0 ? total.arcs / 2 : total.arcs;
  simple.duplicates = edges.count - simple.loops - distinct;
  simple.reversed = total.both;
  return simple;
}

RowPiece rows_of_pairs(std::uint64_t first, std::uint64_t rows, const Buffer<RankPair>& arcs, std::uint64_t key_limit,
                       unsigned shift) {
  using Ranks = StridedItems<std::uint32_t>;
  const char* const items = reinterpret_cast<const char*>(arcs.data());
  const EdgeReader<Ranks> edges{Ranks{items, sizeof(RankPair)},
                                Ranks{items + offsetof(RankPair, target), sizeof(RankPair)}, arcs.size()};
  SortedArcs sorted =
      ArcSort<Ranks>(rows, edges, {.directed = true, .keep_loops = true, .target_limit = key_limit}).run();
  Buffer<std::uint64_t> counts(rows + 1);
  const Cleaner total = clean_rows(first, sorted.offsets, sorted.keys, shift, counts);
  return {pack(sorted.offsets, std::move(counts), std::move(sorted.keys)), total.arcs, total.both};
}

namespace {

template <typename Ends>
SimpleCsr simple_csr_of(std::uint64_t n, const EdgeReader<Ends>& edges, bool directed) {
  SimpleCsr simple;
  SortedArcs sorted = ArcSort<Ends>(n, edges, {.directed = directed}).run();
  simple.loops = sorted.loops;
  Buffer<std::uint64_t> offsets = std::move(sorted.offsets);
  Buffer<std::uint32_t> keys = std::move(sorted.keys);
  std::atomic<bool> repeated{false};
  for_blocks(Block(0, n, kVertexGrain), [&](const Block& block) {
    for (std::uint64_t vertex = block.begin(); vertex != block.end(); ++vertex) {
      std::uint32_t* const begin = keys.data() + offsets[vertex];
      std::uint32_t* const end = keys.data() + offsets[vertex + 1];
      std::uint32_t* const kept = std::unique(begin, end);
      if (kept == end) continue;
      std::fill(kept, end, kNoRank);
      repeated.store(true, std::memory_order_relaxed);
    }
  });
  const std::uint64_t all = keys.size();
  if (repeated.load()) {
    simple.csr = pack_in_place(std::move(offsets), std::move(keys));
  } else {
    simple.csr.offsets = std::move(offsets);
    simple.csr.neighbors = std::move(keys);
  }
  simple.duplicates = (all - simple.csr.neighbors.size()) / (directed ? 1 : 2);
  return simple;
}

/// Both have items of 32 bits, or of 64. Signedness does not matter, as all are below `n`.
template <typename T>
SimpleCsr simple_csr_as(std::uint64_t n, const IntColumn& sources, const IntColumn& targets, bool directed) {
  return with_items_as<T>(sources, [&](const auto& from) {
    using Ends = std::decay_t<decltype(from)>;
    Ends to = from;
    to.items = static_cast<decltype(to.items)>(targets.items);
    return simple_csr_of(n, EdgeReader<Ends>{from, to, sources.count}, directed);
  });
}

}  // namespace

SimpleCsr simple_csr_in_place(std::uint64_t n, const IntColumn& sources, const IntColumn& targets, bool directed) {
  const bool narrow = sources.kind == IntColumn::Kind::Int32 || sources.kind == IntColumn::Kind::Uint32;
  return narrow ? simple_csr_as<std::uint32_t>(n, sources, targets, directed)
                : simple_csr_as<std::uint64_t>(n, sources, targets, directed);
}

SimpleCsr labelled_csr(std::uint64_t n, const EdgeColumns& edges, const std::uint64_t* info, bool directed) {
  SimpleCsr simple;
  simple.csr = without_repeats(multi_csr(n, edges, info));
  const std::uint64_t arcs = simple.csr.neighbors.size();
  simple.duplicates = edges.count - arcs;
  if (directed) return simple;
  // Both directions of the remaining edges.
  Buffer<std::uint32_t> sources(2 * arcs), targets(2 * arcs);
  Buffer<std::uint64_t> infos(2 * arcs);
  for_blocks(Block(0, n, kVertexGrain), [&](const Block& block) {
    for (std::uint64_t vertex = block.begin(); vertex != block.end(); ++vertex) {
      for (std::uint64_t at = simple.csr.offsets[vertex]; at != simple.csr.offsets[vertex + 1]; ++at) {
        sources[at] = targets[arcs + at] = static_cast<std::uint32_t>(vertex);
        targets[at] = sources[arcs + at] = simple.csr.neighbors[at];
        infos[at] = infos[arcs + at] = simple.csr.edge_info[at];
      }
    }
  });
  simple.csr = without_repeats(multi_csr(n, {sources.data(), targets.data(), 2 * arcs}, infos.data()));
  simple.reversed = arcs - simple.csr.neighbors.size() / 2;
  return simple;
}

SimpleCsr repeated_csr(std::uint64_t n, const EdgeColumns& edges, const std::uint64_t* labels,
                       std::vector<LabelCopy>& copies) {
  SimpleCsr simple;
  simple.csr = multi_csr(n, edges, labels);
  if (sort_parallels(simple.csr)) name_repeats(simple.csr, copies);
  return simple;
}

bool has_parallels(const Csr& csr) {
  for (std::uint64_t vertex = 0; vertex + 1 < csr.offsets.size(); ++vertex) {
    const std::uint32_t* const end = csr.neighbors.data() + csr.offsets[vertex + 1];
    if (std::adjacent_find(csr.neighbors.data() + csr.offsets[vertex], end) != end) return true;
  }
  return false;
}

bool has_loops(const Csr& csr) {
  for (std::uint64_t vertex = 0; vertex + 1 < csr.offsets.size(); ++vertex) {
    const std::uint32_t* const begin = csr.neighbors.data() + csr.offsets[vertex];
    if (std::binary_search(begin, csr.neighbors.data() + csr.offsets[vertex + 1], static_cast<std::uint32_t>(vertex)))
      return true;
  }
  return false;
}

Csr without_parallels(std::uint64_t n, const std::uint64_t* offsets, const std::uint32_t* neighbors, bool keep_loops) {
  Csr csr;
  csr.offsets = Buffer<std::uint64_t>(n + 1);
  Buffer<std::uint64_t> from(n + 1);
  std::copy_n(offsets, n + 1, from.data());
  Buffer<std::uint32_t> kept(offsets[n]);
  for_blocks(Block(0, n, kVertexGrain), [&](const Block& block) {
    for (std::uint64_t vertex = block.begin(); vertex != block.end(); ++vertex) {
      std::uint32_t* const begin = kept.data() + from[vertex];
      const std::uint32_t dropped = keep_loops ? kNoRank : static_cast<std::uint32_t>(vertex);
      std::uint32_t* end = std::remove_copy(neighbors + from[vertex], neighbors + from[vertex + 1], begin, dropped);
      csr.offsets[vertex] = static_cast<std::uint64_t>(std::unique(begin, end) - begin);
    }
  });
  exclusive_sums(csr.offsets);
  csr.neighbors = moved(from, csr.offsets, kept);
  return csr;
}

}  // namespace matcha::runtime::detail
