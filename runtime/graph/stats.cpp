#include "runtime/graph/stats.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace matcha::runtime {

namespace {

std::uint64_t vertex_at(const GraphView& view, std::uint64_t at) {
  return view.vertices != nullptr ? view.vertices[at] : at;
}

std::vector<std::pair<std::int64_t, std::uint64_t>> count_labels(const GraphView& view) {
  std::unordered_map<std::int64_t, std::uint64_t> counts;
  for (std::uint64_t at = 0; at < view.vertex_count; ++at) {
    const std::int64_t label = view.labels[vertex_at(view, at)];
    if (label != kNoLabel) ++counts[label];
  }
  std::vector<std::pair<std::int64_t, std::uint64_t>> sorted(counts.begin(), counts.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const std::pair<std::int64_t, std::uint64_t>& a, const std::pair<std::int64_t, std::uint64_t>& b) {
              return a.second != b.second ? a.second > b.second : a.first < b.first;
            });
  return sorted;
}

}  // namespace

std::uint64_t isolated_vertices(const GraphView& view) {
  std::uint64_t without_arcs = 0;
  for (std::uint64_t at = 0; at < view.vertex_count; ++at) {
    const ArcRange arcs = arcs_of(view, vertex_at(view, at));
    without_arcs += arcs.begin == arcs.end ? 1 : 0;
  }
  if (without_arcs == 0) return 0;
  // They may have arcs in.
  std::vector<bool> touched(view.universe, false);
  std::uint64_t reached = 0;
  const auto touch = [&](std::uint64_t rank) {
    if (touched[rank]) return;
    touched[rank] = true;
    ++reached;
  };
  for (std::uint64_t arc = 0; arc < view.arc_count; ++arc) touch(view.neighbors[arc]);
  for (std::uint64_t at = 0; at < view.vertex_count; ++at) {
    const ArcRange arcs = arcs_of(view, vertex_at(view, at));
    if (arcs.begin != arcs.end) touch(vertex_at(view, at));
  }
  return view.vertex_count - std::min(reached, view.vertex_count);
}

GraphStats graph_stats(const Graph& graph) {
  const GraphView view = graph.view();
  GraphStats stats;
  stats.vertices = graph.vertex_count();
  stats.edges = graph.edge_count();
  stats.arcs = view.arc_count;
  stats.isolated = isolated_vertices(view);
  std::vector<std::uint64_t> degrees(stats.vertices);
  for (std::uint64_t at = 0; at < stats.vertices; ++at) {
    const ArcRange arcs = arcs_of(view, vertex_at(view, at));
    degrees[at] = arcs.end - arcs.begin;
    const std::size_t bin = static_cast<std::size_t>(std::bit_width(degrees[at]));
    if (stats.degree_histogram.size() <= bin) stats.degree_histogram.resize(bin + 1, 0);
    ++stats.degree_histogram[bin];
  }
  if (view.labels != nullptr) stats.labels = count_labels(view);
  if (degrees.empty()) return stats;
  const std::vector<std::uint64_t>::iterator middle =
      degrees.begin() + static_cast<std::ptrdiff_t>((degrees.size() - 1) / 2);
  std::nth_element(degrees.begin(), middle, degrees.end());
  stats.median_degree = *middle;
  const auto [least, most] = std::minmax_element(degrees.begin(), degrees.end());
  stats.min_degree = *least;
  stats.max_degree = *most;
  stats.mean_degree = static_cast<double>(stats.arcs) / static_cast<double>(stats.vertices);
  return stats;
}

}  // namespace matcha::runtime
