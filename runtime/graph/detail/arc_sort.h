#pragma once

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <utility>

#include "runtime/graph/buffer.h"
#include "runtime/graph/detail/arc_buckets.h"
#include "runtime/parallel.h"

/// Sorts arcs by source, then by target. It first fills buckets of neighbouring sources with one 32-bit word an arc,
/// then sorts each bucket in the cache. So no array of the number of vertices is accessed at random.
namespace matcha::runtime::detail {

/// Edges as the sort reads them, in two passes: the ends by index.
template <typename Ends>
struct EdgeReader {
  Ends sources, targets;
  std::uint64_t count = 0;
};

struct ArcOptions {
  bool directed = false;           ///< False: an edge is one arc from each end.
  bool keep_loops = false;         ///< Only if directed.
  unsigned shift = 0;              ///< 0 or 1; see SortedArcs.
  std::uint64_t target_limit = 0;  ///< If not 0, targets are below it instead of `n`. Only if directed.
};

/// A key is `target << shift`. With a shift of 1 its low bit is 1 if the edge was given in the other direction.
struct SortedArcs {
  Buffer<std::uint64_t> offsets;  ///< n + 1.
  Buffer<std::uint32_t> keys;     ///< Ascending within each row; repeats are kept.
  std::uint64_t loops = 0;        ///< The number of loops that were dropped.
};

/// Throws std::bad_alloc. The result is the same for every number of threads.
template <typename Ends>
class ArcSort {
 public:
  ArcSort(std::uint64_t n, const EdgeReader<Ends>& edges, const ArcOptions& options)
      : n_(n),
        edges_(edges),
        options_(options),
        arcs_(options.directed ? edges.count : 2 * edges.count),
        buckets_(n, options.target_limit == 0 ? n : options.target_limit, arcs_, options.shift) {
    // Each thread has its own cursors where they are few compared to the arcs.
    const std::uint64_t threads = static_cast<std::uint64_t>(tbb::this_task_arena::max_concurrency());
    constexpr std::uint64_t kArcsOfCursor = 16;
    are_own_ = threads == 1 || buckets_.count() * threads * kArcsOfCursor <= arcs_;
    parts_ = are_own_ ? threads : 4 * threads;
  }

  SortedArcs run() {
    SortedArcs sorted;
    const std::uint64_t count = buckets_.count();
    cursors_ = Buffer<std::uint64_t>(count * (are_own_ ? parts_ : 1));
    std::fill(cursors_.begin(), cursors_.end(), 0);
    are_own_ ? tally<false>() : tally<true>();
    sorted.loops = loops_.load();
    Buffer<std::uint64_t> begins(count + 1);
    begins[count] = sum_cursors(begins);
    sorted.keys = Buffer<std::uint32_t>(begins[count]);
    are_own_ ? fill<false>(sorted.keys) : fill<true>(sorted.keys);
    cursors_ = {};
    sorted.offsets = Buffer<std::uint64_t>(n_ + 1);
    sort_buckets(begins, sorted);
    sorted.offsets[n_] = begins[count];
    return sorted;
  }

 private:
  /// The place of the edge that is this many ahead is prefetched.
  static constexpr std::uint64_t kAhead = 16;

  /// Calls `use(cursors, first, last)` for each part of the edges; `use` advances the cursors.
  template <typename Use>
  void for_parts(const Use& use) {
    for_indices(0, parts_, [&](std::uint64_t part) {
      const std::uint64_t step = (edges_.count + parts_ - 1) / parts_;
      const std::uint64_t first = std::min(edges_.count, part * step);
      use(cursors_.data() + (are_own_ ? part * buckets_.count() : 0), first, std::min(edges_.count, first + step));
    });
  }

  template <bool kShared>
  static std::uint64_t next(std::uint64_t& cursor) {
    if constexpr (!kShared) return cursor++;
    return std::atomic_ref<std::uint64_t>(cursor).fetch_add(1, std::memory_order_relaxed);
  }
  template <bool kShared>
  static std::uint64_t peek(std::uint64_t& cursor) {
    if constexpr (!kShared) return cursor;
    return std::atomic_ref<std::uint64_t>(cursor).load(std::memory_order_relaxed);
  }

  template <bool kShared>
  void tally() {
    for_parts([&](std::uint64_t* cursors, std::uint64_t first, std::uint64_t last) {
      std::uint64_t loops = 0;
      for (std::uint64_t at = first; at != last; ++at) {
        const std::uint64_t source = edges_.sources[at], target = edges_.targets[at];
        if (source == target && !options_.keep_loops) {
          ++loops;
          continue;
        }
        next<kShared>(cursors[buckets_.of(source)]);
        if (!options_.directed) next<kShared>(cursors[buckets_.of(target)]);
      }
      if (loops != 0) loops_.fetch_add(loops, std::memory_order_relaxed);
    });
  }

  /// Turns counts into cursors and returns the number of arcs. The parts of a bucket follow one another.
  std::uint64_t sum_cursors(Buffer<std::uint64_t>& begins) {
    const std::uint64_t count = buckets_.count();
    std::uint64_t sum = 0;
    for (std::uint64_t bucket = 0; bucket < count; ++bucket) {
      begins[bucket] = sum;
      for (std::uint64_t at = bucket; at < cursors_.size(); at += count) sum += std::exchange(cursors_[at], sum);
    }
    return sum;
  }

  template <bool kShared>
  void fill(Buffer<std::uint32_t>& words) {
    for_parts([&](std::uint64_t* cursors, std::uint64_t first, std::uint64_t last) {
      const auto fetch = [&](std::uint64_t source) {
        __builtin_prefetch(words.data() + peek<kShared>(cursors[buckets_.of(source)]), 1);
      };
      const std::uint64_t reversed = options_.shift;  // The low bit, if there is room for it.
      for (std::uint64_t at = first; at != last; ++at) {
        if (at + kAhead < last) {
          fetch(edges_.sources[at + kAhead]);
          if (!options_.directed) fetch(edges_.targets[at + kAhead]);
        }
        const std::uint64_t source = edges_.sources[at], target = edges_.targets[at];
        if (source == target && !options_.keep_loops) continue;
        words[next<kShared>(cursors[buckets_.of(source)])] = buckets_.word(source, target << options_.shift);
        if (options_.directed) continue;
        words[next<kShared>(cursors[buckets_.of(target)])] = buckets_.word(target, source << options_.shift | reversed);
      }
    });
  }

  /// Sorts each bucket, keeps the keys of its words, and writes the offsets of its sources.
  void sort_buckets(const Buffer<std::uint64_t>& begins, SortedArcs& sorted) {
    constexpr std::uint64_t kMostSpare = std::uint64_t{1} << 20;
    constexpr std::uint64_t kGrain = 8;
    tbb::enumerable_thread_specific<Buffer<std::uint32_t>> spares;
    for_blocks(Block(0, buckets_.count(), kGrain), [&](const auto& block) {
      for (std::uint64_t bucket = block.begin(); bucket != block.end(); ++bucket) {
        const std::uint64_t begin = begins[bucket], end = begins[bucket + 1];
        std::uint32_t* const words = sorted.keys.data();
        if (end - begin > kMostSpare) {
          tbb::parallel_sort(words + begin, words + end);
        } else {
          Buffer<std::uint32_t>& spare = spares.local();
          if (spare.size() < end - begin) spare = Buffer<std::uint32_t>(std::bit_ceil(end - begin));
          sort_words(words + begin, end - begin, buckets_.word_bits(), spare.data());
        }
        leave_keys(bucket, begin, end, sorted);
      }
    });
  }

  void leave_keys(std::uint64_t bucket, std::uint64_t begin, std::uint64_t end, SortedArcs& sorted) {
    std::uint64_t source = buckets_.first_source(bucket);
    const std::uint64_t first = source, last = std::min(n_, buckets_.first_source(bucket + 1));
    for (std::uint64_t at = begin; at != end; ++at) {
      const std::uint32_t word = sorted.keys[at];
      for (const std::uint64_t from = first + buckets_.low_of(word); source <= from; ++source)
        sorted.offsets[source] = at;
      sorted.keys[at] = buckets_.key_of(word);
    }
    for (; source < last; ++source) sorted.offsets[source] = end;
  }

  std::uint64_t n_;
  EdgeReader<Ends> edges_;
  ArcOptions options_;
  std::uint64_t arcs_;
  ArcBuckets buckets_;
  bool are_own_ = true;
  std::uint64_t parts_ = 1;
  Buffer<std::uint64_t> cursors_;
  std::atomic<std::uint64_t> loops_{0};
};

}  // namespace matcha::runtime::detail
