#pragma once

#include <cstdint>

#include "ir/analysis/facts.h"
#include "ir/nodes.h"

namespace matcha::ir {

/// True if `number` is proved to be a multiple of `divisor`. It may be a formula of sums, products and exact divisions
/// over other expressions; all remainders of these are tried, and the result is false if there are too many. Requires:
/// the divisor is positive.
bool is_multiple(const Facts& facts, const Expr* number, std::int64_t divisor);

}  // namespace matcha::ir
