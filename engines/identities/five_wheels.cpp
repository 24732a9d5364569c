#include <vector>

#include "engines/identities/clique_kernel.h"
#include "engines/identities/five_orbits.h"
#include "engines/identities/neighborhood.h"
#include "engines/identities/wedge_walk.h"

namespace matcha::runtime::motif {

namespace {

struct WheelWorker {
  WheelWorker(const RankedGraph& graph, const Triangles& triangles)
      : near(graph, triangles), ways(unmarked(graph.size)) {}

  Neighborhood near;
  Marks ways;                        ///< Paths of two edges within the neighbourhood, by end.
  std::vector<std::uint64_t> found;  ///< By place, 4-cycles.
};

/// 4-cycles among the neighbours of a vertex.
class WheelWalk {
 public:
  WheelWalk(const Triangles& triangles, const CellLoop& loop, FiveTables& tables)
      : triangles_(triangles), loop_(loop), tables_(tables) {}

  void at(WheelWorker& worker, std::uint64_t hub) const {
    if (triangles_.at[hub] < 4) return;
    Neighborhood& near = worker.near;
    near.open(hub);
    worker.found.assign(near.size(), 0);
    constexpr double kNsAPair = 2, kNsAPath = 1;
    if (near.words() <= kMostRowWords && near.pairs_pay(kNsAPair, kNsAPath)) {
      find_by_rows(worker);
    } else {
      find_by_paths(worker);
    }
    unsigned __int128 all = 0;
    for (std::uint64_t place = 0; place < near.size(); ++place) {
      all += worker.found[place];
      loop_.add(tables_.rims[near.vertex(place)], worker.found[place]);
    }
    loop_.add(tables_.hubs[hub], all / 4);
    near.close();
  }

 private:
  /// A 4-cycle is two common neighbours of each of its two pairs of opposite vertices.
  static void find_by_rows(WheelWorker& worker) {
    Neighborhood& near = worker.near;
    near.write_rows(0);
    for (std::uint64_t i = 1; i < near.size(); ++i) {
      std::uint64_t all = 0;
      for (std::uint64_t j = 0; j < i; ++j) {
        const std::uint64_t common = common_bits(near.row(i), near.row(j), near.words());
        const std::uint64_t pairs = common * (common - 1) / 2;
        worker.found[j] += pairs;
        all += pairs;
      }
      worker.found[i] += all;
    }
  }

  /// Each 4-cycle at its highest vertex.
  static void find_by_paths(WheelWorker& worker) {
    std::uint32_t* const ways = worker.ways.data();
    const Neighborhood& near = worker.near;
    for (std::uint64_t place = 0; place < near.size(); ++place) {
      const std::uint64_t p = near.arc(place);
      std::uint64_t pairs = 0;
      near.for_each_path(p, [&](std::uint64_t, std::uint32_t x) { pairs += ways[x]++; });
      if (pairs != 0) {
        worker.found[place] += pairs;
        near.for_each_path(p, [&](std::uint64_t middle, std::uint32_t x) { worker.found[middle] += ways[x] - 1; });
      }
      near.for_each_path(p, [&](std::uint64_t, std::uint32_t x) {
        const std::uint64_t found = ways[x];
        if (found > 1) worker.found[near.place(x) - 1] += found * (found - 1) / 2;
        ways[x] = 0;
      });
    }
  }

  const Triangles& triangles_;
  const CellLoop& loop_;
  FiveTables& tables_;
};

}  // namespace

void fill_wheels(const RankedGraph& graph, const Triangles& triangles, const CellLoop& loop, FiveTables& tables) {
  tables.hubs = zero_cells(graph.size);
  tables.rims = zero_cells(graph.size);
  const WheelWalk walk(triangles, loop, tables);
  tbb::enumerable_thread_specific<WheelWorker> workers([&] { return WheelWorker(graph, triangles); });
  loop.vertices()(workers, [&](WheelWorker& worker, std::uint64_t hub) { walk.at(worker, hub); });
}

}  // namespace matcha::runtime::motif
