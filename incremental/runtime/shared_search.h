#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "engines/search/stops.h"
#include "engines/search/work_pool.h"
#include "incremental/runtime/delta_search.h"
#include "incremental/runtime/delta_term.h"
#include "incremental/runtime/dynamic_graph.h"
#include "incremental/runtime/graph_versions.h"
#include "runtime/abi.h"
#include "runtime/result.h"

namespace matcha::runtime::stream {

/// Threads that wait for common work.
class WorkerGroup {
 public:
  /// The caller is one of the workers. If threads cannot be created, the group is smaller.
  explicit WorkerGroup(unsigned workers);
  ~WorkerGroup();
  WorkerGroup(const WorkerGroup&) = delete;
  WorkerGroup& operator=(const WorkerGroup&) = delete;

  unsigned workers() const { return static_cast<unsigned>(threads_.size()) + 1; }
  /// Calls `work(0)`, and on other threads `work(1)` and so on. Threads that have not begun when `work(0)` returns are
  /// skipped; returns when all others are done. `work` must not throw.
  void run(const std::function<void(unsigned)>& work);

 private:
  void serve(unsigned number);

  std::mutex mutex_;
  std::condition_variable begin_, end_;
  const std::function<void(unsigned)>* maybe_work_ = nullptr;  ///< Null: there is no work to begin.
  std::uint64_t turn_ = 0;                                     ///< The number of calls of `run`.
  unsigned busy_ = 0;                                          ///< Threads that are working.
  bool over_ = false;
  std::vector<std::thread> threads_;
};

/// The terms of all programs of a stream.
struct SharedTerms {
  struct One {
    const Term* term = nullptr;
    bool listed = false;  ///< Its matches are listed, not counted.
  };
  std::vector<One> all;
  /// By layer, then by the classes of source and target: the terms that an update concerns.
  std::uint32_t classes = 0;
  std::vector<std::vector<std::uint32_t>> by_classes;

  const std::vector<std::uint32_t>& of(std::uint32_t layer, std::uint32_t source, std::uint32_t target) const {
    return by_classes[(std::size_t{layer} * classes + source) * classes + target];
  }
};

/// Other processes with the same graph, terms and updates; each counts some of the updates. All make the same calls for
/// the same updates, in the same order.
class Partners {
 public:
  virtual ~Partners() = default;

  /// Updates [first, end).
  struct Range {
    std::size_t first = 0, end = 0;
  };
  /// A range of updates assigned to this process; empty: no more.
  virtual std::optional<Range> next(std::size_t updates) = 0;
  /// Adds the counts of the last range, by term.
  virtual void done(const std::vector<__int128>& maps) = 0;
  /// The counts of all updates; waits for the partners. Errors: Runtime, when one of them failed or was stopped;
  /// Resource, when a number exceeds 128 bits.
  virtual Result<std::vector<__int128>> sum() = 0;

  // Alternative to the above, if each partner counts a share of every update.

  /// The number of this process among `count` partners.
  virtual std::size_t number() const = 0;
  virtual std::size_t count() const = 0;
  /// The element-wise sum of the numbers of all partners; waits for them. Errors: as for `sum`.
  virtual Result<std::vector<__int128>> sum_of_all(const std::vector<__int128>& own) = 0;
};

/// Counts the deltas of a batch's edges on several threads: each update is counted separately, on its version of the
/// graph, and a long one by several threads.
class SharedSearch {
 public:
  /// Requires: the graph and the kernels outlive it.
  SharedSearch(DynamicGraph& graph, const SetKernels& kernels, unsigned workers);
  ~SharedSearch();

  /// Calls for one worker are serialized.
  using TakeMatch = std::function<void(unsigned worker, std::uint32_t term, const std::uint32_t* places)>;
  struct Request {
    const SharedTerms& terms;
    std::span<const EdgeUpdate> updates;  ///< Not empty; all insertions, or all deletions.
    bool come = false;
    match::Stops stops;
    TakeMatch take;
    Partners* maybe_partners = nullptr;  ///< Then no terms are listed. Null: none.
  };
  struct Result {
    DeltaSearch::Ending ending = DeltaSearch::Ending::Complete;
    bool fits = true;              ///< False: an inserted edge exists, or a deleted one does not; nothing was done.
    std::size_t updates = 0;       ///< The length of the prefix that was counted: updates whose versions had room.
    double busy_ms = 0;            ///< The time of all workers together.
    std::vector<__int128> maps;    ///< By term, for all those updates, not divided by its divisor.
    std::optional<Error> failure;  ///< An error of the partners; then the other fields are invalid.
  };
  unsigned workers() const { return worker_group_.workers(); }
  /// Applies a prefix of the updates and counts its effect. Throws std::bad_alloc.
  Result run(const Request& request);

 private:
  struct Part {
    std::size_t update = 0;
    std::uint32_t term = 0;
    DeltaSearch::Range range;
  };
  struct Worker;
  class Run;

  Result look(const Request& request, std::size_t updates);

  DynamicGraph& graph_;
  GraphVersions versions_;
  std::vector<std::unique_ptr<Worker>> workers_;
  WorkerGroup worker_group_;
};

}  // namespace matcha::runtime::stream
