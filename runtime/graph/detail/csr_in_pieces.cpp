#include "runtime/graph/detail/csr_in_pieces.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "runtime/graph/detail/source.h"
#include "runtime/parallel.h"

namespace matcha::runtime::detail {

namespace {

/// Bytes that an arc takes while its range is sorted: the pair, the key, and scratch space.
constexpr std::uint64_t kBytesPerArc = 16;
/// Bytes that a vertex takes to the end: offsets, halves, ids and their index, and ranks by degree.
constexpr std::uint64_t kBytesPerVertex = 64;
constexpr std::uint64_t kLeastPiece = std::uint64_t{8} << 20;

/// The first error of several threads.
class FirstError {
 public:
  bool is_set() const { return set_.load(std::memory_order_relaxed); }
  void keep(Status status) {
    if (status) return;
    const std::lock_guard lock(guard_);
    if (!error_) error_ = std::move(status.error());
    set_.store(true, std::memory_order_relaxed);
  }
  const std::optional<Error>& get() const { return error_; }

 private:
  std::atomic<bool> set_{false};
  std::mutex guard_;
  std::optional<Error> error_;
};

/// One call of `csr_in_pieces`.
class Builder {
 public:
  Builder(std::uint64_t n, const EdgeBlocks& edges, bool directed, std::uint64_t besides, const IoOptions& options)
      : n_(n), edges_(edges), directed_(directed), besides_(besides), options_(options) {
    constexpr std::uint64_t kRoomForDirection = std::uint64_t{1} << 31;
    shift_ = !directed && n <= kRoomForDirection ? 1 : 0;
  }

  Result<CsrInFile> run() {
    std::uint64_t bytes = MATCHA_TRY(bytes_for_arcs(n_, besides_, options_));
    made_.offsets = Buffer<std::uint64_t>(n_ + 1);
    std::fill(made_.offsets.begin(), made_.offsets.end(), 0);
    MATCHA_TRY(count());
    const ArcRanges ranges = MATCHA_TRY(ranges_within(made_.offsets, n_, kBytesPerArc, bytes, options_));
    std::shared_ptr<ScratchFile> arcs = MATCHA_TRY(ScratchFile::create(options_.scratch_folder));
    MATCHA_TRY(scatter(ranges, *arcs, bytes));
    MATCHA_TRY(sort(ranges, *arcs));
    return std::move(made_);
  }

 private:
  /// Calls `use(edges)` with the edges of each block, from many threads.
  template <typename Use>
  Status for_each_block(const Use& use) {
    FirstError error;
    tbb::enumerable_thread_specific<std::vector<RankPair>> edges;
    for_indices(0, edges_.blocks(), [&](std::uint64_t block) {
      if (error.is_set()) return;
      if (options_.cancelled()) return error.keep(interrupted_error());
      std::vector<RankPair>& own = edges.local();
      // Isolated, because a waiting thread must not start another block, which would add to the same edges.
      Status done = tbb::this_task_arena::isolate([&] { return edges_.read(block, own); });
      if (done) done = use(own);
      error.keep(std::move(done));
    });
    return error.get() ? Status(*error.get()) : Status(Done{});
  }

  /// Counts the arcs of each vertex, into its offset.
  Status count() {
    std::atomic<std::uint64_t> loops{0}, all{0};
    const auto add = [&](std::uint64_t vertex) {
      std::atomic_ref<std::uint64_t>(made_.offsets[vertex]).fetch_add(1, std::memory_order_relaxed);
    };
    Status done = for_each_block([&](const std::vector<RankPair>& edges) -> Status {
      std::uint64_t own = 0;
      for (const RankPair& edge : edges) {
        if (edge.source == edge.target) {
          ++own;
          continue;
        }
        add(edge.source);
        if (!directed_) add(edge.target);
      }
      loops += own;
      all += edges.size();
      return Done{};
    });
    made_.loops = loops.load();
    lines_ = all.load();
    return done;
  }

  Status scatter(const ArcRanges& ranges, const ScratchFile& file, std::uint64_t bytes) {
    constexpr std::uint64_t kLeast = 512;
    const std::uint64_t threads = static_cast<std::uint64_t>(tbb::this_task_arena::max_concurrency());
    const Places<RankPair> places(file, ranges.begins(), bytes / 2 / threads, kLeast);
    tbb::enumerable_thread_specific<Places<RankPair>> scatters([&] { return places; });
    const auto add = [&](Places<RankPair>& own, std::uint64_t source, std::uint64_t key) {
      const std::size_t range = ranges.of(source);
      const std::uint64_t row = source - ranges.first(range);
      return own.add(range, {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(key)});
    };
    Status done = for_each_block([&](const std::vector<RankPair>& edges) -> Status {
      Places<RankPair>& own = scatters.local();
      for (const RankPair& edge : edges) {
        const std::uint64_t source = edge.source, target = edge.target;
        if (source == target) continue;
        MATCHA_TRY(add(own, source, target << shift_));
        if (!directed_) MATCHA_TRY(add(own, target, source << shift_ | shift_));
      }
      return Done{};
    });
    for (Places<RankPair>& own : scatters) {
      if (done) done = own.flush_all();
    }
    return done;
  }

  /// Sorts each range and appends its rows to the file of the neighbours.
  Status sort(const ArcRanges& ranges, const ScratchFile& arcs) {
    std::shared_ptr<ScratchFile> file = MATCHA_TRY(ScratchFile::create(options_.scratch_folder));
    std::uint64_t written = 0, distinct = 0;
    for (std::size_t range = 0; range < ranges.size(); ++range) {
      if (options_.cancelled()) return interrupted_error();
      const std::uint64_t count = ranges.begin(range + 1) - ranges.begin(range);
      Buffer<RankPair> pairs(count);
      MATCHA_TRY(arcs.read(ranges.begin(range) * sizeof(RankPair), pairs.data(), count * sizeof(RankPair)));
      const std::uint64_t first = ranges.first(range), rows = ranges.first(range + 1) - first;
      const RowPiece piece = rows_of_pairs(first, rows, pairs, n_ << shift_, shift_);
      for (std::uint64_t row = 0; row < rows; ++row) made_.offsets[first + row] = written + piece.csr.offsets[row];
      const std::uint64_t kept = piece.csr.neighbors.size();
      MATCHA_TRY(
          file->write(written * sizeof(std::uint32_t), piece.csr.neighbors.data(), kept * sizeof(std::uint32_t)));
      written += kept;
      distinct += piece.distinct;
      made_.reversed += piece.reversed;
    }
    made_.offsets[n_] = written;
    if (!directed_ && shift_ == 0) distinct /= 2;
    made_.duplicates = lines_ - made_.loops - distinct;
    std::string_view mapped = MATCHA_TRY(ScratchFile::map(file, written * sizeof(std::uint32_t)));
    made_.neighbors = reinterpret_cast<const std::uint32_t*>(mapped.data());
    made_.owner = file;
    return Done{};
  }

  const std::uint64_t n_;
  const EdgeBlocks& edges_;
  const bool directed_;
  const std::uint64_t besides_;
  const IoOptions& options_;
  unsigned shift_ = 0;  ///< As in SortedArcs.
  std::uint64_t lines_ = 0;
  CsrInFile made_;
};

}  // namespace

Graph graph_in_file(std::shared_ptr<const Universe> universe, CsrInFile csr, GraphFacts facts) {
  const auto owner = std::make_shared<const CsrInFile>(std::move(csr));
  GraphView view{};
  view.vertex_count = owner->vertices.data() != nullptr ? owner->vertices.size() : universe->size();
  view.vertices = owner->vertices.data();
  view.labels = owner->labels.data();
  view.offsets = owner->offsets.data();
  view.neighbors = owner->neighbors;
  view.edge_info = owner->edge_info;
  view.arc_count = owner->offsets[universe->size()];
  return Graph::from_view(std::move(universe), view, facts, owner);
}

Result<std::uint64_t> bytes_for_arcs(std::uint64_t vertices, std::uint64_t besides, const IoOptions& options) {
  // A quarter is reserved for pages of files.
  const std::uint64_t bytes = options.piece_bytes - options.piece_bytes / 4;
  const std::uint64_t taken = kBytesPerVertex * vertices + besides, least = taken + kLeastPiece;
  if (bytes >= least) return bytes - taken;
  return Error{ErrorKind::Resource,
               std::to_string(vertices) + " vertices need more than the memory limit of " +
                   std::to_string(options.piece_bytes) + " bytes",
               "", 0, "raise it to " + std::to_string(least / 3 * 4 + 4) + " bytes"};
}

Result<ArcRanges> ranges_within(const Buffer<std::uint64_t>& counts, std::uint64_t n, std::uint64_t bytes_per_arc,
                                std::uint64_t bytes, const IoOptions& options) {
  ArcRanges ranges(counts, n, bytes / bytes_per_arc);
  const std::uint64_t most = ranges.longest() * bytes_per_arc;
  if (most <= 2 * bytes) return ranges;
  return Error{ErrorKind::Resource,
               "a vertex has " + std::to_string(ranges.longest()) + " arcs, which are sorted in memory", "", 0,
               "raise the memory limit to " + std::to_string(options.piece_bytes + most) + " bytes"};
}

Result<CsrInFile> csr_in_pieces(std::uint64_t n, const EdgeBlocks& edges, bool directed, std::uint64_t besides,
                                const IoOptions& options) {
  return Builder(n, edges, directed, besides, options).run();
}

}  // namespace matcha::runtime::detail
