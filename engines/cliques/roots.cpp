#include "engines/cliques/roots.h"

#include <algorithm>
#include <new>
#include <numeric>

namespace matcha::runtime::cliques {

namespace {

/// Ranks in which every vertex has the least degree of those that are left: Matula and Beck, 1983.
std::vector<std::uint32_t> ranks_by_cores(const GraphView& view, const std::vector<std::uint32_t>& degrees) {
  const std::uint64_t size = view.universe;
  std::vector<std::uint32_t> left = degrees, start(view.max_degree + 2), order(size), place(size);
  for (const std::uint32_t degree : left) ++start[degree + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<std::uint32_t> next(start);
  for (std::uint64_t v = 0; v < size; ++v) {
    place[v] = next[left[v]]++;
    order[place[v]] = static_cast<std::uint32_t>(v);
  }
  // `start` has the first place of each degree among those that are left.
  for (std::uint64_t at = 0; at < size; ++at) {
    const std::uint32_t v = order[at];
    for (std::uint64_t p = view.offsets[v]; p < view.offsets[v + 1]; ++p) {
      const std::uint32_t u = view.neighbors[p];
      if (left[u] <= left[v]) continue;
      const std::uint32_t first = start[left[u]];
      const std::uint32_t other = order[first];
      std::swap(order[first], order[place[u]]);
      std::swap(place[other], place[u]);
      start[left[u]] = first + 1;
      --left[u];
    }
  }
  return place;
}

template <typename IsLater>
void fill(const GraphView& view, Roots& roots, const IsLater& is_later) {
  std::uint64_t at = 0;
  for (std::uint64_t v = 0; v < roots.size; ++v) {
    roots.begin[v] = at;
    for (std::uint64_t p = view.offsets[v]; p < view.offsets[v + 1]; ++p) {
      // Without a branch, which half of the arcs would mislead.
      roots.near[at] = view.neighbors[p];
      at += is_later(static_cast<std::uint32_t>(v), view.neighbors[p]) ? 1 : 0;
    }
    roots.widest = std::max(roots.widest, static_cast<std::uint32_t>(at - roots.begin[v]));
  }
  roots.begin[roots.size] = at;
}

}  // namespace

std::vector<std::uint64_t> Roots::by_count() const {
  std::vector<std::uint64_t> roots(widest + 1);
  for (std::uint64_t v = 0; v < size; ++v) ++roots[count(v)];
  return roots;
}

Result<Roots> make_roots(const Graph& graph, Order order) {
  const GraphView view = graph.view();
  try {
    Roots roots;
    roots.size = view.universe;
    roots.by_cores = order == Order::Cores;
    roots.begin = Buffer<std::uint64_t>(roots.size + 1);
    roots.near = Buffer<std::uint32_t>(view.arc_count / 2 + 1);
    std::vector<std::uint32_t> degrees(roots.size);
    for (std::uint64_t v = 0; v < roots.size; ++v) {
      degrees[v] = static_cast<std::uint32_t>(view.offsets[v + 1] - view.offsets[v]);
    }
    if (order == Order::Degree) {
      fill(view, roots, [&](std::uint32_t v, std::uint32_t u) {
        return degrees[u] > degrees[v] || (degrees[u] == degrees[v] && u > v);
      });
    } else {
      const std::vector<std::uint32_t> rank = ranks_by_cores(view, degrees);
      fill(view, roots, [&](std::uint32_t v, std::uint32_t u) { return rank[u] > rank[v]; });
    }
    return roots;
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::Resource, "not enough memory to order the vertices", {}, 0, {}};
  }
}

}  // namespace matcha::runtime::cliques
