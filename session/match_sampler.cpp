#include "session/match_sampler.h"

#include <algorithm>
#include <utility>

namespace matcha::session {

namespace {

using pattern::Mask;
using pattern::MatchSample;
using pattern::Pattern;
using runtime::sample::Effort;
using runtime::sample::Estimate;
using runtime::sample::neighbor_row;
using runtime::sample::NeighborRow;
using runtime::sample::PatternVertex;

/// Vertices of the shortest list that are looked at for the members of a set.
constexpr std::uint64_t kMembers = 16;

std::size_t slot(int v) { return static_cast<std::size_t>(v); }

/// The vertex with most neighbours first, then the one that is adjacent to most of those before.
std::vector<int> drawing_order(const Pattern& pattern) {
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

/// A program has many parts of three and four vertices, which few draws are enough for; those that begin by labels find
/// them by chance, and many end early. The more vertices, the more uneven draws are.
Effort effort_for(const Pattern& pattern) {
  constexpr std::uint64_t kDraws = 128, kDrawsForLabels = 512, kSteps = 4096, kStepsForLabels = 8192;
  constexpr double kEffective = 24;
  if (pattern.labelled()) return {kDrawsForLabels, kEffective, kStepsForLabels};
  return {kDraws, kEffective, kSteps};
}

}  // namespace

MatchSample MatchSampler::draw(const Pattern& pattern) const {
  MatchSample sample;
  const std::int64_t* const labels = sampler_->view().labels;
  if (pattern.size() < 2) return sample;
  const std::vector<int> order = drawing_order(pattern);
  std::vector<PatternVertex> vertices(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t before = 0; before < i; ++before) {
      const std::uint32_t bit = std::uint32_t{1} << before;
      if (pattern::has(pattern.near(order[i]), order[before])) vertices[i].near |= bit;
      if (pattern::has(pattern.anti[slot(order[i])], order[before])) vertices[i].anti |= bit;
    }
    if (pattern.label(order[i]).empty() || labels == nullptr) continue;
    const auto code = codes_.find(pattern.label(order[i]));
    if (code == codes_.end()) return sample;
    vertices[i].label = code->second;
  }
  Estimate found = sampler_->draw(vertices, effort_for(pattern));
  sample.matches = found.matches;
  sample.is_bound = found.is_bound;
  sample.weights = std::move(found.weights);
  for (std::size_t i = 0; i < sample.weights.size(); ++i) {
    std::vector<std::uint32_t>& images = sample.images.emplace_back(order.size());
    for (std::size_t at = 0; at < order.size(); ++at) images[slot(order[at])] = found.images[i * order.size() + at];
  }
  return sample;
}

std::uint64_t MatchSampler::rank(std::uint32_t v) const {
  constexpr int kBitsOfId = 32;
  return by_degree_ ? ~neighbor_row(sampler_->view(), v).size() << kBitsOfId | v : v;
}

pattern::Members MatchSampler::members(const std::vector<std::uint32_t>& in,
                                       const std::vector<std::uint32_t>& off) const {
  const runtime::GraphView& view = sampler_->view();
  std::vector<NeighborRow> lists, others;
  lists.reserve(in.size());
  others.reserve(off.size());
  for (std::uint32_t v : in) lists.push_back(neighbor_row(view, v));
  for (std::uint32_t v : off) others.push_back(neighbor_row(view, v));
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
