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
/// - A set of vertices is what its items are in, what they are not in, and what they lie between. It is computed from
///   the stored sets that have all of its items: the one with most of its operands, then the one with most of those
///   that are left. What a loop walks is stored, and gets a name. Operands that depend on the outermost loops come
///   first, and their set gets a name there, cut by the bounds that are known there. This is done where it leaves fewer
///   set operations in the innermost loops, or as many there and fewer further out.
///
/// Why. Edge-induced patterns ask of each vertex of a match whether it is among the candidates of the last; the loops
/// before it have mostly answered that, and then nothing is left to do for each: `fuse` makes products of such loops.
/// Candidates of a level are those of an earlier one with further neighbours (`C_j = C_i ∩ N(v)`, T-DFS III); programs
/// may say so in any order, or not at all.
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
/// Before:  for %w in intersect(neighbors(%G, %u), neighbors(%G, %v)) {
///            yield %n, size(below(intersect(neighbors(%G, %v), intersect(neighbors(%G, %w), neighbors(%G, %u))), %w))
///          }
/// After:   let %walked = intersect(neighbors(%G, %u), neighbors(%G, %v))
///          for %w in %walked { yield %n, size(intersect(below(%walked, %w), below(neighbors(%G, %w), %w))) }
///
/// Requires and ensures: stage loop. No trap comes or goes.
/// Gives up on: what follows from edges in both directions, since a graph may be directed; sets of lists that repeat
/// items or do not ascend, whose order and repeats follow one operand; sets of what conditions leave of a list
/// (labels), which are lists that loops collect; moving out of a condition that few items pass.
ir::Module reuse(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
