#pragma once

#include "ir/analysis/facts.h"

/// From a name to the value that it stands for.
namespace matcha::ir {

/// The value of a name that a `let` binds; null for any other expression.
const Expr* let_value(const Facts& facts, const Expr* e);

/// The value of a name that a `let` or a `store` binds; null for any other expression.
const Expr* bound_value(const Facts& facts, const Expr* e);

/// The value that `e` names, through every `let`; `e` itself if it is no name of one.
const Expr* resolve(const Facts& facts, const Expr* e);

/// The list that `list` is a slice of, through every slice and `let`; itself if it is none.
const Expr* whole_list(const Facts& facts, const Expr* list);

/// True if all items of the ascending `list` are known to be below `bound`, by the form of the values that it was made
/// from: `below(l, bound)`, `lower_neighbors(g, bound)`, or the span before the position of a loop over `l`, or over a
/// prefix of it, that binds `bound`.
bool all_below(const Facts& facts, const Expr* list, const Expr* bound);

}  // namespace matcha::ir
