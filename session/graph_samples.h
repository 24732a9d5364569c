#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/graph/random.h"
#include "session/bind.h"

namespace matcha::session {

/// The inputs of a run with a small graph in the place of the loaded one.
struct SampleInputs {
  BoundInputs bound;
  std::vector<std::int64_t> labels;  ///< The array behind `bound.labels`.
};

/// Draws small graphs out of the graph of a run: some vertices that lie near each other, and all edges between them,
/// with their labels. Their ids are 0, 1, …. The same seed gives the same samples.
class GraphSamples {
 public:
  /// Whether the inputs are one graph and numbers.
  static bool can_draw(const BoundInputs& bound);
  /// Requires: `can_draw`; the inputs outlive it.
  GraphSamples(const BoundInputs& bound, std::uint64_t seed) : bound_(bound), random_(seed) {}

  /// A graph of `size` vertices, or of all if there are fewer. Errors: Resource when out of memory.
  runtime::Result<std::unique_ptr<SampleInputs>> draw(std::uint64_t size);

 private:
  std::uint32_t start(const runtime::GraphView& view);
  std::vector<std::uint32_t> vertices(const runtime::GraphView& view, std::uint64_t size);

  const BoundInputs& bound_;
  runtime::Random random_;
};

}  // namespace matcha::session
