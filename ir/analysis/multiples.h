#pragma once

#include <cstdint>

#include "ir/analysis/facts.h"
#include "ir/nodes.h"

namespace matcha::ir {

/// True if every value of `number`, which adds and multiplies, is a multiple of `divisor`, whatever its other parts
/// are: all their remainders are tried, if these are few. Requires: the divisor is positive.
bool is_multiple(const Facts& facts, const Expr* number, std::int64_t divisor);

}  // namespace matcha::ir
