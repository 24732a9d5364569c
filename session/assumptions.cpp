#include "session/assumptions.h"

#include <algorithm>

#include "codegen/assumptions.h"

namespace matcha::session {

namespace {

ir::AssumptionKinds broken_assumptions(const BoundInputs& bound, const Compilation& compilation) {
  ir::AssumptionKinds broken;
  for (const codegen::AssumedArgument& each : codegen::assumed_arguments(compilation.pipeline().module)) {
    if (codegen::is_broken(each, bound.arguments, bound.labels)) broken.insert(each.kind);
  }
  return broken;
}

}  // namespace

ir::AssumptionKinds allowed_assumptions(bool for_gpu, const BoundInputs* maybe_bound) {
  const auto all = [&](auto&& is) {
    return maybe_bound == nullptr ||
           std::ranges::all_of(maybe_bound->inputs.graphs, [&](const auto& named) { return is(named.second.facts()); });
  };
  ir::AssumptionKinds allowed;
  if (all([](const runtime::GraphFacts& facts) { return !facts.directed; }))
    allowed.insert(ir::AssumptionKind::Symmetric);
  if (all([](const runtime::GraphFacts& facts) { return facts.loop_free; }))
    allowed.insert(ir::AssumptionKind::LoopFree);
  if (all([](const runtime::GraphFacts& facts) { return facts.simple; })) allowed.insert(ir::AssumptionKind::Simple);
  if (maybe_bound != nullptr && maybe_bound->all_labelled()) allowed.insert(ir::AssumptionKind::Labelled);
  for (ir::AssumptionKind kind : ir::kAssumptionKinds) {
    if (for_gpu && ir::has_limit(kind)) allowed.insert(kind);
  }
  return allowed;
}

bool is_as_assumed(const BoundInputs& bound, const Compilation& compilation) {
  return broken_assumptions(bound, compilation).empty();
}

Status run_passes(const Target& target, Compilation& compilation, const passes::LabelWords& labels,
                  const BoundInputs* maybe_bound, const codegen::LoadedQuery& query) {
  if (query.is_loaded()) {
    compilation.allow(query.assumed());
    return compilation.run_passes(target.pipeline, labels, {});
  }
  ir::AssumptionKinds allowed = allowed_assumptions(target.on_gpu, maybe_bound);
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
    // Assumptions that the passes did not choose are checked when the arguments are bound.
    if (!fewer) return code;
  }
}

}  // namespace matcha::session
