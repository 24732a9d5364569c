#include "session/vertex_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "planner/prices.h"
#include "session/assumptions.h"
#include "session/bind_slices.h"

namespace matcha::session {

namespace {

/// The only input, if it is a graph that can be ranked again; null if not.
runtime::Graph* only_graph(BoundInputs& bound, std::string& problem) {
  runtime::Inputs& inputs = bound.inputs;
  if (!bound.slices.empty()) {
    problem = "edges are read by label or backwards";
    return nullptr;
  }
  if (inputs.graphs.size() != 1 || !inputs.lists.empty() || !bound.edge_lists.empty()) {
    problem = "a graph is not the only input";
    return nullptr;
  }
  runtime::Graph& graph = inputs.graphs.begin()->second;
  if (graph.facts().directed || !graph.facts().simple || graph.view().edge_info != nullptr) {
    problem = "the graph is directed";
    return nullptr;
  }
  return &graph;
}

/// Puts it in the place of the bound graph, where arguments find it.
void take_graph(runtime::Graph ordered, runtime::Graph& graph, BoundInputs& bound) {
  graph = std::move(ordered);
  bound.inputs.universe = graph.shared_universe();
  if (bound.labels != nullptr) bound.labels = graph.view().labels;
}

std::string work_text(double by_id, double by_degree) {
  return fmt::format("halves of lists, squared: {:.3g} items by id, {:.3g} by degree", by_id, by_degree);
}

/// Whether an order can make a difference; says so in `why` if not.
bool may_pay(const runtime::Graph& graph, runtime::Halves halves, std::string& why) {
  if (runtime::oriented_work(graph, halves) > kShortItems * static_cast<double>(graph.view().arc_count)) return true;
  why = "halves of lists are short";
  return false;
}

/// Whether an order that costs nothing is the better one, by a tenth: neighbours lie nearer to each other by id.
bool is_shorter(const runtime::Graph& ordered, const runtime::Graph& graph, runtime::Halves halves, std::string& why) {
  const double by_id = runtime::oriented_work(graph, halves), by_degree = runtime::oriented_work(ordered, halves);
  why = "that order is kept; " + work_text(by_id, by_degree);
  return by_degree < 0.9 * by_id;
}

/// Whether ranks by degree make a run shorter by more than they cost; says so in `why`. Takes microseconds where the
/// run is short, and else a pass over the vertices.
bool pays(const runtime::Graph& graph, runtime::Halves halves, const Forecast& forecast, std::string& why) {
  if (!may_pay(graph, halves, why)) return false;
  const double by_id = runtime::oriented_work(graph, halves);
  const double cores = forecast.on_gpu ? planner::price::gpu_cores : std::max(forecast.threads, 1U);
  const double walk = by_id * planner::price::half_item / cores / static_cast<double>(forecast.processes);
  const double run = forecast.sees_hubs && forecast.ns ? *forecast.ns : std::max(forecast.ns.value_or(0), walk);
  const double ranking = runtime::ns_to_rank(graph, forecast.threads);
  if (run <= ranking) {
    why = fmt::format("the run is expected to take {:.2g} ms, and ranking {:.2g} ms", run / 1e6, ranking / 1e6);
    return false;
  }
  const double by_degree = runtime::expected_work_by_degree(graph);
  const double gain = run * std::max(0.0, 1 - by_degree / by_id);
  why = work_text(by_id, by_degree) + fmt::format("; expected to save {:.2g} ms", gain / 1e6);
  return gain > ranking;
}

/// Whether the pattern's program, which is written for that order, is expected to gain; says so in `why`.
bool is_planned(const Forecast& forecast, std::string& why) {
  const std::string runs = fmt::format("the run is expected to take {:.2g} ms by id, {:.2g} ms by degree",
                                       *forecast.ns / 1e6, *forecast.ns_by_degree / 1e6);
  why = forecast.ns_to_rank == 0 ? "that order is kept; " + runs
                                 : runs + fmt::format(", and ranking {:.2g} ms", forecast.ns_to_rank / 1e6);
  return forecast.gains_by_degree();
}

}  // namespace

std::string OrderReport::text() const {
  return fmt::format("{} ({})",
                     !by_degree                         ? "by id"
                     : halves == runtime::Halves::Lower ? "by degree, largest first"
                                                        : "by degree, smallest first",
                     why);
}

Status order_vertices(const std::string& choice, const Forecast& forecast, Compilation& compilation,
                      const passes::LabelWords& labels, const Reporter& reporter, BoundInputs& bound,
                      OrderReport& report) {
  const bool forced = choice == "degree";
  if (const Status sliced = bind_slices(compilation, reporter, bound); sliced != Status::Ok) return sliced;
  if (choice == "id") {
    report.why = "as asked for";
    return Status::Ok;
  }
  compilation.allow(allowed_assumptions(false, &bound));
  const ir::VertexOrder order = compilation.vertex_order(labels);
  std::string problem;
  report.could = only_graph(bound, problem) != nullptr;
  report.may_gain = order.is_free && order.is_deep;
  report.why = order.is_free ? "no ids are compared" : order.why_not;
  if (forced && !order.is_free) {
    const std::string message = fmt::format("the results may depend on the order of the vertices: {}", order.why_not);
    const std::string hint = "leave out `--order degree`";
    if (!order.loc.valid()) return reporter.error(Status::Usage, message, hint);
    return reporter.error_at(Status::Usage, compilation.sources(), order.loc, message, hint);
  }
  if (order.is_free && order.is_used && !order.is_deep) report.why = "only the ends of edges are compared";
  if (!order.is_free || (!order.is_deep && !forced)) return Status::Ok;
  runtime::Graph* const graph = only_graph(bound, report.why);
  if (graph == nullptr) {
    if (!forced) return Status::Ok;
    return reporter.error(Status::Usage, fmt::format("cannot rank vertices by degree: {}", report.why));
  }
  const Stopwatch watch;
  report.halves = order.walks_down ? runtime::Halves::Lower : runtime::Halves::Upper;
  const bool is_kept = bound.ranked || runtime::has_stored_order(*graph, report.halves);
  if (choice == "stored" && !is_kept) {
    report.why = "ranks by degree are not in the file, and would take memory";
    return Status::Ok;
  }
  bool worth = true;
  if (forced) {
    report.why = "as asked for";
  } else if (forecast.ns_by_degree) {
    worth = is_planned(forecast, report.why);
  } else {
    worth = is_kept ? may_pay(*graph, report.halves, report.why) : pays(*graph, report.halves, forecast, report.why);
  }
  if (worth) {
    runtime::Result<runtime::Graph> ordered =
        bound.ranked ? bound.ranked(report.halves) : runtime::ordered_by_degree(*graph, report.halves);
    if (!ordered) return reporter.error(ordered.error());
    if (forced || !is_kept || forecast.ns_by_degree || is_shorter(*ordered, *graph, report.halves, report.why)) {
      take_graph(std::move(*ordered), *graph, bound);
      report.by_degree = true;
    }
  }
  report.could = !report.by_degree;
  report.ms = watch.ms();
  return Status::Ok;
}

bool take_order_by_degree(runtime::Halves halves, BoundInputs& bound) {
  std::string problem;
  runtime::Graph* const graph = only_graph(bound, problem);
  if (graph == nullptr) return false;
  runtime::Result<runtime::Graph> ordered =
      bound.ranked ? bound.ranked(halves) : runtime::ordered_by_degree(*graph, halves);
  if (!ordered) return false;
  take_graph(std::move(*ordered), *graph, bound);
  return true;
}

double OrderSwitch::set(bool by_degree, Compilation& compilation, const passes::LabelWords& labels) {
  if (!by_degree && !by_degree_) return 0;
  std::string problem;
  runtime::Graph* const graph = only_graph(bound_, problem);
  if (graph == nullptr) return -1;
  if (by_degree) {
    const ir::VertexOrder order = compilation.vertex_order(labels);
    if (!order.is_free) return -1;
    if (!other_) {
      const Stopwatch watch;
      halves_ = order.walks_down ? runtime::Halves::Lower : runtime::Halves::Upper;
      runtime::Result<runtime::Graph> ordered = runtime::ordered_by_degree(*graph, halves_);
      if (!ordered) return -1;
      other_.emplace(std::move(*ordered));
      ms_ = watch.ms();
    }
  }
  if (by_degree != by_degree_) {
    runtime::Graph before = std::move(*graph);
    take_graph(std::move(*other_), *graph, bound_);
    *other_ = std::move(before);
    by_degree_ = by_degree;
  }
  return by_degree ? ms_ : 0;
}

}  // namespace matcha::session
