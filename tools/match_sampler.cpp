#include "tools/match_sampler.h"

#include <algorithm>
#include <array>
#include <optional>

#include "runtime/graph/random.h"

namespace matcha::tools {

namespace {

using frontend::pattern::Mask;
using frontend::pattern::MatchSample;
using frontend::pattern::Pattern;

/// Walks for a pattern, at a time and at most; a large one, as a pattern has many parts of that size, has only so many
/// until its matches are as good as a number of equal weights (Kish).
constexpr int kWalks = 128, kMostWalks = 512, kLeastOfLarge = 5;
constexpr double kEffective = 128;
/// Many walks for labels end early: there are more for a small pattern until its matches are as good as so many.
constexpr int kMostWalksForLabels = 4096, kMostOfSmall = 5;
constexpr double kEffectiveForLabels = 64;
/// Candidates that a step looks at.
constexpr std::uint64_t kLooks = 12;
/// Vertices of the shortest list that are looked at for the members of a set.
constexpr std::uint64_t kMembers = 16;
/// Arcs that a walk looks at for the first two vertices when they have labels.
constexpr std::uint64_t kLabelledLooks = 32;

std::size_t slot(int v) { return static_cast<std::size_t>(v); }

struct List {
  const std::uint32_t* begin;
  const std::uint32_t* end;
  std::uint64_t size() const { return static_cast<std::uint64_t>(end - begin); }
  /// No branch depends on the items, for walks ask for most of them once.
  bool has(std::uint32_t v) const {
    const std::uint32_t* first = begin;
    for (std::uint64_t rest = size(); rest > 1;) {
      const std::uint64_t half = rest / 2;
      first += first[half] <= v ? half : 0;
      rest -= half;
    }
    return begin != end && *first == v;
  }
};

List neighbors(const runtime::GraphView& view, std::uint32_t v) {
  const runtime::ArcRange arcs = runtime::arcs_of(view, v);
  return {view.neighbors + arcs.begin, view.neighbors + arcs.end};
}

/// The two ends of an arc first, then whoever is adjacent to most of those before.
std::vector<int> walking_order(const Pattern& pattern) {
  std::vector<int> order;
  Mask placed = 0;
  while (order.size() < pattern.ids.size()) {
    int best = -1, most = -1;
    for (int v = 0; v < pattern.size(); ++v) {
      if (frontend::pattern::has(placed, v)) continue;
      const int before = frontend::pattern::count(pattern.near(v) & placed);
      if (!order.empty() && before == 0) continue;
      const int rank = before * 2 * pattern.size() + frontend::pattern::count(pattern.near(v));
      if (rank > most) {
        most = rank;
        best = v;
      }
    }
    order.push_back(best);
    placed |= frontend::pattern::bit(best);
  }
  return order;
}

/// Walks for a pattern of two or more vertices.
class Walker {
 public:
  Walker(const runtime::GraphView& view, const Pattern& pattern, std::vector<std::optional<std::int64_t>> labels)
      : view_(view), pattern_(pattern), labels_(std::move(labels)), order_(walking_order(pattern)) {
    images_.resize(pattern.ids.size());
    lists_.resize(pattern.ids.size());
    looks_ = labels_[slot(order_[0])] || labels_[slot(order_[1])] ? kLabelledLooks : 1;
  }

  /// How many matches the walk with this number stands for, which is 0 when it got nowhere; then `images()` is one of
  /// them. Those of all patterns with the same number begin at the same arcs, which caches have from the second on.
  double walk(std::uint64_t number) {
    random_ = runtime::Random(1, number);
    double weight = first_arc();
    Mask placed = frontend::pattern::bit(order_[0]) | frontend::pattern::bit(order_[1]);
    for (std::size_t i = 2; i < order_.size() && weight > 0; ++i) {
      weight *= step(order_[i], placed);
      placed |= frontend::pattern::bit(order_[i]);
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
    lists_[slot(v)] = neighbors(view_, image);
  }

  double first_arc() {
    std::uint64_t fitting = 0;
    std::uint32_t first = 0, second = 0;
    for (std::uint64_t i = 0; i < looks_; ++i) {
      const std::uint64_t arc = random_.below(view_.arc_count);
      const std::uint32_t to = view_.neighbors[arc];
      // A random neighbour of the end of a random arc is the end of one, too, and says what the arc's source is.
      const List list = neighbors(view_, to);
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
    return static_cast<double>(view_.arc_count) * static_cast<double>(fitting) / static_cast<double>(looks_);
  }

  /// Whether an item of the list of `base` is a candidate for `v` once `placed` are.
  bool fits(int v, std::uint32_t image, int base, Mask placed) const {
    if (!fits_label(v, image)) return false;
    for (Mask left = placed; left != 0; left &= left - 1) {
      if (images_[slot(frontend::pattern::lowest(left))] == image) return false;
    }
    const Mask near = pattern_.near(v), others = placed & ~frontend::pattern::bit(base);
    for (Mask left = (near | pattern_.anti[slot(v)]) & others; left != 0; left &= left - 1) {
      const int u = frontend::pattern::lowest(left);
      if (lists_[slot(u)].has(image) != frontend::pattern::has(near, u)) return false;
    }
    return true;
  }

  /// Takes a candidate for `v`; their estimated number.
  double step(int v, Mask placed) {
    int base = -1;
    List list{};
    frontend::pattern::for_each(pattern_.near(v) & placed, [&](int u) {
      const List& other = lists_[slot(u)];
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
    place(v, fitting[found == 1 ? 0 : random_.below(found)]);
    return static_cast<double>(list.size()) * static_cast<double>(found) / static_cast<double>(looks);
  }

  const runtime::GraphView& view_;
  const Pattern& pattern_;
  const std::vector<std::optional<std::int64_t>> labels_;
  const std::vector<int> order_;
  std::uint64_t looks_ = 1;
  std::vector<std::uint32_t> images_;
  std::vector<List> lists_;  ///< The neighbours of the images.
  runtime::Random random_{1};
};

}  // namespace

MatchSample MatchSampler::draw(const Pattern& pattern) const {
  MatchSample sample;
  if (pattern.size() < 2 || view_.arc_count == 0) return sample;
  std::vector<std::optional<std::int64_t>> labels(pattern.ids.size());
  for (int v = 0; v < pattern.size(); ++v) {
    if (pattern.label(v).empty() || view_.labels == nullptr) continue;
    const auto code = codes_.find(pattern.label(v));
    if (code == codes_.end()) return sample;
    labels[slot(v)] = code->second;
  }
  Walker walker(view_, pattern, std::move(labels));
  const bool small_with_labels = pattern.labelled() && pattern.size() <= kMostOfSmall;
  double sum = 0, squares = 0;
  int walks = 0;
  const auto enough = [&](double effective) { return sum > 0 && sum * sum >= effective * squares; };
  const auto more = [&] {
    if (walks < kMostWalks) return pattern.size() < kLeastOfLarge || !enough(kEffective);
    return small_with_labels && walks < kMostWalksForLabels && !enough(kEffectiveForLabels);
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
  return by_degree_ ? ~neighbors(view_, v).size() << kBitsOfId | v : v;
}

frontend::pattern::Members MatchSampler::members(const std::vector<std::uint32_t>& in,
                                                 const std::vector<std::uint32_t>& off) const {
  std::vector<List> lists, others;
  lists.reserve(in.size());
  others.reserve(off.size());
  for (std::uint32_t v : in) lists.push_back(neighbors(view_, v));
  for (std::uint32_t v : off) others.push_back(neighbors(view_, v));
  std::sort(lists.begin(), lists.end(), [](const List& a, const List& b) { return a.size() < b.size(); });
  const List& shortest = lists.front();
  const std::uint64_t looks = std::min(shortest.size(), kMembers);
  frontend::pattern::Members found;
  found.vertices.reserve(looks);
  for (std::uint64_t i = 0; i < looks; ++i) {
    const std::uint32_t v = shortest.begin[i * shortest.size() / looks];
    const auto has = [v](const List& list) { return list.has(v); };
    if (std::all_of(lists.begin() + 1, lists.end(), has) && std::none_of(others.begin(), others.end(), has)) {
      found.vertices.push_back(v);
    }
  }
  if (looks > 0) found.each = static_cast<double>(shortest.size()) / static_cast<double>(looks);
  return found;
}

}  // namespace matcha::tools
