#pragma once

#include <memory>

#include "runtime/graph/buffer.h"
#include "session/resident_graph.h"

namespace matcha::session {

/// The rows of a graph, in the types that a graph has. Arrays that have them already are not copied.
struct BorrowedRows {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
  const std::uint64_t* offsets = nullptr;
  const std::uint32_t* targets = nullptr;
  runtime::Buffer<std::uint64_t> own_offsets;  ///< Where they were copied.
  runtime::Buffer<std::uint32_t> own_targets;
  std::shared_ptr<const void> maybe_owner;  ///< Owner of the arrays that were not copied.
};

/// Errors: Input, with the vertex, where these are no rows of a graph without loops and repeats, or not symmetric
/// though not `directed`; Resource where there are too many.
runtime::Result<std::shared_ptr<const BorrowedRows>> borrow_rows(const runtime::IntColumn& offsets,
                                                                 const runtime::IntColumn& targets, bool directed,
                                                                 std::shared_ptr<const void> owner);

}  // namespace matcha::session
