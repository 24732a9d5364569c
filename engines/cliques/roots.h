#pragma once

#include <cstdint>
#include <vector>

#include "runtime/graph/buffer.h"
#include "runtime/graph/graph.h"
#include "runtime/result.h"

namespace matcha::runtime::cliques {

/// A graph as roots of trees: of each vertex the neighbours that come later in an order, so that every clique lies in
/// one vertex and its later neighbours.
struct Roots {
  std::uint64_t size = 0;       ///< Ranks of vertices.
  Buffer<std::uint64_t> begin;  ///< By vertex, its first later neighbour; one more item.
  Buffer<std::uint32_t> near;   ///< Of a vertex ascending.
  std::uint32_t widest = 0;     ///< The most later neighbours.
  bool by_cores = false;        ///< The order is one of smallest remaining degree; else by degree.

  std::uint64_t count(std::uint64_t vertex) const { return begin[vertex + 1] - begin[vertex]; }
  const std::uint32_t* at(std::uint64_t vertex) const { return near.data() + begin[vertex]; }
  /// How many vertices have so many later neighbours, by that number.
  std::vector<std::uint64_t> by_count() const;
};

/// Orders that are tried.
enum class Order { Degree, Cores };

/// Requires: an undirected simple graph without a hash index. Errors: Resource when out of memory.
Result<Roots> make_roots(const Graph& graph, Order order);

}  // namespace matcha::runtime::cliques
