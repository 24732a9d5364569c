#include <algorithm>
#include <vector>

#include "engines/identities/clique_kernel.h"
#include "engines/identities/five_edge_orbits.h"
#include "engines/identities/neighborhood.h"

namespace matcha::runtime::motif {

namespace {

using Wide = unsigned __int128;

/// Sums for the current vertex and another one.
struct EdgePairSums {
  std::uint64_t edges;      ///< Between two of their common neighbours.
  std::uint64_t triangles;  ///< Triangles on the edges from their common neighbours to the other vertex.
};

struct EdgePairWorker {
  EdgePairWorker(const RankedGraph& graph, const Triangles& triangles)
      : near(graph, triangles), paths(graph.size), sums(zeros<EdgePairSums>(graph.size)) {}

  Neighborhood near;
  CommonNeighbors paths;  ///< From the current vertex, to all ends.
  Buffer<EdgePairSums> sums;
};

/// Pairs of a vertex u and each other one that has common neighbours with it.
class EdgePairWalk {
 public:
  EdgePairWalk(const RankedGraph& graph, const CellLoop& loop, OrbitTables& tables)
      : graph_(graph), loop_(loop), triangles_(tables.triangles), cells_(tables.five_edges) {}

  void at(EdgePairWorker& worker, std::uint64_t u) const {
    CommonNeighbors& paths = worker.paths;
    for (std::uint64_t p = graph_.begin(u); p != graph_.end(u); ++p) {
      const std::uint64_t v = graph_.near[p];
      for (std::uint64_t q = graph_.begin(v); q != graph_.end(v); ++q) {
        paths.add(graph_.near[q], 1);
        worker.sums[graph_.near[q]].triangles += triangles_.on[q];
      }
    }
    // The ways back make no pair.
    paths.ways[u] = std::min<std::uint32_t>(paths.ways[u], 1);
    if (triangles_.at[u] != 0) add_diamonds(worker, u);
    for (std::uint64_t p = graph_.begin(u); p != graph_.end(u); ++p) add_edge(worker, p);
    for (std::uint64_t i = 0; i < paths.met_count; ++i) worker.sums[paths.met[i]] = {};
    paths.clear();
  }

 private:
  /// Adds the diamonds whose one corner is u.
  void add_diamonds(EdgePairWorker& worker, std::uint64_t u) const {
    Neighborhood& near = worker.near;
    near.open(u);
    for (std::uint64_t i = 0; i < near.size(); ++i) {
      const std::uint64_t v = near.vertex(i);
      for (std::uint64_t q = graph_.split[v]; q != graph_.end(v); ++q) {
        const std::uint64_t place = near.place(graph_.near[q]);
        if (triangles_.on[q] < 2 || place == 0) continue;
        const std::uint32_t* const third = triangles_.third.data() + triangles_.start[q];
        std::uint64_t others = 0;
        for (std::uint64_t k = 0; k < triangles_.on[q]; ++k) {
          if (third[k] == u) continue;
          others += worker.paths.ways[third[k]] - 2;
          ++worker.sums[third[k]].edges;
        }
        loop_.add(cells_.inside_edge[q], others);
        loop_.add(cells_.inside_sides[up(near.arc(i))], others);
        loop_.add(cells_.inside_sides[up(near.arc(place - 1))], others);
      }
    }
    near.close();
  }

  /// Adds to an edge uv the sums over the neighbours of v.
  void add_edge(const EdgePairWorker& worker, std::uint64_t p) const {
    const std::uint64_t v = graph_.near[p], edge = up(p);
    Wide threes = 0, tails = 0, triangles = 0, floors = 0, inside = 0;
    for (std::uint64_t q = graph_.begin(v); q != graph_.end(v); ++q) {
      const std::uint32_t x = graph_.near[q];
      const std::uint64_t others = worker.paths.ways[x] - 1;
      if (others == 0) continue;
      const EdgePairSums& sums = worker.sums[x];
      threes += Wide{others} * (others - 1) / 2;
      tails += Wide{others} * (graph_.degree(x) - 2);
      triangles += Wide{others} * triangles_.on[q];
      floors += sums.triangles - triangles_.on[q];
      inside += sums.edges;
    }
    loop_.add(cells_.threes[edge], threes);
    loop_.add(cells_.cycle_tails[edge], tails);
    loop_.add(cells_.cycle_triangles[edge], triangles);
    loop_.add(cells_.floors[edge], floors);
    loop_.add(cells_.inside[edge], inside);
  }

  std::uint64_t up(std::uint64_t arc) const { return std::min(arc, graph_.twin[arc]); }

  const RankedGraph& graph_;
  const CellLoop& loop_;
  const Triangles& triangles_;
  FiveEdgeTables& cells_;
};

struct EdgeWheelWorker {
  EdgeWheelWorker(const RankedGraph& graph, const Triangles& triangles) : near(graph, triangles), paths(graph.size) {}

  Neighborhood near;
  CommonNeighbors paths;             ///< Within the neighbourhood.
  std::vector<std::uint64_t> found;  ///< By place, twice the 4-cycles.
};

/// 4-cycles among the neighbours of a vertex.
class EdgeWheelWalk {
 public:
  EdgeWheelWalk(const RankedGraph& graph, const CellLoop& loop, OrbitTables& tables)
      : graph_(graph), loop_(loop), triangles_(tables.triangles), cells_(tables.five_edges) {}

  void at(EdgeWheelWorker& worker, std::uint64_t hub) const {
    if (triangles_.at[hub] < 4) return;
    Neighborhood& near = worker.near;
    near.open(hub);
    worker.found.assign(near.size(), 0);
    // Each pair of rows is compared twice.
    constexpr double kNsAPair = 4, kNsAPath = 3;
    const bool by_rows = near.words() <= kMostRowWords && near.pairs_pay(kNsAPair, kNsAPath);
    if (by_rows) near.write_rows(0);
    for (std::uint64_t i = 0; i < near.size(); ++i) {
      by_rows ? find_by_rows(worker, i) : find_by_paths(worker, i);
      add_rims(worker, i);
    }
    for (std::uint64_t i = 0; i < near.size(); ++i) {
      const std::uint64_t p = near.arc(i);
      loop_.add(cells_.wheel_spokes[std::min(p, graph_.twin[p])], worker.found[i] / 2);
    }
    near.close();
  }

 private:
  /// The paths from a place: bits that its row has in common with another one.
  static void find_by_rows(EdgeWheelWorker& worker, std::uint64_t i) {
    const Neighborhood& near = worker.near;
    for (std::uint64_t j = 0; j < near.size(); ++j) {
      const auto ways = static_cast<std::uint32_t>(common_bits(near.row(i), near.row(j), near.words()));
      if (ways != 0) worker.paths.add(static_cast<std::uint32_t>(near.vertex(j)), ways);
    }
  }

  void find_by_paths(EdgeWheelWorker& worker, std::uint64_t i) const {
    const Neighborhood& near = worker.near;
    for_each_third(near.arc(i), [&](std::uint32_t middle) {
      for_each_third(near.arc(near.place(middle) - 1), [&](std::uint32_t x) { worker.paths.add(x, 1); });
    });
  }

  /// Adds the 4-cycles on the edges from a place to higher ones.
  void add_rims(EdgeWheelWorker& worker, std::uint64_t i) const {
    const Neighborhood& near = worker.near;
    CommonNeighbors& paths = worker.paths;
    const std::uint64_t v = near.vertex(i);
    paths.ways[v] = 1;  // No 4-cycle goes back.
    for (std::uint64_t q = graph_.split[v]; q != graph_.end(v); ++q) {
      const std::uint64_t place = near.place(graph_.near[q]);
      if (place == 0) continue;
      std::uint64_t cycles = 0;
      for_each_third(near.arc(place - 1), [&](std::uint32_t x) { cycles += paths.ways[x] - 1; });
      loop_.add(cells_.wheel_rims[q], cycles);
      worker.found[i] += cycles;
      worker.found[place - 1] += cycles;
    }
    paths.clear();
  }

  template <typename Visit>
  void for_each_third(std::uint64_t arc, const Visit& visit) const {
    const std::uint32_t* const third = triangles_.third.data() + triangles_.start[arc];
    for (std::uint64_t k = 0; k < triangles_.on[arc]; ++k) visit(third[k]);
  }

  const RankedGraph& graph_;
  const CellLoop& loop_;
  const Triangles& triangles_;
  FiveEdgeTables& cells_;
};

}  // namespace

void fill_edge_pairs(const RankedGraph& graph, const CellLoop& loop, OrbitTables& tables) {
  using Edges = FiveEdgeTables;
  for (Cells Edges::*cells : {&Edges::threes, &Edges::cycle_tails, &Edges::cycle_triangles, &Edges::floors,
                              &Edges::inside, &Edges::inside_sides, &Edges::inside_edge}) {
    tables.five_edges.*cells = zero_cells(graph.arcs);
  }
  const EdgePairWalk walk(graph, loop, tables);
  tbb::enumerable_thread_specific<EdgePairWorker> workers([&] { return EdgePairWorker(graph, tables.triangles); });
  loop.vertices()(workers, [&](EdgePairWorker& worker, std::uint64_t u) { walk.at(worker, u); });
}

void fill_edge_wheels(const RankedGraph& graph, const CellLoop& loop, OrbitTables& tables) {
  tables.five_edges.wheel_spokes = zero_cells(graph.arcs);
  tables.five_edges.wheel_rims = zero_cells(graph.arcs);
  const EdgeWheelWalk walk(graph, loop, tables);
  tbb::enumerable_thread_specific<EdgeWheelWorker> workers([&] { return EdgeWheelWorker(graph, tables.triangles); });
  loop.vertices()(workers, [&](EdgeWheelWorker& worker, std::uint64_t hub) { walk.at(worker, hub); });
}

}  // namespace matcha::runtime::motif
