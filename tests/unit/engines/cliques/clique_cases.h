#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/graph/graph.h"
#include "runtime/wide_int.h"

/// Random graphs, and the cliques in them one by one.
namespace matcha::runtime::cliques {

using Adjacency = std::vector<std::vector<bool>>;

inline Adjacency without_edges(std::size_t n) { return Adjacency(n, std::vector<bool>(n)); }

inline void join(Adjacency& graph, std::size_t u, std::size_t v) { graph[u][v] = graph[v][u] = u != v; }

inline Adjacency random_graph(std::size_t n, double density, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::bernoulli_distribution coin(density);
  Adjacency graph = without_edges(n);
  for (std::size_t u = 0; u < n; ++u) {
    for (std::size_t v = 0; v < u; ++v) {
      if (coin(random)) join(graph, u, v);
    }
  }
  return graph;
}

inline Graph graph_of(const Adjacency& adjacency) {
  GraphArrays arrays;
  std::vector<std::uint32_t> near;
  arrays.offsets = Buffer<std::uint64_t>(adjacency.size() + 1);
  arrays.offsets[0] = 0;
  for (std::size_t u = 0; u < adjacency.size(); ++u) {
    for (std::uint32_t v = 0; v < adjacency.size(); ++v) {
      if (adjacency[u][v]) near.push_back(v);
    }
    arrays.offsets[u + 1] = near.size();
  }
  arrays.neighbors = Buffer<std::uint32_t>(near.size());
  std::ranges::copy(near, arrays.neighbors.begin());
  return Graph::from_arrays(std::make_shared<const Universe>(Universe::identity(adjacency.size())), std::move(arrays),
                            GraphFacts());
}

/// Cliques by size from 1, and at each vertex and edge.
class BruteForce {
 public:
  using BySize = std::vector<std::uint64_t>;

  explicit BruteForce(const Adjacency& graph)
      : graph_(graph), counts_(graph.size()), maximal_(graph.size()), at_(graph.size() * graph.size()) {
    std::vector<std::size_t> all(graph.size());
    for (std::size_t v = 0; v < graph.size(); ++v) all[v] = v;
    extend(0, all);
    while (counts_.size() > 1 && counts_.back() == 0) counts_.pop_back();
    maximal_.resize(counts_.size());
  }

  const BySize& counts() const { return counts_; }
  /// The cliques that are in no larger one.
  const BySize& maximal() const { return maximal_; }
  /// The cliques of a size at each vertex, ascending; by edge: at each edge, by ends.
  std::vector<std::uint64_t> at(std::size_t size, bool by_edge) const {
    std::vector<std::uint64_t> rows;
    for (std::size_t u = 0; u < graph_.size(); ++u) {
      for (std::size_t v = by_edge ? u + 1 : u; v < (by_edge ? graph_.size() : u + 1); ++v) {
        if (by_edge && !graph_[u][v]) continue;
        const BySize& found = at_[u * graph_.size() + v];
        rows.push_back(found.size() < size ? 0 : found[size - 1]);
      }
    }
    return rows;
  }

 private:
  void extend(std::size_t size, const std::vector<std::size_t>& candidates) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      ++counts_[size];
      members_.resize(size);
      members_.push_back(candidates[i]);
      if (is_maximal()) ++maximal_[size];
      for (std::size_t a = 0; a <= size; ++a) {
        for (std::size_t b = a; b <= size; ++b) {
          BySize& cell = at_[members_[a] * graph_.size() + members_[b]];
          cell.resize(std::max(cell.size(), size + 1));
          ++cell[size];
        }
      }
      std::vector<std::size_t> rest;
      for (std::size_t j = i + 1; j < candidates.size(); ++j) {
        if (graph_[candidates[i]][candidates[j]]) rest.push_back(candidates[j]);
      }
      extend(size + 1, rest);
    }
  }

  /// Whether no vertex is adjacent to all members.
  bool is_maximal() const {
    for (std::size_t v = 0; v < graph_.size(); ++v) {
      if (std::ranges::all_of(members_, [&](std::size_t u) { return graph_[u][v]; })) return false;
    }
    return true;
  }

  const Adjacency& graph_;
  BySize counts_, maximal_;
  std::vector<std::size_t> members_;  ///< The vertices of the clique that is extended, ascending.
  std::vector<BySize> at_;            ///< Item u * vertices + v; v is u or larger.
};

inline std::vector<std::string> texts(const std::vector<WideInt>& numbers) {
  std::vector<std::string> all;
  for (const WideInt& number : numbers) all.push_back(number.to_string());
  return all;
}

/// By seed: a random graph of any density, a larger one that is sparser, a dense one without some edges, and cliques
/// that share vertices.
inline Adjacency graph_of_seed(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t end) { return static_cast<std::size_t>(random() % end); };
  const double part = static_cast<double>(below(100)) / 100;
  if (seed % 4 == 0) return random_graph(1 + below(14), part, seed);
  if (seed % 4 == 1) return random_graph(15 + below(14), 0.6 * part, seed);
  Adjacency graph = random_graph(4 + below(8), seed % 4 == 2 ? 1 : 0, seed);
  if (seed % 4 == 2) {
    for (std::size_t left = below(2 * graph.size()); left > 0; --left) {
      const std::size_t u = below(graph.size()), v = below(graph.size());
      graph[u][v] = graph[v][u] = false;
    }
    return graph;
  }
  graph = random_graph(8 + below(12), 0.2 * part, seed);
  for (std::size_t left = 1 + below(4); left > 0; --left) {
    std::vector<std::size_t> members(2 + below(6));
    for (std::size_t& member : members) member = below(graph.size());
    for (const std::size_t u : members) {
      for (const std::size_t v : members) join(graph, u, v);
    }
  }
  return graph;
}

}  // namespace matcha::runtime::cliques
