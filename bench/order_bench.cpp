#include <benchmark/benchmark.h>
#include <tbb/global_control.h>

#include <cstdio>
#include <memory>
#include <string>

#include "runtime/graph/inputs.h"
#include "runtime/graph/order.h"

/// Time of ranking the vertices of graphs by degree, for each arc.
namespace matcha::runtime {
namespace {

void count_arcs(benchmark::State& state, const Graph& graph) {
  const double arcs = static_cast<double>(graph.view().arc_count);
  state.counters["ns_per_arc"] = benchmark::Counter(arcs * static_cast<double>(state.iterations()) / 1e9,
                                                    benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void order(benchmark::State& state, const Graph& graph, Halves halves, int threads) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  for (auto round : state) benchmark::DoNotOptimize(ordered_by_degree(graph, halves));
  count_arcs(state, graph);
}

void estimate(benchmark::State& state, const Graph& graph, int threads) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  for (auto round : state) benchmark::DoNotOptimize(expected_work_by_degree(graph));
  count_arcs(state, graph);
}

void add_graph(const std::string& path) {
  GraphSpec spec;
  spec.name = "G";
  spec.path = path;
  Result<LoadedGraph> loaded = load_graph(spec);
  if (!loaded) {
    std::fprintf(stderr, "%s\n", loaded.error().render().c_str());
    std::exit(1);
  }
  const auto graph = std::make_shared<const Graph>(std::move(loaded->graph));
  const std::string name = path.substr(path.rfind('/') + 1);
  for (const int threads : {1, 2}) {
    benchmark::RegisterBenchmark(("estimate/" + name + "/" + std::to_string(threads)).c_str(),
                                 [graph, threads](benchmark::State& state) { estimate(state, *graph, threads); })
        ->UseRealTime()
        ->MeasureProcessCPUTime();
    for (const Halves halves : {Halves::Lower, Halves::Upper}) {
      const std::string ending =
          name + (halves == Halves::Lower ? "/largest_first/" : "/smallest_first/") + std::to_string(threads);
      benchmark::RegisterBenchmark(
          ("order/" + ending).c_str(),
          [graph, halves, threads](benchmark::State& state) { order(state, *graph, halves, threads); })
          ->UseRealTime()
          ->MeasureProcessCPUTime();
    }
  }
}

}  // namespace
}  // namespace matcha::runtime

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_order GRAPH… [--benchmark_filter=…]\n");
    return 2;
  }
  for (int at = 1; at < argc; ++at) matcha::runtime::add_graph(argv[at]);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
