#include "runtime/messages/query.h"

#include <algorithm>
#include <set>
#include <utility>

namespace matcha::runtime::messages {

std::optional<std::vector<std::vector<int>>> trees_without(const MapQuery& query, int cut, int second) {
  const auto is_out = [&](int v) { return v == cut || v == second; };
  std::set<std::pair<int, int>> edges;
  for (const MapQuery::Arc& arc : query.arcs) {
    if (!is_out(arc.from) && !is_out(arc.to)) edges.insert(std::minmax(arc.from, arc.to));
  }
  std::vector<std::vector<int>> trees;
  std::vector<bool> seen(static_cast<std::size_t>(query.size), false);
  for (int first = 0; first < query.size; ++first) {
    if (is_out(first) || seen[static_cast<std::size_t>(first)]) continue;
    std::vector<int> tree = {first};
    seen[static_cast<std::size_t>(first)] = true;
    std::size_t inside = 0;  // Edges, each seen from both ends.
    for (std::size_t at = 0; at < tree.size(); ++at) {
      for (const auto& [u, v] : edges) {
        if (u != tree[at] && v != tree[at]) continue;
        ++inside;
        const int other = u == tree[at] ? v : u;
        if (seen[static_cast<std::size_t>(other)]) continue;
        seen[static_cast<std::size_t>(other)] = true;
        tree.push_back(other);
      }
    }
    if (inside / 2 + 1 != tree.size()) return std::nullopt;
    trees.push_back(std::move(tree));
  }
  return trees;
}

}  // namespace matcha::runtime::messages
