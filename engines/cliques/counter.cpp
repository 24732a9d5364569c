#include "engines/cliques/counter.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <new>
#include <string>

#include "engines/cliques/laps.h"
#include "engines/cliques/leaves.h"
#include "engines/cliques/maximal.h"
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
  CountRun(const Roots& roots, const std::vector<std::uint32_t>* maybe_share, const CliqueRequest& request)
      : roots_(roots), maybe_share_(maybe_share), request_(request), walk_(walk_tree(request.tier)) {
    hooks_.is_ended = [this] { return poll_ended(); };
    if (request.threads > 1) hooks_.take_branch = [this](Branch branch) { take(std::move(branch)); };
  }

  void run() {
    for_each_root(
        roots_, maybe_share_, request_.threads, tasks_, [this]() -> RootWalk& { return walks_.local(); },
        [this] { return poll_ended(); },
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
      if (!poll_ended()) walks_.local().branch(branch);
    });
  }

  bool poll_ended() {
    if (end() != End::Complete) return true;
    if (request_.stops.is_stopped()) end_ = End::Stopped;
    if (request_.stops.is_late()) end_ = End::Deadline;
    return end() != End::Complete;
  }

  const Roots& roots_;
  const std::vector<std::uint32_t>* const maybe_share_;
  const CliqueRequest& request_;
  const WalkTree walk_;
  WalkHooks hooks_;
  std::atomic<End> end_{End::Complete};
  tbb::enumerable_thread_specific<RootWalk> walks_{[this] { return RootWalk(roots_, request_.size, walk_, hooks_); }};
  tbb::task_group tasks_;
};

std::vector<WideInt> sized(std::vector<WideInt> counts, std::uint64_t vertices, std::uint32_t size) {
  // Ids without a vertex are roots too.
  if (counts.size() > 1) counts[1] = WideInt(vertices);
  if (size != 0) return {size < counts.size() ? counts[size] : WideInt()};
  while (counts.size() > 2 && counts.back().is_zero()) counts.pop_back();
  counts.erase(counts.begin());
  return counts;
}

}  // namespace

std::vector<WideInt> counts_of_sizes(std::vector<WideInt> counts, const Graph& graph, std::uint32_t size) {
  return sized(std::move(counts), graph.vertex_count(), size);
}

std::vector<WideInt> counts_of_shares(std::vector<WideInt> sums, std::uint64_t vertices, std::uint32_t size) {
  if (size == 1) return {WideInt(vertices)};
  return size == 0 ? sized(std::move(sums), vertices, 0) : sums;
}

std::optional<Error> too_many_bits(std::uint32_t size, std::uint32_t bits, std::uint32_t most) {
  if (bits <= most) return std::nullopt;
  const std::string what = size == 0 ? "the cliques of some size" : std::to_string(size) + "-cliques";
  return Error{
      ErrorKind::Runtime,
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

Result<CheckedRoots> checked_roots(const Graph& graph, std::uint32_t size, Tier tier, std::uint32_t most_bits) {
  CheckedRoots checked;
  checked.roots = MATCHA_TRY(roots_to_count(graph, size, tier, &checked.work));
  checked.bits = bits_of_counts(checked.roots.by_count(), size);
  if (const std::optional<Error> error = too_many_bits(size, checked.bits, most_bits)) return *error;
  return checked;
}

Result<CliqueOutcome> count_cliques(const Graph& graph, const CliqueRequest& request) {
  CliqueOutcome outcome;
  Laps laps(outcome.times);
  try {
    const CheckedRoots checked = MATCHA_TRY(checked_roots(graph, request.size, request.tier, WideInt::kBits));
    if (request.on_expected) request.on_expected(checked.work);
    laps.end("order");
    CountRun run(checked.roots, nullptr, request);
    run.run();
    laps.end("trees");
    outcome.end = run.end();
    if (outcome.end != End::Complete) return outcome;
    std::vector<WideInt> counts = run.counts(outcome.nodes);
    laps.end("sizes");
    outcome.counts = counts_of_sizes(std::move(counts), graph, request.size);
    return outcome;
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::Resource, "not enough memory to count cliques", {}, 0, {}};
  }
}

Result<Roots> roots_to_deal(const Graph& graph, std::uint32_t size) {
  // This order alone needs no sample, which processors of other kinds may walk otherwise.
  Roots roots = MATCHA_TRY(make_roots(graph, Order::Cores));
  const std::uint32_t bits = bits_of_counts(roots.by_count(), size);
  if (const std::optional<Error> error = too_many_bits(size, bits, WideInt::kBits)) return *error;
  return roots;
}

std::vector<std::uint32_t> widest_dealt(const Roots& roots, std::uint32_t size) {
  std::vector<std::uint32_t> order;
  for (std::uint64_t v = 0; v < roots.size; ++v) {
    if (roots.count(v) + 1 >= size) order.push_back(static_cast<std::uint32_t>(v));
  }
  std::ranges::stable_sort(order, std::greater(), [&](std::uint32_t v) { return roots.count(v); });
  return order;
}

std::vector<std::uint32_t> dealt_to(const std::vector<std::uint32_t>& order, std::uint64_t index,
                                    std::uint64_t shares) {
  std::vector<std::uint32_t> mine;
  for (std::uint64_t at = index; at < order.size(); at += shares) mine.push_back(order[at]);
  return mine;
}

Result<DealtRoots> DealtRoots::make(const Graph& graph, std::uint32_t size, bool maximal) {
  try {
    DealtRoots dealt;
    dealt.graph_ = &graph;
    dealt.size_ = size;
    dealt.maximal_ = maximal;
    dealt.roots_ = MATCHA_TRY(maximal ? make_roots(graph, Order::Cores) : roots_to_deal(graph, size));
    if (maximal) {
      if (const std::optional<Error> error = too_wide_for_maximal(dealt.roots_)) return *error;
    }
    dealt.order_ = widest_dealt(dealt.roots_, size);
    return dealt;
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::Resource, "not enough memory to order the vertices", {}, 0, {}};
  }
}

Result<CliqueOutcome> DealtRoots::count(std::uint64_t index, std::uint64_t shares, const CliqueRequest& request) const {
  CliqueOutcome outcome;
  try {
    const std::vector<std::uint32_t> mine = dealt_to(order_, index, shares);
    if (maximal_) return count_maximal_of(*graph_, roots_, mine, request);
    CountRun run(roots_, &mine, request);
    run.run();
    outcome.end = run.end();
    if (outcome.end != End::Complete) return outcome;
    outcome.counts = run.counts(outcome.nodes);
    if (size_ != 0) outcome.counts.assign(1, size_ < outcome.counts.size() ? outcome.counts[size_] : WideInt());
    return outcome;
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::Resource, "not enough memory to count cliques", {}, 0, {}};
  }
}

}  // namespace matcha::runtime::cliques
