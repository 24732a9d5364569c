#pragma once

#include <cstdint>
#include <optional>

#include "ir/nodes.h"
#include "runtime/graph/graph.h"

namespace matcha::session {

/// How long a run is expected to take, before it is made. Roughly: three times too much or too little is usual.
struct Forecast {
  /// By ids, on all threads of a CPU, or on a GPU once it is open; of its part, if others share the run. Nothing: not
  /// known.
  std::optional<double> ns;
  std::optional<double>
      ns_by_degree;       ///< The same with ranks by degree, where somebody asked for the program for them.
  double ns_to_rank = 0;  ///< By degree, if that is known; 0 where somebody keeps them.
  double plan_ms = 0;     ///< What it took to choose the program of a pattern.
  unsigned threads = 1;
  std::uint64_t processes = 1;  ///< That share the run; each ranks the whole graph.
  bool on_gpu = false;
  /// `ns` is close even where some vertices have very many neighbours, whose lists other runs walk through.
  bool sees_hubs = false;

  /// Whether ranks by degree gain more than they cost. Of two that take as long, ids are the better ones: neighbours
  /// lie nearer to each other.
  bool gains_by_degree() const {
    return ns && ns_by_degree && *ns_by_degree < kCloseToIds * *ns && *ns_by_degree + ns_to_rank < *ns;
  }
  static constexpr double kCloseToIds = 0.95;
};

/// Where halves of lists have fewer items, squared, for an arc, no order of the vertices makes a difference.
inline constexpr double kShortItems = 4;

/// Nanoseconds of one core that the loops of a program may take on a graph; mostly too many. The items of a loop over
/// neighbours inside k others are taken for the sum of degree^k over the vertices, and those of set operations for one
/// power more. Nothing where loops walk something else than vertices and their neighbours.
/// Requires: stage loop, and that the graph is the only input.
std::optional<double> forecast_of_loops(const ir::Module& module, const runtime::Graph& graph);

/// What opening a GPU takes, in nanoseconds.
extern const double kNsToOpenGpu;

}  // namespace matcha::session
