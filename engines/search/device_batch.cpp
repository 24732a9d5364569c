#include "engines/search/device_batch.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "engines/search/candidates.h"
#include "runtime/parallel.h"

namespace matcha::runtime::match {

using matcha_program::MatchQuery;
using matcha_program::MatchSum;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kNone = ~std::size_t{0};

/// The vertices reachable from the first one.
Mask reached(const Query& query) {
  Mask all = bit(0), last = all;
  while (last != 0) {
    Mask next = 0;
    for_each(last, [&](int u) { next |= query.near[at(u)]; });
    last = next & ~all;
    all |= next;
  }
  return all;
}

/// Chooses the root like a search on a CPU.
int root_of(const Candidates& candidates, const Query& query) {
  int best = 0;
  double least = 0;
  for (int u = 0; u < query.size; ++u) {
    const int open = std::popcount(query.near[at(u)] | query.anti[at(u)]);
    const double cost = static_cast<double>(candidates.count(u)) / (open + 0.5);
    if (u != 0 && cost >= least) continue;
    least = cost;
    best = u;
  }
  return best;
}

/// For each vertex those that may have the same images: sets are equal or disjoint.
std::array<Mask, kMostVertices> alike(const Query& query) {
  std::array<Mask, kMostVertices> groups{};
  const bool any_label = std::ranges::any_of(query.labels, [](const auto& label) { return !label; });
  for (int u = 0; u < query.size; ++u) {
    for (int w = 0; w < query.size; ++w) {
      // A vertex without a label may share images with all, so there is one group.
      if (any_label || query.labels[at(u)] == query.labels[at(w)]) groups[at(u)] |= bit(w);
    }
  }
  return groups;
}

}  // namespace

std::string DeviceBatch::problem_of(const Query& query) {
  static_assert(kMostVertices == matcha_program::kMatchVertices);
  if (query.size == 0) return "it has no vertices";
  if (!query.restrictions.empty()) return "its matches are distinguished by their order";
  if (reached(query) != query.all()) return "it is not connected";
  return "";
}

DeviceBatch::Found DeviceBatch::filter(MatchIndex& index, const Query& query, const Stops& stops) {
  const Clock::time_point begin = Clock::now();
  Found found;
  const Candidates candidates(index, query, stops);
  found.stopped = candidates.stopped();
  if (found.stopped) return found;
  found.none = candidates.none();
  found.candidates = candidates.size();
  if (!found.none) {
    found.root = root_of(candidates, query);
    found.places.reserve(candidates.size());
    for (std::uint32_t number = 0; number < candidates.size(); ++number) {
      const Mask mask = candidates.mask(number);
      found.places.push_back({candidates.rank(number), mask});
      if ((mask & bit(found.root)) != 0) found.roots.push_back(candidates.rank(number));
    }
    find_room(index, query, candidates, found);
  }
  found.filter_ms = ms_since(begin);
  return found;
}

/// A list is a part of the neighbours of an image; each pair of vertices needs one, or one for each kind of edge that
/// is required.
void DeviceBatch::find_room(MatchIndex& index, const Query& query, const Candidates& candidates, Found& found) {
  std::vector<const Neighbors*> sides;
  for (const Side& side : query.sides) sides.push_back(&index.neighbors(side));
  if (sides.empty()) sides.push_back(&index.neighbors({}));
  // The largest number of neighbours of a candidate of each vertex, along each side.
  std::vector<std::uint64_t> degrees(sides.size() * at(query.size), 0);
  const auto first_side = [&](int u, int w) { return query.has_sides() ? at(query.tie(u, w).with.front()) : 0; };
  std::vector<std::vector<std::size_t>> used(at(query.size));  // Sides that lists begin with.
  for (int u = 0; u < query.size; ++u) {
    for_each(query.near[at(u)], [&](int w) { used[at(u)].push_back(first_side(u, w)); });
    std::ranges::sort(used[at(u)]);
    used[at(u)].erase(std::ranges::unique(used[at(u)]).begin(), used[at(u)].end());
  }
  for (std::uint32_t number = 0; number < candidates.size(); ++number) {
    for_each(candidates.mask(number), [&](int u) {
      for (const std::size_t side : used[at(u)]) {
        std::uint64_t& most = degrees[side * at(query.size) + at(u)];
        most = std::max<std::uint64_t>(most, sides[side]->of(candidates.rank(number)).size());
      }
    });
  }
  for (int w = 0; w < query.size; ++w) {
    std::uint64_t longest = 0, lists = 0;
    for_each(query.near[at(w)],
             [&](int u) { longest = std::max(longest, degrees[first_side(u, w) * at(query.size) + at(u)]); });
    for_each(query.near[at(w)] | query.anti[at(w)], [&](int u) {
      ++found.pairs;
      lists += query.has_sides() ? query.tie(u, w).with.size() + query.tie(u, w).without.size() : 1;
    });
    found.words += lists * std::min(longest, candidates.count(w));
  }
}

DeviceBatch::DeviceBatch(MatchIndex& index, std::span<const Pattern> patterns, const Stops& stops)
    : patterns_(patterns.begin(), patterns.end()), universe_(index.graph().universe) {
  std::vector<Found> found(patterns.size());
  for_indices(0, patterns.size(), [&](std::size_t i) { found[i] = filter(index, *patterns[i].query, stops); });
  outcomes_.resize(patterns.size());
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    stopped_ = stopped_ || found[i].stopped;
    outcomes_[i].candidates = found[i].candidates;
    outcomes_[i].filter_ms = found[i].filter_ms;
    const bool answered = found[i].none || found[i].stopped || patterns[i].most == 0;
    numbers_.push_back(answered ? kNone : queries_.size());
    if (!answered) add(patterns[i], found[i]);
  }
}

void DeviceBatch::add(const Pattern& pattern, const Found& found) {
  const Query& from = *pattern.query;
  MatchQuery query{};
  query.first_unit = roots_.size();
  // Words of 64 bits are summed.
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  if (pattern.most) query.most = std::min(*pattern.most, kMost);
  query.size = static_cast<std::uint32_t>(from.size);
  query.root = static_cast<std::uint32_t>(found.root);
  query.first_tie = matcha_program::kNoTies;
  if (from.has_sides()) {
    query.first_tie = ties_.size();
    add_ties(from);
  }
  const std::array<Mask, kMostVertices> groups = alike(from);
  for (int u = 0; u < from.size; ++u) {
    query.near[u] = from.near[at(u)];
    query.anti[u] = from.anti[at(u)];
    query.alike[u] = groups[at(u)];
  }
  MatchSum sum{};
  sum.left = found.roots.size();
  sums_.push_back(sum);
  for (const matcha_program::MatchPlace& one : found.places) {
    places_.push_back({queries_.size() * universe_ + one.place, one.mask});
  }
  queries_.push_back(query);
  roots_.insert(roots_.end(), found.roots.begin(), found.roots.end());
  undo_room_ = std::max(undo_room_, found.pairs);
  list_room_ = std::max(list_room_, found.words);
}

void DeviceBatch::add_ties(const Query& query) {
  for (int u = 0; u < query.size; ++u) {
    for (int w = 0; w < query.size; ++w) {
      const Tie& from = query.tie(u, w);
      matcha_program::MatchTie& tie = ties_.emplace_back();
      tie.first = static_cast<std::uint32_t>(tie_sides_.size());
      tie.with = static_cast<std::uint32_t>(from.with.size());
      tie.without = static_cast<std::uint32_t>(from.without.size());
      const auto add = [&](int side) {
        tie_sides_.push_back(static_cast<std::uint32_t>(sides_.side(query.sides[at(side)])));
      };
      std::ranges::for_each(from.with, add);
      std::ranges::for_each(from.without, add);
    }
  }
}

std::vector<MatchQuery> DeviceBatch::queries_at(const std::uint32_t* roots, const std::uint64_t* masks) const {
  std::vector<MatchQuery> placed = queries_;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    placed[i].roots = roots + placed[i].first_unit;
    placed[i].masks = reinterpret_cast<const matcha_program::u64*>(masks) + i * universe_;
  }
  return placed;
}

std::vector<DeviceBatch::Outcome> DeviceBatch::outcomes(std::span<const MatchSum> sums, SearchEnding ending) const {
  std::vector<Outcome> outcomes = outcomes_;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    Outcome& outcome = outcomes[i];
    const bool enough_at_once = patterns_[i].most == 0;
    if (enough_at_once) outcome.ending = SearchEnding::Limit;
    if (stopped_) outcome.ending = ending;
    if (stopped_ || numbers_[i] == kNone) continue;
    const MatchSum& sum = sums[numbers_[i]];
    const std::uint64_t most = queries_[numbers_[i]].most;
    outcome.found = static_cast<Count>(sum.high) << 64 | sum.low;
    outcome.steps = sum.tried;
    if (sum.refused != 0) {
      outcome.found = kTooMany;
    } else if (most != 0 && outcome.found >= most) {
      outcome.found = most;
      outcome.ending = SearchEnding::Limit;
    } else if (sum.left != 0) {
      outcome.ending = ending;
    }
  }
  return outcomes;
}

}  // namespace matcha::runtime::match
