#include "runtime/sample/bounded_draws.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

#include "runtime/parallel.h"

namespace matcha::runtime::sample {

namespace {

/// Draws of one task. Their sums are added in the order of their numbers.
constexpr std::uint64_t kDrawsOfTask = 1024;
/// Items of a list that are looked at where other edges narrow it.
constexpr std::uint64_t kLooksOfLeaf = 16;

std::uint32_t bit_of(std::size_t place) { return std::uint32_t{1} << place; }
std::size_t lowest_of(std::uint32_t set) { return static_cast<std::size_t>(std::countr_zero(set)); }
double share_of(std::uint64_t random) { return static_cast<double>(random >> 11) * 0x1p-53; }

/// The first of the ascending sums that is above a random share of the last one.
std::size_t pick(const double* sums, std::size_t count, std::uint64_t random) {
  const double wanted = share_of(random) * sums[count - 1];
  return static_cast<std::size_t>(std::upper_bound(sums, sums + count - 1, wanted) - sums);
}

}  // namespace

void Moments::add(const Moments& other) {
  sum += other.sum;
  squares += other.squares;
  draws += other.draws;
  hits += other.hits;
}

/// The vertices of a draw so far.
struct BoundedDraws::Images {
  explicit Images(std::size_t vertices) : at(vertices), rows(vertices) {}
  void place(const GraphView& view, std::size_t v, std::uint32_t image) {
    at[v] = image;
    rows[v] = neighbor_row(view, image);
  }

  std::vector<std::uint32_t> at;
  std::vector<NeighborRow> rows;
};

BoundedDraws::BoundedDraws(const GraphView& view, std::vector<PatternVertex> pattern)
    : view_(view),
      pattern_(std::move(pattern)),
      parents_(pattern_.size()),
      children_(pattern_.size()),
      sums_(pattern_.size()) {
  for (std::size_t v = 2; v < pattern_.size(); ++v) {
    parents_[v] = lowest_of(pattern_[v].near);
    if (!hangs_on_both(v)) children_[parents_[v]].push_back(v);
  }
  if (view_.arc_count == 0) return;
  std::vector<std::shared_ptr<const Sums>> known(pattern_.size());
  for (std::size_t v = pattern_.size(); v-- > 2;) {
    if (!children_[v].empty() || pattern_[v].label) sums_[v] = sums_below(v, known);
  }
  weigh_edges();
}

/// The subtrees have the same shape and labels.
bool BoundedDraws::is_alike(std::size_t one, std::size_t other) const {
  if (pattern_[one].label != pattern_[other].label) return false;
  const auto& left = children_[one];
  const auto& right = children_[other];
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [this](std::size_t a, std::size_t b) { return is_alike(a, b); });
}

std::shared_ptr<const BoundedDraws::Sums> BoundedDraws::sums_below(
    std::size_t v, std::vector<std::shared_ptr<const Sums>>& known) const {
  for (std::size_t later = v + 1; later < pattern_.size(); ++later) {
    if (known[later] != nullptr && is_alike(v, later)) return known[v] = known[later];
  }
  std::vector<double> maps(view_.universe, 1);
  for_blocks(Block(0, view_.universe, kDrawsOfTask), [&](const Block& block) {
    for (std::uint64_t x = block.begin(); x != block.end(); ++x) {
      if (!fits_label(v, static_cast<std::uint32_t>(x))) maps[x] = 0;
      for (const std::size_t child : children_[v]) maps[x] *= maps_below(child, static_cast<std::uint32_t>(x));
    }
  });
  auto sums = std::make_shared<Sums>(view_.arc_count);
  for_blocks(Block(0, view_.universe, kDrawsOfTask), [&](const Block& block) {
    for (std::uint64_t x = block.begin(); x != block.end(); ++x) {
      double sum = 0;
      for (std::uint64_t arc = view_.offsets[x]; arc != view_.offsets[x + 1]; ++arc) {
        (*sums)[arc] = sum += maps[view_.neighbors[arc]];
      }
    }
  });
  return known[v] = std::move(sums);
}

/// Maps of the subtree of `v` below an image of its parent.
double BoundedDraws::maps_below(std::size_t v, std::uint32_t parent) const {
  const std::uint64_t begin = view_.offsets[parent], end = view_.offsets[parent + 1];
  if (sums_[v] == nullptr) return static_cast<double>(end - begin);
  return begin == end ? 0 : (*sums_[v])[end - 1];
}

double BoundedDraws::weight_of(std::uint32_t first, std::uint32_t second) const {
  double weight = fits_label(0, first) && fits_label(1, second) ? 1 : 0;
  for (std::size_t v = 2; v < pattern_.size(); ++v) {
    if (hangs_on_both(v)) {
      weight *= std::min(maps_below(v, first), maps_below(v, second));
    } else if (parents_[v] < 2) {
      weight *= maps_below(v, parents_[v] == 0 ? first : second);
    }
  }
  return weight;
}

void BoundedDraws::weigh_edges() {
  weights_.resize(view_.arc_count);
  for_blocks(Block(0, view_.universe, kDrawsOfTask), [&](const Block& block) {
    for (std::uint64_t x = block.begin(); x != block.end(); ++x) {
      for (std::uint64_t arc = view_.offsets[x]; arc != view_.offsets[x + 1]; ++arc) {
        weights_[arc] = weight_of(static_cast<std::uint32_t>(x), view_.neighbors[arc]);
      }
    }
  });
  for (double& weight : weights_) weight = most_ += weight;
}

std::uint32_t BoundedDraws::item_of(std::size_t v, std::uint32_t parent, std::uint64_t at) const {
  const NeighborRow list = neighbor_row(view_, parent);
  if (sums_[v] == nullptr) return list.begin[at];
  // Sums of a vertex without children grow by one at each item with its label.
  const double* const sums = sums_[v]->data() + view_.offsets[parent];
  return list.begin[std::upper_bound(sums, sums + list.size() - 1, static_cast<double>(at)) - sums];
}

/// Whether an item of the list of `base`, with the label of `v`, may be its image.
bool BoundedDraws::fits(std::size_t v, std::uint32_t image, std::size_t base, const Images& images) const {
  for (std::size_t u = 0; u < v; ++u) {
    if (images.at[u] == image) return false;
  }
  const std::uint32_t near = pattern_[v].near;
  for (std::uint32_t left = (near | pattern_[v].anti) & ~bit_of(base); left != 0; left &= left - 1) {
    const std::size_t u = lowest_of(left);
    if (images.rows[u].has(image) != ((near & bit_of(u)) != 0)) return false;
  }
  return true;
}

/// Places a vertex without children on a member of its set of candidates. Returns the estimated size of the set, as a
/// share of what the tree allows: at most 1, and 0 if no member was seen.
double BoundedDraws::place_leaf(std::size_t v, Random& random, Images& images) const {
  const std::uint32_t near = pattern_[v].near;
  const auto size_by = [&](std::size_t u) { return static_cast<std::uint64_t>(maps_below(v, images.at[u])); };
  std::size_t base = parents_[v];
  std::uint64_t size = size_by(base), allowed = size;
  if (hangs_on_both(v)) allowed = std::min(allowed, size_by(1));
  for (std::uint32_t left = near & ~bit_of(base); left != 0; left &= left - 1) {
    const std::size_t u = lowest_of(left);
    const std::uint64_t other = size_by(u);
    if (other >= size) continue;
    base = u;
    size = other;
  }
  if (size == 0) return 0;
  const bool is_narrowed = !std::has_single_bit(near) || v + 1 == pattern_.size();
  const std::uint64_t looks = is_narrowed ? std::min(size, kLooksOfLeaf) : 1;
  const std::uint64_t begin = looks < size ? random.below(size) : 0;
  std::uint64_t found = 0;
  std::uint32_t kept = 0;
  for (std::uint64_t i = 0; i < looks; ++i) {
    std::uint64_t at = begin + i * size / looks;
    at -= at >= size ? size : 0;
    const std::uint32_t image = item_of(v, images.at[base], at);
    if (!fits(v, image, base, images)) continue;
    if (random.below(++found) == 0) kept = image;
  }
  if (found != 0) images.place(view_, v, kept);
  return static_cast<double>(found) / static_cast<double>(looks) * static_cast<double>(size) /
         static_cast<double>(allowed);
}

/// Places a vertex with children, by the number of maps below it.
bool BoundedDraws::place_inner(std::size_t v, Random& random, Images& images) const {
  std::size_t base = parents_[v];
  if (hangs_on_both(v) && maps_below(v, images.at[1]) < maps_below(v, images.at[0])) base = 1;
  const NeighborRow list = images.rows[base];
  if (list.size() == 0) return false;
  const double* const sums = sums_[v]->data() + view_.offsets[images.at[base]];
  const std::uint32_t image = list.begin[pick(sums, list.size(), random.next())];
  if (!fits(v, image, base, images)) return false;
  images.place(view_, v, image);
  return true;
}

double BoundedDraws::tree(Random& random, Images& images) const {
  const std::uint64_t arc = pick(weights_.data(), weights_.size(), random.next());
  const std::uint64_t* const after = std::upper_bound(view_.offsets, view_.offsets + view_.universe + 1, arc);
  images.place(view_, 0, static_cast<std::uint32_t>(after - view_.offsets - 1));
  images.place(view_, 1, view_.neighbors[arc]);
  double value = most_;
  for (std::size_t v = 2; v < pattern_.size() && value > 0; ++v) {
    value *= !children_[v].empty() ? (place_inner(v, random, images) ? 1 : 0) : place_leaf(v, random, images);
  }
  return value;
}

Moments BoundedDraws::draw(std::uint64_t seed, std::uint64_t first, std::uint64_t count,
                           const std::function<bool()>& is_stopped) const {
  if (most_ <= 0) return {0, 0, count, 0};
  constexpr std::uint64_t kTasksAtOnce = std::uint64_t{1} << 14;
  const std::uint64_t tasks = (count + kDrawsOfTask - 1) / kDrawsOfTask;
  std::vector<Moments> parts(std::min(tasks, kTasksAtOnce));
  Moments all;
  for (std::uint64_t begin = 0; begin < tasks && !(is_stopped && is_stopped()); begin += kTasksAtOnce) {
    std::ranges::fill(parts, Moments());
    for_indices(begin, std::min(tasks, begin + kTasksAtOnce), [&](std::uint64_t task) {
      if (is_stopped && is_stopped()) return;
      Images images(pattern_.size());
      const std::uint64_t end = std::min(count, (task + 1) * kDrawsOfTask);
      for (std::uint64_t i = task * kDrawsOfTask; i < end; ++i) {
        Random random(seed, first + i);
        const double value = tree(random, images);
        parts[task - begin].add({value, value * value, 1, value > 0 ? std::uint64_t{1} : 0});
      }
    });
    for (const Moments& part : parts) all.add(part);
  }
  return all;
}

namespace {

constexpr int kTries = 2;
constexpr std::uint64_t kLeastDraws = 1000;
/// Numbers of draws of the pilot and of each try begin at multiples of it.
constexpr std::uint64_t kNumbers = std::uint64_t{1} << 40;

/// The mean of draws and its standard error.
struct Mean {
  double value, error;
};

Mean mean_of(const Moments& moments) {
  const double draws = static_cast<double>(moments.draws), mean = moments.sum / draws;
  return {mean, std::sqrt(std::max(0.0, moments.squares / draws - mean * mean) / draws)};
}

/// The number of standard deviations beyond which, on both sides, a normal value is with this chance.
double quantile_of(double chance) {
  constexpr int kHalvings = 60;
  double low = 0, high = 40;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::numbers::sqrt2) > chance ? low : high) = middle;
  }
  return high;
}

}  // namespace

Width::Width(double confidence) {
  // Bernstein's inequality with the variance of the draws has three events, each with a third of the chance.
  constexpr double kEvents = 3;
  const double miss = 1 - confidence, of_a_try = miss / kTries, log = std::log(kEvents / of_a_try);
  quantile = quantile_of(of_a_try);
  range = kEvents * std::log(kEvents / miss);
  certain_errors = std::sqrt(2 * log);
  certain_range = kEvents * log;
}

WithinRun::WithinRun(const BoundedDraws& draws, const IntervalRequest& request)
    : draws_(draws),
      within_(*request.within),
      confidence_(request.confidence.value_or(kConfidence)),
      width_(confidence_),
      seed_(request.seed.value_or(kSeed)),
      certain_(request.certain) {
  // Until the mean is known to some 15%, whatever the values of the draws are.
  constexpr double kMeans = 50;
  constexpr std::uint64_t kAtATime = 4096, kMostOfPilot = 65'536;
  if (draws.most() <= 0) return;
  Moments pilot;
  while (pilot.draws < kMostOfPilot) {
    pilot.add(draws.draw(seed_, pilot.draws, kAtATime, {}));
    if (pilot.sum < kMeans * draws.most()) continue;
    needed_ = needed_for(pilot);
    return;
  }
}

/// With a reserve for the error of the mean and of the variance. Nothing: more than there are numbers for.
std::optional<std::uint64_t> WithinRun::needed_for(const Moments& before) const {
  constexpr double kReserve = 1.3;
  const Mean mean = mean_of(before);
  const double deviation = mean.error * std::sqrt(static_cast<double>(before.draws)), wanted = within_ * mean.value;
  double needed = 0;
  if (certain_) {
    const double errors = width_.certain_errors * deviation;
    const double root =
        (errors + std::sqrt(errors * errors + 4 * wanted * width_.certain_range * draws_.most())) / (2 * wanted);
    needed = root * root;
  } else {
    const double root = width_.quantile * deviation / wanted;
    needed = std::max(root * root, width_.range * draws_.most() / wanted);
  }
  if (!(kReserve * needed < static_cast<double>(kNumbers))) return std::nullopt;
  return std::max(kLeastDraws, static_cast<std::uint64_t>(kReserve * needed));
}

std::optional<Interval> WithinRun::run(const std::function<bool()>& is_stopped) const {
  std::uint64_t count = *needed_;
  for (int attempt = 1; attempt <= kTries; ++attempt) {
    const Moments found = draws_.draw(seed_, kNumbers * static_cast<std::uint64_t>(attempt), count, is_stopped);
    if (found.draws < count || found.sum <= 0) return std::nullopt;
    const Mean mean = mean_of(found);
    const double most = draws_.most() / static_cast<double>(found.draws);
    // What the draws may have missed is not below the range term.
    const double half_width = certain_ ? width_.certain_errors * mean.error + width_.certain_range * most
                                       : std::max(width_.quantile * mean.error, width_.range * most);
    if (half_width <= within_ * mean.value) {
      return Interval{mean.value, half_width, confidence_, found.draws, found.hits, draws_.most() / mean.value,
                      certain_};
    }
    const std::optional<std::uint64_t> more = needed_for(found);
    if (!more || count > kNumbers / 2) return std::nullopt;
    count = std::max(2 * count, *more);
  }
  return std::nullopt;
}

}  // namespace matcha::runtime::sample
