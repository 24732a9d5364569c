#include "engines/search/matcher.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <numeric>
#include <system_error>
#include <thread>
#include <vector>

#include "engines/search/candidates.h"
#include "engines/search/image_order.h"
#include "engines/search/work_pool.h"

namespace matcha::runtime::match {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kFirstSlice = 20000;
constexpr double kSliceGrowth = 1.5;
/// If a slice found at least 1 / kNearlyThere of the wanted matches, slices become longer by this factor.
constexpr std::uint64_t kNearlyThere = 8;
constexpr std::uint64_t kRowsOfBlock = 4096;
/// Matches of a search that may be abandoned are buffered until it is not; this is the most.
constexpr std::uint64_t kMostKept = std::uint64_t{1} << 20;
/// The start of the images of a vertex in the next attempt: steps by the golden ratio are evenly spread.
constexpr std::uint32_t kTurn = 0x9E3779B9;

/// Buffers matches for the caller.
class RowBuffer {
 public:
  /// Buffers with one mutex take turns. `keeps`: matches are passed on by `flush` only.
  RowBuffer(const Candidates& candidates, const Query& query, const MatchRequest& request, std::mutex& mutex,
            bool keeps)
      : candidates_(candidates), request_(request), mutex_(mutex), keeps_(keeps), size_(at(query.size)) {}

  bool take(const std::uint32_t* images) {
    if (end_ + size_ > rows_.size()) rows_.resize(std::max(2 * rows_.size(), kRowsOfBlock * size_));
    std::uint32_t* const row = rows_.data() + end_;
    for (std::size_t u = 0; u < size_; ++u) row[u] = candidates_.rank(images[u]);
    end_ += size_;
    return keeps_ || end_ < kRowsOfBlock * size_ || flush();
  }
  void forget() { end_ = 0; }
  bool flush() {
    const std::uint64_t all = end_ / size_;
    bool wanted = true;
    columns_.resize(std::min(all, kRowsOfBlock) * size_);
    std::vector<const std::uint32_t*> block(size_);
    const std::lock_guard lock(mutex_);
    for (std::uint64_t first = 0; first < all && wanted; first += kRowsOfBlock) {
      const std::uint64_t count = std::min(kRowsOfBlock, all - first);
      const std::uint32_t* const rows = rows_.data() + first * size_;
      for (std::size_t u = 0; u < size_; ++u) {
        std::uint32_t* const column = columns_.data() + u * count;
        for (std::uint64_t row = 0; row < count; ++row) column[row] = rows[row * size_ + u];
        block[u] = column;
      }
      handed_over_ += count;
      wanted = request_.on_rows(block.data(), count);
    }
    forget();
    return wanted;
  }
  std::uint64_t handed_over() const { return handed_over_; }

 private:
  const Candidates& candidates_;
  const MatchRequest& request_;
  std::mutex& mutex_;
  const bool keeps_;
  const std::size_t size_;
  std::vector<std::uint32_t> rows_;  ///< Consecutive rows, up to `end_`.
  std::size_t end_ = 0;
  std::vector<std::uint32_t> columns_;
  std::uint64_t handed_over_ = 0;
};

/// One run over the candidates.
class Run {
 public:
  Run(const Candidates& candidates, const Query& query, const SetKernels& kernels, const MatchRequest& request)
      : candidates_(candidates), query_(query), kernels_(kernels), request_(request) {}

  /// Throws: std::bad_alloc.
  MatchOutcome run() {
    limits_.stops = request_.stops;
    limits_.maybe_over = &over_;
    limits_.part = request_.part;
    limits_.parts = request_.parts;
    // Matches that were passed on cannot be taken back.
    const bool races = request_.most && (!request_.on_rows || *request_.most <= kMostKept);
    if (races) limits_.most = request_.most;
    done_.assign(std::max(request_.threads, 1U), 0);
    const auto work = [this, races](const SearchLimits& limits, unsigned number) {
      races ? run_attempts(limits, number) : run_worker(limits, number);
    };
    if (request_.most_steps) return try_alone();
    SearchLimits first = limits_;
    std::vector<std::thread> threads;
    first.steps_alone = request_.steps_alone;
    first.on_long = [&] {
      threads.reserve(request_.threads);
      for (unsigned i = 1; i < request_.threads; ++i) {
        // Before it takes work, so that other workers do not conclude that all wait.
        pool_.set_workers(i + 1);
        try {
          threads.emplace_back([&, i] { guarded(work, limits_, i); });
        } catch (const std::system_error&) {
          pool_.set_workers(i);
          break;
        }
      }
    };
    guarded(work, first, 0);
    for (std::thread& thread : threads) thread.join();
    if (out_of_memory_) throw std::bad_alloc();
    if (!races) {
      const bool is_whole = outcome_.ending == SearchEnding::Complete;
      outcome_.roots = roots_of_first_;
      outcome_.roots_done =
          is_whole ? outcome_.roots : static_cast<std::uint64_t>(share_done() * static_cast<double>(outcome_.roots));
    }
    return outcome_;
  }

 private:
  template <typename Work>
  void guarded(const Work& work, const SearchLimits& limits, unsigned number) {
    try {
      work(limits, number);
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
      over_ = true;
      pool_.end();
    }
  }

  MatchOutcome try_alone() {
    double share = 0;
    limits_.most_cpu_ms = request_.most_cpu_ms;
    limits_.on_progress = [&](double done, std::uint64_t) { share = done; };
    Search search(candidates_, query_, kernels_, limits_);
    outcome_.ending = search.run(Search::Order::Fewest, 0, *request_.most_steps);
    outcome_.steps = search.steps();
    outcome_.share = outcome_.ending == SearchEnding::Complete ? 1 : std::min(share, 1.0);
    if (outcome_.ending != SearchEnding::Slice) outcome_.found = search.found();
    return outcome_;
  }

  /// Reports the progress of a worker. Workers of a race do the same work, others disjoint parts.
  void tell(unsigned worker, double done, std::uint64_t total) {
    const std::lock_guard lock(mutex_of_progress_);
    done_[worker] = done;
    roots_ = std::max(roots_, total);
    if (!request_.on_progress || roots_ == 0) return;  // Before the first image is tried, there is nothing to report.
    const auto all = static_cast<double>(roots_);
    const double so_far = limits_.most ? *std::ranges::max_element(done_) : share_done() * all;
    request_.on_progress(static_cast<std::uint64_t>(std::min(so_far, all)), roots_);
  }
  double share_done() const { return std::min(std::accumulate(done_.begin(), done_.end(), 0.0), 1.0); }

  void run_attempts(SearchLimits limits, unsigned racer) {
    if (request_.on_progress)
      limits.on_progress = [this, racer](double done, std::uint64_t total) { tell(racer, done, total); };
    RowBuffer rows(candidates_, query_, request_, mutex_of_rows_, true);
    if (request_.on_rows) limits.on_match = [&](const std::uint32_t* images) { return rows.take(images); };
    Search search(candidates_, query_, kernels_, limits);
    auto slice = static_cast<double>(kFirstSlice);
    SearchEnding ending = SearchEnding::Slice;
    for (std::uint32_t attempt = racer; ending == SearchEnding::Slice; attempt += std::max(request_.threads, 1U)) {
      rows.forget();
      ending = search.run(Search::kOrders[attempt % Search::kOrders.size()], attempt * kTurn,
                          static_cast<std::uint64_t>(slice));
      slice *= kSliceGrowth;
      // A search that found a large part of the wanted matches would have completed.
      if (search.found() * kNearlyThere >= *request_.most) slice *= static_cast<double>(kNearlyThere);
    }
    const std::lock_guard lock(mutex_);
    outcome_.steps += search.steps();
    if (over_) return;
    over_ = true;
    outcome_.ending = ending;
    outcome_.found = search.found();
    if (request_.on_rows && !rows.flush() && ending == SearchEnding::Complete) outcome_.ending = SearchEnding::Refused;
    if (request_.on_rows) outcome_.found = rows.handed_over();
  }

  void run_worker(SearchLimits limits, unsigned number) {
    limits.on_progress = [this, number](double done, std::uint64_t total) { tell(number, done, total); };
    RowBuffer rows(candidates_, query_, request_, mutex_of_rows_, false);
    if (request_.on_rows) limits.on_match = [&](const std::uint32_t* images) { return rows.take(images); };
    Search search(candidates_, query_, kernels_, limits);
    SearchEnding ending = search.run_shared(pool_, number == 0);
    if (number == 0) roots_of_first_ = search.roots();
    const bool refuses = request_.on_rows && ending != SearchEnding::Refused && !rows.flush();
    if (refuses && ending == SearchEnding::Complete) ending = SearchEnding::Refused;
    const std::lock_guard lock(mutex_);
    outcome_.steps += search.steps();
    const Count found = request_.on_rows ? Count{rows.handed_over()} : search.found();
    if (__builtin_add_overflow(outcome_.found, found, &outcome_.found)) outcome_.found = kTooMany;
    if (ending == SearchEnding::Complete || over_) return;
    over_ = true;
    outcome_.ending = ending;
  }

  const Candidates& candidates_;
  const Query& query_;
  const SetKernels& kernels_;
  const MatchRequest& request_;
  SearchLimits limits_;
  std::atomic<bool> over_{false};
  std::atomic<bool> out_of_memory_{false};
  std::mutex mutex_;
  std::mutex mutex_of_rows_;
  std::mutex mutex_of_progress_;
  std::vector<double> done_;  ///< By worker.
  std::uint64_t roots_ = 0;   ///< The total of `done_`.
  std::uint64_t roots_of_first_ = 0;
  MatchOutcome outcome_;
  WorkPool<Task> pool_;
};

/// The query without anti-edges within a chain if none of their candidates are adjacent: then the vertices of the chain
/// are independent.
Query without_idle_pairs(Query query, const Candidates& candidates) {
  const ImageOrder order(query);
  std::vector<std::uint32_t> row;
  for (int u = 0; u < query.size; ++u) {
    const Mask chain = order.chain(u);
    if (lowest(chain) != u || (query.anti[at(u)] & chain) == 0) continue;
    const int w = lowest(chain & ~bit(u));
    bool is_idle = true;
    for (const std::uint32_t number : candidates.of(u)) {
      row.resize(candidates.room(number, candidates.slot(u, w)) + 16);
      is_idle = candidates.row(number, candidates.slot(u, w), row.data()) == 0;
      if (!is_idle) break;
    }
    if (is_idle) for_each(chain, [&](int v) { query.anti[at(v)] &= ~chain; });
  }
  return query;
}

}  // namespace

MatchOutcome find_matches(MatchIndex& index, const Query& query, const SetKernels& kernels,
                          const MatchRequest& request) {
  const Clock::time_point begin = Clock::now();
  const Candidates candidates(index, query, request.stops);
  const double filter_ms = ms_since(begin);
  const Clock::time_point search = Clock::now();
  MatchOutcome outcome;
  if (candidates.stopped()) {
    outcome.ending = request.stops.is_stopped() ? SearchEnding::Stopped : SearchEnding::Deadline;
  } else if (!candidates.none()) {
    const bool lists = static_cast<bool>(request.on_rows);
    outcome = Run(candidates, lists ? query : without_idle_pairs(query, candidates), kernels, request).run();
  }
  outcome.candidates = candidates.size();
  outcome.filter_ms = filter_ms;
  outcome.search_ms = ms_since(search);
  return outcome;
}

}  // namespace matcha::runtime::match
