#include "codegen/assumptions.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/check.h"

namespace matcha::codegen {

namespace {

bool holds(ir::AssumptionKind kind, const runtime::Graph& graph) {
  switch (kind) {
    case ir::AssumptionKind::Symmetric: return !graph.facts().directed;
    case ir::AssumptionKind::Simple: return graph.facts().simple;
  }
  MATCHA_UNREACHABLE("a kind of assumption");
}

}  // namespace

std::vector<AssumedArgument> assumed_arguments(const ir::Module& module) {
  std::vector<AssumedArgument> result;
  for (const ir::Assumption& assumption : module.assumptions) {
    const auto found = std::ranges::find(module.params, assumption.var);
    result.push_back({assumption.kind, static_cast<std::size_t>(found - module.params.begin()),
                      std::string(assumption.var->hint), assumption.var->loc});
  }
  return result;
}

std::optional<RunError> broken_assumption(std::span<const AssumedArgument> assumed,
                                          std::span<const Argument> arguments) {
  for (const AssumedArgument& each : assumed) {
    if (each.position >= arguments.size()) continue;
    runtime::Graph* const* graph = std::get_if<runtime::Graph*>(&arguments[each.position]);
    if (graph == nullptr || holds(each.kind, **graph)) continue;
    RunError failed;
    failed.error.kind = runtime::ErrorKind::Input;
    failed.error.message = fmt::format("the graph for `{}` is not `{}`: the compiled program assumes that {}",
                                       each.name, ir::keyword(each.kind), ir::meaning(each.kind));
    failed.loc = each.loc;
    return failed;
  }
  return std::nullopt;
}

}  // namespace matcha::codegen
