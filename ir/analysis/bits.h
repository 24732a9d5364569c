#pragma once

#include "ir/analysis/facts.h"

/// The base of bit sets: the list whose positions are the bits of their rows.
namespace matcha::ir {

/// The rows of a bit set; null unless all of its parts have the same rows.
const Var* rows_of(const Facts& facts, const Expr* bits);

/// The list from which rows were made; null if `rows` is not bound to rows.
const Expr* base_of(const Facts& facts, const Var* rows);

/// True if by its form `list` is `whole` or a prefix of it, so that positions in it are positions in `whole`.
bool is_prefix(const Facts& facts, const Expr* list, const Expr* whole);

/// True if by its form `position` is one in the list of `rows`: an item of a walk over a bit set of these rows, the
/// position in a walk over a prefix of the list, or the position of an item of a walk over a slice of it.
bool is_position(const Facts& facts, const Expr* position, const Var* rows);
/// True for the number of items in the list of `rows` below a vertex, by its form: it cuts a set of their positions,
/// but may not be the position of an item.
bool is_number_of_first(const Facts& facts, const Expr* number, const Var* rows);

}  // namespace matcha::ir
