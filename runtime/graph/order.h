#pragma once

#include <cstdint>

#include "runtime/graph/graph.h"
#include "runtime/graph/io.h"
#include "runtime/result.h"

/// Ranks by degree instead of by id, for programs whose answer does not depend on ranks. Of two neighbours, only the
/// one with the smaller degree then has the other in the half of its list that such a program iterates over. So halves
/// have about sqrt(2 m) items even if a hub has thousands of neighbours (Chiba and Nishizeki, SIAM J. Comput. 14,
/// 1985).
namespace matcha::runtime {

/// The half of neighbour lists that the program iterates over; it determines which vertices get the highest ranks.
enum class Halves { Lower, Upper };

/// The cost of iterating over the half of each item of each half: the sum of the squares of their lengths. Requires: an
/// undirected simple graph with `split_offsets`, which store it.
double oriented_work(const Graph& graph, Halves halves);
/// An estimate of `oriented_work` after `ordered_by_degree`, as if the ends of edges were drawn by degree. On real
/// graphs it is between a third and three times the true value. Takes one pass over the vertices.
double expected_work_by_degree(const Graph& graph);
/// Sums over the vertices of a graph, by a sample.
struct SampledWork {
  double squares = 0;  ///< The sum of the squared lengths of halves after `ordered_by_degree`.
  double cubes = 0;    ///< The third powers: a walk over pairs of items of a half for each of its items.
};
/// By 512 vertices, drawn by degree, and 64 neighbours of each. Requires: undirected.
SampledWork sampled_work_by_degree(const Graph& graph);
/// Nanoseconds of one core to count the 4-cycles among the neighbours of each vertex (`fill_wheels` of the identities),
/// by 128 vertices, drawn by degree, and 4 neighbours of each. Requires: an undirected simple graph.
double sampled_wheel_ns(const Graph& graph);
/// An estimate of the nanoseconds that `ordered_by_degree` takes with `threads` threads.
double ns_to_rank(const Graph& graph, unsigned threads);

/// The length of the longest list on that side; 0 without vertices.
std::uint64_t longest_oriented_list(const Graph& graph, Halves halves);

/// True if the file of the graph stores it with ranks by degree for these halves; then `ordered_by_degree` costs
/// nothing.
bool has_stored_order(const Graph& graph, Halves halves);

/// The same graph with ranks by degree: smaller degrees first for upper halves, last for lower ones. Degrees that
/// differ by less than a quarter count as equal and keep the order of their ids: vertices that are close in the file
/// stay close. Its universe has the ids in the order of the new ranks. Requires: an undirected simple graph without
/// edge information. With `options.piece_bytes` also: all ranks are vertices and none has a label. Errors: Resource
/// when out of memory.
Result<Graph> ordered_by_degree(const Graph& graph, Halves halves, const IoOptions& options = {});

}  // namespace matcha::runtime
