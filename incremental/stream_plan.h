#pragma once

#include <string>
#include <vector>

#include "incremental/answer.h"
#include "ir/nodes.h"
#include "session/prepared.h"

namespace matcha::session::stream {

/// How `matcha stream` answers a program where that is sooner than to run it anew.
struct StreamPlan {
  How how = How::Recompute;
  std::string why;                 ///< Of Recompute, the reason; of Roots, what is read of what is near to a vertex.
  std::vector<std::string> terms;  ///< Of Delta, a line for each place of the changed edge.
};

/// The plan without rows, and without a graph: orders are those for a typical one. `nests`: what that pipeline leaves
/// of the program (Compilation::nests). `directed`: of the graph; `maybe_labels`: its label words, where it is known.
StreamPlan stream_plan(const ProgramRequest& request, const ir::Module& nests, bool directed,
                       const runtime::LabelDictionary* maybe_labels);

}  // namespace matcha::session::stream
