#include <algorithm>
#include <vector>

#include "engines/identities/clique_kernel.h"
#include "engines/identities/five_edge_orbits.h"
#include "engines/identities/neighborhood.h"

namespace matcha::runtime::motif {

namespace {

/// Sums of the edges between one vertex and each of a neighbourhood, by place.
struct TopSums {
  void open(std::uint64_t size) {
    tops.assign(size, 0);
    across.assign(size, 0);
  }

  std::vector<std::uint64_t> tops;    ///< As `clique_tops`.
  std::vector<std::uint64_t> across;  ///< As `clique_across`.
};

struct EdgeCornerWorker {
  EdgeCornerWorker(const RankedGraph& graph, const Triangles& triangles) : near(graph, triangles) {}

  Neighborhood near;
  std::vector<std::uint64_t> both;   ///< Bits of the neighbours that form 4-cliques with a triangle.
  std::vector<std::uint64_t> above;  ///< The same, without those below the current vertex.
  TopSums from_vertex;               ///< Of the current vertex.
  TopSums from_neighbor;             ///< Of one of its neighbours. Zeros between two of them.
  std::vector<std::uint64_t> found;  ///< By place, three times the 5-cliques.
};

/// The triangles with a vertex as their lowest one, the sums at their edges, and the cliques on them.
class EdgeCornerWalk {
 public:
  EdgeCornerWalk(const RankedGraph& graph, const CellLoop& loop, OrbitTables& tables)
      : graph_(graph), loop_(loop), tables_(tables), cells_(tables.five_edges) {}

  void at(EdgeCornerWorker& worker, std::uint64_t u) const {
    Neighborhood& near = worker.near;
    near.open(u);
    if (near.size() - near.above() > 1) walk(worker, u);
    near.close();
  }

 private:
  using Wide = unsigned __int128;

  void walk(EdgeCornerWorker& worker, std::uint64_t u) const {
    Neighborhood& near = worker.near;
    near.write_rows(near.above());
    worker.both.resize(near.words());
    worker.found.assign(near.size(), 0);
    worker.from_vertex.open(near.size());
    worker.from_neighbor.open(near.size());
    for (std::uint64_t i = near.above(); i < near.size(); ++i) {
      const std::uint64_t v = near.vertex(i);
      bool has_cliques = false;
      for (std::uint64_t q = graph_.begin(v); q != graph_.end(v); ++q) {
        const std::uint64_t place = near.place(graph_.near[q]);
        if (place <= near.above()) continue;
        const std::uint64_t j = place - 1;
        const std::uint64_t cliques = keep_common_bits(near.row(i), near.row(j), near.words(), worker.both.data());
        if (j > i) add_triangle({u, v, graph_.near[q], near.arc(i), q, near.arc(j)}, cliques);
        if (cliques == 0) continue;
        has_cliques = true;
        add_tops(worker, worker.from_neighbor, cliques, on(near.arc(j)) - 2);
        if (j < i) continue;
        add_tops(worker, worker.from_vertex, cliques, on(q) - 2);
        const std::uint64_t larger = five_cliques(worker);
        loop_.add(cells_.five_cliques[q], larger);
        worker.found[i] += larger;
        worker.found[j] += larger;
      }
      if (has_cliques) add_neighbor(worker, v);
    }
    for (std::uint64_t place = 0; place < near.size(); ++place) {
      const std::uint64_t edge = up(near.arc(place));
      loop_.add(cells_.clique_tops[edge], worker.from_vertex.tops[place]);
      loop_.add(cells_.clique_across[edge], worker.from_vertex.across[place]);
      loop_.add(cells_.five_cliques[edge], worker.found[place] / 3);
    }
  }

  /// `across`: of the edge of the triangle that is across from the vertex of `sums`.
  static void add_tops(const EdgeCornerWorker& worker, TopSums& sums, std::uint64_t cliques, std::uint64_t across) {
    for (std::uint64_t word = 0; word < worker.both.size(); ++word) {
      for (std::uint64_t bits = worker.both[word]; bits != 0; bits &= bits - 1) {
        const std::uint64_t place = word * 64 + static_cast<std::uint64_t>(__builtin_ctzll(bits));
        sums.tops[place] += cliques - 1;
        sums.across[place] += across;
      }
    }
  }

  /// Adds the sums of the edges between v and its neighbours in the neighbourhood.
  void add_neighbor(EdgeCornerWorker& worker, std::uint64_t v) const {
    TopSums& sums = worker.from_neighbor;
    for (std::uint64_t q = graph_.begin(v); q != graph_.end(v); ++q) {
      const std::uint64_t place = worker.near.place(graph_.near[q]);
      if (place == 0) continue;
      loop_.add(cells_.clique_tops[up(q)], sums.tops[place - 1]);
      loop_.add(cells_.clique_across[up(q)], sums.across[place - 1]);
      sums.tops[place - 1] = sums.across[place - 1] = 0;
    }
  }

  /// 5-cliques with the triangle whose further vertices are above its lowest one.
  static std::uint64_t five_cliques(EdgeCornerWorker& worker) {
    const Neighborhood& near = worker.near;
    const std::uint64_t first = near.above() / 64, words = near.words() - first;
    worker.above.assign(worker.both.begin() + static_cast<std::ptrdiff_t>(first), worker.both.end());
    worker.above[0] &= ~std::uint64_t{0} << near.above() % 64;
    std::uint64_t twice = 0;
    for (std::uint64_t word = 0; word < words; ++word) {
      for (std::uint64_t bits = worker.above[word]; bits != 0; bits &= bits - 1) {
        const std::uint64_t place = (first + word) * 64 + static_cast<std::uint64_t>(__builtin_ctzll(bits));
        twice += common_bits(worker.above.data(), near.row(place) + first, words);
      }
    }
    return twice / 2;
  }

  void add_triangle(const Corners& c, std::uint64_t cliques) const {
    const std::uint64_t vu = graph_.twin[c.uv], wv = graph_.twin[c.vw], wu = graph_.twin[c.uw];
    add_third(c.uv, c.w, c.uw, c.vw, cliques);
    add_third(c.vw, c.u, vu, wu, cliques);
    add_third(c.uw, c.v, c.uv, wv, cliques);
  }

  /// Adds the triangle with x to the edge uv; `ux` and `vx` are the arcs to x.
  void add_third(std::uint64_t edge, std::uint64_t x, std::uint64_t ux, std::uint64_t vx, std::uint64_t cliques) const {
    const std::uint64_t xu = graph_.twin[ux], xv = graph_.twin[vx], d = graph_.degree(x), tu = on(ux), tv = on(vx);
    const auto pairs = [](Wide n) { return n * (n - 1) / 2; };
    const auto both = [&](const Cells& cells) { return Wide{cells[up(ux)]} + cells[up(vx)]; };
    const auto add = [&](Cells& cells, Wide number) { loop_.add(cells[edge], number); };
    add(cells_.seconds, tables_.second[x]);
    add(cells_.thirds, tables_.triangles.at[x]);
    add(cells_.third_pairs, Wide{d - 2} * (d - 3) / 2);
    if (tu + tv > 2) add(cells_.third_tails, Wide{tu + tv - 2} * (d - 3));
    add(cells_.cycles, Wide{tables_.cycles[ux]} + tables_.cycles[xu] + tables_.cycles[vx] + tables_.cycles[xv]);
    add(cells_.pages, pairs(tu - 1) + pairs(tv - 1));
    add(cells_.fans, Wide{tu - 1} * (tv - 1));
    add(cells_.hats, both(tables_.hats));
    add(cells_.rims, Wide{tables_.beside[xu]} + tables_.beside[xv]);
    add(cells_.spokes, Wide{tables_.beside[ux]} + tables_.beside[vx]);
    add(cells_.clique_edges, both(tables_.edge_cliques));
    if (cliques == 0) return;
    add(cells_.clique_tails, Wide{cliques} * (d - 3));
    add(cells_.clique_on, Wide{cliques} * (tu + tv - 4));
    add(cells_.clique_pairs, pairs(cliques));
  }

  std::uint64_t on(std::uint64_t arc) const { return tables_.triangles.on[arc]; }
  std::uint64_t up(std::uint64_t arc) const { return std::min(arc, graph_.twin[arc]); }

  const RankedGraph& graph_;
  const CellLoop& loop_;
  const OrbitTables& tables_;
  FiveEdgeTables& cells_;
};

}  // namespace

void fill_edge_corners(const RankedGraph& graph, const CellLoop& loop, OrbitTables& tables) {
  using Edges = FiveEdgeTables;
  for (Cells Edges::*cells :
       {&Edges::seconds, &Edges::thirds, &Edges::third_pairs, &Edges::third_tails, &Edges::cycles, &Edges::pages,
        &Edges::fans, &Edges::hats, &Edges::rims, &Edges::spokes, &Edges::clique_edges, &Edges::clique_tails,
        &Edges::clique_on, &Edges::clique_pairs, &Edges::clique_tops, &Edges::clique_across, &Edges::five_cliques}) {
    tables.five_edges.*cells = zero_cells(graph.arcs);
  }
  const EdgeCornerWalk walk(graph, loop, tables);
  tbb::enumerable_thread_specific<EdgeCornerWorker> workers([&] { return EdgeCornerWorker(graph, tables.triangles); });
  loop.vertices()(workers, [&](EdgeCornerWorker& worker, std::uint64_t u) { walk.at(worker, u); });
}

}  // namespace matcha::runtime::motif
