#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// reuse: what is known of a set is not computed again.
///
/// What.
/// - A look-up of a loop's item says yes where the loop walks a part of the set, and no where it walks what is left
///   without it; so does a set operation whose operands lie so: it is its first operand.
/// - The number of items before the one that a loop is at is the loop's position.
/// - Of a set that is read by its size and look-ups only, a look-up asks the lists that it is made of, if one answers.
/// - A loop over a list without some items, `diff(s, list(x))`, walks s and leaves them out: no copy is stored.
///
/// Why. Edge-induced patterns ask of each vertex of a match whether it is among the candidates of the last; the loops
/// before it have mostly answered that, and then nothing is left to do for each: `fuse` makes products of such loops.
///
/// Before:  for %c at %i in %ends {
///            for %d in intersect(span(%ends, 0, %i), neighbors(%G, %c)) {
///              yield %n, (size(%ends) - convert<i64>(contains(%ends, %d)))
///            }
///          }
/// After:   for %c at %i in %ends {
///            for %d in intersect(span(%ends, 0, %i), neighbors(%G, %c)) { yield %n, (size(%ends) - 1) }
///          }
///
/// Requires and ensures: stage loop. No trap comes or goes.
/// Gives up on: what follows from edges in both directions, since a graph may be directed; sets that are parts of other
/// stored sets (`C_j = C_i ∩ N(v)`, T-DFS III), which programs name themselves.
ir::Module reuse(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
