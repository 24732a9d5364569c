#pragma once

#include <cstdint>
#include <functional>
#include <unordered_set>
#include <vector>

#include "ir/analysis/facts.h"
#include "ir/nodes.h"

namespace matcha::ir {

/// Loop levels whose positions a task may name.
inline constexpr int kSpineLevels = static_cast<int>(kMostSplit);

/// The loops that end a block: its last statement, or the end of each branch of an `if` there, so that a region can be
/// split a level deeper. Empty unless all of them walk lists or, with `bits`, sets of bits.
std::vector<const For*> spine(const Block& block, bool bits = false);

/// The graph by whose arcs a region can be dealt: `for v in vertices(g)`, then `for w in neighbors(g, v)` or a slice;
/// null if there is none.
const Expr* dealt_graph(const Facts& facts, const For& outer);

/// True if the loop over neighbours in `outer` skips those without a certain label, and its work for the others has no
/// nested loops and no loop with a set operation.
bool has_light_arcs(const For& outer);

/// Calls `take` on the loops of a block, outermost first; enters loops for which it returns false.
void for_each_loop(const Block& block, const std::function<bool(const For&)>& take);

/// True for an operation that the lanes of a group do together: a set operation on lists, or sorting one.
bool takes_all_lanes(const Expr& e);

/// True if one lane of a group can compute the value: no operation that takes all of them, and no literal.
bool one_lane_can(const Expr& value);

/// The sums of ints among the sinks of a region, including those of nested collects.
std::unordered_set<const Var*> sums_of_ints(const Region& region);

/// The number of stores of rows of bits, or of parts of counts of common neighbours, directly below an outermost
/// position, inside no other loop.
std::uint32_t row_stores(const Block& block);

/// The count in a loop over the parts of a count of common neighbours; null for other loops.
const Store* common_of_parts(const For& loop);

}  // namespace matcha::ir
