#include "engines/cliques/sample.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "engines/cliques/root_walk.h"

namespace matcha::runtime::cliques {

namespace {

constexpr std::uint64_t kFirstDraws = 1024, kSecondDraws = 64;
/// Measured: a node, an edge whose triangles are counted, and an arc that is looked up for the rows of a root.
constexpr double kNsOfNode = 35, kNsOfListed = 1.5, kNsOfArc = 1.2;

/// Numbers in [0, 1) that are the same each time (Steele, Lea and Flood, 2014).
class Draws {
 public:
  double next() {
    constexpr double kScale = 1.0 / 9007199254740992.0;
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return static_cast<double>((z ^ z >> 31) >> 11) * kScale;
  }

 private:
  std::uint64_t state_ = 1;
};

/// Evenly spread places of a running sum, from one draw.
std::vector<std::uint64_t> spread(const std::vector<double>& weights, std::uint64_t wanted, Draws& draws) {
  double all = 0;
  for (const double weight : weights) all += weight;
  std::vector<std::uint64_t> places;
  const double step = all / static_cast<double>(wanted);
  double next = draws.next() * step, sum = 0;
  for (std::uint64_t i = 0; i < weights.size(); ++i) {
    sum += weights[i];
    for (; next < sum && places.size() < wanted; next += step) places.push_back(i);
  }
  return places;
}

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
  WalkHooks hooks;
  hooks.most_nodes = most_nodes;
  RootWalk walk(roots, size, walk_tree(tier), hooks);
  const std::vector<std::uint64_t> first = spread(pairs, kFirstDraws, draws);
  std::vector<double> weights(first.size());
  double all_weights = 0, arcs = 0;
  RootRows::Size found;
  for (std::uint64_t i = 0; i < first.size(); ++i) {
    // A root that is drawn more than once comes in a row.
    if (i == 0 || first[i] != first[i - 1]) found = walk.size_of(first[i]);
    const auto edges = static_cast<double>(found.edges);
    const double others = pairs[first[i]] - edges;
    arcs += static_cast<double>(found.arcs) / pairs[first[i]];
    weights[i] = (1 + std::min(edges, others)) / pairs[first[i]];
    all_weights += weights[i];
  }
  double nodes = 0, listed = 0;
  std::uint64_t walked = 0, nodes_before = 0, listed_before = 0, last = roots.size, nodes_of_last = 0,
                listed_of_last = 0;
  for (const std::uint64_t i : spread(weights, kSecondDraws, draws)) {
    if (first[i] != last) {
      walk.root(first[i]);
      nodes_of_last = walk.nodes() - nodes_before;
      listed_of_last = walk.listed() - listed_before;
      nodes_before = walk.nodes();
      listed_before = walk.listed();
      last = first[i];
    }
    const double weight = weights[i] * pairs[first[i]];
    nodes += static_cast<double>(nodes_of_last) / weight;
    listed += static_cast<double>(listed_of_last) / weight;
    ++walked;
    if (!walk.ended()) continue;
    work.at_least = true;
    break;
  }
  const double scale = all_pairs / static_cast<double>(first.size());
  if (walked == 0) return work;
  const double of_all = all_weights * scale / static_cast<double>(walked);
  work.nodes = nodes * of_all;
  work.ns = kNsOfNode * work.nodes + kNsOfListed * listed * of_all + kNsOfArc * arcs * scale;
  return work;
}

}  // namespace matcha::runtime::cliques
