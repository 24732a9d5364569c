#pragma once

#include <string>

#include "planner/sketch.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/labels.h"
#include "session/forecast.h"
#include "session/pattern_source.h"
#include "session/reporter.h"

namespace matcha::session {

class SketchCache;

/// How the program of a pattern is to run.
struct PlanRequest {
  bool rows = false;           ///< It lists matches.
  std::string order = "auto";  ///< As `--order` has it.
  bool order_is_kept = false;  ///< The graph is stored with ranks by degree, so these cost nothing.
  pattern::Device device = pattern::Device::Cpu;
  unsigned threads = 1;
  SketchCache* maybe_sketches = nullptr;  ///< The statistics of a resident graph; null: they are computed now.
};

/// Writes the program of a pattern for a graph: for its ids, or for ranks by degree if these are expected to save more
/// time than the ranking takes. `forecast` has the number of processes that share the run; it gets the expected times
/// of both, and `order_vertices` follows it. `sketch` is of the chosen order. Both are only estimated if the run takes
/// longer than ranking.
Status plan_pattern(PatternSource& pattern, const runtime::Graph& graph, const runtime::LabelDictionary& dictionary,
                    const PlanRequest& request, pattern::GraphSketch& sketch, Forecast& forecast);

}  // namespace matcha::session
