#pragma once

#include <memory>

#include "runtime/graph/buffer.h"
#include "session/resident_graph.h"

namespace matcha::session {

/// The rows of a graph: offsets of 64 bits and targets of 32 bits. Arrays of these types are not copied.
struct BorrowedRows {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
  const std::uint64_t* offsets = nullptr;
  const std::uint32_t* targets = nullptr;
  runtime::Buffer<std::uint64_t> own_offsets;  ///< Copies of arrays of other types, else empty.
  runtime::Buffer<std::uint32_t> own_targets;
  std::shared_ptr<const void> maybe_owner;  ///< Owner of the arrays that were not copied.
};

/// Checks the rows, and copies the arrays whose types differ. `offsets` has one item more than there are vertices;
/// `owner` keeps the arrays alive. Errors: Input, with the vertex, if a row has loops or repeats or is out of order, or
/// if rows are not symmetric although the graph is not `directed`; Resource if there are too many.
runtime::Result<std::shared_ptr<const BorrowedRows>> borrow_rows(const runtime::IntColumn& offsets,
                                                                 const runtime::IntColumn& targets, bool directed,
                                                                 std::shared_ptr<const void> owner);

}  // namespace matcha::session
