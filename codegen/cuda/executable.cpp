#include "codegen/cuda/executable.h"

#include <algorithm>

#include "codegen/cuda/clock.h"
#include "codegen/cuda/device_values.h"
#include "codegen/cuda/region_run.h"
#include "codegen/cuda/stops.h"
#include "codegen/shares.h"
#include "ir/match.h"
#include "runtime/common/bits.h"

namespace matcha::codegen::gpu {

using runtime::ErrorKind;

/// One run: the values of the top level, and what of them is on the device.
class CudaExecutable::Run {
 public:
  Run(CudaExecutable& program, const runtime::Universe& universe, const RunOptions& options)
      : program_(program), universe_(universe), options_(options), values_(universe, options) {}

  RunResult walk(std::span<const Argument> arguments) {
    try {
      walk_steps(arguments);
    } catch (const StoppedWaiting& stopped) {
      result_.ending = stopped.ending;
    }
    return std::move(result_);
  }

 private:
  void walk_steps(std::span<const Argument> arguments) {
    const Clock::time_point begin = Clock::now();
    try {
      open(arguments);
    } catch (const host::Trap&) {
      program_.session_.reset();
      throw;
    }
    result_.times.emplace_back("ready", milliseconds_since(begin));
    // Making a device current for each call takes longer than most calls.
    const runtime::cuda::ContextGuard current(*session().launchers()[0]->device());
    need(current.status());
    for (const host::Step& next : program_.plan_.steps) {
      const bool big =
          std::holds_alternative<host::RegionStep>(next) || std::holds_alternative<const ir::BuildGraph*>(next);
      if (ended() && big) break;
      try {
        std::visit([&](const auto& s) { step(s); }, next);
      } catch (const host::Trap&) {
        if (!ended()) throw;
        break;
      }
    }
  }

  bool ended() const { return result_.ending != Ending::Complete; }
  bool samples() const { return program_.options_.sample.parts > 1; }
  bool streams() const { return options_.on_rows && !samples(); }
  Session& session() { return *program_.session_; }

  /// Devices are opened, kernels compiled and graphs copied side by side.
  void open(std::span<const Argument> arguments) {
    if (program_.opening_.valid()) {
      wait_for(program_.opening_, options_);
      program_.session_ = program_.opening_.get();
    }
    if (program_.session_ == nullptr) program_.session_ = std::make_unique<Session>(program_.options_);
    values_.bind(program_.signature_, program_.module_.params, arguments);
    program_.begin_compile(session(), worth_hubs());
    session().open(result_, options_);
    for (RegionLauncher* launcher : session().launchers()) devices_.emplace_back(launcher->stream());
    for (const ir::Var* param : program_.module_.params) upload_early(param);
  }

  /// Whether rows of hubs are worth their code for the inputs; what is compiled already stays as it is.
  bool worth_hubs() {
    if (session().compiles()) return session().hubs();
    return std::ranges::any_of(program_.module_.params, [&](const ir::Var* param) {
      return param->type->is_graph() && worth_hub_rows(values_.graph(param).view, program_.options_.hubs);
    });
  }

  void step(const ir::Let* s) {
    values_.let(*s);
    upload_early(s->var);
  }
  void step(const ir::BuildGraph* s) {
    if (build_on_device(*s)) return;
    values_.build(*s);
    upload_early(s->var);
  }
  void step(const host::RegionStep& s) { region(s); }
  void step(const ir::Return* s) { results(*s); }

  // What regions read

  host::GraphNeeds needs_of(const ir::Var* graph) const {
    const auto found = program_.plan_.worker_graphs.find(graph);
    return found != program_.plan_.worker_graphs.end() ? found->second : host::GraphNeeds{};
  }

  static runtime::cuda::UploadOptions wanted_of(const host::GraphNeeds& needs) {
    runtime::cuda::UploadOptions wanted;
    wanted.sources = needs.sources;
    wanted.halves = needs.halves;
    wanted.labels = needs.labels;
    wanted.edge_info = needs.edge_info != nullptr;
    wanted.original_ids = false;
    return wanted;
  }

  static void check_info(bool there, const host::GraphNeeds& needs) {
    if (there || needs.edge_info == nullptr) return;
    fail(ErrorKind::Runtime, "the graph has no edge information", {}, needs.edge_info->loc);
  }

  /// Starts the copy of a graph that regions read, so that it travels while kernels are compiled.
  void upload_early(const ir::Var* var) {
    if (!var->type->is_graph() || !program_.on_device_.contains(var)) return;
    host::Graph& graph = values_.graph(var);
    const host::GraphNeeds needs = needs_of(var);
    check_info(graph.view.edge_info != nullptr || graph.view.arc_count == 0, needs);
    if (needs.sources) {
      need(runtime::ensure_sources(*graph.graph));
      graph.view.sources = graph.graph->view().sources;
    }
    if (needs.halves) {
      need(runtime::ensure_halves(*graph.graph));
      graph.view.halves = graph.graph->view().halves;
    }
    for (DeviceValues& device : devices_) device.upload(var, graph, wanted_of(needs));
  }

  bool stays(const ir::Var* list) const { return program_.device_graphs_.rows.contains(list); }

  /// What a graph is built of, when its edges stayed on the devices.
  GraphRows rows_of(const ir::BuildGraph& s) {
    const auto stayed = [&](const ir::Expr* list) { return std::move(rows_.at(ir::as<ir::Var>(list))); };
    GraphRows rows;
    rows.edges = stayed(s.edges);
    if (s.maybe_info != nullptr) rows.info = stayed(s.maybe_info);
    if (s.maybe_labels == nullptr) return rows;
    if (stays(ir::as<ir::Var>(s.maybe_labels))) {
      rows.labels = stayed(s.maybe_labels);
    } else {
      rows.known_labels = values_.list(*s.maybe_labels);
    }
    return rows;
  }

  /// Builds a graph from rows that stayed on the devices. False: the host has to; it has the rows then.
  bool build_on_device(const ir::BuildGraph& s) {
    if (!program_.device_graphs_.builds.contains(&s)) return false;
    const Clock::time_point start = Clock::now();
    GraphRows rows = rows_of(s);
    if (rows.info && rows.info->count() != rows.edges.count()) host::trap(runtime::TrapCode::LengthMismatch, s.loc);
    const host::GraphNeeds needs = needs_of(s.var);
    check_info(rows.info || rows.edges.count() == 0, needs);
    std::vector<const runtime::cuda::Stream*> streams;
    for (const RegionLauncher* launcher : session().launchers()) streams.push_back(&launcher->stream());
    std::string note;
    std::optional<std::vector<DeviceGraph>> graphs =
        session().graph_builder(result_, options_).build(streams, universe_.size(), rows, wanted_of(needs), note);
    if (!graphs) {
      if (!note.empty()) result_.notes.push_back(std::move(note));
      values_.set(rows.edges.sink->var, rows.edges.fetch());
      if (rows.info) values_.set(rows.info->sink->var, rows.info->fetch());
      if (rows.labels) values_.set(rows.labels->sink->var, rows.labels->fetch());
      return false;
    }
    values_.set_counts(s.var, graphs->front().view);
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      DeviceGraph& graph = (*graphs)[i];
      if (needs.labels && s.maybe_labels == nullptr && options_.labels != nullptr) {
        graph.view.labels = static_cast<const std::int64_t*>(devices_[i].keep(options_.labels, universe_.size() * 8));
      }
      devices_[i].adopt(s.var, std::move(graph));
    }
    result_.times.emplace_back("build", milliseconds_since(start));
    return true;
  }

  // Steps

  std::uint64_t positions(const EmittedRegion& entry) {
    if (entry.outer == nullptr) return 1;
    if (entry.arcs_graph != nullptr) return values_.graph(ir::as<ir::Var>(entry.arcs_graph)).view.arc_count;
    std::uint64_t size = values_.size(*entry.outer->lists[0]);
    for (const ir::Expr* list : entry.outer->lists.subspan(1)) {
      if (values_.size(*list) != size) host::trap(runtime::TrapCode::LengthMismatch, entry.outer->loc);
    }
    return size;
  }

  /// The graph whose vertices are the positions, if the host has it; null: something else is, or only devices have it.
  const runtime::GraphView* walked_graph(const EmittedRegion& entry) {
    if (entry.outer == nullptr || entry.arcs_graph != nullptr) return nullptr;
    const ir::Expr& walked = *entry.outer->lists[0];
    const ir::Var* graph = walked.kind == ir::Kind::Vertices ? ir::as<ir::Var>(walked.operands[0]) : nullptr;
    if (graph == nullptr) return nullptr;
    const runtime::GraphView& view = values_.graph(graph).view;
    return view.offsets != nullptr ? &view : nullptr;
  }

  std::uint64_t items_of(const host::BufferPlan& plan) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(values_.integer(*plan.buffer->capacity), 0));
  }
  /// Of a sample: one of how many parts of the region is walked.
  std::uint64_t parts(const host::RegionStep& s, std::uint64_t positions) const {
    const Sample& sample = program_.options_.sample;
    if (!samples() || !s.adds_up()) return 1;
    return std::clamp<std::uint64_t>(positions / std::max<std::uint64_t>(sample.least, 1), 1, sample.parts);
  }

  BufferSpec spec(const host::BufferPlan& plan) {
    std::string name(plan.buffer->var->hint);
    switch (plan.form) {
      case host::BufferForm::Counters: return {std::move(name), universe_.size(), plan.item_bytes, true, true};
      case host::BufferForm::Bits:
        return {std::move(name), matcha_program::words_for(items_of(plan)), plan.item_bytes, true};
      case host::BufferForm::BitRows:
        return {std::move(name), matcha_program::row_words(items_of(plan)), plan.item_bytes, true};
      case host::BufferForm::Items: break;
    }
    return {std::move(name), items_of(plan), plan.item_bytes};
  }

  /// How the loops of the region are run by its kernels.
  static void take_loops(RegionRequest& request, const EmittedRegion& emitted) {
    request.bit_loops = request.schedule().shared_rows != 0 ? std::uint64_t(emitted.bit_loops) : 0;
    request.lanes_level = emitted.lanes_level;
    request.light_arcs = emitted.light_arcs;
  }

  /// All but what the kernels are compiled for.
  RegionRequest request_of(const host::RegionStep& s, const EmittedRegion& emitted) {
    RegionRequest request;
    request.region = emitted.region;
    request.positions = positions(emitted);
    request.maybe_walked = walked_graph(emitted);
    request.parts = parts(s, request.positions);
    for (const host::BufferPlan& buffer : s.buffers) {
      request.buffers.push_back(spec(buffer));
      if (buffer.form == host::BufferForm::BitRows) request.row_items = std::max(request.row_items, items_of(buffer));
    }
    take_loops(request, emitted);
    request.universe = universe_.size();
    request.stream_rows = streams() && s.answer >= 0;
    request.any_order = true;
    request.kernel_times = options_.kernel_times;
    for (const ir::Sink& sink : s.region->collect->sinks) {
      if (sink.kind != ir::SinkKind::List) continue;
      if (stays(sink.var)) request.staying.insert(sink.var);
      if (!stays(sink.var) || program_.device_graphs_.rows.at(sink.var)) request.any_order = false;
    }
    return request;
  }

  /// What the region reads, on each device.
  std::vector<RegionInputs> inputs_of(const host::RegionStep& s, const EmittedRegion& emitted) {
    const Clock::time_point waiting = Clock::now();
    std::vector<RegionInputs> inputs(devices_.size());
    const ir::Var* dealt = emitted.dealt_graph != nullptr ? ir::as<ir::Var>(emitted.dealt_graph) : nullptr;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      inputs[i].frame = devices_[i].frame(program_.layout_, s.reads, values_);
      if (dealt != nullptr) {
        inputs[i].dealt_graph = devices_[i].graph(dealt);
        inputs[i].tiles = &devices_[i].tiles(dealt);
      }
      if (program_.reads_ids_) inputs[i].original_ids = devices_[i].ids(universe_);
    }
    result_.times.emplace_back("upload", milliseconds_since(waiting));
    return inputs;
  }

  void region(const host::RegionStep& s) {
    const std::size_t index = next_region_++;
    load_kernels(index);
    const EmittedRegion& emitted = session().regions()[index];
    RegionRequest request = request_of(s, emitted);
    make_hub_rows(index);
    std::vector<RegionInputs> inputs = inputs_of(s, emitted);
    choose_kernels(request, index, inputs);
    RegionOutcome outcome = run_region(session().launchers(), request, inputs, program_.options_, options_);
    report(request, outcome);
    for (DeviceRows& rows : outcome.staying) rows_[rows.sink->var] = std::move(rows);
    const std::span<const ir::Sink> sinks = s.region->collect->sinks;
    for (std::size_t i = 0; i < sinks.size(); ++i) {
      if (request.staying.contains(sinks[i].var)) continue;
      if (sinks[i].kind == ir::SinkKind::List) {
        values_.set(sinks[i].var, std::move(outcome.rows[i]));
      } else {
        values_.set(sinks[i].var, std::move(outcome.values[i]));
      }
    }
  }

  void report(const RegionRequest& request, RegionOutcome& outcome) {
    result_.times.emplace_back("launch", outcome.launch_ms);
    if (request.kernel_times) result_.times.emplace_back("kernel", outcome.kernel_ms);
    result_.times.emplace_back("collect", outcome.collect_ms);
    for (std::string& note : outcome.notes) result_.notes.push_back(std::move(note));
    report_lists(request, outcome);
    result_.ending = outcome.ending;
    result_.positions += outcome.positions;
    result_.positions_total += request.positions;
    result_.work_done += request.work_of_first(outcome.positions);
    result_.work_total += request.work_of_first(request.positions);
    result_.deferred += outcome.splits;
    result_.rows += outcome.streamed;
    if (request.stream_rows) streamed_ = true;
  }

  /// Makes the rows of hubs that a region looks into, on every device, unless they are there.
  void make_hub_rows(std::size_t index) {
    if (session().hub_graphs(index).empty()) return;
    const Clock::time_point waiting = Clock::now();
    for (const ir::Var* graph : session().hub_graphs(index)) devices_[0].graph(graph);
    result_.times.emplace_back("upload", milliseconds_since(waiting));
    const Clock::time_point start = Clock::now();
    for (const ir::Var* graph : session().hub_graphs(index)) {
      for (std::size_t i = 0; i < devices_.size(); ++i) {
        devices_[i].make_hub_rows(graph, values_.graph(graph), *session().kernels(i, index).hubs,
                                  program_.options_.hubs);
      }
    }
    result_.times.emplace_back("hubs", milliseconds_since(start));
  }

  /// Waits for the kernels of a region, but not for those of the next ones.
  void load_kernels(std::size_t index) {
    const Clock::time_point waiting = Clock::now();
    session().load(index, result_, options_);
    result_.times.emplace_back("ready", milliseconds_since(waiting));
  }

  /// The kernels of the region; when its arrays do not fit, the program is scheduled for pages and compiled first.
  void choose_kernels(RegionRequest& request, std::size_t index, std::vector<RegionInputs>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].kernels = &session().kernels(i, index);
    bool pages = false;
    for (std::size_t i = 0; i < inputs.size() && session().stack() == ir::Stack::Array; ++i) {
      pages = pages || session().launchers()[i]->wants_pages(request, inputs[i]);
    }
    const ir::Module* const paged = pages ? program_.paged_module() : nullptr;
    if (paged == nullptr) return;
    result_.notes.push_back("lists are kept in pages, because arrays for enough groups of threads do not fit");
    session().begin_compile(*paged, session().hubs());
    load_kernels(index);
    request.region = session().regions()[index].region;
    take_loops(request, session().regions()[index]);
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].kernels = &session().kernels(i, index);
  }

  /// Tells of the region whose lists took most.
  void report_lists(const RegionRequest& request, const RegionOutcome& outcome) {
    if (!result_.stack.empty() && outcome.list_bytes <= result_.list_bytes) return;
    result_.stack = request.schedule().stack == ir::Stack::Paged ? "paged" : "array";
    result_.workers = outcome.groups;
    result_.list_bytes = outcome.list_bytes;
  }

  void results(const ir::Return& s) {
    if (samples()) {
      if (!ended()) result_.ending = Ending::Sampled;
      return;
    }
    if (options_.on_rows && s.values.size() == 1 && s.values[0]->type->is_list()) {
      if (!streamed_ && !host::hand_over(values_.list(*s.values[0]), options_.on_rows, result_.rows))
        result_.ending = Ending::RowsRefused;
      result_.values.emplace_back(static_cast<__int128>(result_.rows));
      return;
    }
    for (const ir::Expr* e : s.values) {
      if (!e->type->is_list()) {
        result_.values.push_back(host::result_value(values_.scalar(*e)));
        continue;
      }
      std::optional<ListValue> list = host::list_value(values_.list(*e));
      if (!list) host::trap(runtime::TrapCode::OutOfMemory, {});
      result_.values.emplace_back(std::move(*list));
    }
  }

  CudaExecutable& program_;
  const runtime::Universe& universe_;
  const RunOptions& options_;
  HostValues values_;
  std::vector<DeviceValues> devices_;
  std::unordered_map<const ir::Var*, DeviceRows> rows_;  ///< That stayed on the devices.
  bool streamed_ = false;  ///< The rows of the answer were handed over while their region ran.
  std::size_t next_region_ = 0;
  RunResult result_;
};

CudaExecutable::CudaExecutable(const ir::Module& module, const CudaOptions& options, OpeningSession opening)
    : module_(module),
      options_(options),
      plan_(module_),
      signature_(module_),
      layout_(module),
      device_graphs_(plan_),
      opening_(std::move(opening)) {
  for (const host::RegionStep* region : plan_.regions()) {
    on_device_.insert(region->reads.begin(), region->reads.end());
    reads_ids_ = reads_ids_ || region->reads_ids;
  }
}

CudaExecutable::~CudaExecutable() = default;

const ir::Module* CudaExecutable::paged_module() {
  if (options_.query.is_there()) return nullptr;  // It was edited for this plan alone.
  if (!paged_ && rescheduler_) paged_ = rescheduler_(module_, ir::Stack::Paged);
  return paged_ ? &*paged_ : nullptr;
}

void CudaExecutable::begin_compile(Session& session, bool hubs, Compiling early) const {
  session.begin_compile(module_, hubs, std::move(early));
  if (!device_graphs_.builds.empty()) session.begin_compile_builder();
}

void CudaExecutable::begin() {
  if (session_ != nullptr) return;
  if (!opening_.valid()) opening_ = open_session(options_);
  opening_ = std::async(std::launch::async, [this, opening = std::move(opening_)]() mutable {
    Compiling early = compile_early(module_, options_);
    std::unique_ptr<Session> session = opening.get();
    if (session != nullptr) begin_compile(*session, options_.hubs != 0, std::move(early));
    return session;
  });
}

RunOutcome CudaExecutable::run(std::span<const Argument> arguments, const runtime::Universe& universe,
                               const RunOptions& options) {
  if (!options.share.is_whole() || options.maybe_dealer != nullptr) return no_shares("a GPU");
  try {
    return Run(*this, universe, options).walk(arguments);
  } catch (const host::Trap& trap) {
    return RunError{trap.error, trap.loc};
  }
}

}  // namespace matcha::codegen::gpu
