#include "tools/short_halves.h"

#include <algorithm>

#include "runtime/graph/order.h"

namespace matcha::tools {

namespace {

bool is_short(const runtime::Graph& graph, runtime::Halves halves, std::optional<std::int64_t> limit) {
  if (!limit) return true;
  const std::uint64_t most = static_cast<std::uint64_t>(*limit);
  if (graph.view().max_degree <= most) return true;
  return graph.narrow_halves().offsets != nullptr && runtime::longest_half(graph, halves) <= most;
}

}  // namespace

bool has_short_halves(const BoundInputs& bound, const HalfLimits& limits) {
  return std::ranges::all_of(bound.inputs.graphs, [&](const auto& named) {
    return is_short(named.second, runtime::Halves::Lower, limits.lower) &&
           is_short(named.second, runtime::Halves::Upper, limits.upper);
  });
}

ExitCode run_gpu_passes(Compilation& compilation, const passes::LabelWords& labels, const BoundInputs* maybe_bound) {
  compilation.assume_short_halves(true);
  ExitCode code = compilation.run_passes("c-family", labels, {});
  if (code != ExitCode::Ok || maybe_bound == nullptr || has_short_halves(*maybe_bound, compilation.half_limits())) {
    return code;
  }
  compilation.assume_short_halves(false);
  return compilation.run_passes("c-family", labels, {});
}

}  // namespace matcha::tools
