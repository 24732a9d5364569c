#include "planner/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "question/symmetry.h"

namespace matcha::pattern {

namespace {

/// Patterns with more automorphisms keep their matches in the drawn order.
constexpr std::uint64_t kMostAutomorphisms = 120;
/// Matches at which the sizes of sets are computed.
constexpr std::size_t kMostLooks = 64;

/// The members of a set at a match. For each, the lower kMostRelated bits are the columns with images of larger ids,
/// the upper ones those with images of smaller ids: the conditions on ids are tests of these bits.
struct RankedMembers {
  std::vector<std::uint16_t> ranks;
  double each = 0;
};

/// Keeps at most kMostLooks matches, chosen in proportion to their weights; scales the weights of those.
void keep_some(ArrangedMatches& arranged) {
  if (arranged.matches.size() <= kMostLooks) return;
  const double each = arranged.weight / static_cast<double>(kMostLooks);
  std::vector<ArrangedMatches::Match> kept;
  double passed = each / 2;
  for (ArrangedMatches::Match match : arranged.matches) {
    const double times = std::max(0.0, std::ceil((match.weight - passed) / each));
    passed += times * each - match.weight;
    if (times == 0) continue;
    match.weight = times * each;
    kept.push_back(match);
  }
  arranged.matches = std::move(kept);
}

/// A match, and the operands of a set there, without its bounds.
std::uint64_t members_key(std::size_t match, const Candidates& set) {
  return (std::uint64_t{match} << kMostRelated | set.in) << kMostRelated | set.off;
}

Relation relation_of_columns(Relation relation, const std::vector<int>& column) {
  Relation found = 0;
  for (; relation != 0; relation &= relation - 1) {
    const int bit = std::countr_zero(relation);
    found |= relation_bit(column[at(bit / kMostRelated)], column[at(bit % kMostRelated)]);
  }
  return found;
}

}  // namespace

/// All is by columns, which are the same for all patterns that are isomorphic.
struct MatchSamples::Sample {
  MatchSample sample;
  std::vector<std::vector<int>> automorphisms;
  std::vector<Relation> ranks;                     ///< Which columns of each match have larger ids than which.
  std::vector<std::vector<std::uint64_t>> places;  ///< Of each match, the places of its images in the order of the ids.
  double effective = 0;
  std::map<Relation, ArrangedMatches> arranged;
  std::map<std::pair<Relation, Candidates>, std::vector<double>> sizes;
  std::unordered_map<std::uint64_t, RankedMembers> members;  ///< By members_key().

  const ArrangedMatches& arrange(Relation wanted);
  double size(const GraphSampler& sampler, std::size_t match, const Candidates& set);
};

const ArrangedMatches& MatchSamples::Sample::arrange(Relation wanted) {
  const auto [entry, fresh] = arranged.try_emplace(wanted);
  ArrangedMatches& found = entry->second;
  if (!fresh) return found;
  found.all = sample.matches;
  found.effective = effective;
  std::vector<Relation> relations;
  for (const std::vector<int>& map : automorphisms) relations.push_back(relation_of_columns(wanted, map));
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto satisfied = [this, i](Relation relation) { return (relation & ~ranks[i]) == 0; };
    const auto ways = std::count_if(relations.begin(), relations.end(), satisfied);
    if (ways == 0) continue;
    // Another way for each match, so that none is preferred.
    std::size_t way = i % relations.size();
    while (!satisfied(relations[way])) way = (way + 1) % relations.size();
    const double weight = sample.weights[i] * static_cast<double>(ways) / static_cast<double>(relations.size());
    found.matches.push_back({i, way, weight});
    found.weight += weight;
  }
  keep_some(found);
  return found;
}

double MatchSamples::Sample::size(const GraphSampler& sampler, std::size_t match, const Candidates& set) {
  const auto [entry, fresh] = members.try_emplace(members_key(match, set));
  RankedMembers& ranked = entry->second;
  if (fresh) {
    const std::vector<std::uint32_t>& image = sample.images[match];
    const auto images = [&](Mask columns) {
      std::vector<std::uint32_t> vertices;
      vertices.reserve(at(count(columns)));
      for_each(columns, [&](int column) { vertices.push_back(image[at(column)]); });
      return vertices;
    };
    const Members found = sampler.members(images(set.in), images(set.off));
    ranked.each = found.each;
    ranked.ranks.reserve(found.vertices.size());
    for (std::uint32_t v : found.vertices) {
      const std::uint64_t own = sampler.rank(v);
      Mask ranks = 0;
      for (int column = 0; column < static_cast<int>(image.size()); ++column) {
        if (places[match][at(column)] > own) ranks |= bit(column);
        if (places[match][at(column)] < own) ranks |= bit(kMostRelated + column);
      }
      ranked.ranks.push_back(static_cast<std::uint16_t>(ranks));
    }
  }
  const Mask wanted = set.below | set.above << kMostRelated;
  const auto within = std::count_if(ranked.ranks.begin(), ranked.ranks.end(),
                                    [wanted](std::uint16_t ranks) { return (wanted & ~Mask{ranks}) == 0; });
  return ranked.each * static_cast<double>(within);
}

MatchSamples::MatchSamples(std::unique_ptr<const GraphSampler> sampler) : sampler_(std::move(sampler)) {}
MatchSamples::~MatchSamples() = default;

MatchSamples::Found MatchSamples::of(const Pattern& pattern) {
  const CanonicalForm form = canonical_form(pattern);
  std::unique_ptr<Sample>& drawn = by_key_[form.key];
  if (drawn == nullptr) {
    drawn = std::make_unique<Sample>();
    const Pattern canonical = renumbered(pattern, form.vertices);
    drawn->sample = sampler_->draw(canonical);
    if (canonical.size() <= kMostRelated && drawn->sample.matches > 0) {
      drawn->automorphisms =
          Symmetry(canonical).automorphisms(kMostAutomorphisms).value_or(std::vector<std::vector<int>>());
    }
    for (std::size_t i = 0; !drawn->automorphisms.empty() && i < drawn->sample.images.size(); ++i) {
      std::vector<std::uint64_t>& places = drawn->places.emplace_back();
      for (std::uint32_t image : drawn->sample.images[i]) places.push_back(sampler_->rank(image));
      Relation ranks = 0;
      for (int u = 0; u < canonical.size(); ++u) {
        for (int v = 0; v < u; ++v) ranks |= places[at(u)] > places[at(v)] ? relation_bit(u, v) : relation_bit(v, u);
      }
      drawn->ranks.push_back(ranks);
    }
    double squares = 0;
    for (double weight : drawn->sample.weights) squares += weight * weight;
    if (squares > 0) drawn->effective = drawn->sample.matches * drawn->sample.matches / squares;
  }
  Found found{&drawn->sample, std::vector<int>(form.vertices.size()), drawn.get()};
  for (std::size_t i = 0; i < form.vertices.size(); ++i) found.column[at(form.vertices[i])] = static_cast<int>(i);
  return found;
}

const MatchSamples::Found& MatchSamples::of_part(const Pattern& pattern, Mask part) {
  PartKey key;
  auto& [edges, anti, labels, edge_labels] = key;
  int row = 0;
  for_each(part, [&](int v) {
    int column = 0;
    for_each(part, [&](int u) {
      // With itself, so that the number of vertices is known.
      if (u == v || has(pattern.near(v), u)) edges |= relation_bit(row, column);
      if (has(pattern.anti[at(v)], u)) anti |= relation_bit(row, column);
      ++column;
    });
    ++row;
    if (!pattern.label(v).empty()) labels.push_back(fmt::format("{} {}", row, pattern.label(v)));
  });
  if (pattern.edge_labelled()) edge_labels = restricted(pattern, part).edge_labels;
  const auto known = parts_.find(key);
  if (known != parts_.end()) return known->second;
  return parts_.emplace(std::move(key), of(restricted(pattern, part))).first->second;
}

const ArrangedMatches* MatchSamples::maybe_arranged(const Found& found, Relation relation) {
  if (found.drawn->automorphisms.empty()) return nullptr;
  return &found.drawn->arrange(relation_of_columns(relation, found.column));
}

const std::vector<double>& MatchSamples::sizes(const Found& found, Relation relation, const Candidates& set) const {
  const auto renamed = [](const Candidates& one, const std::vector<int>& names) {
    const auto masks = [&](Mask vertices) {
      Mask of_them = 0;
      for_each(vertices, [&](int v) { of_them |= bit(names[at(v)]); });
      return of_them;
    };
    return Candidates{masks(one.in), masks(one.off), masks(one.below), masks(one.above)};
  };
  const Relation wanted = relation_of_columns(relation, found.column);
  const Candidates asked = renamed(set, found.column);
  Sample& drawn = *found.drawn;
  const auto [entry, fresh] = drawn.sizes.try_emplace({wanted, asked});
  std::vector<double>& sizes = entry->second;
  if (!fresh) return sizes;
  const std::vector<ArrangedMatches::Match>& matches = drawn.arrange(wanted).matches;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const Candidates there = renamed(asked, drawn.automorphisms[matches[i].automorphism]);
    sizes.push_back(drawn.size(*sampler_, matches[i].image, there));
  }
  return sizes;
}

}  // namespace matcha::pattern
