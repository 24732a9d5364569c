#include "engines/identities/orbit.h"

#include <algorithm>
#include <numeric>

#include "engines/identities/edge_orbit.h"

namespace matcha::runtime::motif {

namespace {

/// A pattern as a bit matrix, and its root.
struct Rooted {
  explicit Rooted(const Orbit& orbit) {
    for (const char c : orbit.root) root.push_back(static_cast<std::size_t>(c - '0'));
    for (std::size_t i = 0; i + 1 < orbit.edges.size(); i += 3) {
      const auto u = static_cast<std::size_t>(orbit.edges[i] - '0'),
                 v = static_cast<std::size_t>(orbit.edges[i + 1] - '0');
      edges.emplace_back(u, v);
      adjacent[u] |= 1U << v;
      adjacent[v] |= 1U << u;
      size = std::max({size, u + 1, v + 1});
    }
  }

  std::vector<std::size_t> root;
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  std::array<unsigned, 8> adjacent{};
  std::size_t size = 0;
};

/// The number of bijections from the vertices of `a` to those of `b` that map edges to edges and the root to the root.
std::int64_t maps_of(const Rooted& a, const Rooted& b) {
  std::vector<std::size_t> to(a.size);
  std::iota(to.begin(), to.end(), std::size_t{0});
  std::int64_t maps = 0;
  do {
    const bool fits = std::ranges::all_of(
        a.edges, [&](const auto& edge) { return (b.adjacent[to[edge.first]] >> to[edge.second] & 1) != 0; });
    maps += fits && std::ranges::is_permutation(a.root, b.root, {}, [&](std::size_t v) { return to[v]; }) ? 1 : 0;
  } while (std::ranges::next_permutation(to).found);
  return maps;
}

}  // namespace

std::span<const Orbit> vertex_orbits(int vertices) {
  constexpr std::array<std::size_t, 4> kCounts = {1, 4, 15, kVertexOrbits.size()};
  return std::span(kVertexOrbits).first(kCounts.at(static_cast<std::size_t>(vertices) - 2));
}

std::span<const Orbit> edge_orbits(int vertices) {
  constexpr std::array<std::size_t, 4> kCounts = {1, 3, 13, kEdgeOrbits.size()};
  return std::span(kEdgeOrbits).first(kCounts.at(static_cast<std::size_t>(vertices) - 2));
}

OrbitSystem::OrbitSystem(std::span<const Orbit> orbits) : larger_(orbits.size()), order_(orbits.size()) {
  std::vector<Rooted> rooted;
  for (const Orbit& orbit : orbits) rooted.emplace_back(orbit);
  for (std::size_t i = 0; i < rooted.size(); ++i) {
    const std::int64_t automorphisms = maps_of(rooted[i], rooted[i]);
    for (std::size_t j = 0; j < rooted.size(); ++j) {
      if (rooted[j].size != rooted[i].size || rooted[j].edges.size() <= rooted[i].edges.size()) continue;
      const std::int64_t maps = maps_of(rooted[i], rooted[j]);
      if (maps != 0) larger_[i].emplace_back(j, maps / automorphisms);
    }
  }
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::stable_sort(order_, std::ranges::greater(), [&](std::size_t i) { return rooted[i].edges.size(); });
}

void OrbitSystem::make_induced(__int128* counts) const {
  for (const std::size_t i : order_) {
    for (const auto& [other, copies] : larger_[i]) {
      if (counts[other] != 0) counts[i] -= copies * counts[other];
    }
  }
}

}  // namespace matcha::runtime::motif
