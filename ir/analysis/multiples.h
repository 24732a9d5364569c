#pragma once

#include <cstdint>

#include "ir/analysis/facts.h"
#include "ir/nodes.h"

namespace matcha::ir {

/// True if every value of `number`, a formula of sums, products and divisions without remainder, is a multiple of
/// `divisor` for all values of its other parts: all their remainders are tried, unless there are too many. Requires:
/// the divisor is positive.
bool is_multiple(const Facts& facts, const Expr* number, std::int64_t divisor);

}  // namespace matcha::ir
