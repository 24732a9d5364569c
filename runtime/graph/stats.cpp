#include "runtime/graph/stats.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <unordered_map>

#include "runtime/parallel.h"

namespace matcha::runtime {

namespace {

constexpr std::uint64_t kStatsGrain = std::uint64_t{1} << 15;

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

std::uint64_t isolated_vertices(const Graph& graph) {
  const GraphView view = graph.view();
  const auto has_arcs = [&view](std::uint64_t vertex) {
    const ArcRange arcs = arcs_of(view, vertex);
    return arcs.begin != arcs.end;
  };
  // The vertices without outgoing arcs, except those for which `is_known` is true.
  const auto count = [&](const auto& is_known) {
    return tbb::parallel_reduce(
        Block(0, view.vertex_count, kStatsGrain), std::uint64_t{0},
        [&](const Block& block, std::uint64_t found) {
          for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
            const std::uint64_t vertex = vertex_at(view, at);
            found += !has_arcs(vertex) && !is_known(vertex) ? 1 : 0;
          }
          return found;
        },
        std::plus<std::uint64_t>());
  };
  const std::uint64_t without_arcs = count([](std::uint64_t) { return false; });
  if (without_arcs == 0 || !graph.facts().directed) return without_arcs;
  // They may have incoming arcs.
  Buffer<std::uint8_t> reached(view.universe);
  for_blocks(Block(0, view.universe, kStatsGrain), [&](const Block& block) {
    std::fill(reached.data() + block.begin(), reached.data() + block.end(), std::uint8_t{0});
  });
  for_blocks(Block(0, view.arc_count, kStatsGrain), [&](const Block& block) {
    for (std::uint64_t arc = block.begin(); arc != block.end(); ++arc) {
      std::atomic_ref<std::uint8_t> mark(reached[view.neighbors[arc]]);
      if (mark.load(std::memory_order_relaxed) == 0) mark.store(1, std::memory_order_relaxed);
    }
  });
  return count([&](std::uint64_t vertex) { return reached[vertex] != 0; });
}

GraphTotals totals_of(const Graph& graph) {
  const GraphView view = graph.view();
  GraphTotals totals;
  totals.max_degree = view.max_degree;
  totals.isolated = isolated_vertices(graph);
  totals.labelled = graph.facts().labelled;
  if (view.labels == nullptr) return totals;
  totals.label_codes = LabelNumbers(view.labels, view.universe).codes().size();
  const std::int64_t none = graph.dictionary().code("").value_or(kNoLabel);
  for (std::uint64_t at = 0; at < view.vertex_count; ++at) {
    const std::int64_t label = view.labels[vertex_at(view, at)];
    totals.unlabelled += label == kNoLabel || label == none ? 1 : 0;
  }
  return totals;
}

GraphStats graph_stats(const Graph& graph) {
  const GraphView view = graph.view();
  GraphStats stats;
  stats.vertices = graph.vertex_count();
  stats.edges = graph.edge_count();
  stats.arcs = view.arc_count;
  stats.isolated = isolated_vertices(graph);
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
