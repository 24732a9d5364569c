#include "runtime/sample/sampler.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace matcha::runtime::sample {

namespace {

/// Arcs that trees may begin at, of each pattern the same ones.
constexpr std::uint64_t kArcs = 4096;
/// Items of a list that are looked at for one set of candidates.
constexpr std::uint64_t kLooks = 16;
/// Candidates that are kept of one set. A tree has a few dozen leaves at most.
constexpr std::size_t kBranches = 2;

/// Item i of a sequence that lies evenly in 0…2^64-1 wherever it is cut off: multiples of the golden ratio.
std::uint64_t evenly(std::uint64_t i) { return i * 0x9E3779B97F4A7C15ULL; }

double fraction(std::uint64_t random) { return static_cast<double>(random) * 0x1p-64; }

std::uint32_t bit(std::size_t place) { return std::uint32_t{1} << place; }

}  // namespace

/// The draws of one pattern.
class Trees {
 public:
  Trees(const Sampler& sampler, const std::vector<PatternVertex>& pattern)
      : view_(sampler.view_), sampler_(sampler), pattern_(pattern), images_(pattern.size()), rows_(pattern.size()) {
    for (std::size_t v = 0; v < pattern.size(); ++v) powers_.push_back(power_of(v));
    weigh_arcs();
  }

  Estimate draw(const Effort& effort) {
    double sum = 0, squares = 0;
    const auto is_enough = [&] {
      if (found_.steps >= effort.most_steps) return true;
      return found_.draws >= effort.draws && sum * sum >= effort.effective * squares && sum > 0;
    };
    while (!chances_.empty() && !is_enough()) {
      constexpr int kAtATime = 64;
      for (int i = 0; i < kAtATime; ++i) {
        const double value = tree(found_.draws++);
        if (value <= 0) continue;
        ++found_.hits;
        sum += value;
        squares += value * value;
        found_.weights.push_back(value);
        found_.images.insert(found_.images.end(), kept_.begin(), kept_.end());
      }
    }
    if (found_.draws == 0) return found_;
    const double draws = static_cast<double>(found_.draws);
    found_.matches = sum / draws;
    found_.variance = (squares / draws - found_.matches * found_.matches) / draws;
    for (double& weight : found_.weights) weight /= draws;
    if (found_.hits == 0) {
      found_.is_bound = true;
      found_.matches = bound_;
    }
    return found_;
  }

 private:
  /// The power of an image's degree by which it is preferred: one for each later vertex that is reached by it alone,
  /// and less where others narrow it.
  float power_of(std::size_t v) const {
    constexpr float kNarrowed = 0.4F, kShare = 0.9F;
    float power = 0;
    for (std::size_t later = v + 1; later < pattern_.size(); ++later) {
      const PatternVertex& one = pattern_[later];
      if ((one.near & bit(v)) == 0) continue;
      power += std::has_single_bit(one.near) ? 1 : kNarrowed;
    }
    return kShare * power;
  }

  /// Arcs by a mixture of powers of the product of degrees that later vertices are reached by, so that none has a
  /// chance that is far too small.
  void weigh_arcs() {
    double first = 0, second = 0, shorter = 0;
    for (std::size_t v = 2; v < pattern_.size(); ++v) {
      const std::uint32_t near = pattern_[v].near;
      const double share = (near & ~std::uint32_t{3}) != 0 ? 0.5 : 1;
      ((near & 3) == 3   ? shorter
       : (near & 3) == 1 ? first
       : (near & 3) == 2 ? second
                         : shorter) += (near & 3) != 0 ? share : 0;
    }
    const double most = std::log(static_cast<double>(std::max<std::uint64_t>(view_.max_degree, 1)));
    const float highest = static_cast<float>((first + second + shorter) * most);
    const float powers[3] = {static_cast<float>(first), static_cast<float>(second), static_cast<float>(shorter)};
    // Of each arc the root of its product, and the sums of these, of the products, and of arcs.
    std::vector<float> roots;
    roots.reserve(sampler_.arcs_.size());
    begin_.reserve(sampler_.arcs_.size());
    double products = 0, sum_of_roots = 0;
    for (const Sampler::Arc& arc : sampler_.arcs_) {
      if (!fits_label(0, arc.first) || !fits_label(1, arc.second)) continue;
      const float log = powers[0] * arc.log_first + powers[1] * arc.log_second +
                        powers[2] * std::min(arc.log_first, arc.log_second) - highest;
      begin_.push_back(&arc);
      roots.push_back(pattern_.size() == 2 ? 1 : std::exp(log / 2));
      const double root = static_cast<double>(roots.back());
      sum_of_roots += root;
      products += root * root;
    }
    constexpr double kOfProducts = 0.45, kOfRoots = 0.4, kOfAll = 0.15;
    const double of_product = kOfProducts / std::max(products, 1e-300);
    const double of_root = kOfRoots / std::max(sum_of_roots, 1e-300);
    const double of_each = kOfAll / static_cast<double>(std::max<std::size_t>(roots.size(), 1));
    chances_.reserve(roots.size());
    double sum = 0;
    for (const float one : roots) {
      const double root = static_cast<double>(one);
      chances_.push_back(sum += of_product * root * root + of_root * root + of_each);
    }
  }

  bool fits_label(std::size_t v, std::uint32_t image) const {
    return !pattern_[v].label || view_.labels[image] == *pattern_[v].label;
  }

  void place(std::size_t v, std::uint32_t image) {
    images_[v] = image;
    rows_[v] = neighbor_row(view_, image);
  }

  /// The number of matches that the tree with this number stands for; `kept_` is one of them.
  double tree(std::uint64_t number) {
    random_ = Random(1, number);
    all_ = 0;
    const double wanted = fraction(evenly(number)) * chances_.back();
    const auto found = std::upper_bound(chances_.begin(), chances_.end() - 1, wanted);
    const std::size_t at = static_cast<std::size_t>(found - chances_.begin());
    const double chance = (chances_[at] - (at == 0 ? 0 : chances_[at - 1])) / chances_.back();
    place(0, begin_[at]->first);
    place(1, begin_[at]->second);
    descend(2, sampler_.arcs_of_each_ / chance);
    return all_;
  }

  /// Whether an item of the list of `base` is a candidate for `v`.
  bool fits(std::size_t v, std::uint32_t image, std::size_t base) const {
    if (!fits_label(v, image)) return false;
    for (std::size_t u = 0; u < v; ++u) {
      if (images_[u] == image) return false;
    }
    const std::uint32_t near = pattern_[v].near;
    for (std::uint32_t left = (near | pattern_[v].anti) & ~bit(base); left != 0; left &= left - 1) {
      const std::size_t u = static_cast<std::size_t>(std::countr_zero(left));
      if (rows_[u].has(image) != ((near & bit(u)) != 0)) return false;
    }
    return true;
  }

  void leaf(double weight) {
    all_ += weight;
    if (fraction(random_.next()) * all_ < weight) kept_ = images_;
  }

  /// Adds the matches below the images of the vertices before `v`, of which each stands for `weight`.
  void descend(std::size_t v, double weight) {
    if (v == pattern_.size()) return leaf(weight);
    std::size_t base = 0;
    std::uint64_t shortest = ~std::uint64_t{0};
    for (std::uint32_t left = pattern_[v].near; left != 0; left &= left - 1) {
      const std::size_t u = static_cast<std::size_t>(std::countr_zero(left));
      if (rows_[u].size() >= shortest) continue;
      base = u;
      shortest = rows_[u].size();
    }
    const NeighborRow list = rows_[base];
    const std::uint64_t looks = std::min(list.size(), kLooks);
    std::array<std::uint32_t, kLooks> fitting;
    std::size_t found = 0;
    ++found_.steps;
    const std::uint64_t begin = looks < list.size() ? random_.below(list.size()) : 0;
    for (std::uint64_t i = 0; i < looks; ++i) {
      std::uint64_t at = begin + i * list.size() / looks;
      at -= at >= list.size() ? list.size() : 0;
      const std::uint32_t image = list.begin[at];
      if (fits(v, image, base)) fitting[found++] = image;
    }
    const double each = weight * static_cast<double>(list.size()) / static_cast<double>(looks);
    if (found == 0) return note_miss(v, each);
    if (v + 1 == pattern_.size()) {
      images_[v] = fitting[found == 1 ? 0 : random_.below(found)];
      return leaf(each * static_cast<double>(found));
    }
    if (found <= kBranches) {
      for (std::size_t i = 0; i < found; ++i) {
        place(v, fitting[i]);
        descend(v + 1, each);
      }
      return;
    }
    std::array<double, kLooks> chances;
    double sum = 0;
    for (std::size_t i = 0; i < found; ++i) {
      const float degree = static_cast<float>(neighbor_row(view_, fitting[i]).size());
      chances[i] = powers_[v] == 0 ? 1 : static_cast<double>(std::pow(degree, powers_[v]));
      sum += chances[i];
    }
    const double step = sum / static_cast<double>(kBranches);
    double next = fraction(random_.next()) * step, passed = 0;
    for (std::size_t i = 0; i < found; ++i) {
      passed += chances[i];
      double times = 0;
      for (; next < passed; next += step) ++times;
      if (times == 0) continue;
      place(v, fitting[i]);
      descend(v + 1, each * times * step / chances[i]);
    }
  }

  /// Notes that a set of candidates for `v` is empty. Updates the bound: the mean of the matches that would have been
  /// counted if every second such set had one candidate. `each`: the matches that one candidate stands for.
  void note_miss(std::size_t v, double each) {
    if (found_.hits > 0 || v < deepest_) return;
    if (v > deepest_) misses_ = 0, bound_ = 0;
    deepest_ = v;
    ++misses_;
    bound_ += (each / 2 - bound_) / static_cast<double>(misses_);
  }

  const GraphView& view_;
  const Sampler& sampler_;
  const std::vector<PatternVertex>& pattern_;
  std::vector<float> powers_;
  std::vector<const Sampler::Arc*> begin_;
  std::vector<double> chances_;  ///< Of the arcs of `begin_`, each added to those before it.
  std::vector<std::uint32_t> images_, kept_;
  std::vector<NeighborRow> rows_;  ///< The neighbours of the images.
  Random random_{1};
  double all_ = 0;
  Estimate found_;
  std::size_t deepest_ = 0;
  std::uint64_t misses_ = 0;
  double bound_ = 0;
};

Sampler::Sampler(const GraphView& view, bool directed) : view_(view) {
  if (view.arc_count == 0 || (directed && view.slots != nullptr)) return;
  arcs_.reserve(std::min(view.arc_count, kArcs));
  if (view.arc_count <= kArcs && view.universe <= kArcs && view.slots == nullptr) {
    for (std::uint64_t v = 0; v < view.universe; ++v) {
      const NeighborRow row = neighbor_row(view, static_cast<std::uint32_t>(v));
      for (const std::uint32_t* to = row.begin; to != row.end; ++to) add(static_cast<std::uint32_t>(v), *to);
    }
    arcs_of_each_ = 1;
    return;
  }
  Random random(1);
  for (std::uint64_t i = 0; i < kArcs; ++i) {
    const std::uint64_t at = view.arc_count / kArcs * i + view.arc_count % kArcs * i / kArcs;
    const std::uint32_t to = view.neighbors[at];
    if (directed) {
      const auto after = std::upper_bound(view.offsets, view.offsets + view.universe + 1, at);
      add(static_cast<std::uint32_t>(after - view.offsets - 1), to);
      continue;
    }
    // A random neighbour of the end of a random arc is the end of one, too, and gives the source of the arc.
    const NeighborRow list = neighbor_row(view, to);
    if (list.size() != 0) add(to, list.begin[random.below(list.size())]);
  }
  arcs_of_each_ = static_cast<double>(view.arc_count) / static_cast<double>(kArcs);
}

void Sampler::add(std::uint32_t first, std::uint32_t second) {
  const auto log_degree = [this](std::uint32_t v) {
    return std::log(static_cast<float>(std::max<std::uint64_t>(neighbor_row(view_, v).size(), 1)));
  };
  arcs_.push_back({first, second, log_degree(first), log_degree(second)});
}

Estimate Sampler::draw(const std::vector<PatternVertex>& pattern, const Effort& effort) const {
  return Trees(*this, pattern).draw(effort);
}

}  // namespace matcha::runtime::sample
