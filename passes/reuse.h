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
/// - An intersection that a loop does not change and whose size it reads is found once in front of the loop if the loop
///   looks its items up in both lists: they are looked up in it then.
/// - A loop over a list without some items, `diff(s, list(x))`, walks s and leaves them out: no copy is stored.
/// - A set of vertices is what its items are in, what they are not in, and what they lie between. It is computed from
///   the stored sets that have all of its items: the one with most of its operands, then the one with most of those
///   that are left. What a loop walks is stored, and gets a name. Operands that depend on the outermost loops come
///   first, and their set gets a name there, cut by the bounds that are known there. This is done where it leaves fewer
///   set operations in the innermost loops, or as many there and fewer further out.
/// - s has the items of `intersect(s, t)` and those of `diff(s, t)`: the size of one is what the other leaves, if that
///   is stored, or computed before; likewise for sets that differ in two operands. Of a set that is computed twice the
///   second is written as the first, so that `hoist` and `fuse` find the two.
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
/// Before:  yield %a, size(intersect(neighbors(%G, %u), neighbors(%G, %v)))
///          yield %b, size(diff(neighbors(%G, %v), neighbors(%G, %u)))
/// After:   yield %a, size(intersect(neighbors(%G, %u), neighbors(%G, %v)))
///          yield %b, (size(neighbors(%G, %v)) - size(intersect(neighbors(%G, %u), neighbors(%G, %v))))
///
/// Sets that differ by label only (STMatch 1.7): labels are conditions behind set operations, so these are the same
/// set, which is walked for both (tests/passes/reuse/labels.mtir).
///
/// Requires and ensures: stage loop. No trap comes or goes.
/// Gives up on:
/// - what follows from edges in both directions, since a graph may be directed;
/// - lists that repeat items or do not ascend, whose order and repeats follow one operand;
/// - moving out of a condition that few items pass;
/// - `intersect(s, t)` and `diff(s, t)` that are both stored: `diff(s, common)` walks less, but patterns took 0.93 to
///   1.08 of the time;
/// - lists of one label each that are intersected with one list, and sets in collects side by side: one set that is
///   filtered takes 0.78 of the time with 3 labels and as long with 10, and how many there are is not known here.
ir::Module reuse(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
