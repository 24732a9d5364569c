#include "session/drawn_pattern.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace matcha::session {

using pattern::Mask;
using pattern::Pattern;

namespace {

/// The best edge to begin at: its ends are adjacent to most other vertices, and both ends to most of these.
std::pair<int, int> first_edge(const Pattern& pattern) {
  std::pair<int, int> best;
  int most = -1;
  for (int u = 0; u < pattern.size(); ++u) {
    for (int v = 0; v < pattern.size(); ++v) {
      if (!pattern::has(pattern.near(u), v)) continue;
      const int reached = pattern::count(pattern.near(u) | pattern.near(v));
      const int shared = pattern::count(pattern.near(u) & pattern.near(v));
      if (reached * pattern.size() + shared <= most) continue;
      most = reached * pattern.size() + shared;
      best = {u, v};
    }
  }
  return best;
}

}  // namespace

std::vector<runtime::sample::PatternVertex> vertices_to_draw(const Pattern& pattern, pattern::Induced induced,
                                                             const std::vector<std::optional<std::int64_t>>& labels) {
  const auto [first, second] = first_edge(pattern);
  std::vector<int> order = {first, second};
  Mask placed = pattern::bit(first) | pattern::bit(second);
  std::vector<Mask> levels = {placed};
  while (placed != pattern.all()) {
    Mask next = 0;
    pattern::for_each(levels.back(), [&](int v) { next |= pattern.near(v) & ~placed; });
    pattern::for_each(next, [&](int v) { order.push_back(v); });
    placed |= next;
    levels.push_back(next);
  }
  std::vector<runtime::sample::PatternVertex> vertices(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!labels.empty()) vertices[i].label = labels[pattern::at(order[i])];
    for (std::size_t before = 0; before < i; ++before) {
      const std::uint32_t bit = std::uint32_t{1} << before;
      const bool is_near = pattern::has(pattern.near(order[i]), order[before]);
      const bool is_anti = pattern::has(pattern.anti[pattern::at(order[i])], order[before]);
      if (is_near) vertices[i].near |= bit;
      if (is_anti || (!is_near && induced == pattern::Induced::Vertex)) vertices[i].anti |= bit;
    }
  }
  return vertices;
}

}  // namespace matcha::session
