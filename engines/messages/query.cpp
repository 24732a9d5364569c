#include "engines/messages/query.h"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

namespace matcha::runtime::messages {

static Vertices bit(int vertex) { return Vertices{1} << vertex; }

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
    std::size_t inside = 0;  // Edges, each counted from both ends.
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

bool bind_shared(const MapQuery& query, std::span<const std::int64_t> labels,
                 const std::function<bool(const MapQuery&)>& see) {
  const auto first = std::ranges::find_if(query.arcs, [](const MapQuery::Arc& arc) { return arc.shared != 0; });
  if (first == query.arcs.end()) return see(query);
  return std::ranges::all_of(labels, [&](std::int64_t label) {
    MapQuery bound = query;
    for (MapQuery::Arc& arc : bound.arcs) {
      if (arc.shared != first->shared) continue;
      arc.labels = {label};
      arc.shared = 0;
    }
    return bind_shared(bound, labels, see);
  });
}

Vertices near(const MapQuery& query, int vertex) {
  Vertices all = 0;
  for (const MapQuery::Arc& arc : query.arcs) {
    if (arc.from == vertex) all |= bit(arc.to);
    if (arc.to == vertex) all |= bit(arc.from);
  }
  return all;
}

std::vector<Vertices> parts_on(const MapQuery& query, Vertices vertices) {
  std::vector<Vertices> parts;
  while (vertices != 0) {
    Vertices part = vertices & (~vertices + 1), before = 0;
    while (part != before) {
      before = part;
      for (Vertices left = before; left != 0; left &= left - 1) part |= near(query, std::countr_zero(left)) & vertices;
    }
    parts.push_back(part);
    vertices &= ~part;
  }
  return parts;
}

Vertices on_cycles(const MapQuery& query, int cut, Vertices part) {
  Vertices found = part;
  // Vertices that one other vertex separates from the cut are not on such cycles.
  for (Vertices left = part; left != 0; left &= left - 1) {
    const Vertices other = left & (~left + 1);
    for (const Vertices rest : parts_on(query, part & ~other)) {
      if ((near(query, cut) & rest) == 0) found &= ~rest;
    }
  }
  return found;
}

namespace {

/// Adds the blocks of a part attached to a vertex. False: one has cycles without its cut.
bool add_blocks(const MapQuery& query, int vertex, Vertices part, std::vector<Block>& blocks) {
  const Vertices tied = near(query, vertex) & part;
  if (std::popcount(tied) == 1) {
    const int child = std::countr_zero(tied);
    return std::ranges::all_of(parts_on(query, part & ~tied),
                               [&](Vertices below) { return add_blocks(query, child, below, blocks); });
  }
  const Vertices tree = on_cycles(query, vertex, part);
  int edges = 0;
  for (Vertices left = tree; left != 0; left &= left - 1)
    edges += std::popcount(near(query, std::countr_zero(left)) & tree);
  if (edges / 2 + 1 != std::popcount(tree)) return false;
  blocks.push_back({vertex, tree});
  return std::ranges::all_of(parts_on(query, part & ~tree), [&](Vertices below) {
    return add_blocks(query, holder_of(query, tree, below), below, blocks);
  });
}

}  // namespace

int holder_of(const MapQuery& query, Vertices tree, Vertices part) {
  Vertices beside = 0;
  for (; part != 0; part &= part - 1) beside |= near(query, std::countr_zero(part)) & tree;
  return std::countr_zero(beside);
}

std::optional<std::vector<Block>> blocks_below(const MapQuery& query, int top) {
  constexpr int kMost = 64;
  if (query.size > kMost) return std::nullopt;
  const Vertices all = query.size == kMost ? ~Vertices{0} : bit(query.size) - 1;
  std::vector<Block> blocks;
  for (const Vertices part : parts_on(query, all & ~bit(top))) {
    if (!add_blocks(query, top, part, blocks)) return std::nullopt;
  }
  return blocks;
}

}  // namespace matcha::runtime::messages
