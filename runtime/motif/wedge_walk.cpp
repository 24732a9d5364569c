#include "runtime/motif/wedge_walk.h"

#include <algorithm>

namespace matcha::runtime::motif {

namespace {

/// What one thread needs.
struct WedgeWorker {
  explicit WedgeWorker(std::uint64_t size) : ways(unmarked(size)), marks(unmarked(size)), met(size + 1) {}

  Marks ways;   ///< Paths of two edges from the vertex that is looked at.
  Marks marks;  ///< Its arcs.
  Buffer<std::uint32_t> met;
  std::uint64_t met_count = 0;
  WedgeSums sums;
};

class WedgeWalk {
 public:
  WedgeWalk(const RankedGraph& graph, const Triangles& triangles, const WedgeWants& wants, const VertexLoop& loop,
            CyclesOfArcs& cycles)
      : graph_(graph), triangles_(triangles), wants_(wants), loop_(loop), cycles_(cycles) {}

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
    if (wants_.inside || wants_.wheels) at_neighborhood(worker, a);
    for (std::uint64_t i = 0; i < worker.met_count; ++i) worker.ways[worker.met[i]] = 0;
  }

 private:
  /// Counts the ways from a vertex over some of its arcs to all below it; gives the pairs of ways with one end that
  /// came to be. Where an arc comes back in the row of its end, the vertices below begin.
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

  /// The edges between neighbours of a: what is at both ends of each, and the 4-cycles of them.
  void at_neighborhood(WedgeWorker& worker, std::uint64_t a) const {
    if (triangles_.at[a] == 0) return;
    const std::uint64_t begin = graph_.begin(a), end = graph_.end(a);
    for (std::uint64_t p = begin; p != end; ++p) {
      worker.marks[graph_.near[p]] = static_cast<std::uint32_t>(p - begin + 1);
    }
    if (wants_.inside) add_inside(worker, a);
    // The counters are needed for the ends of paths in the neighbourhood.
    if (wants_.wheels) {
      for (std::uint64_t i = 0; i < worker.met_count; ++i) worker.ways[worker.met[i]] = 0;
      worker.met_count = 0;
      add_wheels(worker, a);
    }
    for (std::uint64_t p = begin; p != end; ++p) worker.marks[graph_.near[p]] = 0;
  }

  void add_inside(WedgeWorker& worker, std::uint64_t a) const {
    const std::uint32_t* const ways = worker.ways.data();
    __int128 inside = 0;
    for (std::uint64_t p = graph_.begin(a); p != graph_.end(a); ++p) {
      const std::uint64_t v = graph_.near[p];
      if (triangles_.on[p] == 0) continue;
      for (std::uint64_t q = graph_.split[v]; q != graph_.end(v); ++q) {
        if (triangles_.on[q] < 2 || worker.marks[graph_.near[q]] == 0) continue;
        const std::uint32_t* z = triangles_.third.data() + triangles_.start[q];
        std::uint64_t all = 0;
        for (; *z < a; ++z) all += ways[*z] - 2;  // a itself is there.
        inside += all;
      }
    }
    worker.sums.inside.add(inside);
  }

  void add_wheels(WedgeWorker& worker, std::uint64_t a) const {
    std::uint32_t* const ways = worker.ways.data();
    const std::uint64_t begin = graph_.begin(a);
    const auto for_each_end = [&](std::uint64_t p, auto visit) {
      const std::uint32_t z = graph_.near[p];
      const std::uint32_t* const middles = triangles_.third.data() + triangles_.start[p];
      for (std::uint64_t i = 0; i < triangles_.on[p] && middles[i] < z; ++i) {
        // Its list has z.
        const std::uint64_t arc = begin + worker.marks[middles[i]] - 1;
        for (const std::uint32_t* x = triangles_.third.data() + triangles_.start[arc]; *x < z; ++x) visit(*x);
      }
    };
    unsigned __int128 found = 0;
    for (std::uint64_t p = begin; p != graph_.end(a); ++p) {
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
  const WedgeWants& wants_;
  const VertexLoop& loop_;
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
}

WedgeSums walk_wedges(const RankedGraph& graph, const Triangles& triangles, const WedgeWants& wants, VertexLoop& loop,
                      CyclesOfArcs& cycles) {
  const WedgeWalk walk(graph, triangles, wants, loop, cycles);
  tbb::enumerable_thread_specific<WedgeWorker> workers([&] { return WedgeWorker(graph.size); });
  loop(workers, [&](WedgeWorker& worker, std::uint64_t a) { walk.at(worker, a); });
  WedgeSums sums;
  for (const WedgeWorker& worker : workers) sums.add(worker.sums);
  return sums;
}

}  // namespace matcha::runtime::motif
