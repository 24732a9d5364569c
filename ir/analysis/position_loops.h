#pragma once

#include <vector>

#include "ir/nodes.h"

/// How the run time of a CPU divides and filters the positions of an outermost loop.
namespace matcha::ir {

/// The loops that end a block: its last statement, possibly inside an `if`, and then possibly another one in its
/// `else`. Unlike for `spine`, not every branch of an `if` has to end in a loop.
std::vector<const For*> last_loops(const Block& block);

/// The condition of an outermost loop whose failing items have no effect, if the body for the others is small enough to
/// follow a filter of a block of items: at most two loops. Null: there is none.
const If* filter_of(const For& outer);

}  // namespace matcha::ir
