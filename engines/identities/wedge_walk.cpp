#include "engines/identities/wedge_walk.h"

#include <algorithm>
#include <vector>

#include "engines/identities/clique_kernel.h"
#include "engines/identities/neighborhood.h"

namespace matcha::runtime::motif {

namespace {

/// The working memory of one thread.
struct WedgeWorker {
  WedgeWorker(const RankedGraph& graph, const Triangles& triangles) : common(graph.size), near(graph, triangles) {}

  CommonNeighbors common;  ///< Of the current vertex and each one below it.
  Neighborhood near;
  WedgeSums sums;
};

class WedgeWalk {
 public:
  WedgeWalk(const RankedGraph& graph, const Triangles& triangles, const WedgeRequest& wants, const VertexLoop& loop,
            const SetKernels& sets, CyclesOfArcs& cycles)
      : graph_(graph), triangles_(triangles), wants_(wants), loop_(loop), sets_(sets), cycles_(cycles) {}

  void at(WedgeWorker& worker, std::uint64_t a) const {
    CommonNeighbors& common = worker.common;
    worker.sums.four_cycles.add(static_cast<__int128>(common.walk(graph_, graph_.begin(a), graph_.split[a])));
    if (common.met_count != 0) {
      if (wants_.by_edge) spread_cycles(worker, a);
      if (wants_.five_cycles) add_five_cycles(worker, a);
    }
    if (wants_.pairs) {
      common.walk(graph_, graph_.split[a], graph_.end(a));
      add_pairs(worker);
    }
    if (wants_.inside || wants_.wheels || wants_.cliques) at_neighborhood(worker, a);
    common.clear();
  }

 private:
  void spread_cycles(WedgeWorker& worker, std::uint64_t a) const {
    for (std::uint64_t p = graph_.begin(a); p != graph_.split[a]; ++p) {
      std::uint64_t all = 0;
      for (std::uint64_t q = graph_.begin(graph_.near[p]); q != graph_.twin[p]; ++q) {
        const std::uint64_t others = worker.common.ways[graph_.near[q]] - 1;
        if (others == 0) continue;
        all += others;
        loop_.add(cycles_[q], others);
      }
      if (all != 0) loop_.add(cycles_[p], all);
    }
  }

  void add_five_cycles(WedgeWorker& worker, std::uint64_t a) const {
    const std::uint32_t* const ways = worker.common.ways.data();
    __int128 closed = 0, returned = 0;
    for (std::uint64_t i = 0; i < worker.common.met_count; ++i) {
      const std::uint32_t c = worker.common.met[i];
      std::uint64_t next = 0;
      const std::uint32_t* const end = graph_.near + graph_.end(c);
      for (const std::uint32_t* d = graph_.near + graph_.split[c]; d != end; ++d) next += ways[*d];
      closed += static_cast<__int128>(next) * ways[c];
    }
    for (std::uint64_t p = graph_.begin(a); p != graph_.split[a]; ++p) {
      const std::uint32_t d = graph_.near[p];
      returned += static_cast<__int128>(graph_.twin[p] - graph_.begin(d)) * ways[d];
    }
    worker.sums.closed.add(closed);
    worker.sums.returned.add(returned);
  }

  static void add_pairs(WedgeWorker& worker) {
    const CommonNeighbors& common = worker.common;
    for (std::uint64_t i = 0; i < common.met_count; ++i) {
      const std::uint64_t ways = common.ways[common.met[i]];
      if (ways > 2) worker.sums.pairs.add(static_cast<__int128>(ways * (ways - 1)) * (ways - 2));
    }
  }

  /// The edges between neighbours of a: the sums at both ends of each, and their 4-cycles.
  void at_neighborhood(WedgeWorker& worker, std::uint64_t a) const {
    if (triangles_.at[a] == 0) return;
    worker.near.open(a);
    const std::uint64_t words = worker.near.words();
    const bool by_rows = words <= wants_.most_row_words;
    if (by_rows) worker.near.write_rows(0);
    constexpr double kNsAPair = 1, kNsAPath = 0.5, kNsADiamond = 0.4;
    const bool sets_pay = wants_.inside && by_rows && worker.near.sets_pay(a, kNsADiamond);
    if (wants_.inside && !(sets_pay && add_inside_by_rows(worker, words))) add_inside(worker, a);
    if (wants_.cliques) add_cliques(worker, a, by_rows, words);
    if (wants_.wheels && by_rows && worker.near.pairs_pay(kNsAPair, kNsAPath)) {
      worker.sums.wheels.add(static_cast<__int128>(count_four_cycles(worker.near.row(0), worker.near.size(), words)));
    } else if (wants_.wheels) {
      // The counters are needed for the ends of paths in the neighbourhood.
      worker.common.clear();
      add_wheels(worker);
    }
    worker.near.close();
  }

  std::int64_t on(std::uint64_t arc) const { return triangles_.on[arc]; }
  std::int64_t degree(std::uint64_t vertex) const { return static_cast<std::int64_t>(graph_.degree(vertex)); }

  /// The triangles with u as their lowest vertex, and the 4-cliques on each.
  void add_cliques(WedgeWorker& worker, std::uint64_t u, bool by_rows, std::uint64_t words) const {
    const Neighborhood& near = worker.near;
    for (std::uint64_t i = 0; i < near.size(); ++i) {
      const std::uint64_t uv = near.arc(i);
      if (uv < graph_.split[u] || triangles_.on[uv] < 2) continue;
      const std::uint64_t v = graph_.near[uv];
      for (std::uint64_t vw = graph_.split[v]; vw != graph_.end(v); ++vw) {
        const std::uint64_t w = graph_.near[vw], j = near.place(w);
        if (j == 0 || triangles_.on[vw] < 2) continue;
        const std::uint64_t uw = near.arc(j - 1);
        const std::int64_t cliques = static_cast<std::int64_t>(
            by_rows ? common_bits(near.row(i), near.row(j - 1), words) : common_third(uv, uw));
        if (cliques == 0) continue;
        WedgeSums& sums = worker.sums;
        sums.tails.add(static_cast<__int128>(cliques) * (degree(u) + degree(v) + degree(w) - 9));
        sums.clique_on.add(static_cast<__int128>(cliques) * (on(uv) + on(vw) + on(uw) - 6));
        sums.clique_pairs.add(static_cast<__int128>(cliques) * (cliques - 1) / 2);
      }
    }
  }

  /// The third vertices that two arcs of one vertex have in common.
  std::uint64_t common_third(std::uint64_t a, std::uint64_t b) const {
    const std::uint32_t* const third = triangles_.third.data();
    return sets_.intersect_count(third + triangles_.start[a], triangles_.on[a], third + triangles_.start[b],
                                 triangles_.on[b]);
  }

  /// False: the sets would be too large.
  bool add_inside_by_rows(WedgeWorker& worker, std::uint64_t words) const {
    __int128 inside = 0;
    const auto add = [&](std::uint32_t z, const std::uint64_t* set) {
      inside += static_cast<__int128>(count_edges_within(worker.near.row(0), set, words)) * (worker.common.ways[z] - 2);
    };
    if (!worker.common.for_each_set(graph_, worker.near, 2, add)) return false;
    worker.sums.inside.add(inside);
    return true;
  }

  void add_inside(WedgeWorker& worker, std::uint64_t a) const {
    const std::uint32_t* const ways = worker.common.ways.data();
    __int128 inside = 0;
    for (const std::uint64_t p : worker.near.arcs()) {
      const std::uint64_t v = graph_.near[p];
      for (std::uint64_t q = graph_.split[v]; q != graph_.end(v); ++q) {
        if (triangles_.on[q] < 2 || worker.near.place(graph_.near[q]) == 0) continue;
        const std::uint32_t* z = triangles_.third.data() + triangles_.start[q];
        std::uint64_t all = 0;
        for (; *z < a; ++z) all += ways[*z] - 2;  // a itself is included.
        inside += all;
      }
    }
    worker.sums.inside.add(inside);
  }

  void add_wheels(WedgeWorker& worker) const {
    std::uint32_t* const ways = worker.common.ways.data();
    unsigned __int128 found = 0;
    for (const std::uint64_t p : worker.near.arcs()) {
      if (triangles_.on[p] < 2) continue;
      std::uint64_t pairs = 0;
      worker.near.for_each_path(p, [&](std::uint64_t, std::uint32_t x) { pairs += ways[x]++; });
      worker.near.for_each_path(p, [&](std::uint64_t, std::uint32_t x) { ways[x] = 0; });
      found += pairs;
    }
    worker.sums.wheels.add(static_cast<__int128>(found));
  }

  const RankedGraph& graph_;
  const Triangles& triangles_;
  const WedgeRequest& wants_;
  const VertexLoop& loop_;
  const SetKernels& sets_;
  CyclesOfArcs& cycles_;
};

}  // namespace

void WedgeSums::add(const WedgeSums& other) {
  four_cycles.add(other.four_cycles);
  closed.add(other.closed);
  returned.add(other.returned);
  pairs.add(other.pairs);
  inside.add(other.inside);
  wheels.add(other.wheels);
  tails.add(other.tails);
  clique_on.add(other.clique_on);
  clique_pairs.add(other.clique_pairs);
}

WedgeSums walk_wedges(const RankedGraph& graph, const Triangles& triangles, const WedgeRequest& wants,
                      const SetKernels& sets, VertexLoop& loop, CyclesOfArcs& cycles) {
  const WedgeWalk walk(graph, triangles, wants, loop, sets, cycles);
  tbb::enumerable_thread_specific<WedgeWorker> workers([&] { return WedgeWorker(graph, triangles); });
  loop(workers, [&](WedgeWorker& worker, std::uint64_t a) { walk.at(worker, a); });
  WedgeSums sums;
  for (const WedgeWorker& worker : workers) sums.add(worker.sums);
  return sums;
}

}  // namespace matcha::runtime::motif
