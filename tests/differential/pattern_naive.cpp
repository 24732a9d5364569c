#include "tests/differential/pattern_naive.h"

#include <algorithm>
#include <numeric>

namespace matcha::differential {

namespace {

/// True if the last vertex of `row` may be the image of its place in the pattern, given the images before it.
bool fits(const PlainPattern& pattern, const World& world, bool vertex_induced, const std::vector<std::int64_t>& row) {
  const int v = static_cast<int>(row.size()) - 1;
  const std::int64_t label = pattern.labels[static_cast<std::size_t>(v)];
  if (label != PlainPattern::kAnyLabel && world.labels.at(row.back()) != label) return false;
  for (int u = 0; u < v; ++u) {
    const std::int64_t other = row[static_cast<std::size_t>(u)];
    if (other == row.back()) return false;
    const bool there = world.arcs.count({other, row.back()}) != 0, back = world.arcs.count({row.back(), other}) != 0;
    const bool want_there = pattern.arcs.count({u, v}) != 0, want_back = pattern.arcs.count({v, u}) != 0;
    if ((want_there && !there) || (want_back && !back)) return false;
    if (vertex_induced && (there != want_there || back != want_back)) return false;
    if (pattern.anti.count({u, v}) != 0 && (there || back)) return false;
    for (const auto& [arc, labels] : pattern.edge_labels) {
      if (arc != std::pair(u, v) && arc != std::pair(v, u)) continue;
      const std::set<std::int64_t>& given =
          arc.first == u ? world.edge_labels.at({other, row.back()}) : world.edge_labels.at({row.back(), other});
      if (!std::includes(given.begin(), given.end(), labels.begin(), labels.end())) return false;
    }
  }
  return true;
}

/// Appends all embeddings that begin with `row` to `rows`.
void extend(const PlainPattern& pattern, const World& world, bool vertex_induced, std::vector<std::int64_t>& row,
            std::vector<std::vector<std::int64_t>>& rows) {
  if (static_cast<int>(row.size()) == pattern.size) {
    rows.push_back(row);
    return;
  }
  for (std::int64_t vertex : world.vertices) {
    row.push_back(vertex);
    if (fits(pattern, world, vertex_induced, row)) extend(pattern, world, vertex_induced, row, rows);
    row.pop_back();
  }
}

}  // namespace

std::vector<std::vector<std::int64_t>> embeddings(const PlainPattern& pattern, const World& world,
                                                  bool vertex_induced) {
  std::vector<std::vector<std::int64_t>> rows;
  std::vector<std::int64_t> row;
  extend(pattern, world, vertex_induced, row, rows);
  return rows;
}

std::int64_t automorphisms(const PlainPattern& pattern, bool vertex_induced) {
  std::vector<int> map(static_cast<std::size_t>(pattern.size));
  std::iota(map.begin(), map.end(), 0);
  const auto moved = [&](const std::set<std::pair<int, int>>& pairs) {
    std::set<std::pair<int, int>> out;
    for (const auto& [u, v] : pairs) out.insert({map[static_cast<std::size_t>(u)], map[static_cast<std::size_t>(v)]});
    return out;
  };
  const auto keeps_edge_labels = [&] {
    return std::all_of(pattern.edge_labels.begin(), pattern.edge_labels.end(), [&](const auto& one) {
      const auto& [u, v] = one.first;
      const auto image = pattern.edge_labels.find({map[static_cast<std::size_t>(u)], map[static_cast<std::size_t>(v)]});
      return image != pattern.edge_labels.end() && image->second == one.second;
    });
  };
  std::int64_t found = 0;
  do {
    bool same = moved(pattern.arcs) == pattern.arcs && (vertex_induced || moved(pattern.anti) == pattern.anti);
    same = same && keeps_edge_labels();
    for (std::size_t v = 0; v < map.size(); ++v) {
      same = same && pattern.labels[v] == pattern.labels[static_cast<std::size_t>(map[v])];
    }
    found += same ? 1 : 0;
  } while (std::next_permutation(map.begin(), map.end()));
  return found;
}

}  // namespace matcha::differential
