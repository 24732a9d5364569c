// The overhead of a second run of a program on a graph in memory: google-benchmark through matcha.h, on a graph of a
// few vertices, so that the work itself takes no time. Benchmarks of a GPU are skipped if there is none.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "api/matcha.h"

namespace {

void must(matcha_status status) {
  if (status != MATCHA_OK) std::abort();
}

/// A pattern on a complete graph of six vertices, compiled and run once.
struct Subject {
  Subject(const char* text, const char* threads, const char* device = "cpu") {
    constexpr std::int64_t kVertices = 6;
    std::vector<std::int64_t> sources, targets;
    for (std::int64_t u = 0; u < kVertices; ++u) {
      for (std::int64_t v = 0; v < u; ++v) {
        sources.push_back(u);
        targets.push_back(v);
      }
    }
    must(matcha_options_set(options, "device", device, nullptr));
    must(matcha_options_set(options, "threads", threads, nullptr));
    must(matcha_graph_from_edges(sources.data(), targets.data(), sources.size(), nullptr, &graph, nullptr));
    must(matcha_program_pattern(text, options, &program, nullptr));
    runs = try_now();
  }
  ~Subject() {
    matcha_program_free(program);
    matcha_graph_free(graph);
    matcha_options_free(options);
  }

  /// False: the device is not there.
  bool try_now() const {
    matcha_result* result = nullptr;
    const bool ran = matcha_run_now(program, graph, options, &result, nullptr) == MATCHA_OK;
    matcha_result_free(result);
    return ran;
  }
  void now() const {
    if (!try_now()) std::abort();
  }
  void in_background() const {
    matcha_run* run = nullptr;
    matcha_result* result = nullptr;
    must(matcha_start(program, graph, options, &run, nullptr));
    matcha_wait(run, -1);
    must(matcha_finish(run, &result, nullptr));
    matcha_result_free(result);
    matcha_run_free(run);
  }

  bool runs = false;
  matcha_options* options = matcha_options_new();
  matcha_graph* graph = nullptr;
  matcha_program* program = nullptr;
};

void run_now(benchmark::State& state, const char* pattern, const char* threads) {
  const Subject subject(pattern, threads);
  for (auto _ : state) subject.now();
}

void on_gpu(benchmark::State& state, const char* pattern) {
  const Subject subject(pattern, "1", "cuda");
  if (!subject.runs) return state.SkipWithError("no GPU");
  for (auto _ : state) subject.now();
}

void start_and_finish(benchmark::State& state, const char* pattern, const char* threads) {
  const Subject subject(pattern, threads);
  for (auto _ : state) subject.in_background();
}

void with_timeout(benchmark::State& state, const char* pattern, const char* threads) {
  const Subject subject(pattern, threads);
  must(matcha_options_set(subject.options, "timeout", "100", nullptr));
  for (auto _ : state) subject.now();
}

}  // namespace

BENCHMARK_CAPTURE(run_now, triangle_1, "triangle", "1")->UseRealTime();
BENCHMARK_CAPTURE(run_now, triangle_2, "triangle", "2")->UseRealTime();
BENCHMARK_CAPTURE(run_now, triangle_8, "triangle", "8")->UseRealTime();
BENCHMARK_CAPTURE(run_now, motif_4, "motif:4", "2")->UseRealTime();
BENCHMARK_CAPTURE(start_and_finish, triangle_1, "triangle", "1")->UseRealTime();
BENCHMARK_CAPTURE(start_and_finish, triangle_2, "triangle", "2")->UseRealTime();
BENCHMARK_CAPTURE(with_timeout, triangle_1, "triangle", "1")->UseRealTime();
BENCHMARK_CAPTURE(with_timeout, triangle_2, "triangle", "2")->UseRealTime();
BENCHMARK_CAPTURE(on_gpu, triangle, "triangle")->UseRealTime();
BENCHMARK_CAPTURE(on_gpu, clique_4, "clique:4")->UseRealTime();
BENCHMARK_CAPTURE(on_gpu, motif_4, "motif:4")->UseRealTime();

BENCHMARK_MAIN();
