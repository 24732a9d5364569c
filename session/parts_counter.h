#pragma once

#include <memory>

#include "codegen/backend.h"
#include "runtime/graph/parts.h"
#include "session/prepared.h"

namespace matcha::session {

/// A pattern that is counted in the parts of a graph (runtime/graph/parts.h).
struct PartsTask {
  ProgramRequest request;  ///< The request of a pattern.
  std::shared_ptr<const runtime::PartedGraph> graph;
  runtime::PartsPlan plan;
  bool ahead = false;  ///< A subgraph is made while the one before it is counted, so that two are in memory.
};

/// Counts the pattern in one subgraph after the other, by a program that is compiled for the first of them, and adds up
/// the counts. Ignores its arguments. A stopped run has no values, and shares are an error.
std::unique_ptr<codegen::Executable> make_parts_counter(PartsTask task);

}  // namespace matcha::session
