#pragma once

#include <optional>

#include "ir/nodes.h"
#include "runtime/graph/graph.h"

namespace matcha::driver {

/// How long a run is expected to take, before it is made. Roughly: three times too much or too little is usual.
struct Forecast {
  std::optional<double> ns;  ///< By ids, on all threads of a CPU, or on a GPU once it is open. Nothing: not known.
  unsigned threads = 1;
  bool on_gpu = false;
};

/// Nanoseconds of one core that the loops of a program may take on a graph; mostly too many. The items of a loop over
/// neighbours inside k others are taken for the sum of degree^k over the vertices, and those of set operations for one
/// power more. Nothing where loops walk something else than vertices and their neighbours.
/// Requires: stage loop, and that the graph is the only input.
std::optional<double> forecast_of_loops(const ir::Module& module, const runtime::Graph& graph);

/// Whether a CPU has the answer before a GPU could be opened; `cpu_ns`: of one core.
bool is_sooner_than_a_gpu_opens(double cpu_ns, unsigned threads);

}  // namespace matcha::driver
