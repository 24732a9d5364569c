#include "session/pattern_plan.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/graph/order.h"
#include "session/compile.h"
#include "session/graph_sketch.h"

namespace matcha::session {

namespace {

using pattern::Device;
using pattern::GraphSketch;

bool can_be_ranked(const runtime::Graph& graph) {
  const runtime::GraphView view = graph.view();
  return !graph.facts().directed && graph.facts().simple && view.edge_info == nullptr && view.slots == nullptr &&
         graph.split_offsets().offsets != nullptr;
}

/// The share of a run that is left with ranks by degree, as far as the halves of lists say: hubs, which the model of
/// costs hardly sees, have the longest ones.
double share_by_degree(const runtime::Graph& graph) {
  const double by_id = std::min(runtime::oriented_work(graph, runtime::Halves::Lower),
                                runtime::oriented_work(graph, runtime::Halves::Upper));
  if (by_id <= kShortItems * static_cast<double>(graph.view().arc_count)) return 1;
  return std::min(1.0, runtime::expected_work_by_degree(graph) / by_id);
}

Status choose(PatternSource& pattern, const runtime::Graph& graph, const runtime::LabelDictionary& dictionary,
              const PlanRequest& request, GraphSketch& sketch, Forecast& forecast) {
  forecast.threads = request.threads;
  forecast.on_gpu = request.device == Device::Gpu;
  forecast.ns_by_degree.reset();
  // There the shorter list of two is searched in the other.
  forecast.sees_hubs = forecast.on_gpu && pattern.set().patterns.front().size() <= 3;
  const double threads = forecast.on_gpu ? 1 : std::max(request.threads, 1U);
  const double workers = threads * static_cast<double>(forecast.processes);
  // Which of the matches of a subgraph is listed shows the order.
  const bool choosable = !request.rows && can_be_ranked(graph);
  const bool by_degree = choosable && request.order == "degree";
  const auto sketch_by = [&](bool ranked) {
    const SketchUse use{request.device, ranked, pattern.vertex_labelled(), pattern.is_determined_by_edge_labels()};
    return request.maybe_sketches != nullptr ? request.maybe_sketches->of(graph, dictionary, use)
                                             : sketch_of(graph, dictionary, use);
  };
  sketch = sketch_by(by_degree);
  Status status = pattern.write(request.rows, sketch);
  if (status != Status::Ok) return status;
  forecast.ns = pattern.program().cost / workers;
  if (!choosable || request.order != "auto") return status;
  // A program that reads halves in either direction needs the file to have that one; the direction is not known yet.
  const bool is_kept = request.order_is_kept || runtime::has_stored_order(graph, runtime::Halves::Lower);
  forecast.ns_to_rank = is_kept ? 0 : runtime::ns_to_rank(graph, request.threads);
  if (!is_kept && *forecast.ns <= forecast.ns_to_rank) return status;
  GraphSketch ranked = sketch_by(true);
  std::optional<pattern::PatternProgram> program = pattern.write_for(ranked);
  if (!program) return status;
  forecast.ns_by_degree = std::min(program->cost / workers, *forecast.ns * share_by_degree(graph));
  if (!forecast.gains_by_degree()) return status;
  sketch = std::move(ranked);
  pattern.take(std::move(*program));
  return status;
}

}  // namespace

Status plan_pattern(PatternSource& pattern, const runtime::Graph& graph, const runtime::LabelDictionary& dictionary,
                    const PlanRequest& request, GraphSketch& sketch, Forecast& forecast) {
  const Stopwatch watch;
  if (pattern.set().cliques) {  // They have no program.
    pattern.take({});
    return Status::Ok;
  }
  const Status status = choose(pattern, graph, dictionary, request, sketch, forecast);
  forecast.plan_ms = watch.ms();
  return status;
}

}  // namespace matcha::session
