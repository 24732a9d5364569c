#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "engines/identities/orbit.h"

namespace matcha::codegen {

/// Counts of orbits, one row for each vertex or edge.
struct OrbitTask {
  int vertices = 4;      ///< The most vertices of a pattern, at most 5; the fewest is 2.
  bool by_edge = false;  ///< One row per edge.
  bool induced = true;   ///< Vertex-induced; else edge-induced.

  /// Names of the columns: the vertex, or the ends of the edge, then the orbits.
  std::vector<std::string> columns() const;
  std::span<const runtime::motif::Orbit> orbits() const;
};

/// Counts orbits by identities (engines/identities), on a CPU. Its one argument is an undirected simple graph without
/// edge information; its result is a list of rows, ascending. Shares are an error. `times` of a result has the parts of
/// the count.
std::unique_ptr<Executable> make_orbit_counter(const OrbitTask& task);

}  // namespace matcha::codegen
