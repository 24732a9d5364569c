#include "engines/identities/five_orbits.h"

namespace matcha::runtime::motif {

namespace {

using Wide = unsigned __int128;

struct CycleWorker {
  explicit CycleWorker(std::uint64_t size)
      : ways(unmarked(size)), is_near(unmarked(size)), sums(zero_cells(size)), met(size + 1) {}

  Marks ways;     ///< Paths of two edges, over a lower vertex, from the current vertex a to each vertex below it.
  Marks is_near;  ///< True if it is a neighbour of a, and below it.
  Cells sums;     ///< By end c of such paths, over common neighbours x: paths to x. Then over neighbours d: paths to d.
  Buffer<std::uint32_t> met;
};

/// 5-cycles a-x-c-d-y at their highest vertex a: paths to both ends of an edge cd, without those with x = d or y = c.
/// Those with x = y remain: they are triangles xcd and a neighbour a of x above them.
class CycleWalk {
 public:
  CycleWalk(const RankedGraph& graph, const CellLoop& loop, Cells& cells) : graph_(graph), loop_(loop), cells_(cells) {}

  void at(CycleWorker& worker, std::uint64_t a) const {
    const std::uint64_t count = find_paths(worker, a);
    Wide twice = 0;
    for (std::uint64_t i = 0; i < count; ++i) twice += at_end(worker, a, worker.met[i]);
    loop_.add(cells_[a], twice / 2);
    for (std::uint64_t p = graph_.begin(a); p != graph_.split[a]; ++p) {
      const std::uint32_t x = graph_.near[p];
      const std::uint64_t back = worker.ways[x];
      Wide over = 0;
      for_each_below(p, [&](std::uint32_t c) { over += worker.sums[c] - back; });
      loop_.add(cells_[x], over);
      worker.is_near[x] = 0;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      worker.ways[worker.met[i]] = 0;
      worker.sums[worker.met[i]] = 0;
    }
  }

 private:
  /// Calls `visit` with the neighbours of an arc's end that are below its source.
  template <typename Visit>
  void for_each_below(std::uint64_t p, const Visit& visit) const {
    const std::uint32_t* const stop = graph_.near + graph_.twin[p];
    for (const std::uint32_t* c = graph_.near + graph_.begin(graph_.near[p]); c != stop; ++c) visit(*c);
  }

  std::uint64_t find_paths(CycleWorker& worker, std::uint64_t a) const {
    std::uint32_t* const ways = worker.ways.data();
    std::uint32_t* const met = worker.met.data();
    std::uint64_t count = 0;
    for (std::uint64_t p = graph_.begin(a); p != graph_.split[a]; ++p) {
      worker.is_near[graph_.near[p]] = 1;
      for_each_below(p, [&](std::uint32_t c) {
        met[count] = c;
        count += ways[c]++ == 0;
      });
    }
    for (std::uint64_t p = graph_.begin(a); p != graph_.split[a]; ++p) {
      const std::uint64_t back = ways[graph_.near[p]];
      if (back != 0) for_each_below(p, [&](std::uint32_t c) { worker.sums[c] += back; });
    }
    return count;
  }

  /// Adds the cycles with c; returns their number.
  Wide at_end(CycleWorker& worker, std::uint64_t a, std::uint32_t c) const {
    const std::uint32_t* const ways = worker.ways.data();
    std::uint64_t next = 0, q = graph_.begin(c);
    for (; q != graph_.end(c) && graph_.near[q] < a; ++q) next += ways[graph_.near[q]];
    const std::uint64_t below = q - graph_.begin(c), paths = ways[c];
    Wide here = Wide{next} * paths - worker.sums[c];
    worker.sums[c] = next;
    if (worker.is_near[c] != 0) {
      // To each neighbour d one path goes over c; those with both x = d and y = c were subtracted twice.
      here = here + paths - Wide{paths} * below;
      worker.sums[c] -= below - 1;
    }
    loop_.add(cells_[c], here);
    return here;
  }

  const RankedGraph& graph_;
  const CellLoop& loop_;
  Cells& cells_;
};

/// Subtracts the triangles with a neighbour above them from their cells. Returns, by arc, the number of triangles of
/// its source whose higher other vertex is its end.
Cells take_triangles_away(const RankedGraph& graph, const CellLoop& loop, Cells& cells) {
  Cells highest = zero_cells(graph.arcs);
  const VertexLoop& vertices = loop.vertices();
  tbb::enumerable_thread_specific<Marks> workers([&] { return unmarked(graph.size); });
  loop.vertices()(workers, [&](Marks& marks, std::uint64_t u) {
    for_each_triangle(graph, u, marks, [&](const Corners& c) {
      const std::uint64_t above_u = graph.end(c.u) - c.uw - 1, above_v = graph.end(c.v) - c.vw - 1,
                          above_w = graph.end(c.w) - graph.split[c.w], all = above_u + above_v + above_w;
      // As x it has two cycles, x = y, for each triangle; as c or d one for each of the others.
      vertices.add(cells[c.u], 0 - (all + above_u));
      vertices.add(cells[c.v], 0 - (all + above_v));
      vertices.add(cells[c.w], 0 - (all + above_w));
      vertices.add(highest[c.uw], std::uint64_t{1});
      vertices.add(highest[c.vw], std::uint64_t{1});
      vertices.add(highest[graph.twin[c.vw]], std::uint64_t{1});
    });
  });
  return highest;
}

}  // namespace

void fill_five_cycles(const RankedGraph& graph, const CellLoop& loop, FiveTables& tables) {
  Cells& cells = tables.five_cycles;
  cells = zero_cells(graph.size);
  const CycleWalk walk(graph, loop, cells);
  tbb::enumerable_thread_specific<CycleWorker> workers([&] { return CycleWorker(graph.size); });
  loop.vertices()(workers, [&](CycleWorker& worker, std::uint64_t a) { walk.at(worker, a); });
  if (loop.is_ended() || loop.overflow()) return;
  const Cells highest = take_triangles_away(graph, loop, cells);
  for (std::uint64_t x = 0; x < graph.size; ++x) {
    std::uint64_t below = 0;
    for (std::uint64_t p = graph.begin(x); p != graph.end(x); ++p) {
      if (p >= graph.split[x]) cells[graph.near[p]] -= below;
      below += highest[p];
    }
  }
}

}  // namespace matcha::runtime::motif
