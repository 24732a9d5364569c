#pragma once

#include "frontend/pattern/sketch.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/labels.h"

namespace matcha::driver {

/// What the cost model of patterns wants to know of a graph. Degrees are out-degrees. The number of triangles is
/// estimated from sampled pairs of neighbours, the same ones each time; arcs between labels are counted, on very large
/// graphs for a part of the vertices. `device`: where the program is to run; `by_degree`: with ranks by degree, the
/// largest first, as restrictions of patterns put the largest ids first, so that programs walk down.
frontend::pattern::GraphSketch sketch_of(const runtime::Graph& graph, const runtime::LabelDictionary& dictionary,
                                         frontend::pattern::Device device, bool by_degree = false);

}  // namespace matcha::driver
