#include "codegen/cuda/host_values.h"

#include <optional>

namespace matcha::codegen::gpu {

void HostValues::set(const ir::Var* var, runtime::Graph& graph, bool own_labels) {
  host::Graph& entry = values_.graphs[var];
  entry.graph = &graph;
  entry.view = graph.view();
  if (entry.view.labels == nullptr && !own_labels) entry.view.labels = options_.labels;
}

void HostValues::set_counts(const ir::Var* var, const runtime::GraphView& device_view) {
  host::Graph& entry = values_.graphs[var];
  entry.view.universe = device_view.universe;
  entry.view.arc_count = device_view.arc_count;
  entry.view.vertex_count = device_view.vertex_count;
  entry.view.max_degree = device_view.max_degree;
}

void HostValues::bind(const host::Signature& signature, std::span<const ir::Var* const> params,
                      std::span<const Argument> arguments) {
  const auto take = [&](std::size_t i, host::Bound bound) {
    const ir::Var* param = params[i];
    if (host::List* list = std::get_if<host::List>(&bound)) {
      set(param, std::move(*list));
    } else if (runtime::Graph* const* graph = std::get_if<runtime::Graph*>(&bound)) {
      set(param, **graph, false);
    } else if (const bool* truth = std::get_if<bool>(&bound)) {
      set(param, host::Scalar(*truth));
    } else if (const double* real = std::get_if<double>(&bound)) {
      set(param, host::Scalar(*real));
    } else {
      set(param, host::Scalar(std::get<std::int64_t>(bound)));
    }
    return std::optional<RunError>();
  };
  std::optional<RunError> failed = host::bind_arguments(signature, arguments, options_.labels, take);
  if (failed) throw host::Trap{std::move(failed->error), failed->loc};
}

void HostValues::let(const ir::Let& s) {
  if (s.var->type->is_list()) {
    set(s.var, list(*s.value));
  } else if (s.var->type->is_graph()) {
    values_.graphs[s.var] = host::Graph(evaluator_.graph(*s.value));
  } else {
    set(s.var, scalar(*s.value));
  }
}

void HostValues::build(const ir::BuildGraph& s) {
  const host::List edges = list(*s.edges);
  std::optional<host::List> labels;
  std::optional<host::List> info;
  if (s.maybe_labels != nullptr) labels = list(*s.maybe_labels);
  if (s.maybe_info != nullptr) {
    info = list(*s.maybe_info);
    if (info->size != edges.size) host::trap(runtime::TrapCode::LengthMismatch, s.loc);
  }
  built_.push_back(std::make_unique<runtime::Graph>(
      need(host::build_graph(s.index, s.order, universe_, edges, labels ? &*labels : nullptr, info ? &*info : nullptr),
           s.loc)));
  set(s.var, *built_.back(), s.maybe_labels != nullptr);
}

}  // namespace matcha::codegen::gpu
