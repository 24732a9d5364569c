#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// bitset-neighborhood: represents candidate sets as bitsets over the neighbourhood of one vertex.
///
/// What. In a loop over a set u, all sets of the levels below may be parts of u: common neighbours with further items
/// of it, or what is left of it without theirs. Then each item of u gets a row of bits, the positions in u of its
/// neighbours, and deeper set operations become `and` and `and not` of rows, comparisons of ids comparisons of
/// positions, those with the vertex whose neighbours u holds comparisons with the number of them below it, sizes counts
/// of bits, look-ups of an edge tests of a bit. A vertex is read from its position where the program still asks for
/// it. The loop stays as it was for a set u of fewer than `least` items, which is not worth its rows, and of more than
/// `most`, whose rows take too much memory (most²/8 bytes a worker); of more than `full` if u is
/// all neighbours in a graph that the program gets, whose rows are often nearly empty. Where labels are looked at, rows
/// of all neighbours are also those of vertices that are never walked: fewer than `labelled` loops in loops below leave
/// them lists.
///
/// Where `lower_degree`, `upper_degree` or `degree` of a graph that the program gets may be assumed to be no more than
/// `most`, the loop is not kept for parts of such lists, and of lists in a graph that is built of its arcs: it would be
/// half of what a back end has to compile.
///
/// Why. GLUMIN (PPoPP 2025, section 3) and Almasri et al. (ICS 2022, section 4): a row of a short list fits a few
/// registers, while the neighbour lists that a set operation reads are as long as the graph makes them.
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
/// Requires: stage loop; better after `hoist`, which gives sets that are used again their names. Ensures: stage loop,
/// and what the verifier promises of bit sets (ir/README.md).
/// Gives up on: nests that read the neighbours of several graphs or sets that are no part of u, and nests with no set
/// operation below a walk over a part of u: triangles are counted as they are. With `lists=0` also nests in which some
/// set operation stays one on lists, below a walk over bits: a group of lanes would have to do each of them together.
ir::Module bitset_neighborhood(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
