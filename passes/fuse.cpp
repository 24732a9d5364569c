#include "passes/fuse_steps.h"
#include "passes/pass.h"

/// fuse: removes lists that are made only to be walked, counted or summed.
///
/// What, in this order:
/// - `flatten` becomes a loop in a loop;
/// - a collected list that one loop walks disappears: the loop's body replaces the yield (apply+sum, apply+apply); a
///   list of which only the size is read becomes a sum of 1; a sum that is only added to another sum is added directly;
/// - a loop that adds the same value each time, its position, or whether its item is in a set, becomes one product or
///   size, so that counting the items of a set operation stores nothing (intersect/diff+sum); a list that copies
///   another becomes that list (neighbor+apply and intersect/diff+apply, once `restrict` has made slices of the
///   conditions);
/// - loops over the same list in one block become one (a motif count reads each list once); inside a body only if they
///   do not yield to a list, whose order would change.
///
/// Why. Matcha 3.6.1.
///
/// Before:
///     collect %l: list list<i64> { for %v in %s { yield %l, size(intersect(%s, neighbors(%G, %v))) } }
///     collect %n: sum i64 { for %x in %l { yield %n, %x } }
/// After:
///     collect %n: sum i64 { for %v in %s { yield %n, size(intersect(%s, neighbors(%G, %v))) } }
///
/// Requires and ensures: stage loop. The order of a list's items stays. No trap is added or removed, except that a sum
/// of sums no longer traps if only a part of it overflows.
/// Gives up on: lists that are read twice, by position, or in a loop that does not make them; producers with several
/// sinks; bodies of more than `copies` statements that several yields would need; sums of floats, which round; lists
/// that are searched for a label in a loop they do not depend on, which `hoist` moves.
namespace matcha::passes {

ir::Module fuse(const ir::Module& module, PassContext& context) {
  ir::Module result = fuse_flatten(module, context);
  result = fuse_producers(result, context);
  result = fuse_loops(result, context);
  return fuse_siblings(result, context);
}

}  // namespace matcha::passes
