#include "driver/vertex_order.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "driver/assumptions.h"

namespace matcha::driver {

namespace {

/// What ranking an arc takes, in items of lists that are not walked.
constexpr double kItemsPerArc = 64;

/// The one input if it is a graph that can be ranked anew; null if not.
runtime::Graph* only_graph(BoundInputs& bound, std::string& problem) {
  runtime::Inputs& inputs = bound.inputs;
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

double least_half_work(const runtime::Graph& graph) {
  return kItemsPerArc * static_cast<double>(graph.view().arc_count);
}

/// Whether ranks by degree save more than they cost; says so in `why`.
runtime::Result<bool> pays(const runtime::Graph& graph, runtime::Halves halves, std::string& why) {
  const double least = least_half_work(graph);
  const double by_id = runtime::half_work(graph, halves);
  if (by_id <= least) {
    why = "halves of lists are short";
    return false;
  }
  const runtime::Result<double> by_degree = runtime::half_work_by_degree(graph, halves);
  if (!by_degree) return by_degree.error();
  why = fmt::format("halves of lists, squared: {:.3g} items by id, {:.3g} by degree", by_id, *by_degree);
  return by_id - *by_degree > least;
}

}  // namespace

std::string OrderReport::text() const {
  return fmt::format("{} ({})",
                     !by_degree                         ? "by id"
                     : halves == runtime::Halves::Lower ? "by degree, largest first"
                                                        : "by degree, smallest first",
                     why);
}

bool halves_are_long(const runtime::Graph& graph, runtime::Halves halves) {
  return !graph.facts().directed && graph.facts().simple && graph.narrow_halves().offsets != nullptr &&
         runtime::half_work(graph, halves) > least_half_work(graph);
}

Status order_vertices(const std::string& choice, Compilation& compilation, const passes::LabelWords& labels,
                      const Reporter& reporter, BoundInputs& bound, OrderReport& report) {
  const bool forced = choice == "degree";
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
  runtime::Result<bool> worth = true;
  if (forced) {
    report.why = "as asked for";
  } else {
    worth = pays(*graph, report.halves, report.why);
  }
  if (!worth) return reporter.error(worth.error());
  if (*worth) {
    runtime::Result<runtime::Graph> ordered =
        bound.ranked ? bound.ranked(report.halves) : runtime::ordered_by_degree(*graph, report.halves);
    if (!ordered) return reporter.error(ordered.error());
    take_graph(std::move(*ordered), *graph, bound);
    report.by_degree = true;
  }
  report.could = !report.by_degree;
  report.ms = watch.ms();
  return Status::Ok;
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

}  // namespace matcha::driver
