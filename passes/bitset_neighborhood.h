#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// bitset-neighborhood: represents candidate sets as bitsets over the neighbourhood of one vertex.
///
/// What. Applies to a loop over a set u if all sets of the levels below are parts of u: common neighbours with further
/// items of it, or u without those. Each item of u gets a row of bits, with the positions in u of its neighbours. Then
/// deeper operations change as follows: set operations become `and` and `and not` of rows; comparisons of ids become
/// comparisons of positions; comparisons with the vertex whose neighbours u holds become comparisons with the number of
/// items below it; sizes become counts of bits; look-ups of an edge become tests of a bit. A vertex is read from its
/// position if the program still needs it. The original loop stays for sets u of fewer than `least` items, which are
/// not worth rows, and of more than `most`, whose rows take too much memory (most²/8 bytes a worker). It also stays for
/// more than `full` items if u is all neighbours in an input graph, whose rows are often nearly empty. If labels are
/// tested, rows of all neighbours include vertices that are never walked; then nests with fewer than `labelled` inner
/// loops keep lists.
///
/// If `lower_degree`, `upper_degree` or `degree` of an input graph may be assumed to be at most `most`, the original
/// loop is dropped for parts of such lists, and for lists in a graph built of its arcs. This halves the code that a
/// back end compiles.
///
/// Why. GLUMIN (PPoPP 2025, section 3) and Almasri et al. (ICS 2022, section 4): a row of a short list fits a few
/// registers, while the neighbour lists that a set operation reads can be arbitrarily long.
///
/// Before:  for %v in %near {
///            let %c = intersect(%near, neighbors(%D, %v))
///            for %w in %c { yield %n, size(intersect(%c, neighbors(%D, %w))) }
///          }
/// After:   if ((8 <= size(%near)) and (size(%near) <= 4096)) {
///            let %all = span(%near, 0, 4096)
///            let %rows = bit_rows(%D, %all)
///            for %v at %p in %all {
///              for %q in bit_row(%rows, %p) { yield %n, size(intersect(bit_row(%rows, %p), bit_row(%rows, %q))) }
///            }
///          } else { … }
///
/// Requires: stage loop; better after `hoist`, which names sets that are used repeatedly. Ensures: stage loop, and the
/// verifier's rules for bit sets (ir/README.md). Gives up on: nests that read the neighbours of several graphs, or sets
/// that are not parts of u; nests without a set operation below a walk over a part of u, such as triangles. With
/// `lists=0` also nests in which a set operation below a walk over bits would stay on lists: a group of lanes would
/// have to do each of them together.
ir::Module bitset_neighborhood(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
