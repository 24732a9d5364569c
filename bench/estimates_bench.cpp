// The number of matches that the planner expects of patterns beside the true one, and the time that it takes to find
// out.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/truth_cells.h"
#include "planner/cost.h"
#include "question/symmetry.h"
#include "runtime/graph/inputs.h"
#include "session/graph_sketch.h"

namespace {

using matcha::bench::TruthCell;
using matcha::pattern::Pattern;

struct Summary {
  int rows = 0, within = 0;
  double worst = 1, us = 0;
};

void compare(const TruthCell& row, const matcha::runtime::Graph& graph, bool print, Summary& summary) {
  const Pattern pattern = row.pattern();
  const matcha::pattern::GraphSketch sketch = matcha::session::sketch_of(graph, graph.dictionary(), {});
  const auto begin = std::chrono::steady_clock::now();
  const matcha::pattern::CostModel model(pattern, row.induction(), sketch);
  const double matches = model.matches(pattern.all());
  const double us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  const double expected = matches / static_cast<double>(matcha::pattern::Symmetry(pattern).order().value_or(1));
  const double ratio = std::max(expected, 1.0) / std::max(row.count, 1.0);
  constexpr double kBar = 10;
  const double off = std::max(ratio, 1 / ratio);
  ++summary.rows;
  summary.within += off <= kBar ? 1 : 0;
  summary.worst = std::max(summary.worst, off);
  summary.us += us;
  if (print || off > kBar) {
    std::printf("%s,%s,%s,%.6g,%.6g,%.3g,%.0f\n", row.name.c_str(), row.edges.c_str(), row.induced.c_str(), row.count,
                expected, ratio, us);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_estimates TRUTH.csv GRAPH… [--all]\n");
    return 2;
  }
  const bool all = std::string(argv[argc - 1]) == "--all";
  bool good = true;
  for (int at = 2; at < argc - (all ? 1 : 0); ++at) {
    matcha::runtime::GraphSpec spec;
    spec.name = "G";
    spec.path = argv[at];
    const auto loaded = matcha::runtime::load_graph(spec);
    if (!loaded) {
      std::fprintf(stderr, "%s\n", loaded.error().render().c_str());
      return 1;
    }
    const std::string file = std::filesystem::path(spec.path).filename().string();
    Summary summary;
    for (const TruthCell& row : matcha::bench::truth_cells(argv[1], spec.path))
      compare(row, loaded->graph, all, summary);
    std::printf("# %s: %d of %d within 10 times, worst %.3g, %.0f us each\n", file.c_str(), summary.within,
                summary.rows, summary.worst, summary.us / std::max(summary.rows, 1));
    good = good && summary.within == summary.rows;
  }
  return good ? 0 : 1;
}
