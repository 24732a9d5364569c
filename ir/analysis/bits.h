#pragma once

#include "ir/analysis/facts.h"

/// What bit sets are sets of: positions in the list that their rows were made of.
namespace matcha::ir {

/// The rows that a bit set comes from; null if there is no one value that all its parts come from.
const Var* rows_of(const Facts& facts, const Expr* bits);

/// The list that rows were made of; null if `rows` is not bound to rows.
const Expr* base_of(const Facts& facts, const Var* rows);

/// True if `list` is `whole` or a prefix of it by its form, so that a position in it is one in `whole`.
bool is_prefix(const Facts& facts, const Expr* list, const Expr* whole);

/// True if `position` is one in the list of `rows` by its form: an item of a walk over a bit set of these rows, the
/// position in a walk over a prefix of the list, or where the list has an item of a walk over a slice of it.
bool is_position(const Facts& facts, const Expr* position, const Var* rows);
/// True for the number of the items of the list of `rows` that are below a vertex, by its form: it cuts a set of their
/// positions, but may be that of no item.
bool is_number_of_first(const Facts& facts, const Expr* number, const Var* rows);

}  // namespace matcha::ir
