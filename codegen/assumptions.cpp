#include "codegen/assumptions.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/check.h"
#include "runtime/graph/order.h"

namespace matcha::codegen {

namespace {

/// True if vertices have labels. `maybe_labels`: the labels of the run, used by graphs that have none.
bool is_labelled(const runtime::Graph& graph, const std::int64_t* maybe_labels) {
  const runtime::GraphView view = graph.view();
  if (view.labels != nullptr || maybe_labels == nullptr) return graph.facts().labelled;
  const std::int64_t* const end = maybe_labels + view.universe;
  return std::find(maybe_labels, end, runtime::kNoLabel) == end;
}

bool holds(ir::AssumptionKind kind, std::int64_t limit, const runtime::Graph& graph, const std::int64_t* maybe_labels) {
  const auto within = [&](std::uint64_t degree) { return degree <= static_cast<std::uint64_t>(limit); };
  switch (kind) {
    case ir::AssumptionKind::Symmetric: return !graph.facts().directed;
    case ir::AssumptionKind::LoopFree: return graph.facts().loop_free;
    case ir::AssumptionKind::Simple: return graph.facts().simple;
    case ir::AssumptionKind::Labelled: return is_labelled(graph, maybe_labels);
    case ir::AssumptionKind::Degree: return within(graph.view().max_degree);
    case ir::AssumptionKind::LowerDegree:
      return within(graph.view().max_degree) || within(runtime::longest_oriented_list(graph, runtime::Halves::Lower));
    case ir::AssumptionKind::UpperDegree:
      return within(graph.view().max_degree) || within(runtime::longest_oriented_list(graph, runtime::Halves::Upper));
  }
  MATCHA_UNREACHABLE("a kind of assumption");
}

}  // namespace

std::vector<AssumedArgument> assumed_arguments(const ir::Module& module) {
  std::vector<AssumedArgument> result;
  for (const ir::Assumption& assumption : module.assumptions) {
    const auto found = std::ranges::find(module.params, assumption.var);
    result.push_back({assumption.kind, assumption.limit, static_cast<std::size_t>(found - module.params.begin()),
                      std::string(assumption.var->hint), assumption.var->loc});
  }
  return result;
}

bool is_broken(const AssumedArgument& assumed, std::span<const Argument> arguments, const std::int64_t* maybe_labels) {
  if (assumed.position >= arguments.size()) return false;
  runtime::Graph* const* graph = std::get_if<runtime::Graph*>(&arguments[assumed.position]);
  return graph != nullptr && !holds(assumed.kind, assumed.limit, **graph, maybe_labels);
}

std::optional<RunError> broken_assumption(std::span<const AssumedArgument> assumed, std::span<const Argument> arguments,
                                          const std::int64_t* maybe_labels) {
  for (const AssumedArgument& each : assumed) {
    if (!is_broken(each, arguments, maybe_labels)) continue;
    RunError failed;
    failed.error.kind = runtime::ErrorKind::Input;
    failed.error.message =
        fmt::format("the graph for `{}` is not `{}`: the compiled program assumes that {}", each.name,
                    ir::property(each.kind, each.limit), ir::meaning(each.kind, each.limit));
    failed.loc = each.loc;
    return failed;
  }
  return std::nullopt;
}

}  // namespace matcha::codegen
