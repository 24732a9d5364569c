#pragma once

#include <cstdint>
#include <optional>

#include "ir/nodes.h"
#include "runtime/graph/graph.h"

namespace matcha::session {

/// The estimated time of a run. An error by a factor of three is usual.
struct Forecast {
  /// With vertices ordered by id, on all threads of a CPU, or on a GPU that is open; only of this process's part, if
  /// others share the run. Nothing: unknown.
  std::optional<double> ns;
  std::optional<double> ns_by_degree;  ///< The same with ranks by degree, if a program for them was requested.
  double ns_to_rank = 0;               ///< Time to rank by degree, if known; 0 if the ranks are stored.
  double plan_ms = 0;                  ///< Time to choose the program of a pattern.
  unsigned threads = 1;
  std::uint64_t processes = 1;  ///< Processes that share the run; each ranks the whole graph.
  bool on_gpu = false;
  /// `ns` is accurate also for graphs with vertices of very many neighbours.
  bool sees_hubs = false;

  /// Whether ranks by degree gain more than they cost. At equal times ids are better: neighbours are closer in memory.
  bool gains_by_degree() const {
    return ns && ns_by_degree && *ns_by_degree < kCloseToIds * *ns && *ns_by_degree + ns_to_rank < *ns;
  }
  static constexpr double kCloseToIds = 0.95;
};

/// Where halves of lists have fewer items, squared, for an arc, no order of the vertices makes a difference.
inline constexpr double kShortItems = 4;

/// An estimate, mostly too high, of the time of a program's loops on a graph, in nanoseconds of one core. The items of
/// a loop over neighbours inside k others are estimated as the sum of degree^k over the vertices; those of set
/// operations, with one power more. Nothing if loops iterate over anything but vertices, edges and neighbours.
/// Requires: stage loop, and that the graph is the only input.
std::optional<double> forecast_of_loops(const ir::Module& module, const runtime::Graph& graph);

/// The time to open a GPU, in nanoseconds.
extern const double kNsToOpenGpu;

}  // namespace matcha::session
