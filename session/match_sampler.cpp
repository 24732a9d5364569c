#include "session/match_sampler.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "runtime/graph/random.h"
#include "session/neighbor_row.h"

namespace matcha::session {

namespace {

using pattern::Mask;
using pattern::MatchSample;
using pattern::Pattern;

/// Walks for a pattern, at a time and before it is asked how good its matches are. A large one, as a pattern has many
/// parts of that size, has fewer once its matches are as good as a number of equal weights (Kish); one with few or
/// uneven matches has more until they are as good as a smaller number.
constexpr int kWalks = 128, kUsualWalks = 256, kMostWalks = 512, kLeastOfLarge = 5;
constexpr double kEffective = 128, kLeastEffective = 24;
/// Walks that begin by labels find them by chance, and many end early: there are more, for a small pattern above all.
constexpr int kUsualWalksForLabels = 512, kMostWalksForLabels = 4096, kMostOfSmall = 5;
constexpr double kEffectiveForLabels = 64;
/// Candidates that a step tests.
constexpr std::uint64_t kLooks = 12;
/// Vertices of the shortest list that are tested for the members of a set.
constexpr std::uint64_t kMembers = 16;
/// Arcs at which walks begin, unless their ends have labels.
constexpr std::uint64_t kStartingArcs = 4096;
/// Arcs that a walk tests for the first two vertices when these have labels.
constexpr std::uint64_t kLabelledLooks = 32;

std::size_t slot(int v) { return static_cast<std::size_t>(v); }

/// Item i of a sequence, the multiples of the golden ratio, with prefixes that spread evenly over 0…2^64-1.
std::uint64_t evenly(std::uint64_t i) { return i * 0x9E3779B97F4A7C15ULL; }

/// The weight of a vertex with this number of neighbours as the next one of a walk.
double preference(std::uint64_t degree) { return std::sqrt(static_cast<double>(degree)); }

/// Arcs spread evenly over all, with their chances: walks prefer ends with many neighbours, above all at the first end,
/// which is the image of the pattern's vertex with most edges.
std::vector<MatchSampler::Start> draw_starts(const runtime::GraphView& view) {
  std::vector<MatchSampler::Start> starts;
  if (view.arc_count == 0) return starts;
  runtime::Random random(1);
  double sum = 0;
  for (std::uint64_t i = 0; i < kStartingArcs; ++i) {
    const std::uint32_t first =
        view.neighbors[view.arc_count / kStartingArcs * i + view.arc_count % kStartingArcs * i / kStartingArcs];
    // A random neighbour of the end of a random arc is the end of one, too, and gives the source of the arc.
    const NeighborRow list = neighbor_row(view, first);
    if (list.size() == 0) continue;
    const std::uint32_t second = list.begin[random.below(list.size())];
    const std::uint64_t degree = list.size();
    const double chance =
        preference(degree) * preference(neighbor_row(view, second).size()) * std::sqrt(preference(degree));
    sum += chance;
    starts.push_back({first, second, 1 / chance, sum});
  }
  for (MatchSampler::Start& start : starts) {
    start.arcs *= static_cast<double>(view.arc_count) * sum / static_cast<double>(kStartingArcs);
  }
  return starts;
}

/// The two ends of an arc first, then the vertex that is adjacent to most of those before.
std::vector<int> walking_order(const Pattern& pattern) {
  std::vector<int> order;
  Mask placed = 0;
  while (order.size() < pattern.ids.size()) {
    int best = -1, most = -1;
    for (int v = 0; v < pattern.size(); ++v) {
      if (pattern::has(placed, v)) continue;
      const int before = pattern::count(pattern.near(v) & placed);
      if (!order.empty() && before == 0) continue;
      const int rank = before * 2 * pattern.size() + pattern::count(pattern.near(v));
      if (rank > most) {
        most = rank;
        best = v;
      }
    }
    order.push_back(best);
    placed |= pattern::bit(best);
  }
  return order;
}

/// Walks for a pattern of two or more vertices.
class Walker {
 public:
  Walker(const runtime::GraphView& view, const std::vector<MatchSampler::Start>& starts, const Pattern& pattern,
         std::vector<std::optional<std::int64_t>> labels)
      : view_(view), starts_(starts), pattern_(pattern), labels_(std::move(labels)), order_(walking_order(pattern)) {
    images_.resize(pattern.ids.size());
    lists_.resize(pattern.ids.size());
  }

  /// The estimated number of matches that the walk with this number represents; 0: it found no match. Otherwise
  /// `images()` is one of them. Walks with the same number begin at the same arcs for all patterns, so caches have
  /// these from the second on.
  double walk(std::uint64_t number) {
    random_ = runtime::Random(1, number);
    double weight = labels_[slot(order_[0])] || labels_[slot(order_[1])] ? labelled_arc() : begin(number);
    Mask placed = pattern::bit(order_[0]) | pattern::bit(order_[1]);
    for (std::size_t i = 2; i < order_.size() && weight > 0; ++i) {
      weight *= step(order_[i], placed);
      placed |= pattern::bit(order_[i]);
    }
    return weight;
  }
  const std::vector<std::uint32_t>& images() const { return images_; }

 private:
  bool fits_label(int v, std::uint32_t image) const {
    return !labels_[slot(v)] || view_.labels[image] == *labels_[slot(v)];
  }

  void place(int v, std::uint32_t image) {
    images_[slot(v)] = image;
    lists_[slot(v)] = neighbor_row(view_, image);
  }

  /// Places the ends of the first arc of the walk with this number; gives the number of arcs that it represents.
  double begin(std::uint64_t number) {
    const double wanted = static_cast<double>(evenly(number)) * 0x1p-64 * starts_.back().chances;
    const auto behind = [](double chances, const MatchSampler::Start& start) { return chances < start.chances; };
    const auto found = std::upper_bound(starts_.begin(), starts_.end() - 1, wanted, behind);
    place(order_[0], found->first);
    place(order_[1], found->second);
    return found->arcs;
  }

  double labelled_arc() {
    std::uint64_t fitting = 0;
    std::uint32_t first = 0, second = 0;
    for (std::uint64_t i = 0; i < kLabelledLooks; ++i) {
      const std::uint64_t arc = random_.below(view_.arc_count);
      const std::uint32_t to = view_.neighbors[arc];
      const NeighborRow list = neighbor_row(view_, to);
      if (list.size() == 0) continue;
      const std::uint32_t from = list.begin[random_.below(list.size())];
      if (!fits_label(order_[0], to) || !fits_label(order_[1], from)) continue;
      if (++fitting > 1 && random_.below(fitting) > 0) continue;
      first = to;
      second = from;
    }
    if (fitting == 0) return 0;
    place(order_[0], first);
    place(order_[1], second);
    return static_cast<double>(view_.arc_count) * static_cast<double>(fitting) / static_cast<double>(kLabelledLooks);
  }

  /// Whether an item of the list of `base` is a candidate for `v` once `placed` are.
  bool fits(int v, std::uint32_t image, int base, Mask placed) const {
    if (!fits_label(v, image)) return false;
    for (Mask left = placed; left != 0; left &= left - 1) {
      if (images_[slot(pattern::lowest(left))] == image) return false;
    }
    const Mask near = pattern_.near(v), others = placed & ~pattern::bit(base);
    for (Mask left = (near | pattern_.anti[slot(v)]) & others; left != 0; left &= left - 1) {
      const int u = pattern::lowest(left);
      if (lists_[slot(u)].has(image) != pattern::has(near, u)) return false;
    }
    return true;
  }

  /// Takes a candidate for `v`; their estimated number.
  double step(int v, Mask placed) {
    int base = -1;
    NeighborRow list{};
    pattern::for_each(pattern_.near(v) & placed, [&](int u) {
      const NeighborRow& other = lists_[slot(u)];
      if (base >= 0 && other.size() >= list.size()) return;
      base = u;
      list = other;
    });
    const std::uint64_t looks = std::min(list.size(), kLooks);
    std::array<std::uint32_t, kLooks> fitting;
    std::uint64_t found = 0;
    for (std::uint64_t i = 0; i < looks; ++i) {
      const std::uint32_t image = list.begin[looks == list.size() ? i : random_.below(list.size())];
      if (fits(v, image, base, placed)) fitting[found++] = image;
    }
    if (found == 0) return 0;
    const double all = static_cast<double>(list.size()) / static_cast<double>(looks);
    if ((pattern_.near(v) & ~placed) == 0 || found == 1) {
      place(v, fitting[found == 1 ? 0 : random_.below(found)]);
      return all * static_cast<double>(found);
    }
    std::array<double, kLooks> chances;
    double sum = 0;
    for (std::uint64_t i = 0; i < found; ++i) chances[i] = sum += preference(neighbor_row(view_, fitting[i]).size());
    const double wanted = static_cast<double>(random_.next()) * 0x1p-64 * sum;
    std::uint64_t taken = 0;
    while (taken + 1 < found && chances[taken] <= wanted) ++taken;
    place(v, fitting[taken]);
    return all * sum / (taken == 0 ? chances[0] : chances[taken] - chances[taken - 1]);
  }

  const runtime::GraphView& view_;
  const std::vector<MatchSampler::Start>& starts_;
  const Pattern& pattern_;
  const std::vector<std::optional<std::int64_t>> labels_;
  const std::vector<int> order_;
  std::vector<std::uint32_t> images_;
  std::vector<NeighborRow> lists_;  ///< The neighbours of the images.
  runtime::Random random_{1};
};

}  // namespace

MatchSampler::MatchSampler(const runtime::Graph& graph, std::map<std::string, std::int64_t> codes, bool by_degree)
    : view_(graph.view()), codes_(std::move(codes)), by_degree_(by_degree), starts_(draw_starts(view_)) {}

MatchSample MatchSampler::draw(const Pattern& pattern) const {
  MatchSample sample;
  if (pattern.size() < 2 || starts_.empty()) return sample;
  std::vector<std::optional<std::int64_t>> labels(pattern.ids.size());
  for (int v = 0; v < pattern.size(); ++v) {
    if (pattern.label(v).empty() || view_.labels == nullptr) continue;
    const auto code = codes_.find(pattern.label(v));
    if (code == codes_.end()) return sample;
    labels[slot(v)] = code->second;
  }
  Walker walker(view_, starts_, pattern, std::move(labels));
  const bool small_with_labels = pattern.labelled() && pattern.size() <= kMostOfSmall;
  const int usual = pattern.labelled() ? kUsualWalksForLabels : kUsualWalks;
  double sum = 0, squares = 0;
  int walks = 0;
  const auto enough = [&](double effective) { return sum > 0 && sum * sum >= effective * squares; };
  const auto more = [&] {
    if (walks < usual) return pattern.size() < kLeastOfLarge || !enough(kEffective);
    return small_with_labels ? walks < kMostWalksForLabels && !enough(kEffectiveForLabels)
                             : walks < kMostWalks && !enough(kLeastEffective);
  };
  while (more()) {
    for (int i = 0; i < kWalks; ++i, ++walks) {
      const double weight = walker.walk(static_cast<std::uint64_t>(walks));
      if (weight <= 0) continue;
      sum += weight;
      squares += weight * weight;
      sample.weights.push_back(weight);
      sample.images.push_back(walker.images());
    }
  }
  for (double& weight : sample.weights) weight /= walks;
  sample.matches = sum / walks;
  return sample;
}

std::uint64_t MatchSampler::rank(std::uint32_t v) const {
  constexpr int kBitsOfId = 32;
  return by_degree_ ? ~neighbor_row(view_, v).size() << kBitsOfId | v : v;
}

pattern::Members MatchSampler::members(const std::vector<std::uint32_t>& in,
                                       const std::vector<std::uint32_t>& off) const {
  std::vector<NeighborRow> lists, others;
  lists.reserve(in.size());
  others.reserve(off.size());
  for (std::uint32_t v : in) lists.push_back(neighbor_row(view_, v));
  for (std::uint32_t v : off) others.push_back(neighbor_row(view_, v));
  std::sort(lists.begin(), lists.end(), [](const NeighborRow& a, const NeighborRow& b) { return a.size() < b.size(); });
  const NeighborRow& shortest = lists.front();
  const std::uint64_t looks = std::min(shortest.size(), kMembers);
  pattern::Members found;
  found.vertices.reserve(looks);
  for (std::uint64_t i = 0; i < looks; ++i) {
    const std::uint32_t v = shortest.begin[i * shortest.size() / looks];
    const auto has = [v](const NeighborRow& list) { return list.has(v); };
    if (std::all_of(lists.begin() + 1, lists.end(), has) && std::none_of(others.begin(), others.end(), has)) {
      found.vertices.push_back(v);
    }
  }
  if (looks > 0) found.each = static_cast<double>(shortest.size()) / static_cast<double>(looks);
  return found;
}

}  // namespace matcha::session
