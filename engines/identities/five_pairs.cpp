#include <vector>

#include "engines/identities/clique_kernel.h"
#include "engines/identities/five_orbits.h"
#include "engines/identities/neighborhood.h"

namespace matcha::runtime::motif {

namespace {

/// Sums for the current vertex and one below it.
struct PairSums {
  std::uint64_t edges;      ///< Between two of their common neighbours.
  std::uint64_t triangles;  ///< Triangles on the edges from the upper vertex to their common neighbours.
};

struct PairWorker {
  PairWorker(const RankedGraph& graph, const Triangles& triangles)
      : near(graph, triangles), common(graph.size), sums(zeros<PairSums>(graph.size)) {}

  Neighborhood near;
  CommonNeighbors common;            ///< Of the current vertex and each one below it.
  Buffer<PairSums> sums;             ///< By vertex below it.
  std::vector<std::uint64_t> found;  ///< By place of a neighbour, as `inside_edge`.
};

/// Pairs of vertices with common neighbours, each once: a vertex and one below it.
class PairWalk {
 public:
  PairWalk(const RankedGraph& graph, const Triangles& triangles, const CellLoop& loop, FiveTables& tables)
      : graph_(graph), triangles_(triangles), loop_(loop), tables_(tables) {}

  void at(PairWorker& worker, std::uint64_t a) const {
    CommonNeighbors& common = worker.common;
    common.walk(graph_, graph_.begin(a), graph_.end(a));
    if (common.met_count == 0) return;
    if (triangles_.at[a] != 0) add_diamonds(worker, a);
    add_middles(worker, a);
    add_ends(worker, a);
    for (std::uint64_t i = 0; i < common.met_count; ++i) worker.sums[common.met[i]] = {};
    common.clear();
  }

 private:
  using Wide = unsigned __int128;

  /// Adds the diamonds whose higher corner is a.
  void add_diamonds(PairWorker& worker, std::uint64_t a) const {
    worker.near.open(a);
    constexpr double kNsADiamond = 0.6;
    const bool rows_pay = worker.near.words() <= kMostRowWords && worker.near.sets_pay(a, kNsADiamond);
    if (!rows_pay || !add_diamonds_by_rows(worker)) add_diamonds_by_lists(worker, a);
    worker.near.close();
  }

  void add_diamonds_by_lists(PairWorker& worker, std::uint64_t a) const {
    const std::uint32_t* const ways = worker.common.ways.data();
    const Neighborhood& near = worker.near;
    for (std::uint64_t place = 0; place < near.size(); ++place) {
      const std::uint64_t v = near.vertex(place);
      for (std::uint64_t q = graph_.split[v]; q != graph_.end(v); ++q) {
        if (triangles_.on[q] < 2 || near.place(graph_.near[q]) == 0) continue;
        std::uint64_t others = 0;
        // a itself is included.
        for (const std::uint32_t* z = triangles_.third.data() + triangles_.start[q]; *z < a; ++z) {
          others += ways[*z] - 2;
          ++worker.sums[*z].edges;
        }
        loop_.add(tables_.inside_edge[v], others);
        loop_.add(tables_.inside_edge[graph_.near[q]], others);
      }
    }
  }

  /// For each vertex below a with two common neighbours, the set of them. False: the sets would be too large.
  bool add_diamonds_by_rows(PairWorker& worker) const {
    Neighborhood& near = worker.near;
    near.write_rows(0);
    worker.found.assign(near.size(), 0);
    const auto add = [&](std::uint32_t z, const std::uint64_t* set) {
      worker.sums[z].edges =
          add_degrees_within(near.row(0), set, near.words(), worker.common.ways[z] - 2, worker.found.data());
    };
    if (!worker.common.for_each_set(graph_, near, 1, add)) return false;
    for (std::uint64_t place = 0; place < near.size(); ++place) {
      loop_.add(tables_.inside_edge[near.vertex(place)], worker.found[place]);
    }
    return true;
  }

  void add_ends(PairWorker& worker, std::uint64_t a) const {
    Wide opposite = 0, threes = 0, inside = 0;
    const CommonNeighbors& common = worker.common;
    for (std::uint64_t i = 0; i < common.met_count; ++i) {
      const std::uint32_t b = common.met[i];
      const Wide w = common.ways[b];
      if (w < 2) continue;
      const PairSums& sums = worker.sums[b];
      const Wide pairs = w * (w - 1) / 2, three = pairs * (w - 2) / 3, edges = sums.edges * (w - 2);
      opposite += pairs * (graph_.degree(b) - 2);
      threes += three;
      inside += edges;
      loop_.add(tables_.opposite[b], pairs * (graph_.degree(a) - 2));
      loop_.add(tables_.threes[b], three);
      loop_.add(tables_.inside[b], edges);
      loop_.add(tables_.floors[b], (w - 1) * sums.triangles);
    }
    loop_.add(tables_.opposite[a], opposite);
    loop_.add(tables_.threes[a], threes);
    loop_.add(tables_.inside[a], inside);
  }

  /// Adds the contributions of paths of two steps from a to their middles and to a. Accumulates those to their ends, so
  /// that each end is written once.
  void add_middles(PairWorker& worker, std::uint64_t a) const {
    const std::uint32_t* const ways = worker.common.ways.data();
    Wide floors = 0;
    for (std::uint64_t p = graph_.begin(a); p != graph_.end(a); ++p) {
      const std::uint64_t v = graph_.near[p], on = triangles_.on[p];
      Wide thirds = 0, rest = 0;
      for (std::uint64_t q = graph_.begin(v); q != graph_.twin[p]; ++q) {
        const std::uint32_t b = graph_.near[q];
        const std::uint64_t others = ways[b] - 1;
        if (others == 0) continue;
        thirds += others * (others - 1) / 2;
        PairSums& sums = worker.sums[b];
        rest += sums.edges;
        sums.triangles += on;
        floors += Wide{others} * triangles_.on[q];
      }
      loop_.add(tables_.thirds[v], thirds);
      loop_.add(tables_.inside_rest[v], rest);
    }
    loop_.add(tables_.floors[a], floors);
  }

  const RankedGraph& graph_;
  const Triangles& triangles_;
  const CellLoop& loop_;
  FiveTables& tables_;
};

}  // namespace

void fill_pairs(const RankedGraph& graph, const Triangles& triangles, const CellLoop& loop, FiveTables& tables) {
  for (Cells FiveTables::*cells : {&FiveTables::opposite, &FiveTables::threes, &FiveTables::floors, &FiveTables::inside,
                                   &FiveTables::thirds, &FiveTables::inside_rest, &FiveTables::inside_edge}) {
    tables.*cells = zero_cells(graph.size);
  }
  const PairWalk walk(graph, triangles, loop, tables);
  tbb::enumerable_thread_specific<PairWorker> workers([&] { return PairWorker(graph, triangles); });
  loop.vertices()(workers, [&](PairWorker& worker, std::uint64_t a) { walk.at(worker, a); });
}

}  // namespace matcha::runtime::motif
