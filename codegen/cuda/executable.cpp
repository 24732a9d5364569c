#include "codegen/cuda/executable.h"

#include <algorithm>

#include "codegen/cuda/clock.h"
#include "codegen/cuda/device_values.h"
#include "codegen/cuda/region_run.h"
#include "ir/analysis/facts.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "runtime/common/bits.h"

namespace matcha::codegen::gpu {

using ir::Kind;
using ir::ScalarKind;
using runtime::ErrorKind;

namespace {

/// Calls `visit` on every node that the regions of a module compute on the device.
template <typename F>
void for_each_device_node(const ir::Module& module, F visit) {
  for (const ir::Stmt* stmt : module.body->body) {
    const ir::Region* region = ir::as<ir::Region>(stmt);
    if (region == nullptr) continue;
    ir::for_each_stmt(*region->collect->body, [&](const ir::Stmt& inner) {
      ir::for_each_expr(inner, [&](const ir::Expr& expr) { ir::for_each_node(expr, visit); });
    });
  }
}

/// The region whose rows are the answer of the program and nothing else; null: there is none. Its only list sink is
/// the one result, which no other step reads.
const ir::Region* answering_region(const ir::Module& module) {
  const ir::Return* result = ir::as<ir::Return>(module.body->body.back());
  if (result == nullptr || result->values.size() != 1) return nullptr;
  const ir::Region* found = nullptr;
  bool read = false;
  ir::for_each_stmt(*module.body, [&](const ir::Stmt& stmt) {
    if (&stmt == result) return;
    ir::for_each_expr(stmt, [&](const ir::Expr& expr) {
      ir::for_each_node(expr, [&](const ir::Expr& node) { read = read || &node == result->values[0]; });
    });
  });
  for (const ir::Stmt* stmt : module.body->body) {
    const ir::Region* region = ir::as<ir::Region>(stmt);
    if (region == nullptr) continue;
    std::span<const ir::Sink> sinks = region->collect->sinks;
    bool lists = std::count_if(sinks.begin(), sinks.end(),
                               [](const ir::Sink& sink) { return sink.kind == ir::SinkKind::List; }) == 1;
    bool answers =
        std::any_of(sinks.begin(), sinks.end(), [&](const ir::Sink& sink) { return sink.var == result->values[0]; });
    if (lists && answers) found = region;
  }
  return read ? nullptr : found;
}

}  // namespace

/// One run: the values of the top level, and what of them is on the device.
class CudaExecutable::Run {
 public:
  Run(CudaExecutable& program, const runtime::Universe& universe, const RunOptions& options)
      : program_(program), universe_(universe), options_(options), values_(program.module_, universe, options) {
    if (options.on_rows && !samples()) streamed_ = answering_region(program.module_);
  }

  RunResult walk(std::span<const Argument> arguments) {
    const Clock::time_point begin = Clock::now();
    try {
      open(arguments);
    } catch (const interp::Trap&) {
      program_.session_.reset();
      throw;
    }
    result_.times.emplace_back("ready", milliseconds_since(begin));
    for (const ir::Stmt* stmt : program_.module_.body->body) {
      if (ended() && (stmt->kind == Kind::Region || stmt->kind == Kind::BuildGraph)) break;
      try {
        step(*stmt);
      } catch (const interp::Trap&) {
        if (!ended()) throw;
        break;
      }
    }
    return std::move(result_);
  }

 private:
  bool ended() const { return result_.ending != Ending::Complete; }
  bool samples() const { return program_.options_.sample.parts > 1; }
  Session& session() { return *program_.session_; }

  /// Devices are opened, kernels compiled and graphs copied side by side.
  void open(std::span<const Argument> arguments) {
    if (program_.opening_.valid()) program_.session_ = program_.opening_.get();
    if (program_.session_ == nullptr) program_.session_ = std::make_unique<Session>(program_.options_);
    values_.bind(program_.module_, arguments);
    program_.begin_compile(session(), worth_hubs());
    session().open(result_);
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

  void step(const ir::Stmt& stmt) {
    ir::match(
        stmt,
        [&](const ir::Let& s) {
          values_.let(s);
          upload_early(s.var);
        },
        [&](const ir::BuildGraph& s) {
          if (build_on_device(s)) return;
          values_.build(s);
          upload_early(s.var);
        },
        [&](const ir::Region& s) { region(s); }, [&](const ir::Return& s) { results(s); },
        [](const ir::OneOf<ir::Block, ir::For, ir::If, ir::Collect, ir::Yield, ir::Store> auto&) {
          MATCHA_UNREACHABLE("a step that runs on a GPU");
        });
  }

  // What regions read

  /// What regions read of a graph. `info_loc`: where they read its edge information.
  runtime::cuda::UploadOptions wanted_of(const ir::Var* var, SourceLoc& info_loc) const {
    runtime::cuda::UploadOptions wanted;
    wanted.sources = wanted.halves = wanted.edge_info = wanted.labels = wanted.original_ids = false;
    for_each_device_node(program_.module_, [&](const ir::Expr& node) {
      if (node.operands.empty() || node.operands[0] != var) return;
      wanted.sources = wanted.sources || node.kind == Kind::Edges;
      wanted.halves = wanted.halves || reads_halves(node);
      wanted.labels = wanted.labels || node.kind == Kind::Label;
      if (node.kind == Kind::EdgeInfo) {
        wanted.edge_info = true;
        info_loc = node.loc;
      }
    });
    for (const EmittedRegion& entry : program_.session_->regions()) {
      wanted.sources = wanted.sources || entry.arcs_graph == var;
    }
    return wanted;
  }

  static void check_info(bool there, SourceLoc loc) {
    if (!there) fail(ErrorKind::Runtime, "the graph has no edge information", {}, loc);
  }

  /// Starts the copy of a graph that regions read, so that it travels while kernels are compiled.
  void upload_early(const ir::Var* var) {
    if (!var->type->is_graph() || !program_.on_device_.contains(var)) return;
    HostGraph& graph = values_.graph(var);
    SourceLoc info_loc;
    runtime::cuda::UploadOptions wanted = wanted_of(var, info_loc);
    check_info(graph.view.edge_info != nullptr || graph.view.arc_count == 0 || !wanted.edge_info, info_loc);
    if (wanted.sources) {
      need(runtime::ensure_sources(*graph.graph));
      graph.view.sources = graph.graph->view().sources;
    }
    if (wanted.halves) {
      need(runtime::ensure_halves(*graph.graph));
      graph.view.halves = graph.graph->view().halves;
    }
    for (DeviceValues& device : devices_) device.upload(var, graph, wanted);
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
    if (rows.info && rows.info->count() != rows.edges.count()) interp::trap(runtime::TrapCode::LengthMismatch, s.loc);
    SourceLoc info_loc;
    const runtime::cuda::UploadOptions wanted = wanted_of(s.var, info_loc);
    check_info(rows.info || rows.edges.count() == 0 || !wanted.edge_info, info_loc);
    std::vector<const runtime::cuda::Stream*> streams;
    for (const RegionLauncher* launcher : session().launchers()) streams.push_back(&launcher->stream());
    std::string note;
    std::optional<std::vector<DeviceGraph>> graphs =
        session().graph_builder(result_).build(streams, universe_.size(), rows, wanted, note);
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
      if (wanted.labels && s.maybe_labels == nullptr && options_.labels != nullptr) {
        graph.view.labels = static_cast<const std::int64_t*>(devices_[i].keep(options_.labels, universe_.size() * 8));
      }
      devices_[i].adopt(s.var, std::move(graph));
    }
    result_.times.emplace_back("build", milliseconds_since(start));
    return true;
  }

  static std::unordered_set<const ir::Var*> values_read(const ir::Region& region) {
    std::unordered_set<const ir::Var*> wanted;
    ir::for_each_stmt(*region.collect->body, [&](const ir::Stmt& stmt) {
      ir::for_each_expr(stmt, [&](const ir::Expr& expr) {
        std::vector<const ir::Var*> read;
        ir::free_vars(expr, read);
        wanted.insert(read.begin(), read.end());
      });
    });
    return wanted;
  }

  // Steps

  std::uint64_t positions(const EmittedRegion& entry) {
    if (entry.outer == nullptr) return 1;
    if (entry.arcs_graph != nullptr) return values_.graph(ir::as<ir::Var>(entry.arcs_graph)).view.arc_count;
    std::uint64_t size = values_.size(*entry.outer->lists[0]);
    for (const ir::Expr* list : entry.outer->lists.subspan(1)) {
      if (values_.size(*list) != size) interp::trap(runtime::TrapCode::LengthMismatch, entry.outer->loc);
    }
    return size;
  }

  std::uint64_t items_of(const ir::Buffer& buffer) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(values_.integer(*buffer.capacity), 0));
  }
  /// Of a sample: one of how many parts of the region is walked.
  std::uint64_t parts(const ir::Region& s, std::uint64_t positions) const {
    const std::span<const ir::Sink> sinks = s.collect->sinks;
    const bool adds_up = s.schedule.parallel && std::all_of(sinks.begin(), sinks.end(), [](const ir::Sink& sink) {
                           return sink.kind == ir::SinkKind::Sum;
                         });
    const Sample& sample = program_.options_.sample;
    if (!samples() || !adds_up) return 1;
    return std::clamp<std::uint64_t>(positions / std::max<std::uint64_t>(sample.least, 1), 1, sample.parts);
  }

  BufferSpec spec(const ir::Buffer& buffer) {
    const ir::Type& type = *buffer.var->type;
    std::string name(buffer.var->hint);
    if (buffer.counters) return {std::move(name), universe_.size(), sizeof(std::uint32_t), true, true};
    const std::uint64_t items = items_of(buffer);
    if (type.bits) return {std::move(name), matcha_program::words_for(items), 8, true};
    if (type.is_bit_rows()) return {std::move(name), matcha_program::row_words(items), 8, true};
    std::uint64_t bytes =
        type.columns.size() == 1 ? runtime::element_bytes(element_kind(*type.columns[0])) : 8 * type.columns.size();
    return {std::move(name), items, bytes};
  }

  void region(const ir::Region& s) {
    std::size_t index = next_region_++;
    RegionRequest request;
    request.region = &s;
    load_kernels(index);
    request.group = s.schedule.group;
    request.positions = positions(session().regions()[index]);
    request.parts = parts(s, request.positions);
    for (const ir::Buffer& buffer : s.buffers) {
      request.buffers.push_back(spec(buffer));
      if (buffer.var->type->is_bit_rows()) request.row_items = std::max(request.row_items, items_of(buffer));
    }
    request.shared_rows = session().regions()[index].shared_rows;
    if (request.shared_rows != 0) request.bit_loops = std::uint64_t(session().regions()[index].bit_loops);
    request.lanes_level = session().regions()[index].lanes_level;
    request.light_arcs = session().regions()[index].light_arcs;
    request.universe = universe_.size();
    request.stream_rows = &s == streamed_;
    request.any_order = true;
    for (const ir::Sink& sink : s.collect->sinks) {
      if (sink.kind != ir::SinkKind::List) continue;
      if (stays(sink.var)) request.staying.insert(sink.var);
      if (!stays(sink.var) || program_.device_graphs_.rows.at(sink.var)) request.any_order = false;
    }
    make_hub_rows(index);
    const Clock::time_point waiting = Clock::now();
    std::unordered_set<const ir::Var*> wanted = values_read(s);
    std::vector<RegionInputs> inputs(devices_.size());
    const ir::Expr* dealt = session().regions()[index].dealt_graph;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      inputs[i].frame = devices_[i].frame(program_.layout_, wanted, values_);
      if (dealt != nullptr) {
        inputs[i].dealt_graph = devices_[i].graph(ir::as<ir::Var>(dealt));
        inputs[i].tiles = &devices_[i].tiles(ir::as<ir::Var>(dealt));
      }
      if (program_.reads_ids_) inputs[i].original_ids = devices_[i].ids(universe_);
    }
    result_.times.emplace_back("upload", milliseconds_since(waiting));
    choose_kernels(request, index, inputs);
    RegionOutcome outcome = run_region(session().launchers(), request, inputs, program_.options_, options_);
    result_.times.emplace_back("launch", outcome.launch_ms);
    result_.times.emplace_back("kernel", outcome.kernel_ms);
    result_.times.emplace_back("collect", outcome.collect_ms);
    for (std::string& note : outcome.notes) result_.notes.push_back(std::move(note));
    report_lists(request, outcome);
    result_.ending = outcome.ending;
    result_.positions += outcome.positions;
    result_.positions_total += request.positions;
    result_.deferred += outcome.splits;
    result_.rows += outcome.streamed;
    for (DeviceRows& rows : outcome.staying) rows_[rows.sink->var] = std::move(rows);
    for (std::size_t i = 0; i < s.collect->sinks.size(); ++i) {
      const ir::Sink& sink = s.collect->sinks[i];
      if (request.staying.contains(sink.var)) continue;
      if (sink.kind == ir::SinkKind::List) {
        values_.set(sink.var, std::move(outcome.rows[i]));
      } else {
        values_.set(sink.var, std::move(outcome.values[i]));
      }
    }
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
    session().load(index, result_);
    result_.times.emplace_back("ready", milliseconds_since(waiting));
  }

  /// The kernels of the region; when its arrays do not fit, the program is compiled for paged lists first.
  void choose_kernels(RegionRequest& request, std::size_t index, std::vector<RegionInputs>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].kernels = &session().kernels(i, index);
    request.stack = session().stack();
    bool pages = false;
    for (std::size_t i = 0; i < inputs.size() && request.stack == Stack::Array; ++i) {
      pages = pages || session().launchers()[i]->wants_pages(request, inputs[i]);
    }
    if (!pages) return;
    result_.notes.push_back("lists are kept in pages, because arrays for enough groups of threads do not fit");
    session().begin_compile(program_.module_, Stack::Paged, session().hubs());
    load_kernels(index);
    request.stack = Stack::Paged;
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].kernels = &session().kernels(i, index);
  }

  /// Tells of the region whose lists took most.
  void report_lists(const RegionRequest& request, const RegionOutcome& outcome) {
    if (!result_.stack.empty() && outcome.list_bytes <= result_.list_bytes) return;
    result_.stack = request.stack == Stack::Paged ? "paged" : "array";
    result_.workers = outcome.groups;
    result_.list_bytes = outcome.list_bytes;
  }

  void results(const ir::Return& s) {
    if (samples()) {
      if (!ended()) result_.ending = Ending::Sampled;
      return;
    }
    if (options_.on_rows && s.values.size() == 1 && s.values[0]->type->is_list()) {
      if (streamed_ == nullptr) give_rows(values_.list(*s.values[0]));
      result_.values.emplace_back(static_cast<__int128>(result_.rows));
      return;
    }
    for (const ir::Expr* e : s.values) {
      if (e->type->is_list()) {
        result_.values.emplace_back(list_value(values_.list(*e)));
        continue;
      }
      interp::Value value = values_.scalar(*e);
      if (const bool* truth = std::get_if<bool>(&value)) {
        result_.values.emplace_back(*truth);
      } else if (const interp::Vid* vertex = std::get_if<interp::Vid>(&value)) {
        result_.values.emplace_back(VertexValue{vertex->rank});
      } else if (const std::int64_t* narrow = std::get_if<std::int64_t>(&value)) {
        result_.values.emplace_back(static_cast<__int128>(*narrow));
      } else if (const double* real = std::get_if<double>(&value)) {
        result_.values.emplace_back(*real);
      } else {
        result_.values.emplace_back(std::get<__int128>(value));
      }
    }
  }

  /// Hands rows over in blocks.
  void give_rows(const HostList& list) {
    constexpr std::uint64_t kBlock = 4096;
    for (std::uint64_t at = 0; at < list.size; at += kBlock) {
      std::vector<const void*> data;
      for (std::size_t c = 0; c < list.columns.size(); ++c) {
        data.push_back(static_cast<const char*>(list.columns[c]) + at * runtime::element_bytes(list.kinds[c]));
      }
      std::uint64_t count = std::min(kBlock, list.size - at);
      result_.rows += count;
      if (!options_.on_rows(Rows{count, list.kinds, data.data()})) {
        result_.ending = Ending::RowsRefused;
        return;
      }
    }
  }

  CudaExecutable& program_;
  const runtime::Universe& universe_;
  const RunOptions& options_;
  HostValues values_;
  std::vector<DeviceValues> devices_;
  std::unordered_map<const ir::Var*, DeviceRows> rows_;  ///< That stayed on the devices.
  const ir::Region* streamed_ = nullptr;  ///< Its rows are the answer, and go straight to whoever takes rows.
  std::size_t next_region_ = 0;
  RunResult result_;
};

CudaExecutable::CudaExecutable(const ir::Module& module, const CudaOptions& options, OpeningSession opening)
    : module_(module), options_(options), layout_(module), device_graphs_(module), opening_(std::move(opening)) {
  for_each_device_node(module_, [&](const ir::Expr& node) {
    if (const ir::Var* var = ir::as<ir::Var>(&node)) on_device_.insert(var);
    bool ids = node.kind == Kind::Convert &&
               (node.type->is_scalar(ScalarKind::Vid) || node.operands[0]->type->is_scalar(ScalarKind::Vid));
    reads_ids_ = reads_ids_ || ids;
  });
}

CudaExecutable::~CudaExecutable() = default;

void CudaExecutable::begin_compile(Session& session, bool hubs, Compiling early) const {
  session.begin_compile(module_, options_.stack, hubs, std::move(early));
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
  try {
    return Run(*this, universe, options).walk(arguments);
  } catch (const interp::Trap& trap) {
    return RunError{trap.error, trap.loc};
  }
}

}  // namespace matcha::codegen::gpu
