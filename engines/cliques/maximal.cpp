#include "engines/cliques/maximal.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "engines/cliques/draws.h"
#include "engines/cliques/laps.h"
#include "engines/cliques/root_loop.h"
#include "engines/cliques/root_rows.h"

namespace matcha::runtime::cliques {

namespace {

using motif::End;

/// Nodes between two tests for a stop.
constexpr std::uint64_t kMaximalNodesOfPoll = 1 << 14;
/// Nodes of one root after which its branches are given away: some milliseconds.
constexpr std::uint64_t kMaximalNodesToKeep = 50'000;
/// As for counts: where the order by degree has a wider root, cores replace it.
constexpr std::uint32_t kWideDegrees = 256;

/// The end of the walks of all threads: by a stop or by the deadline.
class Ending {
 public:
  explicit Ending(const match::Stops& stops) : stops_(stops) {}
  bool poll() {
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

/// A branch of a tree that another thread may walk.
struct MaximalBranch {
  std::shared_ptr<const std::vector<std::uint64_t>> rows;  ///< Of its root, `words` words each.
  std::uint64_t words = 0;
  std::vector<std::uint64_t> set;
  std::vector<std::uint32_t> excluded;
  std::uint32_t held = 0;
};
using TakeMaximal = std::function<void(MaximalBranch)>;

/// The roots of one thread.
class MaximalRoots {
 public:
  /// `maybe_take`: takes branches of large trees; empty: there is no other thread.
  MaximalRoots(const Graph& graph, const Roots& roots, WalkMaximal walk, Ending& ending, const TakeMaximal& maybe_take)
      : view_(graph.view()),
        roots_(roots),
        walk_(walk),
        ending_(ending),
        take_(maybe_take),
        places_(roots.size),
        written_(roots) {
    if (take_) {
      tree_.give = [](MaximalTree& tree, const std::uint64_t* set, std::uint64_t begin, std::uint32_t held) {
        static_cast<MaximalRoots*>(tree.owner)->give(set, begin, held);
      };
    }
    tree_.counts.resize(roots.widest + 2);
    tree_.next_poll = kMaximalNodesOfPoll;
    tree_.poll = [](MaximalTree& tree) {
      const MaximalRoots& mine = *static_cast<MaximalRoots*>(tree.owner);
      tree.next_poll = std::min(tree.nodes + kMaximalNodesOfPoll, mine.most_);
      tree.ended = tree.nodes >= mine.most_ || mine.ending_.poll();
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
    walk(rows_.data(), words_of(count), set, 1);
  }

  void branch(const MaximalBranch& branch) {
    if (tree_.ended) return;
    tree_.owner = this;
    tree_.excluded = branch.excluded;
    shared_rows_ = branch.rows;
    walk(branch.rows->data(), branch.words, branch.set.data(), branch.held);
  }

  /// Walks at most `nodes` nodes of a root. False: it has more.
  bool part_of_root(std::uint64_t vertex, std::uint64_t nodes) {
    most_ = tree_.nodes + nodes;
    tree_.next_poll = most_;
    root(vertex);
    return !std::exchange(tree_.ended, false);
  }

  const MaximalTree& tree() const { return tree_; }

 private:
  void walk(const std::uint64_t* rows, std::uint64_t words, const std::uint64_t* set, std::uint32_t held) {
    words_ = words;
    tree_.gives_from = tree_.nodes + kMaximalNodesToKeep;
    tree_.gives_held = held + 2;
    walk_(tree_, rows, words, set, held);
    shared_rows_.reset();
  }

  void give(const std::uint64_t* set, std::uint64_t begin, std::uint32_t held) {
    if (shared_rows_ == nullptr) shared_rows_ = std::make_shared<const std::vector<std::uint64_t>>(rows_);
    const auto first = tree_.excluded.begin() + static_cast<std::ptrdiff_t>(begin);
    take_({shared_rows_, words_, {set, set + words_}, {first, tree_.excluded.end()}, held});
  }

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
  const TakeMaximal& take_;
  std::vector<std::uint16_t> places_;  ///< By vertex, its place among the candidates and 1; 0: it is none.
  RootRows written_;
  std::vector<std::uint64_t> rows_;
  std::uint64_t words_ = 0;                                        ///< Of a row that is walked.
  std::shared_ptr<const std::vector<std::uint64_t>> shared_rows_;  ///< The same rows, once a branch was given away.
  MaximalTree tree_;
  std::uint64_t most_ = ~std::uint64_t{0};  ///< Nodes after which a sample ends.
};

Result<Roots> roots_of_maximal(const Graph& graph) {
  Result<Roots> roots = make_roots(graph, Order::Degree);
  if (roots && roots->widest > kWideDegrees) roots = make_roots(graph, Order::Cores);
  if (!roots) return roots;
  if (const std::optional<Error> error = too_wide_for_maximal(*roots)) return *error;
  return roots;
}

/// Of a sample of the roots, by their pairs of candidates.
ExpectedWork sampled_work(const Graph& graph, const Roots& roots, Tier tier, std::uint64_t most_nodes) {
  constexpr std::uint64_t kDraws = 256;
  constexpr double kNsOfMaximalNode = 110;  // Measured.
  std::vector<double> pairs(roots.size);
  double all_pairs = 0;
  for (std::uint64_t v = 0; v < roots.size; ++v) {
    const auto count = static_cast<double>(roots.count(v));
    pairs[v] = count * (count + 1) / 2;
    all_pairs += pairs[v];
  }
  ExpectedWork work;
  if (all_pairs == 0) return work;
  const match::Stops none;
  Ending ending(none);
  const TakeMaximal keep;
  MaximalRoots walk(graph, roots, walk_maximal(tier), ending, keep);
  Draws draws;
  const std::vector<std::uint64_t> drawn = spread(pairs, kDraws, draws);
  for (const std::uint64_t root : drawn) {
    const std::uint64_t before = walk.tree().nodes;
    work.at_least = !walk.part_of_root(root, most_nodes / kDraws) || work.at_least;
    work.nodes += static_cast<double>(walk.tree().nodes - before) / pairs[root];
  }
  work.nodes *= all_pairs / static_cast<double>(drawn.size());
  work.ns = kNsOfMaximalNode * work.nodes;
  return work;
}

/// By size from 0, of all roots or those of a share.
std::vector<std::uint64_t> walk_maximal_roots(const Graph& graph, const Roots& roots,
                                              const std::vector<std::uint32_t>* maybe_share,
                                              const CliqueRequest& request, CliqueOutcome& outcome) {
  Ending ending(request.stops);
  const WalkMaximal walk = walk_maximal(request.tier);
  tbb::task_group tasks;
  TakeMaximal take;
  tbb::enumerable_thread_specific<MaximalRoots> walks([&] { return MaximalRoots(graph, roots, walk, ending, take); });
  if (request.threads > 1) {
    take = [&](MaximalBranch branch) {
      tasks.run([&, branch = std::move(branch)] {
        if (!ending.poll()) walks.local().branch(branch);
      });
    };
  }
  for_each_root(
      roots, maybe_share, request.threads, tasks, [&]() -> MaximalRoots& { return walks.local(); },
      [&] { return ending.poll(); }, [](MaximalRoots& mine, std::uint64_t v) { mine.root(v); });
  outcome.end = ending.end();
  std::vector<std::uint64_t> counts(std::max<std::uint64_t>(roots.widest + 2, 2));
  for (const MaximalRoots& mine : walks) {
    for (std::uint64_t size = 0; size < mine.tree().counts.size(); ++size) counts[size] += mine.tree().counts[size];
    outcome.nodes += mine.tree().nodes;
  }
  return counts;
}

/// Before a run the sample is a small part of it.
constexpr std::uint64_t kPartOfRun = 8;
constexpr const char* kNoMemoryForMaximal = "not enough memory to find maximal cliques";

}  // namespace

std::uint64_t count_isolated(const Graph& graph) {
  const GraphView view = graph.view();
  std::uint64_t others = 0;
  for (std::uint64_t v = 0; v < view.universe; ++v) others += view.offsets[v] != view.offsets[v + 1] ? 1 : 0;
  return graph.vertex_count() - others;
}

std::optional<Error> too_wide_for_maximal(const Roots& roots) {
  if (roots.widest <= kMostBits) return std::nullopt;
  return Error{ErrorKind::Runtime,
               "a vertex has " + std::to_string(roots.widest) +
                   " later neighbours, and maximal cliques are found among at most " + std::to_string(kMostBits),
               {},
               0,
               {}};
}

Result<CliqueOutcome> count_maximal_of(const Graph& graph, const Roots& roots, const std::vector<std::uint32_t>& share,
                                       const CliqueRequest& request) {
  CliqueOutcome outcome;
  try {
    for (const std::uint64_t count : walk_maximal_roots(graph, roots, &share, request, outcome)) {
      outcome.counts.emplace_back(count);
    }
    return outcome;
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::Resource, kNoMemoryForMaximal, {}, 0, {}};
  }
}

Result<ExpectedWork> expected_maximal(const Graph& graph, Tier tier, std::uint64_t most_nodes) {
  try {
    const Roots roots = MATCHA_TRY(roots_of_maximal(graph));
    return sampled_work(graph, roots, tier, most_nodes);
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::Resource, kNoMemoryForMaximal, {}, 0, {}};
  }
}

Result<CliqueOutcome> count_maximal(const Graph& graph, const CliqueRequest& request) {
  CliqueOutcome outcome;
  Laps laps(outcome.times);
  try {
    const Roots roots = MATCHA_TRY(roots_of_maximal(graph));
    if (request.on_expected) request.on_expected(sampled_work(graph, roots, request.tier, kShortSample / kPartOfRun));
    laps.end("order");
    std::vector<std::uint64_t> counts = walk_maximal_roots(graph, roots, nullptr, request, outcome);
    laps.end("trees");
    if (outcome.end != End::Complete) return outcome;
    counts[1] = count_isolated(graph);
    while (counts.size() > 2 && counts.back() == 0) counts.pop_back();
    for (std::uint64_t size = 1; size < counts.size(); ++size) outcome.counts.emplace_back(counts[size]);
    return outcome;
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::Resource, kNoMemoryForMaximal, {}, 0, {}};
  }
}

}  // namespace matcha::runtime::cliques
