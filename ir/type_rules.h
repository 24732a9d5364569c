#pragma once

#include <span>
#include <string>

#include "ir/context.h"

namespace matcha::ir {

/// The type that an expression of `kind` has over `operands`, or null with the reason in `why`. For Literal, Convert
/// and EdgeInfo the type cannot be told from the operands alone: `wanted` is checked and returned.
const Type* result_type(Context& context, Op op, std::span<const Expr* const> operands, const Type* wanted,
                        std::string& why);

/// The type that arithmetic on the two gives: i64, i128 if either is, f64 if either is; null if one is no number.
const Type* common_number(Context& context, const Type* a, const Type* b);

}  // namespace matcha::ir
