#include "runtime/graph/detail/csr.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>

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

/// counts[0…n) become the sums of all before them, counts[n] the total.
void exclusive_sums(Buffer<std::uint64_t>& counts) {
  counts[counts.size() - 1] = 0;
  tbb::parallel_scan(
      Block(0, counts.size(), std::uint64_t{1} << 16), std::uint64_t{0},
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

std::uint64_t next_place(Buffer<std::uint64_t>& cursors, std::uint64_t at) {
  return std::atomic_ref<std::uint64_t>(cursors[at]).fetch_add(1, std::memory_order_relaxed);
}

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

template <typename Key>
void sort_list(Key* begin, Key* end) {
  if (std::is_sorted(begin, end)) return;
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

/// Keys of all arcs at their source's place; an undirected edge has one at each end. Loops are left out.
std::uint64_t scatter_simple(std::uint64_t n, const EdgeColumns& edges, bool directed, unsigned shift,
                             Buffer<std::uint64_t>& offsets, Buffer<std::uint32_t>& keys) {
  offsets = Buffer<std::uint64_t>(n + 1);
  clear(offsets);
  std::atomic<std::uint64_t> loops{0};
  tbb::parallel_for(Block(0, edges.count, kEdgeGrain), [&](const Block& block) {
    std::uint64_t seen = 0;
    for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
      const std::uint32_t source = edges.sources[at];
      const std::uint32_t target = edges.targets[at];
      if (source == target) {
        ++seen;
        continue;
      }
      next_place(offsets, source);
      if (!directed) next_place(offsets, target);
    }
    if (seen != 0) loops.fetch_add(seen, std::memory_order_relaxed);
  });
  exclusive_sums(offsets);
  keys = Buffer<std::uint32_t>(offsets[n]);
  Buffer<std::uint64_t> cursors(n + 1);
  std::copy(offsets.begin(), offsets.end(), cursors.begin());
  tbb::parallel_for(Block(0, edges.count, kEdgeGrain), [&](const Block& block) {
    for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
      const std::uint32_t source = edges.sources[at];
      const std::uint32_t target = edges.targets[at];
      if (source == target) continue;
      keys[next_place(cursors, source)] = target << shift;
      if (!directed) keys[next_place(cursors, target)] = shift == 0 ? source : source << 1 | 1;
    }
  });
  return loops.load();
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
  simple.loops = scatter_simple(n, edges, directed, shift, offsets, keys);
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
