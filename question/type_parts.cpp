#include "question/type_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "question/symmetry.h"

namespace matcha::pattern {

namespace {

/// Most combinations of labels examined for all vertices together.
constexpr std::size_t kMostChoices = 4096;

/// True if vertices of an orbit have common labels, but not only common ones.
bool overlap(const Pattern& pattern, Mask orbit) {
  bool found = false;
  for_each(orbit, [&](int u) {
    for_each(orbit,
             [&](int w) { found = found || (pattern.label(u) != pattern.label(w) && !labels_differ(pattern, u, w)); });
  });
  return found;
}

/// The labels of each vertex of an orbit; labels of the same set of vertices are grouped.
std::map<int, std::vector<std::string>> split_labels(const Pattern& pattern, Mask orbit) {
  std::map<std::string, Mask> owners;
  for_each(orbit, [&](int v) {
    for (const std::string& label : alternatives(pattern.label(v))) owners[label] |= bit(v);
  });
  std::map<Mask, std::vector<std::string>> alike;
  for (const auto& [label, vertices] : owners) alike[vertices].push_back(label);
  std::map<int, std::vector<std::string>> split;
  for (const auto& [vertices, labels] : alike) {
    for_each(vertices, [&](int v) { split[v].push_back(fmt::format("{}", fmt::join(labels, "|"))); });
  }
  return split;
}

/// Merges patterns that differ in the labels of one vertex, if the result has unique matches.
void join_parts(std::vector<Pattern>& parts, Induced induced) {
  const auto join = [&](Pattern& one, const Pattern& other) {
    int differing = -1;
    for (int v = 0; v < one.size(); ++v) {
      if (one.label(v) == other.label(v)) continue;
      if (differing >= 0) return false;
      differing = v;
    }
    Pattern joined = one;
    joined.labels[at(differing)] += "|" + other.label(differing);
    const Mask orbit = Symmetry(normal(without_types(joined), induced)).orbits(0)[at(differing)];
    if (overlap(joined, orbit)) return false;
    one = std::move(joined);
    return true;
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t j = i + 1; j < parts.size();) {
      if (join(parts[i], parts[j])) {
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(j));
        j = i + 1;
      } else {
        ++j;
      }
    }
  }
}

}  // namespace

Pattern without_types(Pattern pattern) {
  for (std::string& label : pattern.labels) {
    const bool is_kind = pattern.kinds.empty() && alternatives(label).size() > 1;
    if (!label.empty() && !is_kind) label = "'any'";
  }
  return pattern;
}

std::optional<std::vector<Pattern>> type_parts(const Pattern& pattern, Induced induced, std::size_t most) {
  std::vector<Pattern> parts;
  if (!pattern.labelled()) return parts;
  Symmetry symmetry(normal(without_types(pattern), induced));
  std::map<int, std::vector<std::string>> split;
  Mask seen = 0;
  for (int v = 0; v < pattern.size(); ++v) {
    const Mask orbit = symmetry.orbits(0)[at(v)];
    if (has(seen, v) || pattern.label(v).empty() || !overlap(pattern, orbit)) continue;
    seen |= orbit;
    split.merge(split_labels(pattern, orbit));
  }
  if (split.empty()) return parts;
  parts.push_back(pattern);
  for (const auto& [v, labels] : split) {
    if (parts.size() * labels.size() > kMostChoices) return std::nullopt;
    std::vector<Pattern> more;
    for (const Pattern& one : parts) {
      for (const std::string& label : labels) {
        more.push_back(one);
        more.back().labels[at(v)] = label;
      }
    }
    parts = std::move(more);
  }
  // Of patterns that an automorphism maps to each other, one is kept.
  std::set<std::string> known;
  std::erase_if(parts, [&](const Pattern& one) { return !known.insert(canonical_key(normal(one, induced))).second; });
  join_parts(parts, induced);
  return parts.size() > most ? std::nullopt : std::optional(std::move(parts));
}

}  // namespace matcha::pattern
