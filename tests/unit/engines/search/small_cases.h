#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "engines/search/query.h"
#include "runtime/abi.h"

/// Small graphs and patterns, and all maps of one to the other.
namespace matcha::runtime::match {

using Map = std::vector<std::uint32_t>;

/// A random graph with labels, and its arrays.
struct TestGraph {
  TestGraph(std::mt19937& random, std::uint32_t n, double density, int labels) : adjacent(n, std::vector<char>(n)) {
    std::bernoulli_distribution is_edge(density);
    for (std::uint32_t u = 0; u < n; ++u) {
      for (std::uint32_t v = u + 1; v < n; ++v) adjacent[u][v] = adjacent[v][u] = is_edge(random) ? 1 : 0;
      this->labels.push_back(std::uniform_int_distribution<std::int64_t>(0, labels - 1)(random) * 1000);
    }
    offsets.push_back(0);
    for (std::uint32_t u = 0; u < n; ++u) {
      for (std::uint32_t v = 0; v < n; ++v) {
        if (adjacent[u][v] != 0) neighbors.push_back(v);
      }
      offsets.push_back(neighbors.size());
    }
    neighbors.resize(neighbors.size() + 16);
  }

  GraphView view() const {
    GraphView view{};
    view.universe = view.vertex_count = adjacent.size();
    view.arc_count = offsets.back();
    view.offsets = offsets.data();
    view.neighbors = neighbors.data();
    view.labels = labels.data();
    return view;
  }

  std::vector<std::vector<char>> adjacent;
  std::vector<std::int64_t> labels;
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> neighbors;
};

inline Query random_query(std::mt19937& random, int size, int labels) {
  const auto chance = [&](double p) { return std::bernoulli_distribution(p)(random); };
  Query query;
  query.size = size;
  query.near.assign(at(size), 0);
  query.anti.assign(at(size), 0);
  const bool some_any = chance(0.3), induced = chance(0.3), connected = chance(0.9);
  for (int u = 0; u < size; ++u) {
    query.labels.emplace_back(std::uniform_int_distribution<std::int64_t>(0, labels - 1)(random) * 1000);
    if (some_any && chance(0.4)) query.labels.back().reset();
    for (int w = 0; w < u; ++w) {
      const bool tree = connected && w == u - 1;
      std::vector<Mask>& kind = tree || chance(0.4) ? query.near : query.anti;
      if (&kind == &query.anti && !induced && !chance(0.1)) continue;
      kind[at(u)] |= bit(w);
      kind[at(w)] |= bit(u);
    }
  }
  for (int u = 1; u < size; ++u) {
    if (chance(0.1) && query.labels[at(u)] == query.labels[0]) query.restrictions.emplace_back(u, 0);
  }
  return query;
}

/// Makes some vertices alike, with images that ascend in any order of these; one more vertex may be ordered with some.
inline void add_chain(std::mt19937& random, Query& query) {
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  std::vector<int> vertices(at(query.size));
  std::iota(vertices.begin(), vertices.end(), 0);
  std::ranges::shuffle(vertices, random);
  const std::size_t length = at(2 + below(query.size - 1));
  Mask chain = 0;
  for (std::size_t i = 0; i < length; ++i) chain |= bit(vertices[i]);
  const int kind = below(3), first = vertices[0];
  const Mask near = query.near[at(first)] & ~chain, anti = query.anti[at(first)] & ~chain;
  query.restrictions.clear();
  for (std::size_t i = 0; i < length; ++i) {
    const int u = vertices[i];
    for (int w = 0; w < query.size; ++w) {
      if ((chain & bit(w)) != 0) continue;
      query.near[at(w)] = (near & bit(w)) != 0 ? query.near[at(w)] | bit(u) : query.near[at(w)] & ~bit(u);
      query.anti[at(w)] = (anti & bit(w)) != 0 ? query.anti[at(w)] | bit(u) : query.anti[at(w)] & ~bit(u);
    }
    query.near[at(u)] = near | (kind == 1 ? chain & ~bit(u) : 0);
    query.anti[at(u)] = anti | (kind == 2 ? chain & ~bit(u) : 0);
    query.labels[at(u)] = query.labels[at(first)];
    for (std::size_t j = 0; j < i; ++j) query.restrictions.emplace_back(u, vertices[j]);
  }
  if (length == vertices.size() || query.labels[at(vertices.back())] != query.labels[at(first)]) return;
  const std::size_t some = below(2) == 0 ? length : 1;
  for (std::size_t i = 0; i < some; ++i) query.restrictions.emplace_back(vertices[i], vertices.back());
}

inline void all_maps(const TestGraph& graph, const Query& query, Map& map, std::set<Map>& found) {
  const int u = static_cast<int>(map.size());
  if (u == query.size) {
    const auto holds = [&](const auto& pair) { return map[at(pair.first)] > map[at(pair.second)]; };
    if (std::ranges::all_of(query.restrictions, holds)) found.insert(map);
    return;
  }
  for (std::uint32_t v = 0; v < graph.adjacent.size(); ++v) {
    if (query.labels[at(u)] && *query.labels[at(u)] != graph.labels[v]) continue;
    bool fits = true;
    for (int w = 0; w < u; ++w) {
      const bool adjacent = graph.adjacent[v][map[at(w)]] != 0;
      fits = fits && map[at(w)] != v && (adjacent || (query.near[at(u)] & bit(w)) == 0) &&
             (!adjacent || (query.anti[at(u)] & bit(w)) == 0);
    }
    if (!fits) continue;
    map.push_back(v);
    all_maps(graph, query, map, found);
    map.pop_back();
  }
}

}  // namespace matcha::runtime::match
