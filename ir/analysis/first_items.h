#pragma once

#include <vector>

#include "ir/analysis/term.h"

/// Items of nests that have to be the first ones of lists.
namespace matcha::ir {

/// The condition that no item of `list`, a nest of one item, is before `item` by id.
Term none_before(Nest list, int item);

/// Whether all of the conditions `wanted` stand among `known`. Items are below `item_count`.
bool implies(const std::vector<Term>& known, const std::vector<Term>& wanted, int item_count);

/// Removes the items of a nest that only have to be the first ones of lists, where another item is surely in the list:
/// of a list that is not empty, exactly one item is the first one. Conjunctions become their parts.
void drop_first_items(Nest& nest, int item_count);

}  // namespace matcha::ir
