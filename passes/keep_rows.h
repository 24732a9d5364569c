#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// keep-rows: copies rows of neighbours that are read repeatedly into memory of the worker.
///
/// What. Applies to a list that is a row of neighbours, or a part of one. It is stored instead of bound if it is read
/// in loops below its binding, or if rows of bits are made of it; all these reads use the copy. A row without a name
/// that is read in loops below that of its vertex is stored before its first reader. Reads of the length do not read
/// the row.
///
/// Why. Rows may be in host memory, which a device reads through the bus. Reading each of them once is fast enough;
/// searching one list for each item of another is not.
///
/// Before:  let %near = lower_neighbors(%G, %u)
///          for %v in %near { yield %n, size(intersect(%near, lower_neighbors(%G, %v))) }
/// After:   store %near in %near_buffer = lower_neighbors(%G, %u)
///          for %v in %near { yield %n, size(intersect(%near, lower_neighbors(%G, %v))) }
///
/// Requires and ensures: stage kernel. Gives up on: rows without a bound of their length, and modules that walk blocks
/// of vertices (passes/block.h), whose rows are already resident.
ir::Module keep_rows(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
