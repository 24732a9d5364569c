#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/backend.h"

namespace matcha::codegen {

/// Counts of orbits, a row a vertex or an edge.
struct OrbitTask {
  int vertices = 4;      ///< Of patterns of 2 to so many vertices, at most 5, or 4 by edge.
  bool by_edge = false;  ///< A row an edge.
  bool induced = true;   ///< Vertex-induced; else edge-induced.

  /// Names of the columns: the vertex, or the ends of the edge, then the orbits.
  std::vector<std::string> columns() const;
};

/// Counts orbits by identities (engines/identities), on a CPU. Its one argument is an undirected simple graph without
/// edge information; its result a list of rows, ascending. Shares are an error. Of a result, `times` has the parts of
/// the count.
std::unique_ptr<Executable> make_orbit_counter(const OrbitTask& task);

}  // namespace matcha::codegen
