#pragma once

#include <cstdint>
#include <vector>

#include "runtime/graph/buffer.h"
#include "runtime/graph/graph.h"
#include "runtime/result.h"

namespace matcha::runtime::cliques {

/// A graph as roots of trees. Vertices have an order; each vertex is a root, and its candidates are its neighbours that
/// come later in the order. So every clique is its first vertex and some candidates of it.
struct Roots {
  std::uint64_t size = 0;       ///< The number of ranks, and so of roots.
  Buffer<std::uint64_t> begin;  ///< By vertex, its first later neighbour; one more item.
  Buffer<std::uint32_t> near;   ///< The later neighbours of each vertex, ascending.
  std::uint32_t widest = 0;     ///< The largest number of later neighbours.
  bool by_cores = false;  ///< True: the order removes the vertex of smallest degree again and again; false: by degree.

  std::uint64_t count(std::uint64_t vertex) const { return begin[vertex + 1] - begin[vertex]; }
  const std::uint32_t* at(std::uint64_t vertex) const { return near.data() + begin[vertex]; }
  /// Item d is the number of vertices with d later neighbours.
  std::vector<std::uint64_t> by_count() const;
};

/// Orders that are tried.
enum class Order { Degree, Cores };

/// Requires: an undirected simple graph without a hash index. Errors: Resource when out of memory.
Result<Roots> make_roots(const Graph& graph, Order order);

}  // namespace matcha::runtime::cliques
