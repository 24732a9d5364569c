#pragma once

#include <cstdint>

#include "runtime/graph/graph.h"
#include "runtime/graph/io.h"
#include "runtime/result.h"

/// Ranks by degree instead of by id, for programs that cannot tell. Of two neighbours, the one with the smaller degree
/// then has the other in its half of the list that such a program walks, so that halves stay near sqrt(2 m) entries
/// where a hub has thousands of neighbours (Chiba and Nishizeki, SIAM J. Comput. 14, 1985).
namespace matcha::runtime {

/// Which half of neighbour lists the program walks, and so which vertices get the highest ranks.
enum class Halves { Lower, Upper };

/// What walking the halves for each of their items takes: the squares of their lengths, added up.
/// Requires: an undirected simple graph with `split_offsets`, which know it.
double oriented_work(const Graph& graph, Halves halves);
/// The same after `ordered_by_degree`, roughly: as if the ends of edges were drawn by degree. On real graphs between a
/// third and three times as much. Takes a pass over the vertices.
double expected_work_by_degree(const Graph& graph);
/// Nanoseconds that `ordered_by_degree` takes on so many threads, roughly.
double ns_to_rank(const Graph& graph, unsigned threads);

/// The number of neighbours that the vertex with most of them on that side has; 0 without vertices.
std::uint64_t longest_oriented_list(const Graph& graph, Halves halves);

/// Whether the file of a graph has it with ranks by degree for these halves, so that `ordered_by_degree` costs nothing.
bool has_stored_order(const Graph& graph, Halves halves);

/// The same graph with ranks by degree: smaller degrees first for upper halves, last for lower ones. Degrees that
/// differ by less than a quarter are taken for the same and keep the order of their ids, which keeps neighbours
/// together that are near each other in the file. Its universe has the ids in the order of the new ranks. Requires: an
/// undirected simple graph without edge information; with `options.piece_bytes` also one of which all ranks are
/// vertices and none has a label. Errors: Resource when out of memory.
Result<Graph> ordered_by_degree(const Graph& graph, Halves halves, const IoOptions& options = {});

}  // namespace matcha::runtime
