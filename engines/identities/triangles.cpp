#include "engines/identities/triangles.h"

#include <algorithm>
#include <new>

#include "engines/identities/cells.h"
#include "runtime/machine.h"

namespace matcha::runtime::motif {

namespace {

using MarkWorkers = tbb::enumerable_thread_specific<Marks>;

}  // namespace

Marks unmarked(std::uint64_t size) { return zeros<std::uint32_t>(size); }

Triangles count_triangles(const RankedGraph& graph, VertexLoop& loop) {
  Triangles triangles;
  triangles.on = zeros<std::uint32_t>(graph.arcs);
  triangles.at = Buffer<std::uint64_t>(graph.size);
  std::uint32_t* const on = triangles.on.data();
  MarkWorkers workers([&] { return unmarked(graph.size); });
  const bool counted = loop(workers, [&](Marks& marks, std::uint64_t u) {
    for_each_triangle(graph, u, marks, [&](const Corners& corners) {
      loop.take(on[corners.uv]);
      loop.take(on[corners.vw]);
      loop.take(on[corners.uw]);
    });
  });
  if (!counted) return triangles;
  loop(workers, [&](Marks&, std::uint64_t v) {
    for (std::uint64_t p = graph.begin(v); p != graph.split[v]; ++p) on[p] = on[graph.twin[p]];
    std::uint64_t both = 0;
    for (std::uint64_t p = graph.begin(v); p != graph.end(v); ++p) both += on[p];
    triangles.at[v] = both / 2;
  });
  return triangles;
}

void list_triangles(const RankedGraph& graph, VertexLoop& loop, Triangles& triangles) {
  triangles.start = Buffer<std::uint64_t>(graph.arcs);
  std::uint64_t* const start = triangles.start.data();
  std::uint64_t all = 0;
  for (std::uint64_t v = 0; v < graph.size; ++v) {
    for (std::uint64_t p = graph.split[v]; p != graph.end(v); ++p) {
      start[p] = all;
      all += triangles.on[p];
    }
  }
  // A larger array would be swapped out, or kill the process.
  const std::uint64_t memory = machine().memory_bytes;
  if (memory != 0 && all > memory / 2 / sizeof(std::uint32_t)) throw std::bad_alloc();
  triangles.third = Buffer<std::uint32_t>(all);
  std::uint32_t* const third = triangles.third.data();
  triangles.facing = zeros<std::uint64_t>(graph.size);
  std::uint64_t* const facing = triangles.facing.data();
  MarkWorkers workers([&] { return unmarked(graph.size); });
  const bool listed = loop(workers, [&](Marks& marks, std::uint64_t u) {
    for_each_triangle(graph, u, marks, [&](const Corners& corners) {
      third[loop.take(start[corners.uv])] = static_cast<std::uint32_t>(corners.w);
      third[loop.take(start[corners.vw])] = static_cast<std::uint32_t>(corners.u);
      third[loop.take(start[corners.uw])] = static_cast<std::uint32_t>(corners.v);
      loop.add(facing[corners.u], std::uint64_t{triangles.on[corners.vw]});
      loop.add(facing[corners.v], std::uint64_t{triangles.on[corners.uw]});
      loop.add(facing[corners.w], std::uint64_t{triangles.on[corners.uv]});
    });
  });
  if (!listed) return;
  // A single thread met them in ascending order.
  loop(workers, [&](Marks&, std::uint64_t v) {
    for (std::uint64_t p = graph.split[v]; p != graph.end(v); ++p) {
      start[p] -= triangles.on[p];
      start[graph.twin[p]] = start[p];
      if (loop.shared()) std::sort(third + start[p], third + start[p] + triangles.on[p]);
    }
  });
}

}  // namespace matcha::runtime::motif
