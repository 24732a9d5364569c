#include "runtime/graph/detail/csr.h"

#include <sys/mman.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <functional>
#include <type_traits>

namespace matcha::runtime::detail {

namespace {

using Block = tbb::blocked_range<std::uint64_t>;

constexpr std::uint64_t kEdgeGrain = std::uint64_t{1} << 14;
constexpr std::uint64_t kVertexGrain = 512;
constexpr std::uint64_t kLongList = std::uint64_t{1} << 16;

void clear(Buffer<std::uint64_t>& buffer) {
  tbb::parallel_for(Block(0, buffer.size(), std::uint64_t{1} << 16), [&](const Block& block) {
    std::memset(buffer.data() + block.begin(), 0, (block.end() - block.begin()) * sizeof(std::uint64_t));
  });
}

/// counts[0…size - 1) become the sums of all before them, the last one the total.
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

/// Cursors that several threads move, or only one, for which that is three times as fast.
struct SharedCursors {
  static std::uint64_t next(std::uint64_t& cursor) {
    return std::atomic_ref<std::uint64_t>(cursor).fetch_add(1, std::memory_order_relaxed);
  }
  static std::uint64_t peek(std::uint64_t& cursor) {
    return std::atomic_ref<std::uint64_t>(cursor).load(std::memory_order_relaxed);
  }
};
struct OwnCursors {
  static std::uint64_t next(std::uint64_t& cursor) { return cursor++; }
  static std::uint64_t peek(const std::uint64_t& cursor) { return cursor; }
};

/// So many edges ahead of the one that is put in its place, that place is fetched; the cursor that tells it, as many
/// before. All of them are far apart in memory.
constexpr std::uint64_t kAhead = 16;

bool is_one_thread() { return tbb::this_task_arena::max_concurrency() == 1; }

bool is_sorted_by_ends(const EdgeColumns& edges) {
  if (edges.count < 2) return true;
  std::atomic<bool> sorted{true};
  tbb::parallel_for(Block(1, edges.count, kEdgeGrain), [&](const Block& block) {
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

/// Offsets of edges that are sorted by source.
Buffer<std::uint64_t> offsets_of_sorted(std::uint64_t n, const EdgeColumns& edges) {
  Buffer<std::uint64_t> offsets(n + 1);
  tbb::parallel_for(Block(0, edges.count + 1, kEdgeGrain), [&](const Block& block) {
    for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
      const std::uint64_t first = at == 0 ? 0 : std::uint64_t{edges.sources[at - 1]} + 1;
      const std::uint64_t last = at == edges.count ? n : edges.sources[at];
      for (std::uint64_t vertex = first; vertex <= last; ++vertex) offsets[vertex] = at;
    }
  });
  return offsets;
}

/// Sorts a list of at most kFewKeys by throwing its keys into as many buckets of the range that they take; what is in
/// one bucket is not sorted. False: the buckets are too uneven for that, and nothing was done.
constexpr std::uint64_t kFewKeys = 256;
bool spread(std::uint32_t* begin, std::uint64_t count, std::uint32_t low, std::uint32_t high) {
  constexpr std::uint8_t kMostInBucket = 12;
  std::uint8_t ends[kFewKeys + 1] = {};
  std::uint32_t sorted[kFewKeys];
  const int shift =
      std::max(0, static_cast<int>(std::bit_width(high - low)) - static_cast<int>(std::bit_width(count - 1)));
  const std::uint64_t buckets = ((high - low) >> shift) + std::uint64_t{1};
  std::uint8_t most = 0;
  for (std::uint64_t at = 0; at < count; ++at) most = std::max(most, ++ends[(begin[at] - low) >> shift]);
  if (most > kMostInBucket) return false;
  std::uint8_t sum = 0;
  for (std::uint64_t bucket = 0; bucket < buckets; ++bucket)
    sum = ends[bucket] = static_cast<std::uint8_t>(sum + ends[bucket]);
  for (std::uint64_t at = count; at-- > 0;) sorted[--ends[(begin[at] - low) >> shift]] = begin[at];
  std::memcpy(begin, sorted, count * sizeof(std::uint32_t));
  return true;
}

/// Keys that are nearly in order.
void insert_in_order(std::uint32_t* begin, std::uint64_t count) {
  for (std::uint64_t at = 1; at < count; ++at) {
    const std::uint32_t key = begin[at];
    std::uint64_t to = at;
    for (; to > 0 && begin[to - 1] > key; --to) begin[to] = begin[to - 1];
    begin[to] = key;
  }
}

void sort_few(std::uint32_t* begin, std::uint32_t* end) {
  constexpr std::uint64_t kFewest = 16;
  const std::uint64_t count = static_cast<std::uint64_t>(end - begin);
  if (count > kFewest) {
    const auto [low, high] = std::minmax_element(begin, end);
    if (!spread(begin, count, *low, *high)) return std::sort(begin, end);
  }
  insert_in_order(begin, count);
}

template <typename Key>
void sort_list(Key* begin, Key* end) {
  if (std::is_sorted(begin, end)) return;
  if constexpr (std::is_same_v<Key, std::uint32_t>) {
    if (static_cast<std::uint64_t>(end - begin) < kFewKeys) return sort_few(begin, end);
  }
  if (static_cast<std::uint64_t>(end - begin) > kLongList) {
    tbb::parallel_sort(begin, end);
  } else {
    std::sort(begin, end);
  }
}

/// Scatters a key of each edge to its source's place. `key(at)` makes the key of edge `at`.
template <typename Key, typename MakeKey>
Buffer<Key> scatter(std::uint64_t n, const EdgeColumns& edges, Buffer<std::uint64_t>& offsets, const MakeKey& key) {
  offsets = Buffer<std::uint64_t>(n + 1);
  clear(offsets);
  tbb::parallel_for(Block(0, edges.count, kEdgeGrain), [&](const Block& block) {
    for (std::uint64_t at = block.begin(); at != block.end(); ++at) next_place(offsets, edges.sources[at]);
  });
  exclusive_sums(offsets);
  Buffer<std::uint64_t> cursors(n + 1);
  std::copy(offsets.begin(), offsets.end(), cursors.begin());
  Buffer<Key> keys(edges.count);
  tbb::parallel_for(Block(0, edges.count, kEdgeGrain), [&](const Block& block) {
    for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
      keys[next_place(cursors, edges.sources[at])] = key(at);
    }
  });
  return keys;
}

template <typename Key>
void sort_lists(const Buffer<std::uint64_t>& offsets, Buffer<Key>& keys) {
  tbb::parallel_for(Block(0, offsets.size() - 1, kVertexGrain), [&](const Block& block) {
    for (std::uint64_t vertex = block.begin(); vertex != block.end(); ++vertex) {
      sort_list(keys.data() + offsets[vertex], keys.data() + offsets[vertex + 1]);
    }
  });
}

/// Sorts, drops repeats and strips the direction bits of one vertex's keys. A key is `target << shift | reversed`.
struct Cleaner {
  unsigned shift = 0;
  std::uint64_t arcs = 0;  ///< Distinct (target, direction) pairs with target above the vertex, or all of them.
  std::uint64_t both = 0;  ///< Targets above the vertex with both directions.

  std::uint64_t clean(std::uint32_t vertex, std::uint32_t* begin, std::uint32_t* end) {
    sort_list(begin, end);
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

/// Edges as `scatter_simple` reads them: ends by their place.
template <typename Ends>
struct EdgeReader {
  Ends sources, targets;
  std::uint64_t count = 0;
};

/// Keys of all arcs at their source's place; an undirected edge has one at each end. Loops are left out. The offsets
/// serve as cursors, so that nothing else is as long.
template <typename Cursors, typename Ends>
std::uint64_t scatter_with(std::uint64_t n, const EdgeReader<Ends>& edges, bool directed, unsigned shift,
                           Buffer<std::uint64_t>& offsets, Buffer<std::uint32_t>& keys) {
  // Item v + 1 is the cursor of v: it begins as the offset of v and ends as that of v + 1.
  offsets = Buffer<std::uint64_t>(n + 2);
  clear(offsets);
  std::uint64_t* const cursors = offsets.data() + 1;
  std::atomic<std::uint64_t> loops{0};
  tbb::parallel_for(Block(0, edges.count, kEdgeGrain), [&](const Block& block) {
    std::uint64_t seen = 0;
    for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
      if (at + kAhead < block.end()) {
        __builtin_prefetch(cursors + edges.sources[at + kAhead], 1);
        if (!directed) __builtin_prefetch(cursors + edges.targets[at + kAhead], 1);
      }
      const std::uint64_t source = edges.sources[at], target = edges.targets[at];
      if (source == target) {
        ++seen;
        continue;
      }
      Cursors::next(cursors[source]);
      if (!directed) Cursors::next(cursors[target]);
    }
    if (seen != 0) loops.fetch_add(seen, std::memory_order_relaxed);
  });
  exclusive_sums(cursors, n + 1);
  keys = Buffer<std::uint32_t>(cursors[n]);
  tbb::parallel_for(Block(0, edges.count, kEdgeGrain), [&](const Block& block) {
    for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
      if (at + 2 * kAhead < block.end()) {
        __builtin_prefetch(cursors + edges.sources[at + 2 * kAhead], 1);
        if (!directed) __builtin_prefetch(cursors + edges.targets[at + 2 * kAhead], 1);
        __builtin_prefetch(keys.data() + Cursors::peek(cursors[edges.sources[at + kAhead]]), 1);
        if (!directed) __builtin_prefetch(keys.data() + Cursors::peek(cursors[edges.targets[at + kAhead]]), 1);
      }
      const std::uint32_t source = static_cast<std::uint32_t>(edges.sources[at]);
      const std::uint32_t target = static_cast<std::uint32_t>(edges.targets[at]);
      if (source == target) continue;
      keys[Cursors::next(cursors[source])] = target << shift;
      if (!directed) keys[Cursors::next(cursors[target])] = shift == 0 ? source : source << 1 | 1;
    }
  });
  offsets.truncate(n + 1);
  return loops.load();
}

template <typename Ends>
std::uint64_t scatter_simple(std::uint64_t n, const EdgeReader<Ends>& edges, bool directed, unsigned shift,
                             Buffer<std::uint64_t>& offsets, Buffer<std::uint32_t>& keys) {
  return is_one_thread() ? scatter_with<OwnCursors>(n, edges, directed, shift, offsets, keys)
                         : scatter_with<SharedCursors>(n, edges, directed, shift, offsets, keys);
}

/// The lists at `from`, of which counts[v] items each are kept, one after the other at `to`.
template <typename Item>
Buffer<Item> moved(const Buffer<std::uint64_t>& from, const Buffer<std::uint64_t>& to, const Buffer<Item>& items) {
  const std::uint64_t n = from.size() - 1;
  Buffer<Item> packed(to[n]);
  tbb::parallel_for(Block(0, n, kVertexGrain), [&](const Block& block) {
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

/// What no rank is: it takes the place of keys that are dropped, at the end of their list.
constexpr std::uint32_t kNoRank = 0xFFFFFFFF;

/// Forgets the items past `size`, and gives the memory back that only they took, where that is much.
void release_past(Buffer<std::uint32_t>& items, std::uint64_t size) {
  constexpr std::uint64_t kPage = std::uint64_t{2} << 20;  // Long arrays begin at such a page.
  constexpr std::uint64_t kSlack = 64;                     // Vector loads reach past the end.
  const std::uint64_t first = (size * sizeof(std::uint32_t) + kSlack + kPage - 1) / kPage * kPage;
  const std::uint64_t last = items.size() * sizeof(std::uint32_t) / kPage * kPage;
  if (first < last) (void)::madvise(reinterpret_cast<char*>(items.data()) + first, last - first, MADV_DONTNEED);
  items.truncate(size);
}

/// Moves the lists together where they are, without what was dropped.
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

/// Sorts arcs to one target by their info and drops repeats.
Csr without_repeats(Csr csr) {
  const std::uint64_t n = csr.offsets.size() - 1;
  Buffer<std::uint64_t> kept(n + 1);
  tbb::parallel_for(Block(0, n, kVertexGrain), [&](const Block& block) {
    const auto less = [](std::uint64_t a, std::uint64_t b) {
      return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
    };
    for (std::uint64_t vertex = block.begin(); vertex != block.end(); ++vertex) {
      const std::uint64_t end = csr.offsets[vertex + 1];
      std::uint64_t out = csr.offsets[vertex];
      for (std::uint64_t first = out, last = out; first != end; first = last) {
        while (last != end && csr.neighbors[last] == csr.neighbors[first]) ++last;
        std::uint64_t* const info = csr.edge_info.data();
        std::sort(info + first, info + last, less);
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
    csr.neighbors = scatter<std::uint32_t>(n, edges, csr.offsets, [&](std::uint64_t at) { return edges.targets[at]; });
    sort_lists(csr.offsets, csr.neighbors);
    return csr;
  }
  Buffer<std::uint64_t> keys = scatter<std::uint64_t>(
      n, edges, csr.offsets, [&](std::uint64_t at) { return std::uint64_t{edges.targets[at]} << 32 | at; });
  sort_lists(csr.offsets, keys);
  csr.neighbors = Buffer<std::uint32_t>(edges.count);
  tbb::parallel_for(Block(0, edges.count, kEdgeGrain), [&](const Block& block) {
    for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
      csr.neighbors[at] = static_cast<std::uint32_t>(keys[at] >> 32);
      keys[at] = info[keys[at] & 0xFFFFFFFFU];
    }
  });
  csr.edge_info = std::move(keys);
  return csr;
}

SimpleCsr simple_csr(std::uint64_t n, const EdgeColumns& edges, bool directed,
                     const std::function<void()>& edges_read) {
  // The low bit of a key tells the directions apart while the ranks leave room for it.
  constexpr std::uint64_t kRoomForDirection = std::uint64_t{1} << 31;
  const unsigned shift = !directed && n <= kRoomForDirection ? 1 : 0;
  SimpleCsr simple;
  Buffer<std::uint64_t> offsets;
  Buffer<std::uint32_t> keys;
  using Ranks = PackedItems<std::uint32_t>;
  const EdgeReader<Ranks> ends{Ranks{edges.sources}, Ranks{edges.targets}, edges.count};
  simple.loops = scatter_simple(n, ends, directed, shift, offsets, keys);
  if (edges_read) edges_read();
  Buffer<std::uint64_t> counts(n + 1);
  const Cleaner total = tbb::parallel_reduce(
      Block(0, n, kVertexGrain), Cleaner{shift},
      [&](const Block& block, Cleaner cleaner) {
        for (std::uint64_t vertex = block.begin(); vertex != block.end(); ++vertex) {
          counts[vertex] = cleaner.clean(static_cast<std::uint32_t>(vertex), keys.data() + offsets[vertex],
                                         keys.data() + offsets[vertex + 1]);
        }
        return cleaner;
      },
      [](Cleaner a, const Cleaner& b) {
        a.arcs += b.arcs;
        a.both += b.both;
        return a;
      });
  simple.csr = pack(offsets, std::move(counts), std::move(keys));
  const std::uint64_t distinct = !directed && shift == 0 ? total.arcs / 2 : total.arcs;
  simple.duplicates = edges.count - simple.loops - distinct;
  simple.reversed = total.both;
  return simple;
}

namespace {

template <typename Ends>
SimpleCsr simple_csr_of(std::uint64_t n, const EdgeReader<Ends>& edges, bool directed) {
  SimpleCsr simple;
  Buffer<std::uint64_t> offsets;
  Buffer<std::uint32_t> keys;
  simple.loops = scatter_simple(n, edges, directed, 0, offsets, keys);
  std::atomic<bool> repeated{false};
  tbb::parallel_for(Block(0, n, kVertexGrain), [&](const Block& block) {
    for (std::uint64_t vertex = block.begin(); vertex != block.end(); ++vertex) {
      std::uint32_t* const begin = keys.data() + offsets[vertex];
      std::uint32_t* const end = keys.data() + offsets[vertex + 1];
      sort_list(begin, end);
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

/// Items of 32 bits both, or of 64; those of no sign are the same as the others, as all are below `n`.
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
  // Both directions of what is left.
  Buffer<std::uint32_t> sources(2 * arcs), targets(2 * arcs);
  Buffer<std::uint64_t> infos(2 * arcs);
  tbb::parallel_for(Block(0, n, kVertexGrain), [&](const Block& block) {
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

bool has_parallels(const Csr& csr) {
  for (std::uint64_t vertex = 0; vertex + 1 < csr.offsets.size(); ++vertex) {
    const std::uint32_t* const end = csr.neighbors.data() + csr.offsets[vertex + 1];
    if (std::adjacent_find(csr.neighbors.data() + csr.offsets[vertex], end) != end) return true;
  }
  return false;
}

Csr without_parallels(std::uint64_t n, const std::uint64_t* offsets, const std::uint32_t* neighbors) {
  Csr csr;
  csr.offsets = Buffer<std::uint64_t>(n + 1);
  Buffer<std::uint64_t> from(n + 1);
  std::copy_n(offsets, n + 1, from.data());
  Buffer<std::uint32_t> kept(offsets[n]);
  tbb::parallel_for(Block(0, n, kVertexGrain), [&](const Block& block) {
    for (std::uint64_t vertex = block.begin(); vertex != block.end(); ++vertex) {
      std::uint32_t* const begin = kept.data() + from[vertex];
      std::uint32_t* end = std::remove_copy(neighbors + from[vertex], neighbors + from[vertex + 1], begin,
                                            static_cast<std::uint32_t>(vertex));
      csr.offsets[vertex] = static_cast<std::uint64_t>(std::unique(begin, end) - begin);
    }
  });
  exclusive_sums(csr.offsets);
  csr.neighbors = moved(from, csr.offsets, kept);
  return csr;
}

}  // namespace matcha::runtime::detail
