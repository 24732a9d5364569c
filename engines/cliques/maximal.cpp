#include "engines/cliques/maximal.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <string>

#include "engines/cliques/laps.h"
#include "engines/cliques/root_loop.h"
#include "engines/cliques/root_rows.h"

namespace matcha::runtime::cliques {

namespace {

using motif::End;

/// Nodes between two looks at what may end the walk.
constexpr std::uint64_t kMaximalNodesOfLook = 1 << 14;
/// As for counts: where the order by degree has a wider root, cores replace it.
constexpr std::uint32_t kWideDegrees = 256;

/// What ends the walks of all threads.
class Ending {
 public:
  explicit Ending(const match::Stops& stops) : stops_(stops) {}
  bool looks() {
    if (end_ != End::Complete) return true;
    if (stops_.is_stopped()) end_ = End::Stopped;
    if (stops_.is_late()) end_ = End::Deadline;
    return end_ != End::Complete;
  }
  End end() const { return end_; }

 private:
  const match::Stops& stops_;
  std::atomic<End> end_{End::Complete};
};

/// The roots of one thread.
class MaximalRoots {
 public:
  MaximalRoots(const Graph& graph, const Roots& roots, WalkMaximal walk, Ending& ending)
      : view_(graph.view()), roots_(roots), walk_(walk), ending_(ending), places_(roots.size), written_(roots) {
    tree_.counts.resize(roots.widest + 2);
    tree_.next_look = kMaximalNodesOfLook;
    tree_.look = [](MaximalTree& tree) {
      tree.next_look = tree.nodes + kMaximalNodesOfLook;
      tree.ended = static_cast<MaximalRoots*>(tree.owner)->ending_.looks();
    };
  }

  void root(std::uint64_t vertex) {
    const std::uint64_t count = roots_.count(vertex);
    // The last vertex of a clique closes none of its own, and those without neighbours are counted at the end.
    if (count == 0 || tree_.ended) return;
    tree_.owner = this;
    if (!write(vertex, roots_.at(vertex), count)) return;
    std::uint64_t set[kMostBits / 64] = {};
    for (std::uint64_t i = 0; i < count; ++i) set[i / 64] |= std::uint64_t{1} << i % 64;
    walk_(tree_, rows_.data(), words_of(count), set, 1);
  }

  const MaximalTree& tree() const { return tree_; }

 private:
  /// Rows of the candidates, then those of the earlier neighbours that are adjacent to one of them, which are excluded.
  /// False: one of these is adjacent to all, so that no clique is maximal without it.
  bool write(std::uint64_t vertex, const std::uint32_t* candidates, std::uint64_t count) {
    const std::uint64_t words = words_of(count);
    rows_.assign(count * words, 0);
    tree_.excluded.clear();
    for (std::uint64_t i = 0; i < count; ++i) places_[candidates[i]] = static_cast<std::uint16_t>(i + 1);
    std::uint64_t most = 0;
    for (std::uint64_t arc = view_.offsets[vertex]; arc < view_.offsets[vertex + 1] && most < count; ++arc) {
      const std::uint32_t other = view_.neighbors[arc];
      if (places_[other] == 0) most = std::max(most, write_excluded(other, words));
    }
    for (std::uint64_t i = 0; i < count; ++i) places_[candidates[i]] = 0;
    if (most == count) return false;
    written_.write(candidates, count);
    std::copy_n(written_.data(), count * words, rows_.data());
    return true;
  }
  /// Gives the candidates that it is adjacent to; without one it gets no row.
  std::uint64_t write_excluded(std::uint32_t other, std::uint64_t words) {
    std::uint64_t found = 0;
    std::uint64_t* row = nullptr;
    for (std::uint64_t at = roots_.begin[other]; at < roots_.begin[other + 1]; ++at) {
      const std::uint64_t place = places_[roots_.near[at]];
      if (place == 0) continue;
      if (found++ == 0) {
        tree_.excluded.push_back(static_cast<std::uint32_t>(rows_.size() / words));
        rows_.resize(rows_.size() + words);
        row = rows_.data() + rows_.size() - words;
      }
      row[(place - 1) / 64] |= std::uint64_t{1} << (place - 1) % 64;
    }
    return found;
  }

  const GraphView view_;
  const Roots& roots_;
  const WalkMaximal walk_;
  Ending& ending_;
  std::vector<std::uint16_t> places_;  ///< By vertex, its place among the candidates and 1; 0: it is none.
  RootRows written_;
  std::vector<std::uint64_t> rows_;
  MaximalTree tree_;
};

/// Vertices without a neighbour.
std::uint64_t count_isolated(const Graph& graph) {
  const GraphView view = graph.view();
  std::uint64_t others = 0;
  for (std::uint64_t v = 0; v < view.universe; ++v) others += view.offsets[v] != view.offsets[v + 1] ? 1 : 0;
  return graph.vertex_count() - others;
}

Result<Roots> roots_of_maximal(const Graph& graph) {
  Result<Roots> roots = make_roots(graph, Order::Degree);
  if (roots && roots->widest > kWideDegrees) roots = make_roots(graph, Order::Cores);
  if (roots && roots->widest > kMostBits) {
    return Error{ErrorKind::Runtime,
                 "a vertex has " + std::to_string(roots->widest) +
                     " later neighbours, and maximal cliques are found among at most " + std::to_string(kMostBits),
                 {},
                 0,
                 {}};
  }
  return roots;
}

}  // namespace

Result<CliqueOutcome> count_maximal(const Graph& graph, const CliqueRequest& request) {
  CliqueOutcome outcome;
  Laps laps(outcome.times);
  try {
    const Result<Roots> roots = roots_of_maximal(graph);
    if (!roots) return roots.error();
    laps.end("order");
    Ending ending(request.stops);
    const WalkMaximal walk = walk_maximal(request.tier);
    tbb::enumerable_thread_specific<MaximalRoots> walks([&] { return MaximalRoots(graph, *roots, walk, ending); });
    tbb::task_group tasks;
    for_each_root(
        *roots, nullptr, request.threads, tasks, [&]() -> MaximalRoots& { return walks.local(); },
        [&] { return ending.looks(); }, [](MaximalRoots& mine, std::uint64_t v) { mine.root(v); });
    laps.end("trees");
    outcome.end = ending.end();
    if (outcome.end != End::Complete) return outcome;
    std::vector<std::uint64_t> counts(std::max<std::uint64_t>(roots->widest + 2, 2));
    for (const MaximalRoots& mine : walks) {
      for (std::uint64_t size = 0; size < mine.tree().counts.size(); ++size) counts[size] += mine.tree().counts[size];
      outcome.nodes += mine.tree().nodes;
    }
    counts[1] = count_isolated(graph);
    while (counts.size() > 2 && counts.back() == 0) counts.pop_back();
    for (std::uint64_t size = 1; size < counts.size(); ++size) outcome.counts.emplace_back(counts[size]);
    return outcome;
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::Resource, "not enough memory to find maximal cliques", {}, 0, {}};
  }
}

}  // namespace matcha::runtime::cliques
