#pragma once

#include <string>
#include <vector>

#include "incremental/answer.h"
#include "ir/nodes.h"
#include "session/prepared.h"

namespace matcha::session::stream {

/// How `matcha stream` maintains a program instead of recomputing it.
struct StreamPlan {
  MaintenanceMethod how = MaintenanceMethod::Recompute;
  /// For Recompute, the reason; for Roots, the rows and labels that it reads near a vertex.
  std::string why;
  std::vector<std::string> terms;  ///< For Delta, a line for each position of the changed edge.
};

/// The plan without rows and without a graph: orders are those for a typical graph. `nests`: the program after that
/// pipeline (Compilation::nests). `directed`: of the graph; `maybe_labels`: its label words, if known.
StreamPlan stream_plan(const ProgramRequest& request, const ir::Module& nests, bool directed,
                       const runtime::LabelDictionary* maybe_labels);

}  // namespace matcha::session::stream
