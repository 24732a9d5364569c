#pragma once

#include <span>
#include <string>

#include "ir/context.h"

namespace matcha::ir {

/// The type of the table that `keyed` makes of a list; null with the reason in `why` if there is none.
const Type* table_of(Context& context, Fold fold, const Type* list, std::uint32_t keys, std::string& why);

/// The type of an expression of `kind` over `operands`, or null with the reason in `why`. For Literal, Convert and
/// EdgeInfo the operands do not determine the type: `wanted` is checked and returned.
const Type* result_type(Context& context, Op op, std::span<const Expr* const> operands, const Type* wanted,
                        std::string& why);

/// The type of arithmetic on the two: i64, i128 if either is, f64 if either is; null if one is not a number.
const Type* common_number(Context& context, const Type* a, const Type* b);

}  // namespace matcha::ir
