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
#include "session/given_list.h"
#include "session/gpu_matcher.h"
#include "session/label_graph.h"
#include "session/message_log.h"
#include "session/motif_sets.h"
#include "session/pattern_matcher.h"
#include "session/pattern_plan.h"
#include "session/targets.h"

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
  std::unique_ptr<Prepared> made(new Prepared(request, graph, std::move(reporter)));
  const Status status = made->prepare(reading);
  if (status == Status::Ok) out = std::move(made);
  return status;
}

/// What the program may be promised of loops, which the compilation reads when it lowers.
void Prepared::say_loops() {
  const auto may_loop = [](const ResidentGraph& graph) {
    return graph.maybe_informed() != nullptr && !graph.maybe_informed()->facts().loop_free;
  };
  request_.compile.may_loop = may_loop(*graph_) || std::ranges::any_of(graph_->others(), [&](const auto& each) {
                                return may_loop(*each.graph);
                              });
  request_.compile.plain_may_loop = !graph_->graph().facts().loop_free;
}

Status Prepared::read(const Reading& reading, Compilation& compilation) {
  say_loops();
  if (!request_.pattern.text.empty()) return read_pattern(reading);
  Status status = Status::Ok;
  reading([&] { status = compilation.lower_text(request_.text); });
  if (status == Status::Ok) signature_ = compilation.signature();
  row_names_ = compilation.row_names();
  return status;
}

Status Prepared::read_pattern(const Reading& reading) {
  Status status = Status::Ok;
  PatternSource& pattern = pattern_.emplace(request_.pattern, log_);
  reading([&] { status = pattern.read(); });
  if (status == Status::Ok) status = pattern.check_arcs(graph_->graph().facts().directed);
  if (status == Status::Ok) status = pattern.check_set(graph_->report() ? graph_->report()->graphs : 1);
  if (status == Status::Ok) status = take_loops(pattern);
  if (status != Status::Ok) return status;
  const runtime::Graph* const informed = graph_->maybe_informed();
  if (pattern.edge_labelled() && (informed == nullptr || informed->facts().info != runtime::InfoKind::Int)) {
    return pattern.report_unlabelled_edges();
  }
  const runtime::Graph& whole = pattern_graph();
  place_reporter_.set_pattern(pattern.sources(), pattern.loc());
  if (request_.may_lack_labels && pattern.set().patterns.front().has_loops()) {
    return log_.error(Status::Usage, "the pattern has a loop, and a graph that changes has none",
                      "updates with both ends on one vertex change nothing");
  }
  if (request_.may_lack_labels) {
    pattern.take_types(whole.dictionary());
  } else {
    status = pattern.check_labels(whole, whole.dictionary());
  }
  if (status != Status::Ok) return status;
  semantics_ = pattern.semantics(request_.matches);
  row_names_ = pattern.count_names();
  if (row_names_.empty()) row_names_ = pattern.vertex_names();
  status = narrow(pattern);
  if (status != Status::Ok) return status;
  signature_ = pattern.signature(request_.matches);
  if (request_.pattern.per.empty()) return status;
  if (request_.device == "cuda" || request_.tier != "auto" || !request_.may_search) {
    return log_.error(Status::Usage, "orbits are counted without a program, on a CPU",
                      "leave `device` = `cuda` and `tier` out");
  }
  return check_for_orbits(pattern_graph(), log_);
}

Status Prepared::take_loops(const PatternSource& pattern) {
  const bool untyped = pattern.edge_labelled() && pattern.is_untyped_query() && graph_->maybe_informed() == nullptr;
  const bool looped = !pattern.edge_labelled() && pattern.sees_loops() && graph_->has_loops();
  if (!untyped && !looped) return Status::Ok;
  if (request_.may_lack_labels) {
    return log_.error(Status::Usage, "a graph that changes has no loops, and this one has some",
                      "read it without `keep-loops`");
  }
  runtime::Result<std::shared_ptr<ResidentGraph>> other = untyped ? graph_->blank() : graph_->looped();
  if (!other) return log_.error(other.error());
  graph_ = std::move(*other);
  say_loops();
  return Status::Ok;
}

Status Prepared::narrow(PatternSource& pattern) {
  const runtime::Graph* const whole = graph_->maybe_informed();
  // Of a graph that changes, labels that come have no codes yet.
  if (whole == nullptr || request_.may_lack_labels) return Status::Ok;
  label_ = only_label(pattern, *whole, whole->dictionary());
  if (!label_) return Status::Ok;
  runtime::Result<std::shared_ptr<ResidentGraph>> narrow = graph_->of_label(*label_);
  if (!narrow) return log_.error(narrow.error());
  graph_ = std::move(*narrow);
  pattern.forget_edge_labels();
  return Status::Ok;
}

Status Prepared::plan(const Reading& reading, bool on_gpu) {
  using pattern::Device;
  const Device device = on_gpu ? Device::Gpu : Device::Cpu;
  if (planned_for_ == device) return Status::Ok;
  const runtime::Graph& graph = pattern_graph();
  const PlanRequest plan{request_.matches,           request_.order,     true, device,
                         runtime::machine().threads, &graph_->sketches()};
  pattern::GraphSketch sketch;
  Status status = Status::Ok;
  reading([&] { status = plan_pattern(*pattern_, graph, graph.dictionary(), plan, sketch, forecast_); });
  if (status == Status::Ok) planned_for_ = device;
  return status;
}

planner::Question Prepared::question() const {
  planner::Question question;
  if (pattern_) question = question_of(*pattern_, request_.pattern, request_.matches);
  question.bounded = request_.some;
  question.most = request_.maybe_most;
  question.device = request_.device;
  question.engine = request_.engine;
  if (!request_.may_search) question.wants_program = "what takes the answer";
  if (request_.tier != "auto") question.wants_tier = "`tier`";
  question.in_shares = request_.shares;
  question.graph_grows = request_.may_lack_labels;
  return question;
}

EngineContext Prepared::context() {
  EngineContext context;
  context.code_folder = request_.code_folder;
  if (!pattern_) return context;
  context.maybe_graph = &pattern_graph();
  context.maybe_labels = &pattern_graph().dictionary();
  context.match_index = bound_.match_index;
  context.batch = [this] {
    if (request_.maybe_batch != nullptr) return request_.maybe_batch;
    return gpu_batch(bound_.inputs.graphs.at(bound_.main_graph), request_.code_folder);
  };
  return context;
}

std::optional<double> Prepared::expected_ns(const Reading& reading, bool on_gpu, Status& status) {
  if (pattern_) {
    if (status == Status::Ok) status = plan(reading, on_gpu);
    if (status != Status::Ok) return std::nullopt;
    return on_gpu ? forecast_.ns : pattern_->program().cost;
  }
  return on_gpu ? std::nullopt : session::expected_ns(*compilation_, bound_);
}

Status Prepared::decide(const Reading& reading, const std::string& engine, const Reporter& reporter) {
  Status planned = Status::Ok;
  planner::Catalog catalog;
  catalog.program_ns = [&](bool on_gpu) { return expected_ns(reading, on_gpu, planned); };
  catalog.threads = std::max(runtime::machine().threads, 1U);
  catalog.may_have_gpu = has_gpu_;
  catalog.gpu_problem = [] { return std::string(); };
  catalog.ns_to_open = gpu_was_opened() ? 0 : kNsToOpenGpu;
  catalog.complete = request_.explains;
  planner::Question asked = question();
  if (!engine.empty()) asked.engine = engine;
  const Status decided = choice_.decide(std::move(asked), context(), catalog, reporter);
  if (planned != Status::Ok || decided != Status::Ok) return planned != Status::Ok ? planned : decided;
  if (request_.explains) {
    offers_ = planner::to_json(choice_.decision());
    choice_.stay_on_cpu();
    if (choice_.decision().is_empty()) {
      return reporter.error(Status::Usage, "what runs on a GPU alone is not explained", "leave out `device`");
    }
  }
  on_gpu_ = choice_.chosen().on_gpu;
  if (on_gpu_) note_gpu_opened();
  return Status::Ok;
}

Status Prepared::make_without_program() {
  while (choice_.chosen().make) {
    const planner::Offer& chosen = choice_.chosen();
    engine_ = chosen.engine;
    on_gpu_ = chosen.on_gpu;
    executable_ = chosen.make();
    if (!chosen.is_trial) return Status::Ok;
    // The graph stays as it is, so that a search that is short once is short each time.
    codegen::RunOptions alone;
    alone.threads = 1;
    if (try_search(*executable_, bound_.arguments, *bound_.inputs.universe, alone)) return Status::Ok;
    executable_.reset();
    choice_.give_up();
  }
  engine_ = choice_.chosen().engine;
  on_gpu_ = choice_.chosen().on_gpu;
  return Status::Ok;
}

bool Prepared::has_info(const ParamPlan& param, const ResidentGraph& graph) const {
  const runtime::Graph* const informed = graph.maybe_informed();
  if (informed == nullptr) {
    log_.error(Status::Usage, "the program reads information of edges, and the edges of the graph have none",
               "give it with the graph");
    return false;
  }
  const bool wants_floats = param.graph.info == runtime::ColumnKind::Float;
  const bool has_floats = informed->facts().info == runtime::InfoKind::Float;
  if (wants_floats == has_floats) return true;
  log_.error(Status::Usage, fmt::format("the program reads {}s of edges, and the graph has {}s",
                                        wants_floats ? "float" : "int", has_floats ? "float" : "int"));
  return false;
}

ResidentGraph* Prepared::graph_of(const std::string& name) const {
  return request_.pattern.text.empty() ? graph_->find(name) : nullptr;
}

bool Prepared::name_graphs(BindOptions& options) const {
  std::vector<std::string> left, unbound_lists;
  bool first_is_free = true, has_named_graph = false;
  for (const Signature::Param& param : signature_.params) {
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
    log_.error(Status::Usage,
               fmt::format("`{}` needs {} for {}", signature_.entry, unbound_lists.size() == 1 ? "a list" : "lists",
                           fmt::join(unbound_lists, " and ")),
               "give each list with the graph, by the name of its parameter");
    return false;
  }
  const bool has_only_lists = left.empty() && unbound_lists.empty() && !options.inputs.empty();
  const bool takes_first = has_named_graph ? left.size() == 1 && first_is_free : left.size() <= 1 && !has_only_lists;
  if (takes_first) options.graph = kInMemory;
  if (takes_first || left.empty()) return true;
  log_.error(Status::Usage,
             fmt::format("`{}` needs {} for {}", signature_.entry, left.size() == 1 ? "a graph" : "graphs",
                         fmt::join(left, " and ")),
             "give each graph the name of its parameter");
  return false;
}

Status Prepared::bind_graph(const std::string& name, const ParamPlan& param) {
  ResidentGraph* const named = graph_of(name);
  ResidentGraph& graph = named != nullptr ? *named : *graph_;
  if (param.graph.edge_info && !has_info(param, graph)) return Status::Usage;
  if (param.needs_arcs && !graph.graph().facts().directed) {
    return log_.error(Status::Usage,
                      fmt::format("the program asks for the arcs of `{}`, and the graph has lost its own", name),
                      "make the graph with `directed`");
  }
  runtime::Result<runtime::Graph> view = param.graph.edge_info ? graph.informed_view() : graph.view();
  if (!view) return log_.error(view.error());
  if (bound_.main_graph.empty()) {
    bound_.main_graph = name;
    bound_.labels = view->view().labels;
    bound_.ranked = [&graph](runtime::Halves halves) { return graph.ranked(halves); };
    const bool informed = pattern_ && pattern_->edge_labelled();
    bound_.match_index = [&graph, informed] { return graph.match_index(informed); };
  }
  bound_.arguments.emplace_back(&bound_.inputs.graphs.emplace(name, std::move(*view)).first->second);
  return Status::Ok;
}

Status Prepared::bind_list(const std::string& name, const ParamPlan& param) {
  runtime::InputList list;
  const Status status = take_list(*graph_->list(name), name, param.list.columns, *bound_.inputs.universe, log_, list);
  if (status != Status::Ok) return status;
  bound_.arguments.emplace_back(
      static_cast<const runtime::InputList*>(&bound_.inputs.lists.emplace(name, std::move(list)).first->second));
  return Status::Ok;
}

Status Prepared::bind_edges(const std::string& name, const ParamPlan& param) {
  runtime::Result<runtime::Graph> view = graph_->view();
  if (!view) return log_.error(view.error());
  runtime::Result<runtime::InputList> edges = edges_as(*view, param.columns);
  if (!edges) return log_.error(edges.error());
  bound_.arguments.emplace_back(
      static_cast<const runtime::InputList*>(&bound_.edge_lists.emplace(name, std::move(*edges)).first->second));
  return Status::Ok;
}

Status Prepared::bind() {
  BindOptions options;
  options.params = request_.params;
  options.directed = true;  // Whether a graph keeps its arcs is looked at when it is bound.
  if (!name_graphs(options)) return Status::Usage;
  const std::optional<BindPlan> plan = plan_binding(signature_, options, log_);
  if (!plan) return Status::Usage;
  bound_.inputs.universe = graph_->graph().shared_universe();
  // The ids in the program of a pattern are those of vertices that the graph was asked for.
  const runtime::Status fits = pattern_ ? runtime::Done{} : check_ids(*plan, *bound_.inputs.universe);
  if (!fits) return log_.error(fits.error());
  bound_.may_lack_labels = request_.may_lack_labels;
  for (std::size_t i = 0; i < plan->params.size(); ++i) {
    const std::string& name = signature_.params[i].name;
    const ParamPlan& param = plan->params[i];
    Status status = Status::Ok;
    if (param.kind == ParamPlan::Kind::Scalar) {
      bound_.arguments.push_back(param.scalar);
    } else if (param.kind == ParamPlan::Kind::Graph) {
      status = bind_graph(name, param);
    } else if (param.kind == ParamPlan::Kind::List) {
      status = bind_list(name, param);
    } else {
      status = bind_edges(name, param);
    }
    if (status != Status::Ok) return status;
  }
  return Status::Ok;
}

Status Prepared::find_gpu() {
  if (request_.device == "cpu") return Status::Ok;
  const std::string problem = gpu_problem();
  has_gpu_ = problem.empty();
  if (has_gpu_ || request_.device == "auto") return Status::Ok;
  return log_.error(Status::Run, fmt::format("no GPU can be used: {}", problem), "`device` = `cpu` runs on the CPU");
}

Status Prepared::load(Compilation& compilation, const passes::LabelWords& labels) {
  const Target& target = target_named(on_gpu_ ? "cuda" : target_of_tier(request_.tier));
  TargetSettings settings;
  settings.code_folder = request_.code_folder;
  settings.gpu = request_.gpu;
  settings.gpu.code_folder = request_.code_folder;
  compilation.set_target(target.info(settings));
  backend_ = target.make(settings);
  backend_->begin();
  Status status = run_passes(target, compilation, labels, &bound_, request_.gpu.query);
  if (status == Status::Ok) status = compilation.load(*backend_, executable_);
  if (status == Status::Ok) executable_->begin();
  return status;
}

Status Prepared::prepare(const Reading& reading) {
  if (request_.compile.file.empty()) {
    request_.compile.file = request_.pattern.text.empty() ? "<program>" : "<pattern>";
  }
  Compilation& compilation = compilation_.emplace(request_.compile, place_reporter_);
  Status status = find_gpu();
  if (status == Status::Ok) status = read(reading, compilation);
  if (status == Status::Ok) status = bind();
  if (status == Status::Ok) status = decide(reading, request_.engine, log_);
  if (status == Status::Ok) status = make_without_program();
  if (status == Status::Ok && executable_ != nullptr && forecast_.plan_ms > 0) compilation.add_plan(forecast_.plan_ms);
  if (status == Status::Ok && executable_ == nullptr && pattern_) {
    status = plan(reading, on_gpu_);
    const auto lower = [&] { status = compilation.lower_text(pattern_->program().text, forecast_.plan_ms); };
    if (status == Status::Ok) reading(lower);
    if (status == Status::Ok) signature_ = compilation.signature();
  }
  if (status != Status::Ok || executable_ != nullptr) return status;
  const runtime::LabelDictionary& dictionary = graph_->graph().dictionary();
  passes::LabelWords labels;
  labels.code = [&dictionary, may_lack = request_.may_lack_labels](std::string_view word) {
    std::optional<std::int64_t> code = dictionary.code(word);
    // Of no vertex, not even of one without a label.
    if (!code && may_lack) code = runtime::kNoLabel + 1;
    return code;
  };
  labels.words = dictionary.words();
  if (request_.rewrite) status = rewrite(labels);
  if (status != Status::Ok) return status;
  status = order_vertices(request_.order, forecast_, compilation, labels, place_reporter_, bound_, order_);
  if (status == Status::Ok) status = load(compilation, labels);
  compilation.set_reporting(false);
  return status;
}

Status Prepared::rewrite(const passes::LabelWords& labels) {
  compilation_->allow(allowed_assumptions(on_gpu_, &bound_));
  const std::optional<ir::Module> nests = compilation_->nests(labels);
  if (!nests) return log_.error(Status::Query, "the program cannot be read as loops");
  compilation_->set_loop(request_.rewrite(compilation_->context(), *nests));
  return Status::Ok;
}

bool Prepared::rebind(const std::shared_ptr<ResidentGraph>& graph) {
  graph_ = graph;
  if (label_) {
    runtime::Result<std::shared_ptr<ResidentGraph>> narrow = graph->of_label(*label_);
    if (!narrow) return false;
    graph_ = std::move(*narrow);
  }
  bound_ = BoundInputs();
  if (bind() != Status::Ok) return false;
  if (engine_ != "program") {
    const bool informed = pattern_->edge_labelled();
    if (informed && graph_->maybe_informed() == nullptr) return false;
    const auto here = [](const std::function<void()>& read) { read(); };
    const MessageLog unheard;
    if (decide(here, std::string(engine_), unheard) != Status::Ok || choice_.chosen().on_gpu != on_gpu_) return false;
    executable_ = choice_.chosen().make();
    return true;
  }
  if (bind_slices(*compilation_, place_reporter_, bound_) != Status::Ok) return false;
  if (order_.by_degree && !take_order_by_degree(order_.halves, bound_)) return false;
  return is_as_assumed(bound_, *compilation_);
}

bool Prepared::only_gains() const {
  if (!pattern_) return false;
  const pattern::Pattern& first = pattern_->set().patterns.front();
  return !pattern_->set().motif && !first.has_anti_edges() &&
         (pattern_->induced() == pattern::Induced::Edge || pattern_->is_complete());
}

Status Prepared::report(const codegen::RunError& failed, const Reporter& to) const {
  const runtime::Error& error = failed.error;
  if (!failed.loc.valid()) return to.error(error);
  PatternReporter reporter(to);
  if (pattern_) reporter.set_pattern(pattern_->sources(), pattern_->loc());
  return reporter.error_at(status_of(error.kind), compilation_->sources(), failed.loc, error.message, error.hint);
}

bool Prepared::has_label_choices() const {
  return pattern_ && std::ranges::any_of(pattern_->set().patterns, [](const pattern::Pattern& pattern) {
           return std::ranges::any_of(pattern.labels,
                                      [](const std::string& label) { return pattern::alternatives(label).size() > 1; });
         });
}

std::vector<std::vector<std::int64_t>> Prepared::label_codes() const {
  const pattern::Pattern& first = pattern_->set().patterns.front();
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
  return pattern_ && std::ranges::any_of(pattern_->set().patterns, [&](const pattern::Pattern& pattern) {
           const auto edges = pattern::with_edges(pattern, pattern_->match()).edge_labels;
           return std::ranges::any_of(
               edges, [](const auto& edge) { return std::ranges::any_of(edge.second, pattern::is_variable); });
         });
}

codegen::RunOutcome Prepared::run(codegen::RunOptions options, std::span<const codegen::Argument> more) {
  options.labels = bound_.labels;
  std::unique_lock<std::timed_mutex> turn(turn_, std::defer_lock);
  if (on_gpu_) {
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
  if (more.empty()) return executable_->run(bound_.arguments, *bound_.inputs.universe, options);
  std::vector<codegen::Argument> arguments = bound_.arguments;
  arguments.insert(arguments.end(), more.begin(), more.end());
  return executable_->run(arguments, *bound_.inputs.universe, options);
}

}  // namespace matcha::session
