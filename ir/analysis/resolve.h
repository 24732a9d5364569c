#pragma once

#include "ir/analysis/facts.h"

/// From a variable to its value.
namespace matcha::ir {

/// The value of a variable bound by a `let`; null for other expressions.
const Expr* let_value(const Facts& facts, const Expr* e);

/// The value of a variable bound by a `let` or a `store`; null for other expressions.
const Expr* bound_value(const Facts& facts, const Expr* e);

/// The value of `e` through every `let`; `e` itself if it is not a variable of one.
const Expr* resolve(const Facts& facts, const Expr* e);

/// The list of which `list` is a slice, through every slice and `let`; itself if it is not a slice.
const Expr* whole_list(const Facts& facts, const Expr* list);

/// True if all items of the ascending `list` are provably below `bound`, by its form: `below(l, bound)`,
/// `lower_neighbors(g, bound)`, or the span before the position of a loop over `l`, or over a prefix of it, that binds
/// `bound`.
bool all_below(const Facts& facts, const Expr* list, const Expr* bound);

}  // namespace matcha::ir
