#include "driver/short_lists.h"

#include <algorithm>

#include "runtime/graph/order.h"

namespace matcha::driver {

namespace {

using Limit = std::optional<std::int64_t>;

bool is_short(const runtime::Graph& graph, Limit limit) {
  return !limit || graph.view().max_degree <= static_cast<std::uint64_t>(*limit);
}

bool is_short(const runtime::Graph& graph, runtime::Halves halves, Limit limit) {
  if (is_short(graph, limit)) return true;
  return graph.narrow_halves().offsets != nullptr &&
         runtime::longest_half(graph, halves) <= static_cast<std::uint64_t>(*limit);
}

ir::AssumptionKinds every_assumption() {
  ir::AssumptionKinds all;
  for (ir::AssumptionKind kind : ir::kAssumptionKinds) all.insert(kind);
  return all;
}

}  // namespace

ir::AssumptionKinds allowed_assumptions(const BoundInputs& bound) {
  const auto all = [&](auto&& is) {
    return std::ranges::all_of(bound.inputs.graphs, [&](const auto& named) { return is(named.second.facts()); });
  };
  ir::AssumptionKinds allowed;
  if (all([](const runtime::GraphFacts& facts) { return !facts.directed; }))
    allowed.insert(ir::AssumptionKind::Symmetric);
  if (all([](const runtime::GraphFacts& facts) { return facts.simple; })) allowed.insert(ir::AssumptionKind::Simple);
  return allowed;
}

bool is_as_assumed(const BoundInputs& bound, const Compilation& compilation) {
  const ir::AssumptionKinds allowed = allowed_assumptions(bound);
  for (const ir::Assumption& assumption : compilation.pipeline().module.assumptions) {
    if (!allowed.contains(assumption.kind)) return false;
  }
  const NeighborLimits& limits = compilation.limits();
  return std::ranges::all_of(bound.inputs.graphs, [&](const auto& named) {
    return is_short(named.second, limits.all) && is_short(named.second, runtime::Halves::Lower, limits.lower) &&
           is_short(named.second, runtime::Halves::Upper, limits.upper);
  });
}

Status run_cpu_passes(Compilation& compilation, const passes::LabelWords& labels, const BoundInputs* maybe_bound) {
  compilation.allow(maybe_bound == nullptr ? every_assumption() : allowed_assumptions(*maybe_bound));
  return compilation.run_passes("cpu", labels, {});
}

Status run_gpu_passes(Compilation& compilation, const passes::LabelWords& labels, const BoundInputs* maybe_bound) {
  compilation.allow(maybe_bound == nullptr ? every_assumption() : allowed_assumptions(*maybe_bound));
  for (ShortLists assumed : {ShortLists::All, ShortLists::Halves, ShortLists::None}) {
    compilation.assume(assumed);
    const Status code = compilation.run_passes("c-family", labels, {});
    if (code != Status::Ok || maybe_bound == nullptr) return code;
    if (is_as_assumed(*maybe_bound, compilation)) return code;
  }
  return Status::Ok;
}

}  // namespace matcha::driver
