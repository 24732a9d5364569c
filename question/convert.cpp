#include "question/convert.h"

#include <map>

#include "question/symmetry.h"

namespace matcha::pattern {

std::vector<Supergraph> supergraphs(const Pattern& pattern, std::size_t most) {
  if (pattern.directed || pattern.has_anti_edges()) return {};
  const std::uint64_t group = Symmetry(pattern).order().value_or(0);
  if (group == 0) return {};
  // By classes, with one more edge at each step; counts the ordered ways to add them.
  struct Class {
    Pattern pattern;
    std::uint64_t ways = 0;
  };
  std::map<std::string, Class> level;
  level[canonical_key(pattern)] = {pattern, 1};
  std::vector<Supergraph> found;
  std::uint64_t orders = 1;
  for (std::uint64_t added = 0; !level.empty(); ++added) {
    if (added > 0) orders *= added;
    std::map<std::string, Class> next;
    for (const auto& [key, one] : level) {
      // Counts sets of added edges, not sequences; then copies of the pattern in Q from copies of Q over the pattern.
      const std::uint64_t supersets = one.ways / orders;
      const std::uint64_t copies = supersets * Symmetry(one.pattern).order().value_or(1) / group;
      if (found.size() == most) return {};
      found.push_back({one.pattern, static_cast<std::int64_t>(copies) * (added % 2 == 0 ? 1 : -1)});
      for (int u = 0; u < pattern.size(); ++u) {
        for (int v = 0; v < u; ++v) {
          if (has(one.pattern.near(u), v)) continue;
          Pattern larger = one.pattern;
          larger.add_edge(u, v);
          Class& into = next[canonical_key(larger)];
          if (into.ways == 0) into.pattern = larger;
          into.ways += one.ways;
        }
      }
    }
    level = std::move(next);
  }
  return found;
}

}  // namespace matcha::pattern
