#include "engines/identities/wedge_walk.h"

#include <algorithm>
#include <vector>

#include "engines/identities/clique_kernel.h"
#include "engines/identities/neighborhood.h"

namespace matcha::runtime::motif {

namespace {

/// The working memory of one thread.
struct WedgeWorker {
  WedgeWorker(const RankedGraph& graph, const Triangles& triangles)
      : ways(unmarked(graph.size)), near(graph, triangles), places(unmarked(graph.size)), met(graph.size + 1) {}

  Marks ways;  ///< Paths of two edges from the current vertex, by end.
  Neighborhood near;
  Marks places;                     ///< By vertex, the index of a row of `sets`.
  std::vector<std::uint64_t> sets;  ///< Bits of those of them that are also neighbours of another vertex.
  Buffer<std::uint32_t> met;
  std::uint64_t met_count = 0;
  WedgeSums sums;
};

class WedgeWalk {
 public:
  WedgeWalk(const RankedGraph& graph, const Triangles& triangles, const WedgeRequest& wants, const VertexLoop& loop,
            const SetKernels& sets, CyclesOfArcs& cycles)
      : graph_(graph), triangles_(triangles), wants_(wants), loop_(loop), sets_(sets), cycles_(cycles) {}

  void at(WedgeWorker& worker, std::uint64_t a) const {
    worker.met_count = 0;
    worker.sums.four_cycles.add(static_cast<__int128>(walk(worker, graph_.begin(a), graph_.split[a])));
    if (worker.met_count != 0) {
      if (wants_.by_edge) spread_cycles(worker, a);
      if (wants_.five_cycles) add_five_cycles(worker, a);
    }
    if (wants_.pairs) {
      walk(worker, graph_.split[a], graph_.end(a));
      add_pairs(worker);
    }
    if (wants_.inside || wants_.wheels || wants_.cliques) at_neighborhood(worker, a);
    for (std::uint64_t i = 0; i < worker.met_count; ++i) worker.ways[worker.met[i]] = 0;
  }

 private:
  /// Counts the paths from a vertex over some of its arcs to all vertices below it; returns the number of new pairs of
  /// paths with one end. The reverse of an arc in the row of its end separates the lower vertices from the others.
  std::uint64_t walk(WedgeWorker& worker, std::uint64_t first, std::uint64_t end) const {
    std::uint32_t* const ways = worker.ways.data();
    std::uint32_t* const met = worker.met.data();
    std::uint64_t count = worker.met_count, pairs = 0;
    for (std::uint64_t p = first; p != end; ++p) {
      const std::uint32_t* const stop = graph_.near + graph_.twin[p];
      for (const std::uint32_t* b = graph_.near + graph_.begin(graph_.near[p]); b != stop; ++b) {
        const std::uint32_t before = ways[*b]++;
        met[count] = *b;
        count += before == 0;
        pairs += before;
      }
    }
    worker.met_count = count;
    return pairs;
  }

  void spread_cycles(WedgeWorker& worker, std::uint64_t a) const {
    for (std::uint64_t p = graph_.begin(a); p != graph_.split[a]; ++p) {
      std::uint64_t all = 0;
      for (std::uint64_t q = graph_.begin(graph_.near[p]); q != graph_.twin[p]; ++q) {
        const std::uint64_t others = worker.ways[graph_.near[q]] - 1;
        if (others == 0) continue;
        all += others;
        loop_.add(cycles_[q], others);
      }
      if (all != 0) loop_.add(cycles_[p], all);
    }
  }

  void add_five_cycles(WedgeWorker& worker, std::uint64_t a) const {
    const std::uint32_t* const ways = worker.ways.data();
    __int128 closed = 0, returned = 0;
    for (std::uint64_t i = 0; i < worker.met_count; ++i) {
      const std::uint32_t c = worker.met[i];
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
    for (std::uint64_t i = 0; i < worker.met_count; ++i) {
      const std::uint64_t common = worker.ways[worker.met[i]];
      if (common > 2) worker.sums.pairs.add(static_cast<__int128>(common * (common - 1)) * (common - 2));
    }
  }

  /// The edges between neighbours of a: the sums at both ends of each, and their 4-cycles.
  void at_neighborhood(WedgeWorker& worker, std::uint64_t a) const {
    if (triangles_.at[a] == 0) return;
    worker.near.open(a);
    const std::uint64_t words = worker.near.words();
    const bool by_rows = words <= wants_.most_row_words;
    if (by_rows) worker.near.write_rows(0);
    if (wants_.inside && !(by_rows && inside_pays_by_rows(worker, a, words) && add_inside_by_rows(worker, words))) {
      add_inside(worker, a);
    }
    if (wants_.cliques) add_cliques(worker, a, by_rows, words);
    if (wants_.wheels && by_rows && rows_pay(worker, words)) {
      worker.sums.wheels.add(static_cast<__int128>(count_four_cycles(worker.near.row(0), worker.near.size(), words)));
    } else if (wants_.wheels) {
      // The counters are needed for the ends of paths in the neighbourhood.
      for (std::uint64_t i = 0; i < worker.met_count; ++i) worker.ways[worker.met[i]] = 0;
      worker.met_count = 0;
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

  /// True if all pairs of rows are cheaper than the paths of two edges, in nanoseconds.
  bool rows_pay(const WedgeWorker& worker, std::uint64_t words) const {
    constexpr double kNsAPair = 1, kNsAWord = 0.7, kNsAPath = 0.5;
    double paths = 0;
    for (const std::uint64_t p : worker.near.arcs()) paths += static_cast<double>(triangles_.on[p]) * triangles_.on[p];
    const double size = static_cast<double>(worker.near.size());
    return size * size / 2 * (kNsAPair + kNsAWord * static_cast<double>(words)) < kNsAPath * paths;
  }

  /// True if sets of all vertices at two steps are cheaper than the diamonds, in nanoseconds.
  bool inside_pays_by_rows(const WedgeWorker& worker, std::uint64_t a, std::uint64_t words) const {
    constexpr double kNsAStep = 1.5, kNsAWord = 0.7, kNsADiamond = 0.4, kNsAnArc = 0.7;
    double steps = 0, arcs = 0;
    for (const std::uint64_t p : worker.near.arcs()) {
      const std::uint64_t v = graph_.near[p];
      steps += static_cast<double>(graph_.twin[p] - graph_.begin(v));
      arcs += static_cast<double>(graph_.end(v) - graph_.split[v]);
    }
    return steps * (kNsAStep + kNsAWord * static_cast<double>(words)) <
           kNsADiamond * static_cast<double>(triangles_.facing[a]) + kNsAnArc * arcs;
  }

  /// False: the sets would be too large.
  bool add_inside_by_rows(WedgeWorker& worker, std::uint64_t words) const {
    constexpr std::uint64_t kMostWords = std::uint64_t{1} << 19;
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < worker.met_count; ++i) count += worker.ways[worker.met[i]] > 2;
    if ((count + 1) * words > kMostWords) return false;
    if (count == 0) return true;
    // Row 0 belongs to all vertices without a place.
    worker.sets.assign((count + 1) * words, 0);
    std::uint32_t place = 0;
    for (std::uint64_t i = 0; i < worker.met_count; ++i) {
      if (worker.ways[worker.met[i]] > 2) worker.places[worker.met[i]] = ++place;
    }
    for (std::uint64_t i = 0; i < worker.near.size(); ++i) {
      const std::uint64_t p = worker.near.arc(i), bit = std::uint64_t{1} << i % 64;
      std::uint64_t* const sets = worker.sets.data() + i / 64;
      for (std::uint64_t q = graph_.begin(graph_.near[p]); q != graph_.twin[p]; ++q) {
        sets[worker.places[graph_.near[q]] * words] |= bit;
      }
    }
    __int128 inside = 0;
    for (std::uint64_t i = 0; i < worker.met_count; ++i) {
      const std::uint32_t z = worker.met[i];
      if (worker.places[z] == 0) continue;
      const std::uint64_t* const set = worker.sets.data() + worker.places[z] * words;
      inside += static_cast<__int128>(count_edges_within(worker.near.row(0), set, words)) * (worker.ways[z] - 2);
      worker.places[z] = 0;
    }
    worker.sums.inside.add(inside);
    return true;
  }

  void add_inside(WedgeWorker& worker, std::uint64_t a) const {
    const std::uint32_t* const ways = worker.ways.data();
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
    std::uint32_t* const ways = worker.ways.data();
    const auto for_each_end = [&](std::uint64_t p, auto visit) {
      const std::uint32_t z = graph_.near[p];
      const std::uint32_t* const middles = triangles_.third.data() + triangles_.start[p];
      for (std::uint64_t i = 0; i < triangles_.on[p] && middles[i] < z; ++i) {
        // Its list has z.
        const std::uint64_t arc = worker.near.arc(worker.near.place(middles[i]) - 1);
        for (const std::uint32_t* x = triangles_.third.data() + triangles_.start[arc]; *x < z; ++x) visit(*x);
      }
    };
    unsigned __int128 found = 0;
    for (const std::uint64_t p : worker.near.arcs()) {
      if (triangles_.on[p] < 2) continue;
      std::uint64_t pairs = 0;
      for_each_end(p, [&](std::uint32_t x) { pairs += ways[x]++; });
      for_each_end(p, [&](std::uint32_t x) { ways[x] = 0; });
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
