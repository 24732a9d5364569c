#include "engines/cliques/sample.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include "engines/cliques/draws.h"
#include "engines/cliques/leaves.h"
#include "engines/cliques/root_rows.h"
#include "engines/cliques/tree.h"

namespace matcha::runtime::cliques {

namespace {

constexpr std::uint64_t kFirstDraws = 1024, kSecondDraws = 64;
/// Measured: a node, an edge whose triangles are counted, and an arc that is looked up for the rows of a root.
constexpr double kNsOfNode = 35, kNsOfListed = 1.5, kNsOfArc = 1.2;

/// The work of a tree, measured or extrapolated from a sample of its branches.
struct TreeWork {
  double nodes = 0, listed = 0;
  void add(const TreeWork& more, double times) {
    nodes += times * more.nodes;
    listed += times * more.listed;
  }
};

/// Trees in which wide sets have a few of their branches walked, each in place of as many as its odds say (Knuth,
/// 1975); narrow sets are walked whole.
class SampledTrees {
 public:
  SampledTrees(const Roots& roots, std::uint32_t size, WalkTree walk, std::uint64_t most_nodes)
      : roots_(roots),
        walk_(walk),
        most_nodes_(most_nodes),
        leaves_(std::min(roots.widest, kMostBits), size),
        rows_(roots) {
    leaves_.take(tree_);
    narrow_rows_ = Buffer<std::uint64_t>(narrow_words(words_of(std::min(roots.widest, kMostBits))));
    tree_.narrow_rows = narrow_rows_.data();
    tree_.poll = [](Tree& tree) { tree.ended = true; };
  }

  TreeWork root(std::uint64_t vertex, Draws& draws) {
    const std::uint64_t count = roots_.count(vertex);
    const std::uint32_t* const candidates = roots_.at(vertex);
    if (count <= kMostBits) return tree(candidates, count, 1, draws);
    // A run splits roots with more candidates.
    TreeWork work;
    for (std::uint64_t draw = 0; draw < kRootDraws; ++draw) {
      const auto at = static_cast<std::uint64_t>(draws.next() * static_cast<double>(count));
      const std::vector<std::uint32_t> both = rows_.below(candidates, count, candidates[at]);
      if (both.size() > kMostBits) ended_ = true;
      if (both.size() > kMostBits) continue;
      work.add(tree(both.data(), both.size(), 2, draws), static_cast<double>(count) / kRootDraws);
    }
    return work;
  }
  RootRows::Size size_of(std::uint64_t vertex) { return rows_.size_of(vertex); }
  /// The sample was cut.
  bool ended() const { return ended_; }

 private:
  using Bits = std::vector<std::uint64_t>;
  struct Child {
    Bits set;
    std::uint32_t held = 0, free = 0;
    double weight = 0;
  };

  const std::uint64_t* row(std::uint64_t vertex) const { return rows_.data() + vertex * rows_.words(); }
  std::uint64_t common(const Bits& set, std::uint64_t vertex) const {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < set.size(); ++i) {
      sum += static_cast<std::uint64_t>(std::popcount(set[i] & row(vertex)[i]));
    }
    return sum;
  }
  template <typename Visit>
  static void for_each(const Bits& set, const Visit& visit) {
    for (std::uint64_t i = 0; i < set.size(); ++i) {
      for (std::uint64_t left = set[i]; left != 0; left &= left - 1) {
        visit(64 * i + static_cast<std::uint64_t>(std::countr_zero(left)));
      }
    }
  }
  static std::uint64_t size_of_set(const Bits& set) {
    std::uint64_t sum = 0;
    for (const std::uint64_t word : set) sum += static_cast<std::uint64_t>(std::popcount(word));
    return sum;
  }
  Bits below(const Bits& set, std::uint64_t vertex) const {
    Bits both(set);
    for (std::uint64_t i = 0; i < set.size(); ++i) both[i] &= row(vertex)[i];
    return both;
  }

  TreeWork tree(const std::uint32_t* candidates, std::uint64_t count, std::uint32_t held, Draws& draws) {
    if (count < 2) return {};
    rows_.write(candidates, count);
    Bits set(rows_.words());
    for (std::uint64_t i = 0; i < count; ++i) set[i / 64] |= std::uint64_t{1} << i % 64;
    // Most trees have few nodes, which are no less exact.
    const std::optional<TreeWork> all = whole(set, held, 0, 0, most_nodes_ / kPartOfRoot);
    return all ? *all : node(set, held, 0, 0, true, draws);
  }

  TreeWork node(Bits set, std::uint32_t held, std::uint32_t free, std::uint32_t pairs, bool is_root, Draws& draws) {
    constexpr std::uint64_t kNarrow = 48, kMostPower = 4;
    const std::uint64_t count = size_of_set(set);
    const std::uint32_t missing = tree_.size == 0 ? ~std::uint32_t{0} : tree_.size - std::min(tree_.size, held);
    if (ended_ || (tree_.size != 0 && held + free + pairs + count < tree_.size)) return {};
    if (count <= kNarrow || missing <= 3) {
      const std::optional<TreeWork> all = whole(set, held, free, pairs, most_nodes_);
      ended_ = ended_ || !all || tree_.nodes > kMostTimes * most_nodes_;
      return all ? *all : TreeWork{static_cast<double>(most_nodes_), 0};
    }
    TreeWork work{1, 0};
    std::uint64_t pivot = 0, most = 0;
    Bits universal(set.size());
    for_each(set, [&](std::uint64_t vertex) {
      const std::uint64_t degree = common(set, vertex);
      if (degree + 1 == count) {
        universal[vertex / 64] |= std::uint64_t{1} << vertex % 64;
      } else if (degree >= most) {
        most = degree;
        pivot = vertex;
      }
    });
    free += static_cast<std::uint32_t>(size_of_set(universal));
    for (std::uint64_t i = 0; i < set.size(); ++i) set[i] &= ~universal[i];
    if (size_of_set(set) == 0) return work;
    std::vector<Child> children = children_of(set, pivot, held, free);
    double all = 0;
    for (Child& child : children) {
      const std::uint64_t power = std::clamp<std::uint64_t>(missing - 3, 1, kMostPower);
      const auto vertices = static_cast<double>(size_of_set(child.set));
      const bool suffices = tree_.size == 0 || child.held + child.free + pairs + vertices >= tree_.size;
      child.weight = suffices ? std::pow(vertices, power) : 0;
      all += child.weight;
    }
    const std::uint64_t draws_here = is_root ? kRootDraws : 1;
    for (std::uint64_t draw = 0; draw < draws_here && all > 0; ++draw) {
      double left = draws.next() * all;
      const Child* chosen = nullptr;
      for (const Child& child : children) {
        if (child.weight == 0) continue;
        chosen = &child;
        left -= child.weight;
        if (left < 0) break;
      }
      work.add(node(chosen->set, chosen->held, chosen->free, pairs, false, draws),
               all / chosen->weight / static_cast<double>(draws_here));
    }
    return work;
  }

  std::vector<Child> children_of(Bits& set, std::uint64_t pivot, std::uint32_t held, std::uint32_t free) const {
    const auto remove = [&](std::uint64_t vertex) { set[vertex / 64] &= ~(std::uint64_t{1} << vertex % 64); };
    std::vector<Child> children;
    const Bits near = below(set, pivot);
    children.push_back({near, held, free + 1, 0});
    remove(pivot);
    Bits others(set);
    for (std::uint64_t i = 0; i < set.size(); ++i) others[i] &= ~near[i];
    for_each(others, [&](std::uint64_t vertex) {
      remove(vertex);
      children.push_back({below(set, vertex), held + 1, free, 0});
    });
    return children;
  }

  /// The work of a whole tree; nothing if it has more than `most` nodes.
  std::optional<TreeWork> whole(const Bits& set, std::uint32_t held, std::uint32_t free, std::uint32_t pairs,
                                std::uint64_t most) {
    if (size_of_set(set) < 2) return TreeWork{};
    const std::uint64_t nodes = tree_.nodes, listed = tree_.listed;
    tree_.ended = false;
    tree_.next_poll = nodes + most;
    walk_(tree_, rows_.data(), rows_.words(), set.data(), held, free, pairs);
    if (tree_.ended) return std::nullopt;
    return TreeWork{static_cast<double>(tree_.nodes - nodes), static_cast<double>(tree_.listed - listed)};
  }

  static constexpr std::uint64_t kRootDraws = 4, kPartOfRoot = 128, kMostTimes = 2;

  const Roots& roots_;
  const WalkTree walk_;
  const std::uint64_t most_nodes_;
  Leaves leaves_;
  Tree tree_;
  RootRows rows_;
  Buffer<std::uint64_t> narrow_rows_;
  bool ended_ = false;
};

}  // namespace

std::string time_text(const ExpectedWork& work, unsigned threads) {
  constexpr struct {
    double seconds;
    const char* name;
  } kUnits[] = {{31557600, "years"}, {86400, "days"}, {3600, "h"}, {60, "min"}, {1, "s"}, {1e-3, "ms"}, {0, "µs"}};
  constexpr double kNs = 1e-9, kMicro = 1e-6;
  const double seconds = work.ns * kNs / threads;
  const auto* unit = std::begin(kUnits);
  while (seconds < 2 * unit->seconds) ++unit;
  const double value = seconds / (unit->seconds == 0 ? kMicro : unit->seconds);
  constexpr std::size_t kDigits = 32;
  char digits[kDigits];
  std::snprintf(digits, kDigits, "%.2g ", value);
  return std::string(work.at_least ? "at least " : "") + digits + unit->name;
}

ExpectedWork expected_work(const Roots& roots, std::uint32_t size, Tier tier, std::uint64_t most_nodes) {
  // Roots by pairs of candidates first, which are known; of these again by edges or pairs without one, whichever are
  // fewer, which say more of a tree.
  ExpectedWork work;
  std::vector<double> pairs(roots.size);
  double all_pairs = 0;
  for (std::uint64_t v = 0; v < roots.size; ++v) {
    const auto count = static_cast<double>(roots.count(v));
    if (roots.count(v) < 2 || roots.count(v) + 1 < size) continue;
    pairs[v] = count * (count - 1) / 2;
    all_pairs += pairs[v];
  }
  if (all_pairs == 0) return work;
  Draws draws;
  SampledTrees trees(roots, size, walk_tree(tier), most_nodes);
  const std::vector<std::uint64_t> first = spread(pairs, kFirstDraws, draws);
  std::vector<double> weights(first.size());
  double all_weights = 0, arcs = 0;
  RootRows::Size found;
  for (std::uint64_t i = 0; i < first.size(); ++i) {
    // A root that is drawn more than once comes in a row.
    if (i == 0 || first[i] != first[i - 1]) found = trees.size_of(first[i]);
    const auto edges = static_cast<double>(found.edges);
    const double others = pairs[first[i]] - edges;
    arcs += static_cast<double>(found.arcs) / pairs[first[i]];
    weights[i] = (1 + std::min(edges, others)) / pairs[first[i]];
    all_weights += weights[i];
  }
  TreeWork sum;
  std::uint64_t walked = 0;
  for (const std::uint64_t i : spread(weights, kSecondDraws, draws)) {
    sum.add(trees.root(first[i], draws), 1 / (weights[i] * pairs[first[i]]));
    ++walked;
    if (!trees.ended()) continue;
    work.at_least = true;
    break;
  }
  const double scale = all_pairs / static_cast<double>(first.size());
  if (walked == 0) return work;
  const double of_all = all_weights * scale / static_cast<double>(walked);
  work.nodes = sum.nodes * of_all;
  work.ns = kNsOfNode * work.nodes + kNsOfListed * sum.listed * of_all + kNsOfArc * arcs * scale;
  return work;
}

}  // namespace matcha::runtime::cliques
