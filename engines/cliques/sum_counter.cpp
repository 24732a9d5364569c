#include "engines/cliques/sum_counter.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <new>

#include "engines/cliques/counter.h"
#include "engines/cliques/laps.h"
#include "engines/cliques/root_loop.h"
#include "engines/cliques/root_rows.h"
#include "engines/cliques/sum_rows.h"
#include "engines/cliques/sums.h"

namespace matcha::runtime::cliques {

namespace {

using motif::End;
using Wide = unsigned __int128;

/// Nodes between two tests for a stop.
constexpr std::uint64_t kNodesOfSumLook = 1 << 14;

/// The trees of one thread.
template <typename Number>
class SumRoots {
 public:
  SumRoots(const Roots& roots, const SumRequest& request, std::uint32_t size, SharedSums& sums,
           const std::function<bool()>& is_ended)
      : roots_(roots),
        request_(request),
        size_(size),
        walk_(walk_sums<Number>(request.tier)),
        sums_(sums),
        is_ended_(is_ended),
        rows_(roots),
        expansions_(std::min(roots.widest, kMostBits), size),
        narrow_rows_(narrow_words(words_of(std::min(roots.widest, kMostBits)))),
        by_place_(std::min(roots.widest, kMostBits)),
        path_(by_place_.size()) {
    if (request.by_edge) by_pair_.resize(by_place_.size() * by_place_.size());
    tree_.size = size;
    tree_.by_place = by_place_.data();
    tree_.narrow_rows = narrow_rows_.data();
    tree_.next_poll = kNodesOfSumLook;
    tree_.poll = [](SumTree<Number>& tree) {
      tree.next_poll = tree.nodes + kNodesOfSumLook;
      tree.ended = static_cast<SumRoots*>(tree.owner)->is_ended_();
    };
  }

  void root(std::uint64_t vertex) {
    // The object stays where it is from now on.
    tree_.owner = this;
    tree_.expansions = &expansions_;
    tree_.path = path_.data();
    held_.assign(1, static_cast<std::uint32_t>(vertex));
    walk(roots_.at(vertex), roots_.count(vertex));
  }

 private:
  void walk(const std::uint32_t* candidates, std::uint64_t count) {
    if (tree_.ended || held_.size() + count < size_) return;
    if (held_.size() == size_) return add_held(1);
    if (count > kMostBits) return walk_lists(candidates, count);
    const std::uint64_t edges = rows_.write(candidates, count);
    const std::uint64_t missing = size_ - held_.size();
    if (edges * 2 < missing * (missing - 1)) return;
    std::uint64_t set[kMostBits / 64] = {};
    for (std::uint64_t i = 0; i < count; ++i) set[i / 64] |= std::uint64_t{1} << i % 64;
    std::fill_n(by_place_.begin(), count, 0);
    if (request_.by_edge) {
      tree_.by_pair = by_pair_.data();
      tree_.stride = count;
      std::fill_n(by_pair_.begin(), count * count, 0);
    }
    const Number all = walk_(tree_, rows_.data(), rows_.words(), set, static_cast<std::uint32_t>(held_.size()));
    if (tree_.ended || all == 0) return;
    add_held(all);
    request_.by_edge ? add_edges(candidates, count) : add_vertices(candidates, count);
  }

  /// Too many for rows of bits: the candidates are taken one by one.
  void walk_lists(const std::uint32_t* candidates, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count && !tree_.ended; ++i) {
      const std::vector<std::uint32_t> both = rows_.below(candidates, count, candidates[i]);
      held_.push_back(candidates[i]);
      walk(both.data(), both.size());
      held_.pop_back();
    }
  }

  void add_held(Number all) {
    for (std::uint64_t i = 0; i < held_.size(); ++i) {
      if (!request_.by_edge) sums_.add(held_[i], all);
      for (std::uint64_t j = 0; request_.by_edge && j < i; ++j) sums_.add(arc(held_[j], held_[i]), all);
    }
  }
  void add_vertices(const std::uint32_t* candidates, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) sums_.add(candidates[i], by_place_[i]);
  }
  void add_edges(const std::uint32_t* candidates, std::uint64_t count) {
    for (const std::uint32_t held : held_) {
      const bool is_root = candidates == roots_.at(held);
      for (std::uint64_t i = 0; i < count; ++i) {
        if (by_place_[i] != 0) sums_.add(is_root ? roots_.begin[held] + i : arc(held, candidates[i]), by_place_[i]);
      }
    }
    rows_.for_each_edge(candidates, count, [&](std::uint64_t i, std::uint64_t j, std::uint64_t arc) {
      sums_.add(arc, by_pair_[i * count + j] + by_pair_[j * count + i]);
    });
  }
  /// The item of `Roots::near` from a vertex to a later neighbour.
  std::uint64_t arc(std::uint32_t vertex, std::uint32_t later) const {
    const std::uint32_t* const near = roots_.at(vertex);
    return static_cast<std::uint64_t>(std::find(near, near + roots_.count(vertex), later) - roots_.near.data());
  }

  const Roots& roots_;
  const SumRequest& request_;
  const std::uint32_t size_;
  const WalkSums<Number> walk_;
  SharedSums& sums_;
  const std::function<bool()>& is_ended_;
  RootRows rows_;
  Expansions<Number> expansions_;
  Buffer<std::uint64_t> narrow_rows_;
  std::vector<Number> by_place_, by_pair_;
  std::vector<typename SumTree<Number>::Step> path_;
  std::vector<std::uint32_t> held_;
  SumTree<Number> tree_;
};

class SumRun {
 public:
  SumRun(const Roots& roots, const SumRequest& request) : roots_(roots), request_(request) {}

  template <typename Number>
  End run(std::uint32_t size, SharedSums& sums) {
    const std::function<bool()> is_ended = [this] { return poll_ended(); };
    tbb::enumerable_thread_specific<SumRoots<Number>> walks(
        [&] { return SumRoots<Number>(roots_, request_, size, sums, is_ended); });
    tbb::task_group tasks;
    for_each_root(
        roots_, nullptr, request_.threads, tasks, [&]() -> SumRoots<Number>& { return walks.local(); }, is_ended,
        [](SumRoots<Number>& walk, std::uint64_t v) { walk.root(v); });
    return end_.load();
  }

 private:
  bool poll_ended() {
    if (end_.load() != End::Complete) return true;
    if (request_.stops.is_stopped()) end_ = End::Stopped;
    if (request_.stops.is_late()) end_ = End::Deadline;
    return end_.load() != End::Complete;
  }

  const Roots& roots_;
  const SumRequest& request_;
  std::atomic<End> end_{End::Complete};
};

}  // namespace

Result<SumOutcome> count_cliques_at(const Graph& graph, const SumRequest& request) {
  SumOutcome outcome;
  Laps laps(outcome.times);
  try {
    const CheckedRoots checked = MATCHA_TRY(checked_roots(graph, request.size, request.tier, kMostBitsOfSums));
    ExpectedWork work = checked.work;
    // Of all sizes one walk is expected, and each size has its own.
    work.at_least = work.at_least || request.size == 0;
    if (request.on_expected) request.on_expected(work);
    laps.end("order");
    SumRun run(checked.roots, request);
    const auto sums_of_size = [&](std::uint32_t size, SharedSums& sums) -> Result<End> {
      sums.clear();
      return checked.bits <= 64 ? run.run<std::uint64_t>(size, sums) : run.run<Wide>(size, sums);
    };
    MATCHA_TRY(write_sums(graph, checked.roots, request, sums_of_size, laps, outcome));
    return outcome;
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::Resource, "not enough memory to count cliques", {}, 0, {}};
  }
}

}  // namespace matcha::runtime::cliques
