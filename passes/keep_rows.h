#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// keep-rows: copies rows of neighbours that are read again and again into memory of the worker.
///
/// What. A list that is a row of neighbours, or a part of one, and is read in loops below the place where it is bound,
/// or made rows of bits of, is stored there instead of bound: all these read the copy. So is a row without a name that
/// is read in loops below that of its vertex, before the first statement that reads it. Where just a length is asked
/// for, nothing is read.
///
/// Why. Rows may lie in memory of the host, which a device reads through the bus: each of them once is fast enough,
/// looking for each item of one list in another one there is not.
///
/// Before:  let %near = lower_neighbors(%G, %u)
///          for %v in %near { yield %n, size(intersect(%near, lower_neighbors(%G, %v))) }
/// After:   store %near in %near_buffer = lower_neighbors(%G, %u)
///          for %v in %near { yield %n, size(intersect(%near, lower_neighbors(%G, %v))) }
///
/// Requires and ensures: stage kernel. Gives up on: rows whose length nothing bounds, and modules that walk blocks of
/// vertices (passes/block.h), whose rows are where they are read.
ir::Module keep_rows(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
