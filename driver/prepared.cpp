#include "driver/prepared.h"

#include <fmt/format.h>

#include "driver/assumptions.h"
#include "driver/graph_sketch.h"
#include "driver/targets.h"
#include "driver/vertex_order.h"

namespace matcha::driver {

Status Prepared::make(const ProgramRequest& request, const std::shared_ptr<ResidentGraph>& graph,
                      const Reading& reading, std::string& errors, std::unique_ptr<Prepared>& out) {
  std::unique_ptr<Prepared> made(new Prepared(request, graph));
  const Status status = made->prepare(reading);
  if (status == Status::Ok) {
    out = std::move(made);
  } else {
    errors = made->log_.text();
  }
  return status;
}

Status Prepared::read(const Reading& reading, Compilation& compilation) {
  Status status = Status::Ok;
  PatternSource pattern(request_.pattern, log_);
  if (request_.pattern.text.empty()) {
    compilation.take(request_.text);
  } else {
    reading([&] { status = pattern.read(); });
    if (status == Status::Ok) status = pattern.check_arcs(graph_->graph().facts().directed);
    if (status != Status::Ok) return status;
    if (pattern.edge_labelled()) {
      return log_.error(Status::Usage, "the pattern has labels of edges, which graphs in memory do not have");
    }
    const frontend::pattern::GraphSketch sketch =
        sketch_of(graph_->graph(), graph_->graph().dictionary(), frontend::pattern::Device::Cpu);
    reading([&] { status = pattern.write(request_.matches, sketch); });
    if (status == Status::Ok) compilation.take(pattern.program().text);
  }
  reading([&] {
    if (status == Status::Ok) status = compilation.check();
    if (status == Status::Ok) status = compilation.lower();
  });
  return status;
}

Status Prepared::bind(Compilation& compilation) {
  BindOptions options;
  options.graph = "<graph>";
  options.params = request_.params;
  options.directed = graph_->graph().facts().directed;
  const std::optional<BindPlan> plan = plan_binding(compilation.graph(), compilation.loop(), options, log_);
  if (!plan) return Status::Usage;
  runtime::Result<runtime::Graph> view = graph_->view();
  if (!view) return log_.error(view.error());
  bound_.inputs.universe = view->shared_universe();
  bound_.labels = view->view().labels;
  bound_.ranked = [graph = graph_.get()](runtime::Halves halves) { return graph->ranked(halves); };
  for (std::size_t i = 0; i < plan->params.size(); ++i) {
    const std::string& name = compilation.graph().params[i].name;
    const ParamPlan& param = plan->params[i];
    if (param.kind == ParamPlan::Kind::Scalar) {
      bound_.arguments.push_back(param.scalar);
    } else if (param.kind == ParamPlan::Kind::Graph && !param.graph.edge_info) {
      bound_.main_graph = name;
      bound_.arguments.emplace_back(&bound_.inputs.graphs.emplace(name, std::move(*view)).first->second);
    } else {
      return log_.error(Status::Usage, fmt::format("parameter `{}` cannot be bound to a graph in memory", name),
                        "it takes one `Graph` without information of edges, and numbers");
    }
  }
  return Status::Ok;
}

Status Prepared::prepare(const Reading& reading) {
  if (request_.compile.file.empty()) {
    request_.compile.file = request_.pattern.text.empty() ? "<program>" : "<pattern>";
  }
  Compilation& compilation = compilation_.emplace(request_.compile, log_);
  Status status = read(reading, compilation);
  if (status == Status::Ok) status = bind(compilation);
  if (status != Status::Ok) return status;
  const runtime::LabelDictionary& dictionary = graph_->graph().dictionary();
  passes::LabelWords labels;
  labels.code = [&dictionary](std::string_view word) { return dictionary.code(word); };
  labels.words = dictionary.words();
  labels.everywhere = compilation.reads_labels() && bound_.all_labelled();
  OrderReport order;
  status = order_vertices(request_.order, compilation, labels, log_, bound_, order);
  if (status == Status::Ok) status = run_passes(target_named("llvm"), compilation, labels, &bound_);
  backend_ = target_named("llvm").make({});
  if (status == Status::Ok) status = compilation.load(*backend_, executable_);
  compilation.set_reporting(false);
  return status;
}

codegen::RunOutcome Prepared::run(codegen::RunOptions options) {
  options.labels = bound_.labels;
  return executable_->run(bound_.arguments, *bound_.inputs.universe, options);
}

}  // namespace matcha::driver
