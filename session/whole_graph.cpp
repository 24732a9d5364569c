#include "session/whole_graph.h"

namespace matcha::session {

runtime::Result<WholeGraph> WholeGraph::of(ResidentGraph& resident) {
  WholeGraph whole;
  const runtime::Graph* const informed = resident.maybe_informed();
  whole.graph_ = informed != nullptr ? informed : &resident.graph();
  if (informed != nullptr || !resident.has_loops()) return whole;
  whole.looped_ = MATCHA_TRY(resident.looped());
  whole.graph_ = &whole.looped_->graph();
  return whole;
}

}  // namespace matcha::session
