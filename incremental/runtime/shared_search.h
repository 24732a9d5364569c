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

/// Threads that wait until there is something to do together.
class Crew {
 public:
  /// The caller is one of the workers. With fewer threads than wanted it is a smaller crew.
  explicit Crew(unsigned workers);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  unsigned workers() const { return static_cast<unsigned>(threads_.size()) + 1; }
  /// Calls `work(0)`, and on other threads `work(1)` and so on. Those that have not begun when `work(0)` returns do
  /// not; returns when all others have done it. It must not throw.
  void run(const std::function<void(unsigned)>& work);

 private:
  void serve(unsigned number);

  std::mutex mutex_;
  std::condition_variable begin_, end_;
  const std::function<void(unsigned)>* maybe_work_ = nullptr;  ///< Null: there is nothing to begin with.
  std::uint64_t turn_ = 0;                                     ///< How often there was work.
  unsigned busy_ = 0;                                          ///< Threads at work.
  bool over_ = false;
  std::vector<std::thread> threads_;
};

/// The terms of all programs of a stream.
struct SharedTerms {
  struct One {
    const Term* term = nullptr;
    bool listed = false;  ///< Its matches are given, not counted.
  };
  std::vector<One> all;
  /// By layer, then the classes of source and target, of so many: which ones an update has to do with.
  std::uint32_t classes = 0;
  std::vector<std::vector<std::uint32_t>> by_classes;

  const std::vector<std::uint32_t>& of(std::uint32_t layer, std::uint32_t source, std::uint32_t target) const {
    return by_classes[(std::size_t{layer} * classes + source) * classes + target];
  }
};

/// Others, elsewhere, with the same graph and terms, to whom the same updates are given: each looks at some of them.
/// All make the same calls for the same updates, in the same order.
class Partners {
 public:
  virtual ~Partners() = default;

  /// Updates [first, end) of so many.
  struct Range {
    std::size_t first = 0, end = 0;
  };
  /// Some that are to be looked at here next, as nobody else does; nothing: no more.
  virtual std::optional<Range> next(std::size_t updates) = 0;
  /// What those of the last range do, by term.
  virtual void done(const std::vector<__int128>& maps) = 0;
  /// The same of all updates; waits for the others. Errors: Runtime, when one of them failed or was stopped; Resource,
  /// when a number is beyond 128 bits.
  virtual Result<std::vector<__int128>> sum() = 0;

  // In the place of these, where each looks at a share of every update.

  /// The number of this one, of so many.
  virtual std::size_t number() const = 0;
  virtual std::size_t count() const = 0;
  /// The sum of the numbers that all have, as many each; waits for the others. Errors: as of `sum`.
  virtual Result<std::vector<__int128>> sum_of_all(const std::vector<__int128>& own) = 0;
};

/// What the edges of a batch do, on several threads: each update is looked at by itself, in the version of the graph
/// that it finds, and a long one by several.
class SharedSearch {
 public:
  /// The graph and the kernels must outlive it.
  SharedSearch(DynamicGraph& graph, const SetKernels& kernels, unsigned workers);
  ~SharedSearch();

  /// Calls of a worker come one at a time.
  using TakeMatch = std::function<void(unsigned worker, std::uint32_t term, const std::uint32_t* places)>;
  struct Request {
    const SharedTerms& terms;
    std::span<const EdgeUpdate> updates;  ///< Not empty; all come, or all go.
    bool come = false;
    match::Stops stops;
    TakeMatch take;
    Partners* maybe_partners = nullptr;  ///< No terms are listed then. Null: there are none.
  };
  struct Result {
    DeltaSearch::Ending ending = DeltaSearch::Ending::Complete;
    bool fits = true;              ///< Else an edge that comes was there, or one that goes was not; nothing is done.
    std::size_t updates = 0;       ///< So many were taken in, from the first: those whose versions had room.
    double busy_ms = 0;            ///< What all workers took together to look at them.
    std::vector<__int128> maps;    ///< By term: of all those updates, not divided by its divisor.
    std::optional<Error> failure;  ///< Of the partners; then nothing else is told.
  };
  unsigned workers() const { return crew_.workers(); }
  /// Takes updates in, and says what they do. Throws std::bad_alloc.
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
  Crew crew_;
};

}  // namespace matcha::runtime::stream
