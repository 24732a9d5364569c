#pragma once

#include <cstdint>
#include <functional>
#include <unordered_set>
#include <vector>

#include "ir/analysis/facts.h"
#include "ir/nodes.h"

namespace matcha::ir {

/// Loop levels whose positions a task may name.
inline constexpr int kSpineLevels = 3;

/// The loops that end a block: its last statement, or what ends each part of an `if` there, so that a region may be
/// split a level deeper; none unless all of them walk lists, or sets of bits with `bits`.
std::vector<const For*> spine(const Block& block, bool bits = false);

/// The graph by whose arcs a region can be dealt out: `for v in vertices(g)`, then `for w in neighbors(g, v)` or a
/// slice; null if there is none.
const Expr* dealt_graph(const Facts& facts, const For& outer);

/// True if the loop over neighbours in `outer` leaves those that have not one label, and what it does with the others
/// has no loop in a loop and no set operation in one.
bool has_light_arcs(const For& outer);

/// Calls `take` on the loops of a block, the outermost first; what it does not take is gone into.
void for_each_loop(const Block& block, const std::function<bool(const For&)>& take);

/// True for what the lanes of a group do together: a set operation on lists, or sorting one.
bool takes_all_lanes(const Expr& e);

/// True if one lane of a group can compute the value by itself: nothing that takes all of them, and no literal.
bool one_lane_can(const Expr& value);

/// The sums of ints among the sinks of a region, those within it included.
std::unordered_set<const Var*> sums_of_ints(const Region& region);

/// How often rows of bits are made, or parts of what vertices have in common are counted, below an outermost position
/// and beside no other loop.
std::uint32_t row_stores(const Block& block);

/// What a loop over the parts of what vertices have in common counts; null for other loops.
const Store* common_of_parts(const For& loop);

}  // namespace matcha::ir
