#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "bench/baseline/counts.h"
#include "runtime/graph/inputs.h"

/// `bench_baseline GRAPH PATTERN`: counts a pattern with the hand-written loops on one thread and prints the time as
/// JSON.
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Pattern {
  std::string_view name;
  std::uint64_t (*count)(const matcha::bench::Csr&);
};

constexpr Pattern kPatterns[] = {
    {"triangle", matcha::bench::triangles},
    {"clique4", matcha::bench::four_cliques},
    {"clique4_oriented", matcha::bench::oriented_four_cliques},
    {"diamond", matcha::bench::diamonds},
};

}  // namespace

int main(int argc, char** argv) {
  const Pattern* pattern = nullptr;
  for (const Pattern& known : kPatterns) {
    if (argc == 3 && known.name == argv[2]) pattern = &known;
  }
  if (pattern == nullptr) {
    std::fprintf(stderr, "usage: bench_baseline GRAPH triangle|clique4|clique4_oriented|diamond\n");
    return 2;
  }
  matcha::runtime::GraphSpec spec;
  spec.name = "graph";
  spec.path = argv[1];
  Clock::time_point start = Clock::now();
  matcha::runtime::Result<matcha::runtime::LoadedGraph> loaded = matcha::runtime::load_graph(spec);
  if (!loaded) {
    std::fprintf(stderr, "%s\n", loaded.error().render().c_str());
    return 3;
  }
  double load = milliseconds_since(start);
  if (loaded->graph.view().offsets == nullptr) {
    std::fprintf(stderr, "the baseline needs a CSR graph\n");
    return 3;
  }
  matcha::bench::Csr graph(loaded->graph.view());
  start = Clock::now();
  std::uint64_t count = pattern->count(graph);
  double ms = milliseconds_since(start);
  std::printf("{\"pattern\": \"%s\", \"load_ms\": %.3f, \"ms\": %.3f, \"count\": %llu}\n", argv[2], load, ms,
              static_cast<unsigned long long>(count));
  return 0;
}
