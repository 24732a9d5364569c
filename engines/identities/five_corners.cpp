#include <algorithm>
#include <vector>

#include "engines/identities/clique_kernel.h"
#include "engines/identities/five_orbits.h"
#include "engines/identities/neighborhood.h"

namespace matcha::runtime::motif {

namespace {

struct CornerWorker {
  CornerWorker(const RankedGraph& graph, const Triangles& triangles) : near(graph, triangles) {}

  Neighborhood near;
  std::vector<std::uint64_t> both;   ///< Bits of the neighbours that form 4-cliques with a triangle.
  std::vector<std::uint64_t> above;  ///< The same, without those below the current vertex.
  std::vector<std::uint64_t> tops;   ///< By place, as `clique_tops`.
  std::vector<std::uint64_t> found;  ///< By place, three times the 5-cliques.
};

/// The triangles with a vertex as their lowest one, the sums at their corners, and the cliques on them.
class FiveCornerWalk {
 public:
  FiveCornerWalk(const RankedGraph& graph, const Triangles& triangles, const CyclesOfArcs& cycles, const CellLoop& loop,
                 FiveTables& tables)
      : graph_(graph), triangles_(triangles), cycles_(cycles), loop_(loop), tables_(tables) {}

  void at(CornerWorker& worker, std::uint64_t u) const {
    Neighborhood& near = worker.near;
    near.open(u);
    if (near.size() - near.above() > 1) walk(worker, u);
    near.close();
  }

  /// The second pass, which uses sums of edges from the first.
  void again(Marks& marks, std::uint64_t u) const {
    for_each_triangle(graph_, u, marks, [&](const Corners& c) {
      const auto at_corner = [&](std::uint64_t vertex, std::uint64_t facing) {
        loop_.add(tables_.hats[vertex], tables_.edge_hats[facing]);
        loop_.add(tables_.sides[vertex], tables_.edge_sides[facing]);
        loop_.add(tables_.clique_edges[vertex], tables_.edge_cliques[facing]);
      };
      at_corner(c.u, c.vw);
      at_corner(c.v, c.uw);
      at_corner(c.w, c.uv);
    });
  }

 private:
  void walk(CornerWorker& worker, std::uint64_t u) const {
    Neighborhood& near = worker.near;
    near.write_rows(near.above());
    worker.both.resize(near.words());
    worker.above.resize(near.words());
    worker.tops.assign(near.size(), 0);
    worker.found.assign(near.size(), 0);
    unsigned __int128 all = 0;
    for (std::uint64_t i = near.above(); i < near.size(); ++i) {
      const std::uint64_t v = near.vertex(i);
      for (std::uint64_t vw = graph_.split[v]; vw != graph_.end(v); ++vw) {
        const std::uint64_t w = graph_.near[vw], place = near.place(w);
        if (place == 0) continue;
        const Corners corners{u, v, w, near.arc(i), vw, near.arc(place - 1)};
        const std::uint64_t cliques = cliques_on(worker, i, place - 1);
        add(corners, cliques);
        if (cliques > 1) all += go_on(worker, i, place - 1, cliques);
      }
    }
    for (std::uint64_t i = 0; i < near.size(); ++i) {
      loop_.add(tables_.clique_tops[near.vertex(i)], worker.tops[i]);
      loop_.add(tables_.five_cliques[near.vertex(i)], worker.found[i] / 3);
    }
    loop_.add(tables_.five_cliques[u], all / 4);
  }

  static std::uint64_t cliques_on(CornerWorker& worker, std::uint64_t i, std::uint64_t j) {
    const Neighborhood& near = worker.near;
    return keep_common_bits(near.row(i), near.row(j), near.words(), worker.both.data());
  }

  /// Iterates over the vertices that form 4-cliques with the triangle; those above it form 5-cliques with others above.
  /// Returns the number of 5-cliques, each counted once for each of its four possible last vertices.
  static std::uint64_t go_on(CornerWorker& worker, std::uint64_t i, std::uint64_t j, std::uint64_t cliques) {
    const Neighborhood& near = worker.near;
    const std::uint64_t first = near.above() / 64, words = near.words() - first;
    std::copy(worker.both.begin() + static_cast<std::ptrdiff_t>(first), worker.both.end(), worker.above.begin());
    worker.above[0] &= ~std::uint64_t{0} << near.above() % 64;
    std::uint64_t all = 0;
    for (std::uint64_t word = 0; word < near.words(); ++word) {
      for (std::uint64_t bits = worker.both[word]; bits != 0; bits &= bits - 1) {
        const std::uint64_t place = word * 64 + static_cast<std::uint64_t>(__builtin_ctzll(bits));
        worker.tops[place] += cliques - 1;
        if (place <= j) continue;
        const std::uint64_t inside = common_bits(worker.above.data(), near.row(place) + first, words);
        worker.found[i] += inside;
        worker.found[j] += inside;
        worker.found[place] += inside;
        all += inside;
      }
    }
    return all;
  }

  void add(const Corners& c, std::uint64_t cliques) const {
    add_to_edges(loop_, tables_.edge_hats, c, graph_.degree(c.w) - 2, graph_.degree(c.u) - 2, graph_.degree(c.v) - 2);
    const std::uint64_t uv = on(c.uv), vw = on(c.vw), uw = on(c.uw);
    add_to_edges(loop_, tables_.edge_sides, c, vw + uw - 2, uv + uw - 2, uv + vw - 2);
    add_to_edges(loop_, tables_.edge_cliques, c, cliques, cliques, cliques);
    at_corner(c.u, c.v, c.w, c.vw, uv, uw, cliques);
    at_corner(c.v, c.u, c.w, c.uw, uv, vw, cliques);
    at_corner(c.w, c.u, c.v, c.uv, uw, vw, cliques);
  }

  /// `va`, `vb`: the number of triangles on these edges.
  void at_corner(std::uint64_t v, std::uint64_t a, std::uint64_t b, std::uint64_t facing, std::uint64_t va,
                 std::uint64_t vb, std::uint64_t cliques) const {
    using Wide = unsigned __int128;
    const std::uint64_t ab = on(facing), da = graph_.degree(a), db = graph_.degree(b);
    loop_.add(tables_.cliques[v], cliques);
    loop_.add(tables_.ends[v], Wide{da - 2} * (db - 2));
    loop_.add(tables_.cycles[v], cycles_[facing] + cycles_[graph_.twin[facing]]);
    if (ab > 1) loop_.add(tables_.tails[v], Wide{ab - 1} * (da + db - 6));
    loop_.add(tables_.pages[v], Wide{ab - 1} * (ab - 2) / 2);
    loop_.add(tables_.hub_fans[v], Wide{va - 1} * (vb - 1));
    loop_.add(tables_.side_fans[v], Wide{ab - 1} * (va + vb - 2));
    if (cliques == 0) return;
    loop_.add(tables_.clique_on[v], Wide{cliques} * (ab - 2));
    loop_.add(tables_.clique_pairs[v], Wide{cliques} * (cliques - 1) / 2);
  }

  std::uint64_t on(std::uint64_t arc) const { return triangles_.on[arc]; }

  const RankedGraph& graph_;
  const Triangles& triangles_;
  const CyclesOfArcs& cycles_;
  const CellLoop& loop_;
  FiveTables& tables_;
};

}  // namespace

void fill_corners(const RankedGraph& graph, const Triangles& triangles, const CyclesOfArcs& cycles,
                  const CellLoop& loop, FiveTables& tables) {
  for (Cells FiveTables::*cells : {&FiveTables::edge_hats, &FiveTables::edge_sides, &FiveTables::edge_cliques}) {
    tables.*cells = zero_cells(graph.arcs);
  }
  for (Cells FiveTables::*cells :
       {&FiveTables::cliques, &FiveTables::ends, &FiveTables::cycles, &FiveTables::tails, &FiveTables::pages,
        &FiveTables::hub_fans, &FiveTables::side_fans, &FiveTables::hats, &FiveTables::sides, &FiveTables::clique_edges,
        &FiveTables::clique_on, &FiveTables::clique_pairs, &FiveTables::clique_tops, &FiveTables::five_cliques}) {
    tables.*cells = zero_cells(graph.size);
  }
  const FiveCornerWalk walk(graph, triangles, cycles, loop, tables);
  tbb::enumerable_thread_specific<CornerWorker> workers([&] { return CornerWorker(graph, triangles); });
  loop.vertices()(workers, [&](CornerWorker& worker, std::uint64_t u) { walk.at(worker, u); });
  // Each 4-clique was counted at two triangles of an edge, and at three of a vertex.
  for (std::uint64_t& cell : tables.edge_cliques) cell /= 2;
  for (std::uint64_t& cell : tables.cliques) cell /= 3;
  tbb::enumerable_thread_specific<Marks> marks([&] { return unmarked(graph.size); });
  loop.vertices()(marks, [&](Marks& worker, std::uint64_t u) { walk.again(worker, u); });
}

}  // namespace matcha::runtime::motif
