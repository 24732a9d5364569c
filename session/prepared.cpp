#include "session/prepared.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "planner/counted.h"
#include "question/pattern.h"
#include "runtime/machine.h"
#include "session/assumptions.h"
#include "session/bind_slices.h"
#include "session/edge_label_facts.h"
#include "session/explanation.h"
#include "session/given_list.h"
#include "session/label_graph.h"
#include "session/message_log.h"
#include "session/motif_sets.h"

namespace matcha::session {

namespace {

/// Stands for the path of a graph in memory.
constexpr const char* kInMemory = "<graph>";

}  // namespace

Status Prepared::make(const ProgramRequest& request, const std::shared_ptr<ResidentGraph>& graph,
                      const Reading& reading, std::string& errors, std::unique_ptr<Prepared>& out) {
  const auto log = std::make_shared<const MessageLog>();
  const Status status = make(request, graph, reading, log, out);
  if (status != Status::Ok) errors = log->text();
  return status;
}

Status Prepared::make(const ProgramRequest& request, const std::shared_ptr<ResidentGraph>& graph,
                      const Reading& reading, std::shared_ptr<const Reporter> reporter,
                      std::unique_ptr<Prepared>& out) {
  std::unique_ptr<Prepared> made(new Prepared(request, graph, reading, std::move(reporter)));
  const Status status = made->prepare();
  if (status == Status::Ok) out = std::move(made);
  return status;
}

/// Tells the compilation, before it lowers the program, which graphs may have loops.
void Prepared::say_loops() {
  const auto may_loop = [](const ResidentGraph& graph) {
    return graph.maybe_informed() != nullptr && !graph.maybe_informed()->facts().loop_free;
  };
  run_.request.compile.may_loop = may_loop(*graph_) || std::ranges::any_of(graph_->others(), [&](const auto& each) {
                                    return may_loop(*each.graph);
                                  });
  run_.request.compile.plain_may_loop = !graph_->graph().facts().loop_free;
}

Status Prepared::read() {
  say_loops();
  const Status status = run_.read();
  if (status != Status::Ok) return status;
  row_names_ = run_.compilation->row_names();
  return run_.pattern ? check_pattern() : status;
}

Status Prepared::check_pattern() {
  PatternSource& pattern = *run_.pattern;
  Status status = pattern.check_arcs(graph_->graph().facts().directed);
  if (status == Status::Ok) status = pattern.check_set(graph_->report() ? graph_->report()->graphs : 1);
  if (status == Status::Ok) status = take_loops(pattern);
  if (status != Status::Ok) return status;
  const runtime::Graph* const informed = graph_->maybe_informed();
  if (pattern.edge_labelled() && (informed == nullptr || informed->facts().info != runtime::InfoKind::Int)) {
    return pattern.report_unlabelled_edges();
  }
  take_pattern_graph();
  const runtime::Graph& whole = *run_.maybe_pattern_graph;
  if (run_.request.may_lack_labels && pattern.set().patterns.front().has_loops()) {
    return run_.log.error(Status::Usage, "the pattern has a loop, and a graph that changes has none",
                          "updates with both ends on one vertex change nothing");
  }
  if (run_.request.may_lack_labels) {
    pattern.take_types(whole.dictionary());
  } else {
    status = pattern.check_labels(whole, whole.dictionary());
  }
  if (status != Status::Ok) return status;
  semantics_ = pattern.semantics(run_.request.matches);
  row_names_ = pattern.count_names();
  if (row_names_.empty()) row_names_ = pattern.vertex_names();
  status = narrow(pattern);
  if (status != Status::Ok) return status;
  take_pattern_graph();
  run_.signature = pattern.signature(run_.request.matches);
  if (run_.request.pattern.per.empty()) return status;
  if (run_.request.tier != "auto" || !run_.request.may_search) {
    return run_.log.error(Status::Usage, "orbits are counted without a program", "leave `tier` out");
  }
  return check_for_orbits(*run_.maybe_pattern_graph, run_.log);
}

void Prepared::take_pattern_graph() {
  if (!run_.pattern) return;
  run_.maybe_pattern_graph = run_.pattern->edge_labelled() ? graph_->maybe_informed() : &graph_->graph();
}

Status Prepared::take_loops(const PatternSource& pattern) {
  const bool untyped = pattern.edge_labelled() && pattern.is_untyped_query() && graph_->maybe_informed() == nullptr;
  const bool looped = !pattern.edge_labelled() && pattern.sees_loops() && graph_->has_loops();
  if (!untyped && !looped) return Status::Ok;
  if (run_.request.may_lack_labels) {
    return run_.log.error(Status::Usage, "a graph that changes has no loops, and this one has some",
                          "read it without `keep-loops`");
  }
  runtime::Result<std::shared_ptr<ResidentGraph>> other = untyped ? graph_->blank() : graph_->looped();
  if (!other) return run_.log.error(other.error());
  graph_ = std::move(*other);
  say_loops();
  return Status::Ok;
}

Status Prepared::narrow(PatternSource& pattern) {
  const runtime::Graph* const whole = graph_->maybe_informed();
  // Of a graph that changes, labels that come have no codes yet.
  if (whole == nullptr || run_.request.may_lack_labels) return Status::Ok;
  if (needs_no_labels(pattern, *whole)) {
    of_pairs_ = true;
    pattern.forget_edge_labels();
    return Status::Ok;
  }
  label_ = only_label(pattern, *whole, whole->dictionary());
  if (!label_) return Status::Ok;
  runtime::Result<std::shared_ptr<ResidentGraph>> narrow = graph_->of_label(*label_);
  if (!narrow) return run_.log.error(narrow.error());
  graph_ = std::move(*narrow);
  pattern.forget_edge_labels();
  return Status::Ok;
}

Status Prepared::decide(const std::string& engine, const Reporter& reporter) {
  planner::Catalog catalog;
  catalog.threads = runtime::machine().threads;
  catalog.may_have_gpu = has_gpu_;
  catalog.gpu_problem = [] { return std::string(); };
  catalog.ns_to_open = gpu_was_opened() ? 0 : kNsToOpenGpu;
  planner::Question asked = run_.question();
  if (!engine.empty()) asked.engine = engine;
  EngineContext context = run_.context();
  if (run_.request.maybe_batch != nullptr) context.maybe_batch = &run_.request.maybe_batch;
  const Status status = run_.decide(std::move(asked), std::move(context), catalog, reporter);
  if (status == Status::Ok && run_.chosen().on_gpu) note_gpu_opened();
  return status;
}

bool Prepared::has_info(const ParamPlan& param, const ResidentGraph& graph) const {
  const runtime::Graph* const informed = graph.maybe_informed();
  if (informed == nullptr) {
    run_.log.error(Status::Usage, "the program reads information of edges, and the edges of the graph have none",
                   "give it with the graph");
    return false;
  }
  const bool wants_floats = param.graph.info == runtime::ColumnKind::Float;
  const bool has_floats = informed->facts().info == runtime::InfoKind::Float;
  if (wants_floats == has_floats) return true;
  run_.log.error(Status::Usage, fmt::format("the program reads {}s of edges, and the graph has {}s",
                                            wants_floats ? "float" : "int", has_floats ? "float" : "int"));
  return false;
}

ResidentGraph* Prepared::graph_of(const std::string& name) const {
  return run_.request.pattern.text.empty() ? graph_->find(name) : nullptr;
}

bool Prepared::name_graphs(BindOptions& options) const {
  std::vector<std::string> left, unbound_lists;
  bool first_is_free = true, has_named_graph = false;
  for (const Signature::Param& param : run_.signature.params) {
    if (param.type->is_list()) {
      if (graph_->list(param.name) != nullptr) {
        options.inputs.push_back(param.name + "=" + kInMemory);
      } else {
        unbound_lists.push_back(fmt::format("`{}: {}`", param.name, to_string(*param.type)));
      }
    }
    if (!param.type->is_graph()) continue;
    const ResidentGraph* const found = graph_of(param.name);
    if (found != nullptr) {
      options.inputs.push_back(param.name + "=" + kInMemory);
      has_named_graph = true;
    } else {
      left.push_back(fmt::format("`{}`", param.name));
    }
    first_is_free = first_is_free && found != graph_.get();
  }
  // A program without a graph may take the edges of the first one.
  const bool takes_edges = left.empty() && !has_named_graph && unbound_lists.size() == 1;
  if (!unbound_lists.empty() && !takes_edges) {
    run_.log.error(Status::Usage,
                   fmt::format("`{}` needs {} for {}", run_.signature.entry,
                               unbound_lists.size() == 1 ? "a list" : "lists", fmt::join(unbound_lists, " and ")),
                   "give each list with the graph, by the name of its parameter");
    return false;
  }
  const bool has_only_lists = left.empty() && unbound_lists.empty() && !options.inputs.empty();
  const bool takes_first = has_named_graph ? left.size() == 1 && first_is_free : left.size() <= 1 && !has_only_lists;
  if (takes_first) options.graph = kInMemory;
  if (takes_first || left.empty()) return true;
  run_.log.error(Status::Usage,
                 fmt::format("`{}` needs {} for {}", run_.signature.entry, left.size() == 1 ? "a graph" : "graphs",
                             fmt::join(left, " and ")),
                 "give each graph the name of its parameter");
  return false;
}

Status Prepared::bind_graph(const std::string& name, const ParamPlan& param) {
  ResidentGraph* const named = graph_of(name);
  ResidentGraph& graph = named != nullptr ? *named : *graph_;
  if (param.graph.edge_info && !has_info(param, graph)) return Status::Usage;
  if (param.needs_arcs && !graph.graph().facts().directed) {
    return run_.log.error(Status::Usage,
                          fmt::format("the program asks for the arcs of `{}`, and the graph has lost its own", name),
                          "make the graph with `directed`");
  }
  if (param.needs_symmetry && graph.graph().facts().directed) {
    return run_.log.error(Status::Usage,
                          fmt::format("`{}` is for graphs in which each edge goes both ways, and `{}` is directed",
                                      run_.signature.entry, name),
                          "make the graph without `directed`");
  }
  runtime::Result<runtime::Graph> view = param.graph.edge_info ? graph.informed_view() : graph.view();
  if (!view) return run_.log.error(view.error());
  if (run_.bound.main_graph.empty()) {
    run_.bound.main_graph = name;
    run_.bound.labels = view->view().labels;
    run_.bound.ranked = [&graph](runtime::Halves halves) { return graph.ranked(halves); };
    const bool informed = run_.pattern && run_.pattern->edge_labelled();
    run_.bound.match_index = [&graph, informed] { return graph.match_index(informed); };
    run_.bound.maybe_draws = graph.draws();
  }
  run_.bound.arguments.emplace_back(&run_.bound.inputs.graphs.emplace(name, std::move(*view)).first->second);
  return Status::Ok;
}

Status Prepared::bind_list(const std::string& name, const ParamPlan& param) {
  runtime::InputList list;
  const Status status =
      take_list(*graph_->list(name), name, param.list.columns, *run_.bound.inputs.universe, run_.log, list);
  if (status != Status::Ok) return status;
  run_.bound.arguments.emplace_back(
      static_cast<const runtime::InputList*>(&run_.bound.inputs.lists.emplace(name, std::move(list)).first->second));
  return Status::Ok;
}

Status Prepared::bind_edges(const std::string& name, const ParamPlan& param) {
  runtime::Result<runtime::Graph> view = graph_->view();
  if (!view) return run_.log.error(view.error());
  runtime::Result<runtime::InputList> edges = edges_as(*view, param.columns);
  if (!edges) return run_.log.error(edges.error());
  run_.bound.arguments.emplace_back(
      static_cast<const runtime::InputList*>(&run_.bound.edge_lists.emplace(name, std::move(*edges)).first->second));
  return Status::Ok;
}

Status Prepared::bind() {
  BindOptions options;
  options.params = run_.request.params;
  options.directed = options.in_memory = true;
  if (!name_graphs(options)) return Status::Usage;
  const std::optional<BindPlan> plan = plan_binding(run_.signature, options, run_.log);
  if (!plan) return Status::Usage;
  run_.bound.inputs.universe = graph_->graph().shared_universe();
  const runtime::Graph& named = run_.maybe_pattern_graph != nullptr ? *run_.maybe_pattern_graph : graph_->graph();
  run_.bound.inputs.dictionary = std::shared_ptr<const runtime::LabelDictionary>(graph_, &named.dictionary());
  run_.plan.order_is_kept = true;
  run_.plan.maybe_sketches = &graph_->sketches();
  // The ids in the program of a pattern were looked up in the graph.
  const runtime::Status fits = run_.pattern ? runtime::Done{} : check_ids(*plan, *run_.bound.inputs.universe);
  if (!fits) return run_.log.error(fits.error());
  run_.bound.may_lack_labels = run_.request.may_lack_labels;
  for (std::size_t i = 0; i < plan->params.size(); ++i) {
    const std::string& name = run_.signature.params[i].name;
    const ParamPlan& param = plan->params[i];
    Status status = Status::Ok;
    if (param.kind == ParamPlan::Kind::Scalar) {
      run_.bound.arguments.push_back(param.scalar);
    } else if (param.kind == ParamPlan::Kind::Graph) {
      status = bind_graph(name, param);
    } else if (param.kind == ParamPlan::Kind::List) {
      status = bind_list(name, param);
    } else {
      status = bind_edges(name, param);
    }
    if (status != Status::Ok) return status;
  }
  run_.is_bound = true;
  return Status::Ok;
}

Status Prepared::find_gpu() {
  if (run_.request.device == "cpu") return Status::Ok;
  const std::string problem = gpu_problem();
  has_gpu_ = problem.empty();
  if (has_gpu_ || run_.request.device == "auto") return Status::Ok;
  return run_.log.error(Status::Run, fmt::format("no GPU can be used: {}", problem),
                        "`device` = `cpu` runs on the CPU");
}

Status Prepared::begin() {
  Status status = find_gpu();
  if (status == Status::Ok) status = read();
  if (status == Status::Ok) status = bind();
  return status == Status::Ok ? decide({}, run_.log) : status;
}

Status Prepared::explain(const ProgramRequest& request, const std::shared_ptr<ResidentGraph>& graph,
                         const Reading& reading, const ExplainRun& how, std::string& errors, Explanation& found) {
  const auto log = std::make_shared<const MessageLog>();
  const Status status = explain(request, graph, reading, how, log, found);
  errors = log->text();
  return status;
}

Status Prepared::explain(const ProgramRequest& request, const std::shared_ptr<ResidentGraph>& graph,
                         const Reading& reading, const ExplainRun& how, std::shared_ptr<const Reporter> reporter,
                         Explanation& found) {
  ProgramRequest explained = request;
  explained.explains = true;
  if (explained.device == "cuda") explained.device = "cpu";
  Prepared prepared(explained, graph, reading, std::move(reporter));
  const Status status = prepared.begin();
  return status == Status::Ok ? session::explain(prepared.run_, how, found) : status;
}

Status Prepared::prepare() {
  Status status = begin();
  if (status != Status::Ok) return status;
  // The graph stays as it is, so that a search that is short once is short each time.
  codegen::RunOptions alone;
  alone.threads = 1;
  run_.make_engine(alone);
  run_.take_device();
  engine_ = run_.chosen().engine;
  if (!run_.lacks_program()) {
    run_.open_back_end();  // A GPU opens while the program is planned.
    status = run_.lower_program();
    if (status == Status::Ok) status = run_.order_vertices();
    if (status == Status::Ok) status = run_.compile();
    if (status == Status::Ok) run_.executable->begin();
  }
  run_.compilation->set_reporting(false);
  run_.read_here();
  return status;
}

bool Prepared::rebind(const std::shared_ptr<ResidentGraph>& graph) {
  graph_ = graph;
  const runtime::Graph* const whole = graph->maybe_informed();
  if (of_pairs_ && (graph->has_loops() || (whole != nullptr && !whole->facts().simple))) return false;
  if (label_) {
    runtime::Result<std::shared_ptr<ResidentGraph>> narrow = graph->of_label(*label_);
    if (!narrow) return false;
    graph_ = std::move(*narrow);
  }
  take_pattern_graph();
  // They keep the graph.
  run_.bound = BoundInputs();
  run_.labels = passes::LabelWords();
  if (bind() != Status::Ok) return false;
  if (engine_ != "program") {
    if (run_.maybe_pattern_graph == nullptr) return false;
    if (!rebind_reads() && !on_gpu()) return true;  // Identities are those of any graph.
    const MessageLog ignored;
    if (decide(std::string(engine_), ignored) != Status::Ok || run_.chosen().on_gpu != on_gpu()) return false;
    run_.executable = run_.chosen().make();
    return true;
  }
  if (bind_slices(*run_.compilation, run_.reporter, run_.bound) != Status::Ok) return false;
  if (run_.order.by_degree && !take_order_by_degree(run_.order.halves, run_.bound)) return false;
  return is_as_assumed(run_.bound, *run_.compilation);
}

std::vector<std::string> Prepared::pattern_texts() const {
  std::vector<std::string> texts;
  if (!run_.pattern) return texts;
  for (const pattern::Pattern& one : run_.pattern->set().patterns) texts.push_back(to_text(one));
  return texts;
}

bool Prepared::only_gains() const {
  if (!run_.pattern) return false;
  const pattern::Pattern& first = run_.pattern->set().patterns.front();
  return !run_.pattern->set().motif && !run_.pattern->set().maximal && !first.has_anti_edges() &&
         (run_.pattern->induced() == pattern::Induced::Edge || run_.pattern->is_complete());
}

bool Prepared::counts_all_sizes() const { return run_.pattern && run_.pattern->set().cliques == 0U; }

std::optional<codegen::CliqueTask> Prepared::cliques() const {
  if (engine_ != "cliques") return std::nullopt;
  const pattern::PatternSet& set = run_.pattern->set();
  return codegen::CliqueTask{set.cliques.value_or(static_cast<std::uint32_t>(set.patterns.front().size())),
                             set.maximal};
}

Status Prepared::report(const codegen::RunError& failed, const Reporter& to) const {
  PatternReporter reporter(to);
  if (run_.pattern) reporter.set_pattern(run_.pattern->sources(), run_.pattern->loc());
  return reporter.error_in(run_.compilation->sources(), failed.loc, failed.error);
}

bool Prepared::has_label_choices() const {
  return run_.pattern && std::ranges::any_of(run_.pattern->set().patterns, [](const pattern::Pattern& pattern) {
           return std::ranges::any_of(pattern.labels,
                                      [](const std::string& label) { return pattern::alternatives(label).size() > 1; });
         });
}

std::vector<std::vector<std::int64_t>> Prepared::label_codes() const {
  const pattern::Pattern& first = run_.pattern->set().patterns.front();
  std::vector<std::vector<std::int64_t>> codes(first.ids.size());
  for (int v = 0; v < first.size(); ++v) {
    if (first.label(v).empty()) continue;
    for (const std::string& label : pattern::alternatives(first.label(v))) {
      codes[pattern::at(v)].push_back(code_of_literal(label, graph_->graph().dictionary()).value_or(runtime::kNoLabel));
    }
  }
  return codes;
}

bool Prepared::counts_any_edge() const {
  return run_.pattern && std::ranges::any_of(run_.pattern->set().patterns, [&](const pattern::Pattern& pattern) {
           const auto edges = pattern::with_edges(pattern, run_.pattern->match()).edge_labels;
           return std::ranges::any_of(
               edges, [](const auto& edge) { return std::ranges::any_of(edge.second, pattern::is_variable); });
         });
}

codegen::RunOutcome Prepared::run(codegen::RunOptions options, std::span<const codegen::Argument> more) {
  options.labels = run_.bound.labels;
  std::unique_lock<std::timed_mutex> turn(turn_, std::defer_lock);
  if (on_gpu()) {
    constexpr std::chrono::milliseconds kLook{20};
    codegen::RunResult waited;
    while (!turn.try_lock_for(kLook)) {
      if (options.stop_request != nullptr && options.stop_request->load() != 0) {
        waited.ending = codegen::Ending::Stopped;
      } else if (options.deadline && std::chrono::steady_clock::now() >= *options.deadline) {
        waited.ending = codegen::Ending::Deadline;
      }
      if (waited.ending != codegen::Ending::Complete) return waited;
    }
  }
  if (more.empty()) return run_.executable->run(run_.bound.arguments, *run_.bound.inputs.universe, options);
  std::vector<codegen::Argument> arguments = run_.bound.arguments;
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_.executable->run(arguments, *run_.bound.inputs.universe, options);
}

}  // namespace matcha::session
