#pragma once

#include <vector>

#include "ir/nodes.h"

/// How the run time of a CPU divides and filters the positions of an outermost loop.
namespace matcha::ir {

/// The loop that ends a block, if it is all that is left to do there: the last statement, perhaps in an `if`, and then
/// perhaps another one in its `else`. Unlike those of `spine` the parts of an `if` need not all end in loops.
std::vector<const For*> last_loops(const Block& block);

/// The condition of an outermost loop that does nothing for items which do not pass it, and whose text for the others
/// is short enough to stand behind the filter of a block of items: no more than two loops. Null: there is none.
const If* filter_of(const For& outer);

}  // namespace matcha::ir
