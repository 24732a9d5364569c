#include "codegen/cuda/executable.h"

#include <algorithm>

#include "codegen/cuda/clock.h"
#include "codegen/cuda/hub_rows.h"
#include "codegen/cuda/region_request.h"
#include "codegen/cuda/region_run.h"
#include "codegen/cuda/run_devices.h"
#include "codegen/cuda/run_report.h"
#include "codegen/cuda/stops.h"
#include "codegen/shares.h"

namespace matcha::codegen::gpu {

/// One run: walks the steps of the top level.
class CudaExecutable::Run {
 public:
  Run(CudaExecutable& program, const runtime::Universe& universe, const RunOptions& options)
      : program_(program),
        options_(options),
        values_(universe, options),
        report_(options),
        devices_(program.plan_, universe, options, values_, report_),
        requests_(program.plan_, program.options_, options, universe.size(), values_) {}

  RunResult walk(std::span<const Argument> arguments) {
    try {
      walk_steps(arguments);
    } catch (const StoppedWaiting& stopped) {
      report_.end(stopped.ending);
    }
    return std::move(report_.result());
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
    report_.time("ready", begin);
    // Making a device current for each call takes longer than most calls.
    const runtime::cuda::ContextGuard current(*session().launchers()[0]->device());
    need(current.status());
    for (const host::Step& next : program_.plan_.host.steps) {
      const bool big =
          std::holds_alternative<host::RegionStep>(next) || std::holds_alternative<const ir::BuildGraph*>(next);
      if (report_.ended() && big) break;
      try {
        std::visit([&](const auto& s) { step(s); }, next);
      } catch (const host::Trap&) {
        if (!report_.ended()) throw;
        break;
      }
    }
  }

  Session& session() { return *program_.session_; }

  /// Devices are opened, kernels compiled and graphs copied side by side.
  void open(std::span<const Argument> arguments) {
    if (program_.opening_.valid()) {
      wait_for(program_.opening_, options_);
      program_.session_ = program_.opening_.get();
    }
    if (program_.session_ == nullptr) program_.session_ = std::make_unique<Session>(program_.options_);
    values_.bind(program_.plan_.signature, program_.module_.params, arguments);
    program_.begin_compile(session(), worth_hubs());
    session().open(report_.result(), options_);
    devices_.open(session());
    for (const ir::Var* param : program_.module_.params) devices_.upload_early(param);
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
    devices_.upload_early(s->var);
  }
  void step(const ir::BuildGraph* s) {
    if (devices_.build(*s)) return;
    values_.build(*s);
    devices_.upload_early(s->var);
  }
  void step(const ir::Return* s) { report_.answer(*s, values_, program_.options_.samples()); }
  void step(const host::RegionStep& s) {
    const std::size_t index = next_region_++;
    load_kernels(index);
    const EmittedRegion& emitted = session().regions()[index];
    RegionRequest request = requests_.make(s, emitted);
    devices_.make_hub_rows(index, program_.options_.hubs);
    std::vector<RegionInputs> inputs = devices_.inputs_of(s, emitted);
    choose_kernels(request, index, inputs);
    RegionOutcome outcome = run_region(session().launchers(), request, inputs, program_.options_, options_);
    report_.add(request, outcome);
    for (DeviceRows& rows : outcome.staying) devices_.keep(std::move(rows));
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

  /// Waits for the kernels of a region, but not for those of the next ones.
  void load_kernels(std::size_t index) {
    const Clock::time_point waiting = Clock::now();
    session().load(index, report_.result(), options_);
    report_.time("ready", waiting);
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
    report_.note("lists are kept in pages, because arrays for enough groups of threads do not fit");
    session().begin_compile(*paged, session().hubs());
    load_kernels(index);
    RequestMaker::take_kernels(request, session().regions()[index]);
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].kernels = &session().kernels(i, index);
  }

  CudaExecutable& program_;
  const RunOptions& options_;
  HostValues values_;
  RunReport report_;
  RunDevices devices_;
  RequestMaker requests_;
  std::size_t next_region_ = 0;
};

CudaExecutable::CudaExecutable(const ir::Module& module, const CudaOptions& options, OpeningSession opening)
    : module_(module), options_(options), plan_(module_), opening_(std::move(opening)) {}

CudaExecutable::~CudaExecutable() = default;

const ir::Module* CudaExecutable::paged_module() {
  if (options_.query.is_there()) return nullptr;  // It was edited for this plan alone.
  if (!paged_ && rescheduler_) paged_ = rescheduler_(module_, ir::Stack::Paged);
  return paged_ ? &*paged_ : nullptr;
}

void CudaExecutable::begin_compile(Session& session, bool hubs, Compiling early) const {
  session.begin_compile(module_, hubs, std::move(early));
  if (!plan_.device_graphs.builds.empty()) session.begin_compile_builder();
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
