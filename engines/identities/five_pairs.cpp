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
      : near(graph, triangles),
        ways(unmarked(graph.size)),
        sums(zeros<PairSums>(graph.size)),
        sets(unmarked(graph.size)),
        met(graph.size + 1) {}

  Neighborhood near;
  Marks ways;                       ///< The common neighbours of the current vertex and each one below it.
  Buffer<PairSums> sums;            ///< By vertex below it.
  Marks sets;                       ///< By vertex below it: the index in `bits` of a set, 0 for one that is not needed.
  std::vector<std::uint64_t> bits;  ///< Sets of its neighbours.
  std::vector<std::uint64_t> found;  ///< By place of a neighbour, as `inside_edge`.
  Buffer<std::uint32_t> met;
  std::uint64_t met_count = 0;
};

/// Pairs of vertices with common neighbours, each once: a vertex and one below it.
class PairWalk {
 public:
  PairWalk(const RankedGraph& graph, const Triangles& triangles, const CellLoop& loop, FiveTables& tables)
      : graph_(graph), triangles_(triangles), loop_(loop), tables_(tables) {}

  void at(PairWorker& worker, std::uint64_t a) const {
    worker.met_count = 0;
    find_ways(worker, a);
    if (worker.met_count == 0) return;
    if (triangles_.at[a] != 0) add_diamonds(worker, a);
    add_middles(worker, a);
    add_ends(worker, a);
    for (std::uint64_t i = 0; i < worker.met_count; ++i) {
      worker.ways[worker.met[i]] = 0;
      worker.sums[worker.met[i]] = {};
    }
  }

 private:
  using Wide = unsigned __int128;

  /// The reverse of an arc in the row of its end separates the lower vertices from the others.
  void find_ways(PairWorker& worker, std::uint64_t a) const {
    std::uint32_t* const ways = worker.ways.data();
    std::uint32_t* const met = worker.met.data();
    std::uint64_t count = 0;
    for (std::uint64_t p = graph_.begin(a); p != graph_.end(a); ++p) {
      const std::uint32_t* const stop = graph_.near + graph_.twin[p];
      for (const std::uint32_t* b = graph_.near + graph_.begin(graph_.near[p]); b != stop; ++b) {
        met[count] = *b;
        count += ways[*b]++ == 0;
      }
    }
    worker.met_count = count;
  }

  /// Adds the diamonds whose higher corner is a.
  void add_diamonds(PairWorker& worker, std::uint64_t a) const {
    worker.near.open(a);
    if (!rows_pay(worker, a) || !add_diamonds_by_rows(worker)) add_diamonds_by_lists(worker, a);
    worker.near.close();
  }

  void add_diamonds_by_lists(PairWorker& worker, std::uint64_t a) const {
    const std::uint32_t* const ways = worker.ways.data();
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

  /// True if sets of all vertices at two steps are cheaper than the diamonds, in nanoseconds.
  bool rows_pay(const PairWorker& worker, std::uint64_t a) const {
    constexpr double kNsAStep = 1.5, kNsAWord = 0.7, kNsADiamond = 0.6, kNsAnArc = 0.7;
    const Neighborhood& near = worker.near;
    if (near.words() > kMostRowWords) return false;
    double steps = 0, arcs = 0;
    for (std::uint64_t place = 0; place < near.size(); ++place) {
      const std::uint64_t p = near.arc(place), v = near.vertex(place);
      steps += static_cast<double>(graph_.twin[p] - graph_.begin(v));
      arcs += static_cast<double>(graph_.end(v) - graph_.split[v]);
    }
    return steps * (kNsAStep + kNsAWord * static_cast<double>(near.words())) <
           kNsADiamond * static_cast<double>(triangles_.facing[a]) + kNsAnArc * arcs;
  }

  /// For each vertex below a with two common neighbours, the set of them. False: the sets would be too large.
  bool add_diamonds_by_rows(PairWorker& worker) const {
    constexpr std::uint64_t kMostWords = std::uint64_t{1} << 19;
    Neighborhood& near = worker.near;
    const std::uint64_t words = near.words();
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < worker.met_count; ++i) count += worker.ways[worker.met[i]] > 1;
    if ((count + 1) * words > kMostWords) return false;
    near.write_rows(0);
    worker.found.assign(near.size(), 0);
    // Set 0 belongs to all vertices without a set.
    worker.bits.assign((count + 1) * words, 0);
    std::uint32_t last = 0;
    for (std::uint64_t i = 0; i < worker.met_count; ++i) {
      if (worker.ways[worker.met[i]] > 1) worker.sets[worker.met[i]] = ++last;
    }
    for (std::uint64_t place = 0; place < near.size(); ++place) {
      const std::uint64_t p = near.arc(place), bit = std::uint64_t{1} << place % 64;
      std::uint64_t* const bits = worker.bits.data() + place / 64;
      for (std::uint64_t q = graph_.begin(graph_.near[p]); q != graph_.twin[p]; ++q) {
        bits[worker.sets[graph_.near[q]] * words] |= bit;
      }
    }
    for (std::uint64_t i = 0; i < worker.met_count; ++i) {
      const std::uint32_t z = worker.met[i];
      if (worker.sets[z] == 0) continue;
      worker.sums[z].edges = add_degrees_within(near.row(0), worker.bits.data() + worker.sets[z] * words, words,
                                                worker.ways[z] - 2, worker.found.data());
      worker.sets[z] = 0;
    }
    for (std::uint64_t place = 0; place < near.size(); ++place) {
      loop_.add(tables_.inside_edge[near.vertex(place)], worker.found[place]);
    }
    return true;
  }

  void add_ends(PairWorker& worker, std::uint64_t a) const {
    Wide opposite = 0, threes = 0, inside = 0;
    for (std::uint64_t i = 0; i < worker.met_count; ++i) {
      const std::uint32_t b = worker.met[i];
      const Wide w = worker.ways[b];
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
    const std::uint32_t* const ways = worker.ways.data();
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
