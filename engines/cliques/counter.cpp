#include "engines/cliques/counter.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <new>
#include <string>

#include "engines/cliques/leaves.h"
#include "engines/cliques/root_loop.h"
#include "engines/cliques/root_walk.h"

namespace matcha::runtime::cliques {

namespace {

using motif::End;

/// Where a root is wider, cores replace the order by degree, which costs less and has wider roots;
constexpr std::uint32_t kWideRoot = 256;
/// and where trees have more nodes.
constexpr double kManyNodes = 1e7;

class CountRun {
 public:
  CountRun(const Roots& roots, const CliqueRequest& request)
      : roots_(roots), request_(request), walk_(walk_tree(request.tier)) {
    hooks_.is_ended = [this] { return looks_ended(); };
    if (request.threads > 1) hooks_.take_branch = [this](Branch branch) { take(std::move(branch)); };
  }

  void run() {
    for_each_root(
        roots_, request_.threads, tasks_, [this]() -> RootWalk& { return walks_.local(); },
        [this] { return looks_ended(); },
        [](RootWalk& walk, std::uint64_t v) {
          if (!walk.ended()) walk.root(v);
        });
  }

  End end() const { return end_.load(); }
  std::vector<WideInt> counts(std::uint64_t& nodes) {
    Leaves all(roots_.widest, request_.size);
    for (const RootWalk& walk : walks_) {
      all.add(walk.leaves());
      nodes += walk.nodes();
    }
    return all.counts();
  }

 private:
  void take(Branch branch) {
    tasks_.run([this, branch = std::move(branch)] {
      if (!looks_ended()) walks_.local().branch(branch);
    });
  }

  bool looks_ended() {
    if (end() != End::Complete) return true;
    if (request_.stops.is_stopped()) end_ = End::Stopped;
    if (request_.stops.is_late()) end_ = End::Deadline;
    return end() != End::Complete;
  }

  const Roots& roots_;
  const CliqueRequest& request_;
  const WalkTree walk_;
  WalkHooks hooks_;
  std::atomic<End> end_{End::Complete};
  tbb::enumerable_thread_specific<RootWalk> walks_{[this] { return RootWalk(roots_, request_.size, walk_, hooks_); }};
  tbb::task_group tasks_;
};

}  // namespace

Error too_many_bits(std::uint32_t size, std::uint32_t bits, std::uint32_t most) {
  const std::string what = size == 0 ? "the cliques of some size" : std::to_string(size) + "-cliques";
  return {ErrorKind::Runtime,
          what + " may be a number of " + std::to_string(bits) + " bits; counts have at most " + std::to_string(most),
          {},
          0,
          "ask for smaller cliques"};
}

Result<Roots> roots_to_count(const Graph& graph, std::uint32_t size, Tier tier, ExpectedWork* maybe_work,
                             std::uint64_t most_nodes) {
  try {
    ExpectedWork work;
    Result<Roots> roots = make_roots(graph, Order::Degree);
    if (!roots) return roots;
    const bool is_wide = roots->widest > kWideRoot;
    if (!is_wide) work = expected_work(*roots, size, tier, most_nodes);
    if (is_wide || work.at_least || work.nodes > kManyNodes) {
      roots = make_roots(graph, Order::Cores);
      if (!roots) return roots;
      if (is_wide) work = expected_work(*roots, size, tier, most_nodes);
    }
    if (maybe_work != nullptr) *maybe_work = work;
    return roots;
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::Resource, "not enough memory to walk a sample of the trees", {}, 0, {}};
  }
}

Result<CliqueOutcome> count_cliques(const Graph& graph, const CliqueRequest& request) {
  CliqueOutcome outcome;
  auto begin = std::chrono::steady_clock::now();
  const auto lap = [&](std::string_view part) {
    outcome.times.emplace_back(part, match::ms_since(begin));
    begin = std::chrono::steady_clock::now();
  };
  try {
    ExpectedWork work;
    const Result<Roots> roots = roots_to_count(graph, request.size, request.tier, &work);
    if (!roots) return roots.error();
    const std::uint32_t bits = bits_of_counts(roots->by_count(), request.size);
    if (bits > WideInt::kBits) return too_many_bits(request.size, bits, WideInt::kBits);
    if (request.on_expected) request.on_expected(work);
    lap("order");
    CountRun run(*roots, request);
    run.run();
    lap("trees");
    outcome.end = run.end();
    if (outcome.end != End::Complete) return outcome;
    std::vector<WideInt> counts = run.counts(outcome.nodes);
    lap("sizes");
    // Ids without a vertex are roots too.
    if (counts.size() > 1) counts[1] = WideInt(graph.vertex_count());
    if (request.size != 0) {
      outcome.counts.push_back(request.size < counts.size() ? counts[request.size] : WideInt());
      return outcome;
    }
    while (counts.size() > 2 && counts.back().is_zero()) counts.pop_back();
    outcome.counts.assign(counts.begin() + 1, counts.end());
    return outcome;
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::Resource, "not enough memory to count cliques", {}, 0, {}};
  }
}

}  // namespace matcha::runtime::cliques
