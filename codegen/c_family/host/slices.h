// Edges by label, and all edges backwards, of a program that was compiled ahead of time.
#pragma once

#include "codegen/c_family/host/graph.h"

namespace matcha_program {

/// The arcs of `graph()` whose info is `label`, each pair once; backwards if `sources`. Its vertices are those that
/// have one in that direction.
inline Graph Host::slice(i64 label, bool sources) {
  const i64* info = static_cast<const i64*>(graph_.info);
  if (info == nullptr && graph_.arc_count != 0)
    throw Failure{3, settings_.graph + ": its edges have no labels; make it with `matcha graph convert --edge-labels`"};
  const u64 n = graph_.universe;
  std::vector<u64> offsets(n + 1, 0);
  std::vector<u32> ends[2];
  for (u64 v = 0; v < n; ++v) {
    const u64 row = ends[0].size();
    for (u64 i = graph_.offsets[v]; i < graph_.offsets[v + 1]; ++i) {
      if (info[i] != label || (ends[1].size() > row && ends[1].back() == graph_.arcs[i])) continue;
      ends[0].push_back(u32(v));
      ends[1].push_back(graph_.arcs[i]);
    }
  }
  Graph g{};
  g.universe = n;
  g.arc_count = ends[0].size();
  const std::vector<u32>& from = ends[sources ? 1 : 0];
  const std::vector<u32>& to = ends[sources ? 0 : 1];
  for (u32 v : from) ++offsets[v + 1];
  std::vector<u32> vertex_list, arcs(g.arc_count), arc_sources(g.arc_count);
  for (u64 v = 0; v < n; ++v) {
    if (offsets[v + 1] != 0) vertex_list.push_back(u32(v));
    g.max_degree = std::max(g.max_degree, offsets[v + 1]);
    offsets[v + 1] += offsets[v];
  }
  // Arcs come in the order of their sources, so every row ascends, whichever end it belongs to.
  std::vector<u64> next(offsets.begin(), offsets.end() - 1);
  for (u64 i = 0; i < g.arc_count; ++i) {
    arc_sources[next[from[i]]] = from[i];
    arcs[next[from[i]]++] = to[i];
  }
  check_degree(g);
  g.labels = graph_.labels;
  g.original_ids = graph_.original_ids;
  g.vertex_count = vertex_list.size();
  g.offsets = keep(std::move(offsets));
  g.arcs = keep(std::move(arcs));
  g.sources = keep(std::move(arc_sources));
  g.halves = keep(halves_of(g));
  g.vertex_list = keep(std::move(vertex_list));
  return g;
}

inline Graph Host::backwards() {
  std::vector<u32> ends[2] = {std::vector<u32>(graph_.arcs, graph_.arcs + graph_.arc_count),
                              std::vector<u32>(graph_.sources, graph_.sources + graph_.arc_count)};
  const List<u32> rest{ends[1].data(), ends[1].size()};
  return build_graph({ends[0].data(), ends[0].size(), rest}, static_cast<const u64*>(graph_.info), {}, graph_);
}

}  // namespace matcha_program
