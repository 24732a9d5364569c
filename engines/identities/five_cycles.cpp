#include "engines/identities/five_orbits.h"

namespace matcha::runtime::motif {

namespace {

using Wide = unsigned __int128;

struct CycleWorker {
  explicit CycleWorker(std::uint64_t size)
      : ways(unmarked(size)), is_near(unmarked(size)), sums(zero_cells(size)), met(size + 1) {}

  Marks ways;     ///< Paths of two edges, over a lower vertex, from the current vertex a to each vertex below it.
  Marks is_near;  ///< 1 if it is a neighbour of a, and below it.
  Cells sums;     ///< By end c of such paths, over its neighbours d: paths to d that do not go over c.
  Buffer<std::uint32_t> met;
};

/// 5-cycles a-x-c-d-y at their highest vertex a: paths to both ends of an edge cd, without those with x = d or y = c.
/// Those with x = y remain: they are triangles xcd and a neighbour a of x above them. Cells are by arc, or by vertex.
template <bool kByEdge>
class CycleWalk {
 public:
  CycleWalk(const RankedGraph& graph, const CellLoop& loop, Cells& cells) : graph_(graph), loop_(loop), cells_(cells) {}

  void at(CycleWorker& worker, std::uint64_t a) const {
    const std::uint64_t count = find_paths(worker, a);
    Wide twice = 0;
    for (std::uint64_t i = 0; i < count; ++i) twice += at_end(worker, a, worker.met[i]);
    if (!kByEdge) loop_.add(cells_[a], twice / 2);
    for (std::uint64_t p = graph_.begin(a); p != graph_.split[a]; ++p) {
      const std::uint32_t x = graph_.near[p];
      const std::uint64_t back = worker.ways[x];
      Wide all = 0;
      for (std::uint64_t q = graph_.begin(x); q != graph_.twin[p]; ++q) {
        const std::uint64_t cycles = worker.sums[graph_.near[q]] - back;
        if (kByEdge) loop_.add(cells_[q], cycles);
        all += cycles;
      }
      loop_.add(cells_[kByEdge ? p : x], all);
      worker.is_near[x] = 0;
    }
    for (std::uint64_t i = 0; i < count; ++i) worker.ways[worker.met[i]] = 0;
  }

 private:
  std::uint64_t find_paths(CycleWorker& worker, std::uint64_t a) const {
    std::uint32_t* const ways = worker.ways.data();
    std::uint32_t* const met = worker.met.data();
    std::uint64_t count = 0;
    for (std::uint64_t p = graph_.begin(a); p != graph_.split[a]; ++p) {
      const std::uint32_t x = graph_.near[p];
      worker.is_near[x] = 1;
      for (std::uint64_t q = graph_.begin(x); q != graph_.twin[p]; ++q) {
        const std::uint32_t c = graph_.near[q];
        met[count] = c;
        count += ways[c]++ == 0;
      }
    }
    return count;
  }

  /// Adds the cycles with c, or those with each edge from c to a higher vertex d, and writes the sum of c. By vertex,
  /// returns the number of cycles with c, once for each of its two ways to a.
  Wide at_end(CycleWorker& worker, std::uint64_t a, std::uint32_t c) const {
    const std::uint32_t* const ways = worker.ways.data();
    const std::uint64_t paths = ways[c], near = worker.is_near[c];
    // From a neighbour of a, one path leads to each d.
    std::uint64_t sum = 0, over_neighbors = 0;
    for (std::uint64_t q = graph_.begin(c); q != graph_.end(c) && graph_.near[q] < a; ++q) {
      const std::uint32_t d = graph_.near[q];
      const std::uint64_t further = ways[d] - near, is_near = worker.is_near[d];
      sum += further;
      over_neighbors += further * is_near;
      if (kByEdge && d > c) loop_.add(cells_[q], Wide{further} * (paths - is_near));
    }
    worker.sums[c] = sum + near;
    if (kByEdge) return 0;
    const Wide here = Wide{sum} * paths - over_neighbors;
    loop_.add(cells_[c], here);
    return here;
  }

  const RankedGraph& graph_;
  const CellLoop& loop_;
  Cells& cells_;
};

/// Subtracts the triangles with a neighbour above them. Returns, by arc, the number of triangles of its source whose
/// higher other vertex is its end.
template <bool kByEdge>
Cells take_triangles_away(const RankedGraph& graph, const CellLoop& loop, Cells& cells) {
  Cells highest = zero_cells(graph.arcs);
  const VertexLoop& vertices = loop.vertices();
  tbb::enumerable_thread_specific<Marks> workers([&] { return unmarked(graph.size); });
  loop.vertices()(workers, [&](Marks& marks, std::uint64_t u) {
    for_each_triangle(graph, u, marks, [&](const Corners& c) {
      const std::uint64_t above_u = graph.end(c.u) - c.uw - 1, above_v = graph.end(c.v) - c.vw - 1,
                          above_w = graph.end(c.w) - graph.split[c.w], all = above_u + above_v + above_w;
      if (kByEdge) {
        add_to_edges(vertices, cells, c, 0 - all, 0 - all, 0 - all);
      } else {
        // As x it has two cycles, x = y, for each triangle; as c or d one for each of the others.
        vertices.add(cells[c.u], 0 - (all + above_u));
        vertices.add(cells[c.v], 0 - (all + above_v));
        vertices.add(cells[c.w], 0 - (all + above_w));
      }
      vertices.add(highest[c.uw], std::uint64_t{1});
      vertices.add(highest[c.vw], std::uint64_t{1});
      vertices.add(highest[graph.twin[c.vw]], std::uint64_t{1});
    });
  });
  return highest;
}

template <bool kByEdge>
Cells count(const RankedGraph& graph, const CellLoop& loop) {
  Cells cells = zero_cells(kByEdge ? graph.arcs : graph.size);
  const CycleWalk<kByEdge> walk(graph, loop, cells);
  tbb::enumerable_thread_specific<CycleWorker> workers([&] { return CycleWorker(graph.size); });
  loop.vertices()(workers, [&](CycleWorker& worker, std::uint64_t a) { walk.at(worker, a); });
  if (loop.is_ended() || loop.overflow()) return cells;
  const Cells highest = take_triangles_away<kByEdge>(graph, loop, cells);
  for (std::uint64_t x = 0; x < graph.size; ++x) {
    std::uint64_t below = 0;
    for (std::uint64_t p = graph.begin(x); p != graph.end(x); ++p) {
      // The edge ax is both the first and the last of such a cycle.
      if (p >= graph.split[x]) cells[kByEdge ? p : graph.near[p]] -= kByEdge ? 2 * below : below;
      below += highest[p];
    }
  }
  return cells;
}

}  // namespace

Cells five_cycles_of_vertices(const RankedGraph& graph, const CellLoop& loop) { return count<false>(graph, loop); }
CyclesOfArcs five_cycles_of_arcs(const RankedGraph& graph, const CellLoop& loop) { return count<true>(graph, loop); }

}  // namespace matcha::runtime::motif
