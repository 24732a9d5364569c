#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "engines/search/query.h"
#include "runtime/graph/graph.h"
#include "tests/unit/engines/search/small_cases.h"

/// Small graphs and patterns whose edges have labels or directions, and all maps of one to the other.
namespace matcha::runtime::match {

/// A random graph of arcs with labels; an undirected one has each arc both ways.
struct SideGraph {
  using Arc = std::tuple<std::uint32_t, std::uint32_t, std::int64_t>;

  SideGraph(std::mt19937& random, std::uint32_t n, double density, bool is_directed, int vertex_labels, int edge_labels)
      : size(n), directed(is_directed), labels_of(n * n) {
    std::bernoulli_distribution is_arc(density), is_loop(0.1);
    std::uniform_int_distribution<std::int64_t> label(0, edge_labels - 1);
    for (std::uint32_t u = 0; u < n; ++u) {
      labels.push_back(std::uniform_int_distribution<std::int64_t>(0, vertex_labels - 1)(random) * 1000);
      if (directed && is_loop(random)) arcs.emplace(u, u, label(random));
      for (std::uint32_t v = 0; v < n; ++v) {
        if (u == v || (!directed && v < u)) continue;
        // Some are parallel.
        for (int i = 0; i < 2; ++i) {
          if (!is_arc(random)) continue;
          const std::int64_t one = label(random);
          arcs.emplace(u, v, one);
          if (!directed) arcs.emplace(v, u, one);
        }
      }
    }
    for (const auto& [u, v, one] : arcs) labels_of[u * size + v] |= 1U << one;
  }

  bool has(std::uint32_t u, std::uint32_t v, std::optional<std::int64_t> label) const {
    const std::uint32_t found = labels_of[u * size + v];
    return label ? (found >> *label & 1) != 0 : found != 0;
  }

  Graph graph() const {
    GraphArrays arrays;
    arrays.offsets = Buffer<std::uint64_t>(size + 1);
    arrays.neighbors = Buffer<std::uint32_t>(arcs.size());
    arrays.edge_info = Buffer<std::uint64_t>(arcs.size());
    arrays.labels = Buffer<std::int64_t>(size);
    std::ranges::copy(labels, arrays.labels.data());
    std::uint64_t at = 0;
    for (std::uint32_t u = 0; u < size; ++u) {
      arrays.offsets.data()[u] = at;
      for (auto arc = arcs.lower_bound({u, 0, 0}); arc != arcs.end() && std::get<0>(*arc) == u; ++arc) {
        arrays.neighbors.data()[at] = std::get<1>(*arc);
        arrays.edge_info.data()[at++] = static_cast<std::uint64_t>(std::get<2>(*arc));
      }
    }
    arrays.offsets.data()[size] = at;
    GraphFacts facts;
    facts.directed = directed;
    facts.simple = facts.loop_free = false;
    facts.info = InfoKind::Int;
    return Graph::from_arrays(std::make_shared<const Universe>(Universe::identity(size)), std::move(arrays), facts);
  }

  std::uint32_t size;
  bool directed;
  std::set<Arc> arcs;
  std::vector<std::int64_t> labels;
  std::vector<std::uint32_t> labels_of;  ///< A bit for each label of the arcs between two vertices.
};

/// With more maps a case is left out.
inline constexpr std::size_t kMostMaps = 5000;

/// A pattern as lists of required and of excluded arcs.
struct SidePattern {
  struct Arc {
    int from = 0, to = 0;
    std::optional<std::int64_t> label;
  };
  int size = 0;
  std::vector<Arc> arcs;  ///< Undirected edges each once.
  std::vector<std::optional<std::int64_t>> labels;
  std::set<std::pair<int, int>> anti;  ///< The smaller first.
  bool induced = false;
  std::vector<std::pair<int, int>> restrictions;

  bool has(int from, int to, bool directed) const {
    return std::ranges::any_of(arcs, [&](const Arc& arc) {
      return (arc.from == from && arc.to == to) || (!directed && arc.from == to && arc.to == from);
    });
  }
};

inline SidePattern random_side_pattern(std::mt19937& random, int size, int vertex_labels, int edge_labels) {
  const auto chance = [&](double p) { return std::bernoulli_distribution(p)(random); };
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  SidePattern pattern;
  pattern.size = size;
  pattern.induced = chance(0.3);
  const bool some_any = chance(0.5), no_labels = chance(0.2), connected = chance(0.95);
  const double density = 0.1 * (1 + below(4));
  for (int u = 0; u < size; ++u) {
    pattern.labels.emplace_back(below(vertex_labels) * 1000);
    if (no_labels || (some_any && chance(0.4))) pattern.labels.back().reset();
    const int parent = u == 0 ? -1 : below(u);
    for (int w = 0; w < u; ++w) {
      const bool tied = (connected && w == parent) || chance(density);
      if (!tied && chance(0.1)) pattern.anti.emplace(w, u);
      for (int i = 0; tied && (i == 0 || (i < 3 && chance(0.15))); ++i) {
        SidePattern::Arc arc{u, w, {}};
        if (chance(0.5)) std::swap(arc.from, arc.to);
        if (chance(0.8)) arc.label = below(edge_labels);
        pattern.arcs.push_back(arc);
      }
    }
  }
  for (int u = 1; u < size; ++u) {
    if (chance(0.1) && pattern.labels[at(u)] == pattern.labels[0]) pattern.restrictions.emplace_back(u, 0);
  }
  return pattern;
}

/// The same as masks and sides.
inline Query query_of(const SidePattern& pattern, bool directed) {
  Query query;
  query.size = pattern.size;
  query.near.assign(at(pattern.size), 0);
  query.anti.assign(at(pattern.size), 0);
  query.labels = pattern.labels;
  query.restrictions = pattern.restrictions;
  query.ties.resize(at(pattern.size * pattern.size));
  for (int u = 0; u < pattern.size; ++u) {
    for (int w = 0; w < pattern.size; ++w) {
      if (u == w) continue;
      Tie& tie = query.ties[at(u * pattern.size + w)];
      const bool may_not = pattern.induced || pattern.anti.contains({std::min(u, w), std::max(u, w)});
      for (const bool backwards : {false, true}) {
        if (backwards && !directed) continue;
        const int from = backwards ? w : u, to = backwards ? u : w;
        for (const SidePattern::Arc& arc : pattern.arcs) {
          const bool is_it = (arc.from == from && arc.to == to) || (!directed && arc.from == to && arc.to == from);
          const int side = is_it ? query.side({backwards, arc.label}) : -1;
          if (is_it && std::ranges::find(tie.with, side) == tie.with.end()) tie.with.push_back(side);
        }
        if (may_not && !pattern.has(from, to, directed)) tie.without.push_back(query.side({backwards, std::nullopt}));
      }
      if (!tie.with.empty()) {
        query.near[at(u)] |= bit(w);
      } else if (may_not) {
        query.anti[at(u)] |= bit(w);
      }
    }
  }
  // A pattern of one vertex has no sides.
  query.side({});
  return query;
}

inline void all_maps(const SideGraph& graph, const SidePattern& pattern, Map& map, std::set<Map>& found) {
  const int u = static_cast<int>(map.size());
  if (u == pattern.size) {
    const auto holds = [&](const auto& pair) { return map[at(pair.first)] > map[at(pair.second)]; };
    if (std::ranges::all_of(pattern.restrictions, holds)) found.insert(map);
    return;
  }
  const auto is_there = [&](int from, int to, std::optional<std::int64_t> label) {
    return graph.has(map[at(from)], map[at(to)], label);
  };
  for (std::uint32_t v = 0; v < graph.size; ++v) {
    if (pattern.labels[at(u)] && *pattern.labels[at(u)] != graph.labels[v]) continue;
    if (std::ranges::find(map, v) != map.end()) continue;
    map.push_back(v);
    bool fits = std::ranges::all_of(pattern.arcs, [&](const SidePattern::Arc& arc) {
      return std::max(arc.from, arc.to) != u || is_there(arc.from, arc.to, arc.label);
    });
    for (int w = 0; w < u && fits; ++w) {
      const bool may_not = pattern.induced || pattern.anti.contains({w, u});
      fits = !may_not || ((pattern.has(u, w, graph.directed) || !is_there(u, w, {})) &&
                          (pattern.has(w, u, graph.directed) || !is_there(w, u, {})));
    }
    if (fits && found.size() <= kMostMaps) all_maps(graph, pattern, map, found);
    map.pop_back();
  }
}

}  // namespace matcha::runtime::match
