#include "runtime/sample/bounded_draws.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "runtime/parallel.h"

namespace matcha::runtime::sample {

namespace {

/// Items of a list that are looked at where other edges narrow it.
constexpr std::uint64_t kLooksOfLeaf = 16;

double share_of(std::uint64_t random) { return static_cast<double>(random >> 11) * 0x1p-53; }

/// The first of the ascending sums that is above a random share of the last one.
std::size_t pick(const double* sums, std::size_t count, std::uint64_t random) {
  const double wanted = share_of(random) * sums[count - 1];
  return static_cast<std::size_t>(std::upper_bound(sums, sums + count - 1, wanted) - sums);
}

/// The lists with each neighbour once, of those with the label, or of all.
NeighborLists kept_of(const GraphView& view, const std::int64_t* labels, std::optional<std::int64_t> label) {
  struct Arrays {
    std::vector<std::uint64_t> offsets;
    std::vector<std::uint32_t> neighbors;
  };
  auto arrays = std::make_shared<Arrays>();
  arrays->offsets.resize(view.universe + 1);
  const auto for_kept = [&](std::uint64_t x, const auto& f) {
    for (std::uint64_t arc = view.offsets[x]; arc != view.offsets[x + 1]; ++arc) {
      const std::uint32_t neighbor = view.neighbors[arc];
      const bool repeats = arc != view.offsets[x] && view.neighbors[arc - 1] == neighbor;
      if (!repeats && (!label || labels[neighbor] == *label)) f(neighbor);
    }
  };
  // A graph without arcs may have no offsets.
  const Block all(0, view.arc_count == 0 ? 0 : view.universe, BoundedDraws::kDrawsOfTask);
  for_blocks(all, [&](const Block& block) {
    for (std::uint64_t x = block.begin(); x != block.end(); ++x) {
      for_kept(x, [&](std::uint32_t) { ++arrays->offsets[x + 1]; });
    }
  });
  for (std::uint64_t x = 0; x < view.universe; ++x) arrays->offsets[x + 1] += arrays->offsets[x];
  arrays->neighbors.resize(arrays->offsets.back());
  for_blocks(all, [&](const Block& block) {
    for (std::uint64_t x = block.begin(); x != block.end(); ++x) {
      std::uint64_t at = arrays->offsets[x];
      for_kept(x, [&](std::uint32_t neighbor) { arrays->neighbors[at++] = neighbor; });
    }
  });
  NeighborLists kept;
  kept.view.universe = view.universe;
  kept.view.arc_count = arrays->neighbors.size();
  kept.view.offsets = arrays->offsets.data();
  kept.view.neighbors = arrays->neighbors.data();
  kept.owner = std::move(arrays);
  return kept;
}

}  // namespace

Moments::Moments(double sum, double squares, std::uint64_t how_many, std::uint64_t found)
    : draws(how_many), hits(found) {
  exact_sum_add(exact_sum, sum);
  exact_sum_add(exact_squares, squares);
}

void Moments::add(const Moments& other) {
  exact_sum_merge(exact_sum, other.exact_sum);
  exact_sum_merge(exact_squares, other.exact_squares);
  draws += other.draws;
  hits += other.hits;
}

BoundedDraws::BoundedDraws(std::vector<NeighborLists> lists, std::vector<DrawnVertex> pattern)
    : pattern_(std::move(pattern)),
      universe_(lists.front().view.universe),
      labels_(lists.front().view.labels),
      branches_(pattern_.size()),
      children_(pattern_.size()) {
  keep_lists(lists);
  grow_tree();
  weigh_edges();
}

/// Gives each link the lists whose neighbours have the label of its later end.
void BoundedDraws::keep_lists(const std::vector<NeighborLists>& lists) {
  std::map<std::pair<std::size_t, std::optional<std::int64_t>>, std::size_t> places;
  for (DrawnVertex& vertex : pattern_) {
    for (Link& link : vertex.links) {
      const auto [place, is_new] = places.try_emplace({link.list, vertex.label}, lists_.size());
      const NeighborLists& all = lists[link.list];
      if (is_new && !vertex.label && !all.may_repeat && all.view.arc_count != 0) {
        lists_.push_back(all);
      } else if (is_new) {
        lists_.push_back(kept_of(all.view, labels_, vertex.label));
      }
      link.list = place->second;
    }
  }
}

/// The link to an earlier vertex that has the fewest arcs.
std::optional<Link> BoundedDraws::shortest_link(std::size_t v, std::size_t to) const {
  std::optional<Link> best;
  for (const Link& link : pattern_[v].links) {
    if (link.to != to || link.is_absent) continue;
    if (!best || lists_[link.list].view.arc_count < lists_[best->list].view.arc_count) best = link;
  }
  return best;
}

void BoundedDraws::grow_tree() {
  for (std::size_t v = 1; v < pattern_.size(); ++v) {
    for (std::size_t to = 0; to < v && (branches_[v].empty() || to < 2); ++to) {
      if (const std::optional<Link> link = shortest_link(v, to)) branches_[v].push_back({*link, nullptr});
    }
    if (v > 1 && !hangs_on_both(v)) children_[branches_[v].front().link.to].push_back(v);
  }
  for (std::size_t v = pattern_.size(); v-- > 2;) {
    for (Branch& branch : branches_[v]) {
      if (!children_[v].empty()) branch.sums = sums_below(v, branch.link.list);
    }
  }
}

/// The subtrees have the same shape and labels.
bool BoundedDraws::is_alike(std::size_t one, std::size_t other) const {
  const auto& left = children_[one];
  const auto& right = children_[other];
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), [this](std::size_t a, std::size_t b) {
    return branches_[a].front().link.list == branches_[b].front().link.list && is_alike(a, b);
  });
}

std::shared_ptr<const BoundedDraws::Sums> BoundedDraws::sums_below(std::size_t v, std::size_t list) const {
  for (std::size_t later = v; later < pattern_.size(); ++later) {
    for (const Branch& known : branches_[later]) {
      if (known.sums != nullptr && known.link.list == list && is_alike(v, later)) return known.sums;
    }
  }
  std::vector<double> maps(universe_, 1);
  for_blocks(Block(0, universe_, kDrawsOfTask), [&](const Block& block) {
    for (std::uint64_t x = block.begin(); x != block.end(); ++x) {
      for (const std::size_t child : children_[v]) {
        maps[x] *= maps_below(branches_[child].front(), static_cast<std::uint32_t>(x));
      }
    }
  });
  const GraphView& view = lists_[list].view;
  auto sums = std::make_shared<Sums>(view.arc_count);
  for_blocks(Block(0, universe_, kDrawsOfTask), [&](const Block& block) {
    for (std::uint64_t x = block.begin(); x != block.end(); ++x) {
      double sum = 0;
      for (std::uint64_t arc = view.offsets[x]; arc != view.offsets[x + 1]; ++arc) {
        (*sums)[arc] = sum += maps[view.neighbors[arc]];
      }
    }
  });
  return sums;
}

/// Maps of the subtree below an image of the vertex that it hangs on.
double BoundedDraws::maps_below(const Branch& branch, std::uint32_t parent) const {
  const GraphView& view = lists_[branch.link.list].view;
  const std::uint64_t begin = view.offsets[parent], end = view.offsets[parent + 1];
  if (branch.sums == nullptr) return static_cast<double>(end - begin);
  return begin == end ? 0 : (*branch.sums)[end - 1];
}

double BoundedDraws::weight_of(std::uint32_t first, std::uint32_t second) const {
  if (pattern_[0].label && labels_[first] != *pattern_[0].label) return 0;
  if (!fits(1, second, branches_[1].front().link, &first)) return 0;
  double weight = 1;
  for (std::size_t v = 2; v < pattern_.size(); ++v) {
    const Branch& branch = branches_[v].front();
    if (hangs_on_both(v)) {
      weight *= std::min(maps_below(branch, first), maps_below(branches_[v].back(), second));
    } else if (branch.link.to < 2) {
      weight *= maps_below(branch, branch.link.to == 0 ? first : second);
    }
  }
  return weight;
}

void BoundedDraws::weigh_edges() {
  const GraphView& view = lists_[branches_[1].front().link.list].view;
  weights_.resize(view.arc_count);
  for_blocks(Block(0, view.arc_count == 0 ? 0 : universe_, kDrawsOfTask), [&](const Block& block) {
    for (std::uint64_t x = block.begin(); x != block.end(); ++x) {
      for (std::uint64_t arc = view.offsets[x]; arc != view.offsets[x + 1]; ++arc) {
        weights_[arc] = weight_of(static_cast<std::uint32_t>(x), view.neighbors[arc]);
      }
    }
  });
  for (double& weight : weights_) weight = most_ += weight;
}

/// Whether an image that `base` gives, in the place of `v`, fits those of all earlier vertices.
bool BoundedDraws::fits(std::size_t v, std::uint32_t image, const Link& base, const std::uint32_t* images) const {
  for (std::size_t u = 0; u < v; ++u) {
    if (images[u] == image) return false;
  }
  for (const Link& link : pattern_[v].links) {
    if (link.to == base.to && link.list == base.list && !link.is_absent) continue;
    if (row(link, images[link.to]).has(image) == link.is_absent) return false;
  }
  return true;
}

/// Places a vertex without children on a member of its set of candidates. Returns the estimated size of the set, as a
/// share of what the tree allows: at most 1, and 0 if no member was seen.
double BoundedDraws::place_leaf(std::size_t v, Random& random, Images& images) const {
  std::uint64_t allowed = ~std::uint64_t{0}, size = ~std::uint64_t{0};
  for (const Branch& branch : branches_[v])
    allowed = std::min(allowed, row(branch.link, images[branch.link.to]).size());
  Link base = branches_[v].front().link;
  std::size_t conditions = 0;
  for (const Link& link : pattern_[v].links) {
    if (link.is_absent) continue;
    ++conditions;
    const std::uint64_t other = row(link, images[link.to]).size();
    if (other >= size) continue;
    base = link;
    size = other;
  }
  if (size == 0) return 0;
  const bool is_narrowed = conditions > 1 || v + 1 == pattern_.size();
  const std::uint64_t looks = is_narrowed ? std::min(size, kLooksOfLeaf) : 1;
  const std::uint64_t begin = looks < size ? random.below(size) : 0;
  const NeighborRow list = row(base, images[base.to]);
  std::uint64_t found = 0;
  std::uint32_t kept = 0;
  for (std::uint64_t i = 0; i < looks; ++i) {
    std::uint64_t at = begin + i * size / looks;
    at -= at >= size ? size : 0;
    const std::uint32_t image = list.begin[at];
    if (!fits(v, image, base, images.data())) continue;
    if (random.below(++found) == 0) kept = image;
  }
  if (found != 0) images[v] = kept;
  return static_cast<double>(found) / static_cast<double>(looks) * static_cast<double>(size) /
         static_cast<double>(allowed);
}

/// Places a vertex with children, by the number of maps below it.
bool BoundedDraws::place_inner(std::size_t v, Random& random, Images& images) const {
  const Branch* base = &branches_[v].front();
  if (hangs_on_both(v) && maps_below(branches_[v].back(), images[1]) < maps_below(*base, images[0])) {
    base = &branches_[v].back();
  }
  const std::uint32_t parent = images[base->link.to];
  const NeighborRow list = row(base->link, parent);
  if (list.size() == 0) return false;
  const double* const sums = base->sums->data() + lists_[base->link.list].view.offsets[parent];
  const std::uint32_t image = list.begin[pick(sums, list.size(), random.next())];
  if (!fits(v, image, base->link, images.data())) return false;
  images[v] = image;
  return true;
}

double BoundedDraws::tree(Random& random, Images& images) const {
  const GraphView& view = lists_[branches_[1].front().link.list].view;
  const std::uint64_t arc = pick(weights_.data(), weights_.size(), random.next());
  const std::uint64_t* const after = std::upper_bound(view.offsets, view.offsets + universe_ + 1, arc);
  images[0] = static_cast<std::uint32_t>(after - view.offsets - 1);
  images[1] = view.neighbors[arc];
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
  struct Part {
    double sum = 0, squares = 0;
    std::uint64_t draws = 0, hits = 0;
  };
  std::vector<Part> parts(std::min(tasks, kTasksAtOnce));
  Moments all;
  for (std::uint64_t begin = 0; begin < tasks && !(is_stopped && is_stopped()); begin += kTasksAtOnce) {
    std::ranges::fill(parts, Part());
    for_indices(begin, std::min(tasks, begin + kTasksAtOnce), [&](std::uint64_t task) {
      if (is_stopped && is_stopped()) return;
      Images images(pattern_.size());
      const std::uint64_t end = std::min(count, (task + 1) * kDrawsOfTask);
      for (std::uint64_t i = task * kDrawsOfTask; i < end; ++i) {
        Random random(seed, first + i);
        const double value = tree(random, images);
        Part& part = parts[task - begin];
        part.sum += value;
        part.squares += value * value;
        part.hits += value > 0 ? 1 : 0;
      }
      parts[task - begin].draws = end - task * kDrawsOfTask;
    });
    for (const Part& part : parts) all.add({part.sum, part.squares, part.draws, part.hits});
  }
  return all;
}

namespace {

constexpr std::uint64_t kLeastDraws = 1000;
/// Numbers of draws of the pilot and of each try begin at multiples of it.
constexpr std::uint64_t kNumbers = std::uint64_t{1} << 40;

/// The number of draws, rounded up to whole tasks.
std::uint64_t whole_tasks(std::uint64_t draws) {
  constexpr std::uint64_t kDraws = BoundedDraws::kDrawsOfTask;
  return (draws + kDraws - 1) / kDraws * kDraws;
}

/// The mean of draws and its standard error.
struct Mean {
  double value, error;
};

Mean mean_of(const Moments& moments) {
  const double draws = static_cast<double>(moments.draws), mean = moments.sum() / draws;
  return {mean, std::sqrt(std::max(0.0, moments.squares() / draws - mean * mean) / draws)};
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
  const double miss = 1 - confidence, of_a_try = miss / static_cast<double>(kTries), log = std::log(kEvents / of_a_try);
  quantile = quantile_of(of_a_try);
  range = kEvents * std::log(kEvents / miss);
  certain_errors = std::sqrt(2 * log);
  certain_range = kEvents * log;
}

WithinRun::WithinRun(const BoundedDraws& draws, const IntervalRequest& request, MadeDraws made)
    : draws_(draws),
      within_(*request.within),
      confidence_(request.confidence.value_or(kConfidence)),
      width_(confidence_),
      seed_(request.seed.value_or(kSeed)),
      certain_(request.certain),
      made_(made) {
  // Until the mean is known to some 15%, whatever the values of the draws are.
  constexpr double kMeans = 50;
  constexpr std::uint64_t kAtATime = 4096, kMostOfPilot = 65'536;
  if (draws.most() <= 0) return;
  Moments& pilot = made_.pilot;
  while (pilot.sum() < kMeans * draws.most()) {
    if (pilot.draws >= kMostOfPilot) return;
    pilot.add(draws.draw(seed_, pilot.draws, kAtATime, {}));
  }
  needed_ = needed_for(pilot);
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
  return whole_tasks(std::max(kLeastDraws, static_cast<std::uint64_t>(kReserve * needed)));
}

/// The moments of the first draws of a try; of fewer if it is stopped.
Moments WithinRun::first_of(std::size_t attempt, std::uint64_t count, const std::function<bool()>& is_stopped) {
  const std::uint64_t begin = kNumbers * (attempt + 1);
  Moments& made = made_.tries[attempt];
  if (made.draws > count) return draws_.draw(seed_, begin, count, is_stopped);
  const Moments more = draws_.draw(seed_, begin + made.draws, count - made.draws, is_stopped);
  if (more.draws < count - made.draws) return more;
  made.add(more);
  return made;
}

Moments WithinRun::part(std::uint64_t index, std::uint64_t parts, const std::function<bool()>& is_stopped) const {
  const auto begin_of = [&](std::uint64_t i) {
    const std::uint64_t tasks = *needed_ / BoundedDraws::kDrawsOfTask;
    return BoundedDraws::kDrawsOfTask * (tasks / parts * i + tasks % parts * i / parts);
  };
  return draws_.draw(seed_, kNumbers + begin_of(index), begin_of(index + 1) - begin_of(index), is_stopped);
}

std::optional<Interval> WithinRun::interval_of(const Moments& all) const {
  if (all.sum() <= 0) return std::nullopt;
  const Mean mean = mean_of(all);
  const double most = draws_.most() / static_cast<double>(all.draws);
  // The range term also covers values that no draw has had.
  const double half_width = certain_ ? width_.certain_errors * mean.error + width_.certain_range * most
                                     : std::max(width_.quantile * mean.error, width_.range * most);
  return Interval{mean.value, half_width, confidence_, all.draws, all.hits, draws_.most() / mean.value, certain_};
}

std::optional<Interval> WithinRun::run(const std::function<bool()>& is_stopped) {
  std::uint64_t count = *needed_;
  for (std::size_t attempt = 0; attempt < kTries; ++attempt) {
    const Moments found = first_of(attempt, count, is_stopped);
    if (found.draws < count) return std::nullopt;
    const std::optional<Interval> interval = interval_of(found);
    if (!interval) return std::nullopt;
    if (interval->half_width <= within_ * interval->value) return interval;
    const std::optional<std::uint64_t> more = needed_for(found);
    if (!more || count > kNumbers / 2) return std::nullopt;
    count = std::max(2 * count, *more);
  }
  return std::nullopt;
}

}  // namespace matcha::runtime::sample
