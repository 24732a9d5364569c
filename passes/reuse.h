#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// reuse: replaces computations whose result is known from other sets.
///
/// What.
/// - A look-up of a loop's item is true if the loop walks a part of the set, and false if it walks the items outside
///   it. Likewise a set operation between such sets becomes its first operand.
/// - The number of items before a loop's current item is the loop's position.
/// - For a set that is only read by its size and look-ups, a look-up is replaced by one in its operands if one of them
///   decides.
/// - A loop-invariant intersection whose size the loop reads is computed once in front of the loop if the loop looks
///   its items up in both lists; they are then looked up in it.
/// - A loop over a list without some items, `diff(s, list(x))`, walks s and skips them: no copy is stored.
/// - A set of vertices is described by the sets that contain its items, the sets that do not, and its bounds. It is
///   computed from stored supersets: first the one with most of its operands, then the one with most of the remaining
///   operands. A list that a loop walks is stored and named. Operands that depend only on outer loops come first, and
///   their set is named there, cut by the bounds known there. This applies if it leaves fewer set operations in the
///   innermost loops, or as many there and fewer further out.
/// - s consists of `intersect(s, t)` and `diff(s, t)`: the size of one follows from the size of the other, if that is
///   stored or computed before; likewise for sets that differ in two operands. The second of two equal sets is written
///   as the first, so that `hoist` and `fuse` find them.
///
/// Why. Edge-induced patterns test for each vertex of a match whether it is a candidate of the last one; the loops
/// before have mostly decided that. Then nothing depends on the vertex any more, and `fuse` turns such loops into
/// products. Candidates of a level are those of an earlier level with further neighbours (`C_j = C_i ∩ N(v)`, T-DFS
/// III); programs may write that in any order, or not at all.
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
/// Sets that differ only by label (STMatch 1.7): labels are conditions behind set operations, so these are the same
/// set, which is walked for both (tests/passes/reuse/labels.mtir).
///
/// Requires and ensures: stage loop. No trap is added or removed.
/// Gives up on:
/// - facts that follow from edges in both directions, since a graph may be directed;
/// - lists with repeats or in no order, whose order and repeats come from one operand;
/// - moving out of a condition that few items pass;
/// - `intersect(s, t)` and `diff(s, t)` that are both stored: `diff(s, common)` walks less, but patterns took 0.93 to
///   1.08 of the time;
/// - lists of one label each that are intersected with one list, and sets in separate collects: one filtered set takes
///   0.78 of the time with 3 labels and the same with 10, and the number of labels is unknown here.
ir::Module reuse(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
