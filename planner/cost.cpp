#include "planner/cost.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "planner/prices.h"

namespace matcha::pattern {

namespace {

/// Connected parts of `vertices` under `near`.
template <typename Near>
int parts(Mask vertices, Near near) {
  int found = 0;
  for (; vertices != 0; ++found) {
    Mask part = vertices & (~vertices + 1);
    for (Mask last = 0; part != last;) {
      last = part;
      for_each(last, [&](int v) { part |= near(v) & vertices; });
    }
    vertices &= ~part;
  }
  return found;
}

Mask vertices_of(const Candidates& set) { return set.in | set.off | set.below | set.above; }

constexpr double kLabelsOfTypicalGraph = 10, kEdgeLabelsOfTypicalGraph = 10;
/// Vertices of patterns that are looked at by drawing matches, and of the parts that are drawn.
constexpr int kMostOfDrawn = 8, kMostDrawn = 6;

// Of a GPU, fitted to the times of some 350 programs on an H200: patterns of 3 to 5 vertices, extended and decomposed,
// on graphs of 7 thousand to 317 thousand vertices. Prices of labelled sets were not among them. Divided by the cores
// that a GPU is worth.

/// Where vertices with many neighbours have rows of bits, in which one look finds an item.
constexpr Prices kWithHubRows = {.iteration = 1.9,
                                 .operation = 4,
                                 .batched = 2.3,
                                 .merged = 0.17,
                                 .searched = 1.3,
                                 .looked_up = 0.4,
                                 .filtered = 4,
                                 .bits = 5.2,
                                 .word = 0.05,
                                 .tested = 0.4,
                                 .missed = 1,
                                 .overlapped = 13,
                                 .wedge = 0.9};
/// Where all lists are searched.
constexpr Prices kWithoutHubRows = {.iteration = 1,
                                    .operation = 2,
                                    .batched = 0.5,
                                    .merged = 0.9,
                                    .searched = 3.5,
                                    .looked_up = 0.4,
                                    .filtered = 4,
                                    .bits = 1,
                                    .word = 0.05,
                                    .tested = 0.15,
                                    .missed = 5,
                                    .overlapped = 8.3,
                                    .wedge = 0.9};

Prices of_gpu(Prices prices) {
  for (double* price : {&prices.iteration, &prices.operation, &prices.batched, &prices.merged, &prices.searched,
                        &prices.looked_up, &prices.filtered, &prices.bits, &prices.word, &prices.tested, &prices.missed,
                        &prices.overlapped, &prices.wedge}) {
    *price /= planner::price::gpu_cores;
  }
  prices.awaited = prices.overlapped;
  prices.list = 1.3e5;
  prices.start = 2.5e5;
  prices.alone = planner::price::gpu_cores * planner::price::gpu_group;
  prices.apart_from = 1;
  prices.rows_for_pairs = true;
  return prices;
}

}  // namespace

const Prices& prices_of(Device device, bool hub_rows) {
  static const Prices cpu;
  static const Prices gpu = of_gpu(kWithoutHubRows), gpu_with_rows = of_gpu(kWithHubRows);
  if (device == Device::Cpu) return cpu;
  return hub_rows ? gpu_with_rows : gpu;
}

double share_of_random_ids(const Restrictions& larger, Mask part) {
  double share = 1;
  for_each(part, [&](int top) {
    int below = 1;
    for_each(part, [&](int v) { below += has(larger[at(v)], top) ? 1 : 0; });
    share /= below;
  });
  return share;
}

double placement_bits(const Pattern& pattern, const GraphSketch& sketch, Mask cutset) {
  const auto along = [&](int u, int v) {
    std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
    for (const auto& [from, to] : {std::pair{u, v}, std::pair{v, u}}) {
      for (const std::string& label : pattern.labels_of(from, to)) {
        const auto known = sketch.longest_rows.find(label);
        if (known != sketch.longest_rows.end()) fewest = std::min(fewest, known->second);
      }
    }
    return fewest == std::numeric_limits<std::uint64_t>::max() ? sketch.max_degree : fewest;
  };
  double bits = 0;
  for (Mask placed = cutset; placed != pattern.all();) {
    Mask next = 0;
    for_each(pattern.all() & ~placed, [&](int v) { next |= (pattern.near(v) & placed) != 0 ? bit(v) : 0; });
    if (next == 0) return std::numeric_limits<double>::infinity();
    const int v = lowest(next);
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    for_each(pattern.near(v) & placed, [&](int u) { most = std::min(most, along(u, v)); });
    bits += std::log2(static_cast<double>(std::max<std::uint64_t>(most, 2)));
    placed |= bit(v);
  }
  return bits;
}

GraphSketch typical_graph() {
  // Degrees 1 to 3000 with weights d^-2.1: 10 edges a vertex of either end, and hubs.
  constexpr int kMostDegree = 3000;
  constexpr double kVertices = 1e6, kExponent = -2.1, kClustering = 0.1;
  GraphSketch sketch;
  sketch.moments.assign(kMostMoment + 1, 0);
  double weights = 0;
  for (int d = 1; d <= kMostDegree; ++d) weights += std::pow(d, kExponent);
  for (int d = 1; d <= kMostDegree; ++d) {
    double term = kVertices * std::pow(d, kExponent) / weights;
    for (double& moment : sketch.moments) {
      moment += term;
      term *= d;
    }
  }
  sketch.vertices = static_cast<std::uint64_t>(kVertices);
  sketch.edges = static_cast<std::uint64_t>(sketch.moments[1] / 2);
  sketch.max_degree = kMostDegree;
  sketch.triangles = kClustering * (sketch.moments[2] - sketch.moments[1]) / 6;
  return sketch;
}

CostModel::CostModel(const Pattern& pattern, const Semantics& semantics, const GraphSketch& sketch)
    : pattern_(pattern),
      sketch_(sketch),
      prices_(prices_of(sketch.device, sketch.hub_rows)),
      semantics_(semantics),
      requirements_(pattern, semantics) {
  static const std::vector<double> kNothing(kMostMoment + 1, 1e-3);
  const std::size_t n = pattern.ids.size();
  const double arcs = std::max(sketch.moments[1], 1.0);
  for (int v = 0; v < pattern.size(); ++v) {
    const auto found = sketch.labels.find(alternatives(pattern.label(v)).front());
    // Of several labels the first stands for all.
    moments_.push_back(pattern.label(v).empty() || sketch.labels.empty() ? &sketch.moments
                       : found == sketch.labels.end()                    ? &kNothing
                                                                         : &found->second.moments);
  }
  edge_factor_.assign(n, std::vector<double>(n, 1 / arcs));
  for (std::size_t u = 0; u < n; ++u) {
    for (std::size_t v = 0; v < n; ++v) {
      if (pattern.labels[u].empty() || pattern.labels[v].empty() || sketch.labels.empty()) continue;
      const auto found = sketch.label_arcs.find({pattern.labels[u], pattern.labels[v]});
      const double between = found == sketch.label_arcs.end() ? 1e-3 : found->second;
      edge_factor_[u][v] = between / (std::max((*moments_[u])[1], 1.0) * std::max((*moments_[v])[1], 1.0));
    }
  }
  for (std::size_t u = 0; u < n && pattern.edge_labelled(); ++u) {
    for (std::size_t v = 0; v < n; ++v) edge_factor_[u][v] *= edge_share(static_cast<int>(u), static_cast<int>(v));
  }
  const double chance = std::pow(sketch.moments[2], 3) / std::pow(arcs, 3) / 6;
  constexpr double kLeast = 0.05, kMost = 1000;
  if (chance > 0 && sketch.triangles > 0) closing_ = std::clamp(sketch.triangles / chance, kLeast, kMost);
  if (sketch.maybe_label_facts != nullptr && LabelModel::fits(pattern))
    by_label_.emplace(pattern, *sketch.maybe_label_facts);
  const auto several = [](const std::string& label) { return alternatives(label).size() > 1; };
  draws_ = sketch.maybe_samples != nullptr && !pattern.directed && pattern.size() <= kMostOfDrawn &&
           !pattern.counts_edges() && std::ranges::none_of(pattern.labels, several);
  if (!draws_) return;
  drawn_pattern_ = pattern;
  for (int v = 0; semantics.induced == Induced::Vertex && v < pattern.size(); ++v) {
    drawn_pattern_.anti[at(v)] = pattern.all() & ~bit(v) & ~pattern.near(v);
  }
}

double CostModel::moment(int v, int power) const {
  return (*moments_[at(v)])[at(std::min(power, kMostMoment))] *
         (sketch_.labels.empty() && !pattern_.label(v).empty() ? 1 / kLabelsOfTypicalGraph : 1);
}

double CostModel::matches(Mask part) const {
  if (!draws_) return modelled_matches(part);
  double product = 1;
  while (part != 0) {
    Mask connected = part & (~part + 1);
    for (Mask last = 0; connected != last;) {
      last = connected;
      for_each(last, [&](int v) { connected |= pattern_.near(v) & part; });
    }
    product *= connected_matches(connected);
    part &= ~connected;
  }
  return product;
}

double CostModel::connected_matches(Mask part) const {
  const auto [found, fresh] = matches_.try_emplace(part, 0);
  if (!fresh) return found->second;
  double matches = modelled_matches(part);
  if (count(part) > 1) {
    const MatchSample& sample = *drawn(part).sample;
    if (sample.is_bound && count(part) > 2) matches = std::min(sample.matches, matches_without_one(part, matches));
    if (!sample.is_bound && sample.matches > 0) matches = sample.matches;
  }
  // The map may have grown.
  return matches_[part] = matches;
}

double CostModel::matches_without_one(Mask part, double modelled) const {
  int last = -1;
  for_each(part, [&](int v) {
    if (last < 0 && drawn_part(part & ~bit(v), part & ~bit(v)) != 0) last = v;
  });
  const Mask less = last < 0 ? part : part & ~bit(last);
  return last < 0 ? modelled : connected_matches(less) * modelled / std::max(modelled_matches(less), 1e-9);
}

Mask CostModel::drawn_part(Mask bound, Mask of) const {
  Mask connected = of & (~of + 1);
  for (Mask last = 0; connected != last;) {
    last = connected;
    for_each(last, [&](int v) { connected |= pattern_.near(v) & bound; });
  }
  return (of & ~connected) == 0 ? connected : 0;
}

const MatchSamples::Found& CostModel::drawn(Mask part) const {
  const auto [known, fresh] = drawn_.try_emplace(part, nullptr);
  if (fresh) known->second = &sketch_.maybe_samples->of_part(drawn_pattern_, part);
  return *known->second;
}

CostModel::Look CostModel::look_at_part(Mask part, const Restrictions& larger) const {
  const auto turn = [part](int v) { return count(part & first_vertices(v)); };
  Look found{&drawn(part), nullptr, 0, part};
  for_each(part, [&](int v) {
    for_each(larger[at(v)] & part, [&](int u) { found.relation |= relation_bit(turn(u), turn(v)); });
  });
  found.maybe_matches = MatchSamples::maybe_arranged(*found.found, found.relation);
  return found;
}

CostModel::Look CostModel::look(Mask bound, const Restrictions& larger, Mask of) const {
  const Mask part = draws_ ? drawn_part(bound, of) : 0;
  if (count(part) < 2 || count(part) > kMostDrawn) return {};
  Look found = look_at_part(part, larger);
  if (found.maybe_matches != nullptr && found.maybe_matches->matches.empty()) found.maybe_matches = nullptr;
  return found;
}

const std::vector<double>& CostModel::sizes(const Look& look, const Candidates& set) const {
  const auto turns = [&](Mask vertices) {
    Mask found = 0;
    for_each(vertices, [&](int v) { found |= bit(count(look.part & first_vertices(v))); });
    return found;
  };
  return sketch_.maybe_samples->sizes(*look.found, look.relation,
                                      {turns(set.in), turns(set.off), turns(set.below), turns(set.above)});
}

double CostModel::connected_share(Mask part, const Restrictions& larger) const {
  const double random = share_of_random_ids(larger, part);
  if (count(part) > kMostDrawn) {
    // As many times the share without one vertex as it would be with random ids.
    Mask less = 0;
    for_each(part, [&](int v) {
      if (drawn_part(part & ~bit(v), part & ~bit(v)) != 0) less = part & ~bit(v);
    });
    return less == 0 ? random : connected_share(less, larger) * random / share_of_random_ids(larger, less);
  }
  const ArrangedMatches* const arranged = look_at_part(part, larger).maybe_matches;
  if (arranged == nullptr) return random;
  // As if some matches had been met whose ids are random.
  constexpr double kRandom = 4;
  return (arranged->effective * arranged->weight / arranged->all + kRandom * random) / (arranged->effective + kRandom);
}

double CostModel::restricted_share(Mask part, const Restrictions& larger) const {
  double share = share_of_random_ids(larger, part);
  if (!draws_ || share == 1) return share;
  for (Mask left = part; left != 0;) {
    Mask connected = left & (~left + 1);
    for (Mask last = 0; connected != last;) {
      last = connected;
      for_each(last, [&](int v) { connected |= pattern_.near(v) & left; });
    }
    const double random = share_of_random_ids(larger, connected);
    if (random < 1) share *= connected_share(connected, larger) / random;
    left &= ~connected;
  }
  return share;
}

double CostModel::modelled_matches(Mask part) const {
  if (by_label_) return by_label_->matches(part, static_cast<double>(sketch_.vertices));
  double product = 1;
  Mask in_triangles = 0;
  int closed_edges = 0;
  const auto near = [&](int v) { return pattern_.near(v) & part; };
  const auto near_in_triangle = [&](int v) {
    Mask found = 0;
    for_each(near(v), [&](int w) {
      if ((near(v) & near(w)) != 0) found |= bit(w);
    });
    return found;
  };
  for_each(part, [&](int v) {
    product *= moment(v, count(near(v)));
    for_each(near(v) & ~first_vertices(v + 1), [&](int w) { product *= edge_factor_[at(v)][at(w)]; });
    const Mask closed = near_in_triangle(v);
    if (closed != 0) in_triangles |= bit(v);
    closed_edges += count(closed);
  });
  const int cycles = closed_edges / 2 - count(in_triangles) + parts(in_triangles, near_in_triangle);
  return product * std::pow(closing_, cycles);
}

double CostModel::common(Mask bound, Mask wanted) const {
  const Look found = look(bound, Restrictions(pattern_.ids.size(), 0), wanted);
  if (found.maybe_matches == nullptr) return modelled_common(bound, wanted);
  const std::vector<double>& lengths = sizes(found, {wanted, 0, 0, 0});
  double sum = 0, all = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    sum += found.maybe_matches->matches[i].weight * lengths[i];
    all += found.maybe_matches->matches[i].weight;
  }
  return sum / all;
}

double CostModel::meeting(Mask bound, const Restrictions& larger, const Candidates& left, const Candidates& right,
                          double label_share, double bound_share) const {
  const Look found = look(bound, larger, vertices_of(left) | vertices_of(right));
  if (found.maybe_matches != nullptr) {
    const std::vector<double>& one = sizes(found, left);
    const std::vector<double>& other = sizes(found, right);
    double sum = 0, all = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
      const double weight = found.maybe_matches->matches[i].weight;
      sum += weight * set_operation(label_share * one[i], other[i]);
      all += weight;
    }
    return sum / all;
  }
  return set_operation(label_share * bound_share * modelled_common(bound, left.in),
                       bound_share * modelled_common(bound, right.in));
}

double CostModel::meeting_smaller(Mask bound, const Restrictions& larger, const Candidates& walked,
                                  const Candidates& other, const Candidates& newest) const {
  const Look found = look(bound, larger, vertices_of(walked) | vertices_of(other) | vertices_of(newest));
  if (found.maybe_matches == nullptr) return -1;
  const std::vector<double>& one = sizes(found, walked);
  const std::vector<double>& two = sizes(found, other);
  const std::vector<double>& lists = sizes(found, newest);
  double sum = 0, all = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double weight = found.maybe_matches->matches[i].weight, items = std::max(one[i], 1.0);
    sum += weight * std::min(1.0, two[i] / items) *
           (prices().iteration + fetch(prices().awaited) + set_operation(std::max(items, two[i]), lists[i]));
    all += weight;
  }
  return sum / all;
}

double CostModel::modelled_common(Mask bound, Mask wanted) const {
  if (by_label_) {
    // The longest of the lists that a vertex with these neighbours has.
    double most = 0;
    for_each(pattern_.all() & ~wanted, [&](int v) {
      if ((wanted & ~pattern_.near(v)) == 0) most = std::max(most, common(bound & ~bit(v), wanted, v));
    });
    return most;
  }
  const double arcs = std::max(sketch_.moments[1], 1.0);
  double size = sketch_.moments[at(std::min(count(wanted), kMostMoment))];
  double smallest = static_cast<double>(std::max<std::uint64_t>(sketch_.max_degree, 1));
  for_each(wanted, [&](int u) {
    const int degree = count(pattern_.near(u) & bound);
    const double list = moment(u, degree + 1) / std::max(moment(u, degree), 1e-9);
    smallest = std::min(smallest, list);
    size *= list / arcs;
  });
  const auto near = [&](int v) { return pattern_.near(v) & wanted; };
  size *= std::pow(closing_, count(wanted) - parts(wanted, near));
  return std::min(size, smallest);
}

double CostModel::common(Mask bound, Mask wanted, int v) const {
  if (by_label_) return by_label_->candidates(bound, wanted, v, static_cast<double>(sketch_.vertices));
  double share = 1;
  for_each(wanted, [&](int u) { share *= edge_share(u, v); });
  return share * common(bound, wanted);
}

/// The share of edges that have the labels of those from u to v, and from v to u.
double CostModel::edge_share(int u, int v) const {
  double share = 1;
  const auto ask = [&](const std::vector<std::string>& labels) {
    for (const std::string& label : labels) {
      if (is_variable(label)) continue;
      const auto found = sketch_.edge_labels.find(label);
      share *= sketch_.edge_labels.empty()          ? 1 / kEdgeLabelsOfTypicalGraph
               : found == sketch_.edge_labels.end() ? 1e-6
                                                    : found->second;
    }
  };
  ask(pattern_.labels_of(u, v));
  if (pattern_.directed) ask(pattern_.labels_of(v, u));
  return share;
}

double CostModel::label_share(int v) const {
  if (pattern_.label(v).empty()) return 1;
  if (sketch_.labels.empty()) return 1 / kLabelsOfTypicalGraph;
  return std::min(1.0, moment(v, 1) / std::max(sketch_.moments[1], 1.0));
}

double CostModel::look_up(Mask bound, Mask wanted) const {
  return prices().looked_up * std::log2(2 + common(bound, wanted));
}

double CostModel::bit_operation(Mask bound, int hub, double share) const {
  constexpr double kBitsOfWord = 64;
  return prices().bits + prices().word * share * common(bound, bit(hub)) / kBitsOfWord;
}

double CostModel::fetch(double price) const {
  constexpr double kBytesOfCache = 2 << 20;
  const double bytes = static_cast<double>(sketch_.vertices) * sizeof(std::uint64_t) +
                       sketch_.moments[1] * static_cast<double>(sizeof(std::uint32_t));
  return price * std::max(0.0, 1 - kBytesOfCache / std::max(bytes, 1.0));
}

double CostModel::set_operation(double left, double right) const {
  const double small = std::min(left, right), large = std::max(left, right);
  const double searches = small * std::log2(2 + large / std::max(small, 1.0));
  return prices().operation + std::min(prices().merged * (small + large), prices().searched * searches);
}

double CostModel::largest_share(Mask part, Mask task) const {
  if (!draws_ || drawn_part(part, part) == 0 || count(part) > kMostDrawn) return 0;
  const MatchSamples::Found& draws = drawn(part);
  struct Share {
    double weight = 0;
    int times = 0;
  };
  std::map<std::vector<std::uint32_t>, Share> shares;
  double largest = 0;
  for (std::size_t i = 0; i < draws.sample->images.size(); ++i) {
    std::vector<std::uint32_t> key;
    for_each(task, [&](int v) {
      key.push_back(draws.sample->images[i][at(draws.column[at(count(part & first_vertices(v)))])]);
    });
    Share& share = shares[key];
    share.weight += draws.sample->weights[i];
    // One or two draws of an image say nothing about its share.
    if (++share.times > 2) largest = std::max(largest, share.weight);
  }
  return largest / std::max(draws.sample->matches, 1e-9);
}

double CostModel::hub_share(int v, Mask walked) const {
  const int beside = count(pattern_.near(v) & walked);
  return std::min(1.0, std::pow(static_cast<double>(sketch_.max_degree), beside) / std::max(moment(v, beside), 1.0));
}

}  // namespace matcha::pattern
