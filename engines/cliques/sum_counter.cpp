#include "engines/cliques/sum_counter.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <string>

#include "engines/cliques/counter.h"
#include "engines/cliques/laps.h"
#include "engines/cliques/leaves.h"
#include "engines/cliques/root_loop.h"
#include "engines/cliques/root_rows.h"
#include "engines/cliques/sums.h"

namespace matcha::runtime::cliques {

namespace {

using motif::End;
using Wide = unsigned __int128;

/// Nodes between two looks at what may end the walk.
constexpr std::uint64_t kNodesOfSumLook = 1 << 14;

/// Sums that threads add to at once, of 128 bits.
class SharedSums {
 public:
  /// May throw std::bad_alloc.
  SharedSums(std::uint64_t size, unsigned threads) : is_shared_(threads > 1), low_(size), high_(size) {}

  void add(std::uint64_t at, Wide number) {
    if (number == 0) return;
    const auto low = static_cast<std::uint64_t>(number);
    std::uint64_t high = static_cast<std::uint64_t>(number >> 64);
    // Of all additions to a low word, those that carry are known one by one.
    high += add_word(low_[at], low) + low < low ? 1 : 0;
    if (high != 0) add_word(high_[at], high);
  }
  /// Requires: `most` fits an int.
  std::int64_t at(std::uint64_t at) const { return static_cast<std::int64_t>(low_[at]); }
  Wide most() const {
    Wide most = 0;
    for (std::uint64_t i = 0; i < low_.size(); ++i) most = std::max(most, Wide{high_[i]} << 64 | low_[i]);
    return most;
  }
  void clear() {
    std::ranges::fill(low_, 0);
    std::ranges::fill(high_, 0);
  }

 private:
  std::uint64_t add_word(std::uint64_t& word, std::uint64_t number) const {
    if (is_shared_) return std::atomic_ref<std::uint64_t>(word).fetch_add(number, std::memory_order_relaxed);
    const std::uint64_t before = word;
    word += number;
    return before;
  }

  const bool is_shared_;
  std::vector<std::uint64_t> low_, high_;
};

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
    tree_.next_look = kNodesOfSumLook;
    tree_.look = [](SumTree<Number>& tree) {
      tree.next_look = tree.nodes + kNodesOfSumLook;
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

/// Hands over rows in blocks.
class SumWriter {
 public:
  SumWriter(const SumRequest& request, std::uint32_t size, SumOutcome& outcome)
      : request_(request), size_(size), outcome_(outcome) {}

  /// False: no more rows are wanted.
  bool take(std::uint32_t first, std::uint32_t second, std::int64_t cliques) {
    if (request_.size == 0 && cliques == 0) return true;
    ends_[0].push_back(first);
    if (request_.by_edge) ends_[1].push_back(second);
    if (request_.size == 0) sizes_.push_back(size_);
    cliques_.push_back(cliques);
    return cliques_.size() < kRowsOfBlock || flush();
  }
  bool flush() {
    if (cliques_.empty()) return true;
    SumRows rows{cliques_.size(), {ends_[0].data()}, request_.size == 0 ? sizes_.data() : nullptr, cliques_.data()};
    if (request_.by_edge) rows.ends.push_back(ends_[1].data());
    outcome_.rows += rows.count;
    outcome_.refused = !request_.on_rows(rows);
    ends_[0].clear();
    ends_[1].clear();
    sizes_.clear();
    cliques_.clear();
    if (request_.stops.is_stopped()) outcome_.end = End::Stopped;
    if (request_.stops.is_late()) outcome_.end = End::Deadline;
    return !outcome_.refused && outcome_.end == End::Complete;
  }

 private:
  static constexpr std::uint64_t kRowsOfBlock = 1 << 12;

  const SumRequest& request_;
  const std::uint32_t size_;
  SumOutcome& outcome_;
  std::array<std::vector<std::uint32_t>, 2> ends_;
  std::vector<std::int64_t> sizes_, cliques_;
};

class SumRun {
 public:
  SumRun(const Graph& graph, const Roots& roots, const SumRequest& request)
      : graph_(graph),
        roots_(roots),
        request_(request),
        sums_(request.by_edge ? roots.begin[roots.size] : roots.size, request.threads) {}

  /// The sums of a size, in place of those of the last one.
  template <typename Number>
  End run(std::uint32_t size) {
    sums_.clear();
    const std::function<bool()> is_ended = [this] { return looks_ended(); };
    tbb::enumerable_thread_specific<SumRoots<Number>> walks(
        [&] { return SumRoots<Number>(roots_, request_, size, sums_, is_ended); });
    tbb::task_group tasks;
    for_each_root(
        roots_, nullptr, request_.threads, tasks, [&]() -> SumRoots<Number>& { return walks.local(); }, is_ended,
        [](SumRoots<Number>& walk, std::uint64_t v) { walk.root(v); });
    return end_.load();
  }

  /// The most cliques of a row.
  Wide most() const { return sums_.most(); }
  /// Hands over the rows of the last run. Requires: `most` fits an int.
  void write(std::uint32_t size, SumOutcome& outcome) const {
    SumWriter writer(request_, size, outcome);
    const GraphView view = graph_.view();
    // Later neighbours are ascending, so that those of a vertex are met in order.
    std::vector<std::uint64_t> next(roots_.begin.begin(), roots_.begin.begin() + roots_.size);
    for (std::uint64_t at = 0; at < view.vertex_count; ++at) {
      const auto u = view.vertices == nullptr ? static_cast<std::uint32_t>(at) : view.vertices[at];
      if (!request_.by_edge) {
        if (!writer.take(u, 0, sums_.at(u))) return;
        continue;
      }
      for (std::uint64_t p = view.offsets[u]; p < view.offsets[u + 1]; ++p) {
        const std::uint32_t v = view.neighbors[p];
        if (v < u) continue;
        const bool is_later = next[u] < roots_.begin[u + 1] && roots_.near[next[u]] == v;
        if (!writer.take(u, v, sums_.at(next[is_later ? u : v]++))) return;
      }
    }
    writer.flush();
  }

 private:
  bool looks_ended() {
    if (end_.load() != End::Complete) return true;
    if (request_.stops.is_stopped()) end_ = End::Stopped;
    if (request_.stops.is_late()) end_ = End::Deadline;
    return end_.load() != End::Complete;
  }

  const Graph& graph_;
  const Roots& roots_;
  const SumRequest& request_;
  SharedSums sums_;
  std::atomic<End> end_{End::Complete};
};

Error row_too_wide(const SumRequest& request, std::uint32_t size) {
  return {ErrorKind::Runtime,
          std::to_string(size) + "-cliques at one " + (request.by_edge ? "edge" : "vertex") +
              " are a number of more than 63 bits, the most of a row",
          {},
          0,
          "ask for smaller cliques"};
}

}  // namespace

Result<SumOutcome> count_cliques_at(const Graph& graph, const SumRequest& request) {
  SumOutcome outcome;
  Laps laps(outcome.times);
  try {
    constexpr std::uint32_t kMostBits = 128;
    const CheckedRoots checked = MATCHA_TRY(checked_roots(graph, request.size, request.tier, kMostBits));
    ExpectedWork work = checked.work;
    // Of all sizes one walk is expected, and each size has its own.
    work.at_least = work.at_least || request.size == 0;
    if (request.on_expected) request.on_expected(work);
    laps.end("order");
    SumRun run(graph, checked.roots, request);
    for (std::uint32_t size = request.size == 0 ? 2 : request.size;; ++size) {
      outcome.end = checked.bits <= 64 ? run.run<std::uint64_t>(size) : run.run<Wide>(size);
      laps.end("trees");
      if (outcome.end != End::Complete) return outcome;
      const Wide most = run.most();
      if (most > static_cast<Wide>(INT64_MAX)) return row_too_wide(request, size);
      if (request.size == 0 && most == 0) break;
      run.write(size, outcome);
      laps.end("rows");
      if (request.size != 0 || outcome.refused || outcome.end != End::Complete) break;
    }
    return outcome;
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::Resource, "not enough memory to count cliques", {}, 0, {}};
  }
}

}  // namespace matcha::runtime::cliques
