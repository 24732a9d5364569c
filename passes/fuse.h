#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// fuse: lists that are made only to be walked, counted or added up are not made.
///
/// What, in this order:
/// - `flatten` becomes a loop in a loop;
/// - a collected list that one loop walks: the loop's body takes the place of the yield (apply+sum, apply+apply); a
///   list of which only the size is read becomes a sum of 1; a sum that is only added to another sum is added directly;
/// - a loop that adds the same to a sum each time, its position, or whether its item is in a set, becomes one product
///   or size, so that counting the items of a set operation stores nothing (intersect/diff+sum); a list that copies
///   another becomes that list (neighbor+apply and intersect/diff+apply, once `restrict` has made slices of the
///   conditions);
/// - loops over the same list, side by side, become one (a motif count reads each list once); within a body only where
///   they yield to no list, whose order would change.
///
/// Why. Matcha 3.6.1.
///
/// Before:
///     collect %l: list list<i64> { for %v in %s { yield %l, size(intersect(%s, neighbors(%G, %v))) } }
///     collect %n: sum i64 { for %x in %l { yield %n, %x } }
/// After:
///     collect %n: sum i64 { for %v in %s { yield %n, size(intersect(%s, neighbors(%G, %v))) } }
///
/// Requires and ensures: stage loop. The order of a list's items stays. No trap comes or goes, but that a sum of sums
/// no longer traps when only a part of it does not fit.
/// Gives up on: lists that are read twice, by position, or in a loop that does not make them; producers with several
/// sinks; bodies of more than `copies` statements that would be needed at several yields; sums of floats, which round;
/// lists that are looked through for a label, in a loop that has no influence on them: `hoist` moves them.
ir::Module fuse(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
