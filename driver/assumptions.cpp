#include "driver/assumptions.h"

#include <algorithm>

#include "codegen/assumptions.h"

namespace matcha::driver {

namespace {

/// What passes may assume of the graphs, without limits of degrees, which are only known once passes have chosen them.
ir::AssumptionKinds allowed_assumptions(const BoundInputs* maybe_bound) {
  const auto all = [&](auto&& is) {
    return maybe_bound == nullptr ||
           std::ranges::all_of(maybe_bound->inputs.graphs, [&](const auto& named) { return is(named.second.facts()); });
  };
  ir::AssumptionKinds allowed;
  if (all([](const runtime::GraphFacts& facts) { return !facts.directed; }))
    allowed.insert(ir::AssumptionKind::Symmetric);
  if (all([](const runtime::GraphFacts& facts) { return facts.simple; })) allowed.insert(ir::AssumptionKind::Simple);
  return allowed;
}

ir::AssumptionKinds broken_assumptions(const BoundInputs& bound, const Compilation& compilation) {
  ir::AssumptionKinds broken;
  for (const codegen::AssumedArgument& each : codegen::assumed_arguments(compilation.pipeline().module)) {
    if (codegen::is_broken(each, bound.arguments)) broken.insert(each.kind);
  }
  return broken;
}

}  // namespace

bool is_as_assumed(const BoundInputs& bound, const Compilation& compilation) {
  return broken_assumptions(bound, compilation).empty();
}

Status run_passes(const Target& target, Compilation& compilation, const passes::LabelWords& labels,
                  const BoundInputs* maybe_bound) {
  ir::AssumptionKinds allowed = allowed_assumptions(maybe_bound);
  for (ir::AssumptionKind kind : ir::kAssumptionKinds) {
    if (target.on_gpu && ir::has_limit(kind)) allowed.insert(kind);
  }
  for (;;) {
    compilation.allow(allowed);
    const Status code = compilation.run_passes(target.pipeline, labels, {});
    if (code != Status::Ok || maybe_bound == nullptr || !target.on_gpu) return code;
    const ir::AssumptionKinds broken = broken_assumptions(*maybe_bound, compilation);
    bool fewer = false;
    for (ir::AssumptionKind kind : ir::kAssumptionKinds) {
      if (!broken.contains(kind) || !allowed.contains(kind)) continue;
      allowed.erase(kind);
      fewer = true;
    }
    // What is not true and was not the passes' choice is refused when the arguments are bound.
    if (!fewer) return code;
  }
}

}  // namespace matcha::driver
