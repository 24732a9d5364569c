#include "engines/identities/triangle_walk.h"

#include <algorithm>
#include <vector>

#include "engines/identities/clique_kernel.h"

namespace matcha::runtime::motif {

namespace {

struct TriangleWorker {
  explicit TriangleWorker(std::uint64_t size) : marks(unmarked(size)) {}

  Marks marks;
  std::vector<std::uint64_t> rows;  ///< By neighbour above a vertex: bits of the neighbours above both.
  std::vector<std::uint64_t> spare;
  TriangleSums sums;
};

class TriangleWalk {
 public:
  TriangleWalk(const RankedGraph& graph, const Triangles& triangles, const TriangleRequest& wants)
      : graph_(graph), triangles_(triangles), wants_(wants) {}

  void at(TriangleWorker& worker, std::uint64_t u) const {
    const std::uint64_t first = graph_.split[u], count = graph_.end(u) - first;
    if (count < 2) return;
    const std::uint64_t words = (count + 63) / 64;
    if (wants_.cliques) {
      worker.rows.assign(count * words, 0);
      worker.spare.resize(words);
    }
    std::uint64_t* const rows = worker.rows.data();
    for_each_triangle(graph_, u, worker.marks, [&](const Corners& corners) {
      if (wants_.terms) add_terms(worker.sums, corners);
      if (!wants_.cliques) return;
      const std::uint64_t bit = corners.uw - first;
      rows[(corners.uv - first) * words + bit / 64] |= std::uint64_t{1} << bit % 64;
    });
    if (!wants_.cliques) return;
    const CliquesOfRows found = count_cliques(rows, count, words, wants_.five_cliques, worker.spare.data());
    worker.sums.four_cliques.add(static_cast<__int128>(found.triangles));
    worker.sums.five_cliques.add(static_cast<__int128>(found.four_cliques));
  }

 private:
  std::int64_t on(std::uint64_t arc) const { return triangles_.on[arc]; }
  std::int64_t degree(std::uint64_t vertex) const { return static_cast<std::int64_t>(graph_.degree(vertex)); }

  void add_terms(TriangleSums& sums, const Corners& c) const {
    const __int128 uv = on(c.uv) - 1, vw = on(c.vw) - 1, uw = on(c.uw) - 1;
    sums.hats.add(uv * (degree(c.w) - 2) + vw * (degree(c.u) - 2) + uw * (degree(c.v) - 2));
    sums.fans.add(uv * vw + uv * uw + vw * uw);
    const std::uint64_t above =
        graph_.end(c.w) - graph_.split[c.w] + (graph_.end(c.u) - c.uw - 1) + (graph_.end(c.v) - c.vw - 1);
    sums.above.add(static_cast<__int128>(above));
  }

  const RankedGraph& graph_;
  const Triangles& triangles_;
  const TriangleRequest& wants_;
};

}  // namespace

void TriangleSums::add(const TriangleSums& other) {
  hats.add(other.hats);
  fans.add(other.fans);
  above.add(other.above);
  four_cliques.add(other.four_cliques);
  five_cliques.add(other.five_cliques);
}

TriangleSums walk_triangles(const RankedGraph& graph, const Triangles& triangles, const TriangleRequest& wants,
                            VertexLoop& loop) {
  const TriangleWalk walk(graph, triangles, wants);
  tbb::enumerable_thread_specific<TriangleWorker> workers([&] { return TriangleWorker(graph.size); });
  loop(workers, [&](TriangleWorker& worker, std::uint64_t u) { walk.at(worker, u); });
  TriangleSums sums;
  for (const TriangleWorker& worker : workers) sums.add(worker.sums);
  return sums;
}

}  // namespace matcha::runtime::motif
