#include "incremental/runtime/shared_search.h"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

namespace matcha::runtime::stream {

WorkerGroup::WorkerGroup(unsigned workers) {
  try {
    for (unsigned i = 1; i < workers; ++i) threads_.emplace_back([this, i] { serve(i); });
  } catch (const std::system_error&) {
    // The other workers do the work.
  }
}

WorkerGroup::~WorkerGroup() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerGroup::serve(unsigned number) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    begin_.wait(lock, [&] { return over_ || turn_ != seen; });
    if (over_) return;
    seen = turn_;
    if (maybe_work_ == nullptr) continue;
    const std::function<void(unsigned)>& work = *maybe_work_;
    ++busy_;
    lock.unlock();
    work(number);
    lock.lock();
    if (--busy_ == 0) end_.notify_one();
  }
}

void WorkerGroup::run(const std::function<void(unsigned)>& work) {
  if (!threads_.empty()) {
    const std::lock_guard lock(mutex_);
    maybe_work_ = &work;
    ++turn_;
  }
  begin_.notify_all();
  work(0);
  std::unique_lock lock(mutex_);
  maybe_work_ = nullptr;
  end_.wait(lock, [this] { return busy_ == 0; });
}

struct SharedSearch::Worker {
  Worker(const DynamicGraph& graph, const SetKernels& kernels) : search(graph, kernels) {}

  DeltaSearch search;
  std::vector<__int128> maps;
  std::chrono::steady_clock::duration busy{};
};

/// One call of `run`.
class SharedSearch::Run {
 public:
  Run(SharedSearch& shared, const Request& request, Partners::Range range)
      : shared_(shared), request_(request), range_(range), next_(range.first) {
    // Enough blocks for all workers, so that few must be given away.
    constexpr std::size_t kBlocks = 8, kLongest = 16;
    block_ = std::clamp<std::size_t>((range.end - range.first) / (kBlocks * shared.workers()), 1, kLongest);
  }

  Result all() {
    for (const std::unique_ptr<Worker>& worker : shared_.workers_) {
      worker->busy = {};
      worker->maps.assign(request_.terms.all.size(), 0);
    }
    shared_.worker_group_.run([this](unsigned number) {
      if (number != 0) pool_.join();
      work(number);
    });
    if (out_of_memory_) throw std::bad_alloc();
    Result result;
    result.updates = range_.end - range_.first;
    result.ending = ending_;
    result.maps.assign(request_.terms.all.size(), 0);
    std::chrono::steady_clock::duration busy{};
    for (const std::unique_ptr<Worker>& worker : shared_.workers_) {
      busy += worker->busy;
      for (std::size_t i = 0; i < result.maps.size(); ++i) {
        if (__builtin_add_overflow(result.maps[i], worker->maps[i], &result.maps[i])) {
          result.ending = DeltaSearch::Ending::Overflow;
        }
      }
    }
    result.busy_ms = std::chrono::duration<double, std::milli>(busy).count();
    return result;
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// Gives away the rest of an update.
  class Giver final : public DeltaSearch::Helpers {
   public:
    Giver(match::WorkPool<Part>& pool, Part part) : pool_(pool), part_(part) {}
    bool wanting() const override { return pool_.has_idle_worker(); }
    void take(const DeltaSearch::Range& range) override { pool_.give({part_.update, part_.term, range}); }

   private:
    match::WorkPool<Part>& pool_;
    Part part_;
  };

  bool is_over() const { return ending_.load(std::memory_order_relaxed) != DeltaSearch::Ending::Complete; }

  void end(DeltaSearch::Ending ending) {
    DeltaSearch::Ending none = DeltaSearch::Ending::Complete;
    ending_.compare_exchange_strong(none, ending);
    pool_.end();
  }

  void work(unsigned number) {
    Worker& worker = *shared_.workers_[number];
    try {
      Clock::time_point begin = Clock::now();
      worker.search.set_limits(request_.stops.maybe_request, request_.stops.deadline);
      take_blocks(number);
      worker.busy += Clock::now() - begin;
      while (const std::optional<Part> part = pool_.take()) {
        begin = Clock::now();
        look(number, *part);
        worker.busy += Clock::now() - begin;
      }
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
      end(DeltaSearch::Ending::Stopped);
    }
    worker.search.set_version(nullptr, 0);
  }

  void take_blocks(unsigned number) {
    const SharedTerms& terms = request_.terms;
    for (;;) {
      const std::size_t first = next_.fetch_add(block_, std::memory_order_relaxed);
      if (first >= range_.end) return;
      for (std::size_t i = first; i < std::min(range_.end, first + block_); ++i) {
        const EdgeUpdate& update = request_.updates[i];
        const std::uint32_t u = class_of(update.u), v = class_of(update.v);
        for (const std::uint32_t term : terms.of(update.layer, u, v)) {
          if (is_over()) return;
          look(number, {i, term, {}});
        }
      }
    }
  }

  std::uint32_t class_of(std::uint32_t place) const { return shared_.graph_.class_at(place); }

  void look(unsigned number, const Part& part) {
    Worker& worker = *shared_.workers_[number];
    const EdgeUpdate& update = request_.updates[part.update];
    const SharedTerms::One& one = request_.terms.all[part.term];
    Giver giver(pool_, part);
    worker.search.set_version(&shared_.versions_, static_cast<std::uint32_t>(part.update));
    DeltaSearch::Ending ending = DeltaSearch::Ending::Complete;
    if (one.listed) {
      const DeltaSearch::TakeMatch take = [&](const std::uint32_t* places) {
        request_.take(number, part.term, places);
      };
      ending = worker.search.list_part(*one.term, update.u, update.v, part.range, giver, take);
    } else {
      ending = worker.search.count_part(*one.term, update.u, update.v, part.range, giver, worker.maps[part.term]);
    }
    if (ending != DeltaSearch::Ending::Complete) end(ending);
  }

  SharedSearch& shared_;
  const Request& request_;
  const Partners::Range range_;
  std::size_t block_ = 1;
  std::atomic<std::size_t> next_;
  std::atomic<DeltaSearch::Ending> ending_{DeltaSearch::Ending::Complete};
  std::atomic<bool> out_of_memory_{false};
  match::WorkPool<Part> pool_;
};

SharedSearch::SharedSearch(DynamicGraph& graph, const SetKernels& kernels, unsigned workers)
    : graph_(graph), versions_(graph), worker_group_(workers) {
  for (unsigned i = 0; i < worker_group_.workers(); ++i) workers_.push_back(std::make_unique<Worker>(graph, kernels));
}

SharedSearch::~SharedSearch() = default;

SharedSearch::Result SharedSearch::look(const Request& request, std::size_t updates) {
  if (request.maybe_partners == nullptr) return Run(*this, request, {0, updates}).all();
  Result result;
  result.updates = updates;
  while (const std::optional<Partners::Range> range = request.maybe_partners->next(updates)) {
    const Result part = Run(*this, request, *range).all();
    result.busy_ms += part.busy_ms;
    result.ending = part.ending;
    if (part.ending != DeltaSearch::Ending::Complete) return result;
    request.maybe_partners->done(part.maps);
  }
  runtime::Result<std::vector<__int128>> sum = request.maybe_partners->sum();
  if (sum) {
    result.maps = std::move(*sum);
  } else {
    result.failure = sum.error();
  }
  return result;
}

SharedSearch::Result SharedSearch::run(const Request& request) {
  const std::size_t updates = versions_.open(request.updates, request.come);
  if (updates == 0) {
    Result result;
    result.fits = false;
    return result;
  }
  Result result;
  try {
    result = look(request, updates);
  } catch (...) {
    versions_.close(false);
    throw;
  }
  versions_.close(true);
  return result;
}

}  // namespace matcha::runtime::stream
