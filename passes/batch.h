#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// batch: counts of set operations that are only added up are put off and done many at a time.
///
/// What. A yield into a sum of ints of the region whose value is made of one `size(intersect(…))` or `size(diff(…))`
/// and constants becomes `yield batched`, if both lists are views of graphs or top-level lists, which last. The count
/// may have a name that only this yield reads.
///
/// Why. On sparse graphs the lists are short, and what a count costs is the wait for its second list: a branch on the
/// length of a list that is not there yet is foreseen wrongly and undoes what the processor did in the meantime. Noted
/// first, and fetched while others are counted, the lists of many counts come at once (the batched look-ups of hash
/// joins: group prefetching, Chen et al., "Improving hash join performance through prefetching", section 4).
///
/// Before:  for %v in %near {
///            let %c = size(intersect(%near, neighbors(%G, %v)))
///            yield %n, ((%c * (%c - 1)) / 2)
///          }
/// After:   for %v in %near {
///            let %c = size(intersect(%near, neighbors(%G, %v)))
///            yield batched %n, ((%c * (%c - 1)) / 2)
///          }
///
/// Requires and ensures: stage kernel. Gives up on: stored sets, whose buffer is written again; lists that are no
/// ascending sets of vertices; values that read anything else.
ir::Module batch(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
