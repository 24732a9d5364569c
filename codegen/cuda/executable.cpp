#include "codegen/cuda/executable.h"

#include <algorithm>

#include "codegen/cuda/clock.h"
#include "codegen/cuda/hub_rows.h"
#include "codegen/cuda/region_request.h"
#include "codegen/cuda/region_run.h"
#include "codegen/cuda/run_devices.h"
#include "codegen/cuda/run_report.h"
#include "codegen/cuda/sinks.h"
#include "codegen/cuda/stops.h"
#include "codegen/shares.h"
#include "ir/check.h"

namespace matcha::codegen::gpu {

/// One run: walks the steps of the top level.
class CudaExecutable::Run {
 public:
  Run(CudaExecutable& program, const runtime::Universe& universe, const RunOptions& options)
      : program_(program),
        options_(options),
        values_(universe, options),
        report_(options),
        devices_(program.plan_, program.options_, universe, options, values_, report_),
        requests_(program.plan_, program.options_, options, universe.size(), values_) {}

  RunResult walk(std::span<const Argument> arguments) {
    try {
      walk_steps(arguments);
    } catch (const WaitStopped& stopped) {
      report_.end(stopped.ending);
    }
    return std::move(report_.result());
  }

 private:
  /// The inputs and kernels of a region.
  struct RegionWork {
    RegionRequest request;
    std::vector<RegionInputs> inputs;
  };

  void walk_steps(std::span<const Argument> arguments) {
    const Clock::time_point begin = Clock::now();
    try {
      open(arguments);
      report_.time("ready", begin);
      for (const ir::Var* param : program_.module_.params) devices_.upload_early(param);
    } catch (const host::Trap&) {
      program_.session_.reset();
      throw;
    }
    // Making a device current for each call takes longer than most calls.
    const runtime::cuda::ContextGuard current(*session().launchers()[0]->device());
    need(current.status());
    for (const host::Step& next : program_.plan_.host.steps) {
      const bool big =
          std::holds_alternative<host::RegionStep>(next) || std::holds_alternative<const ir::BuildGraph*>(next);
      if ((report_.ended() && big) || ends_after_regions()) break;
      try {
        std::visit([&](const auto& s) { step(s); }, next);
      } catch (const host::Trap&) {
        if (!report_.ended()) throw;
        break;
      }
    }
  }

  Session& session() { return *program_.session_; }

  /// Opens the devices and prepares the graphs to be copied while kernels are compiled in the background.
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
    for (const ir::Var* param : program_.module_.params) devices_.make_sides(param);
  }

  /// True if rows of hubs are worth their code for the inputs. Compiled kernels are not changed.
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
  void step(const ir::Repeat*) { MATCHA_UNREACHABLE("rounds are refused"); }
  void step(const ir::Again*) { MATCHA_UNREACHABLE("rounds are refused"); }
  void step(const ir::Return* s) { report_.answer(*s, values_, program_.options_.samples()); }
  void step(const host::RegionStep& s) {
    const std::size_t index = next_region_++;
    if (options_.maybe_dealer != nullptr && s.is_dealt()) return deal(s, index);
    RegionWork work = prepare(s, index);
    RegionOutcome outcome = run_region(session().launchers(), work.request, work.inputs, program_.options_, options_);
    report_.add(work.request, outcome);
    for (DeviceRows& rows : outcome.staying) devices_.keep(std::move(rows));
    const std::span<const ir::Sink> sinks = s.region->collect->sinks;
    for (std::size_t i = 0; i < sinks.size(); ++i) {
      if (work.request.staying.contains(sinks[i].var)) continue;
      if (sinks[i].kind == ir::SinkKind::List) {
        values_.set(sinks[i].var, std::move(outcome.rows[i]));
      } else {
        values_.set(sinks[i].var, scalar_of(outcome.found[i], s.region->collect->loc));
      }
    }
  }

  /// Walks the units of a region that a dealer deals to this run.
  void deal(const host::RegionStep& s, std::size_t index) {
    Dealer& dealer = *options_.maybe_dealer;
    const std::size_t region = dealt_begun_++;
    RunOptions options = options_;
    options.on_progress = progress_of_all(dealer, options_);
    std::optional<RegionWork> work;
    while (const std::optional<std::uint64_t> unit = dealer.next(region)) {
      if (!work) {
        work = prepare(s, index);
        work->request.stream_rows = false;
        work->request.units = dealer.units();
      }
      work->request.unit = *unit;
      std::vector<PartialValue> found = walk_unit(*work, options);
      // The values of a unit that was stopped are lost: a unit counts only as a whole.
      if (report_.ended()) break;
      if (std::optional<runtime::Error> error = dealer.done(region, *unit, std::move(found))) {
        throw host::Trap{std::move(*error), {}};
      }
    }
    if (dealer.merges()) take_merged(*s.region->collect, need(dealer.finish(region)));
    if (!report_.ended() && !dealer.is_complete(region)) report_.end(ending_of_stop(options_));
  }

  std::vector<PartialValue> walk_unit(RegionWork& work, const RunOptions& options) {
    const std::span<const ir::Sink> sinks = work.request.region->collect->sinks;
    std::vector<PartialValue> found;
    if (work.request.range().begin == work.request.range().end) {
      for (const ir::Sink& sink : sinks) found.push_back(empty_partial(sink));
      return found;
    }
    RegionOutcome outcome = run_region(session().launchers(), work.request, work.inputs, program_.options_, options);
    report_.add(work.request, outcome);
    for (std::size_t i = 0; i < sinks.size(); ++i) {
      if (sinks[i].kind != ir::SinkKind::List) continue;
      std::optional<ListValue> list = host::list_value(outcome.rows[i]);
      if (!list) host::trap(runtime::TrapCode::OutOfMemory, {});
      outcome.found[i].list = std::move(*list);
    }
    return std::move(outcome.found);
  }

  /// Stores the merged values of all runs; nothing: all were stopped before any unit was done.
  void take_merged(const ir::Collect& collect, std::vector<PartialValue> merged) {
    for (std::size_t i = 0; i < collect.sinks.size(); ++i) {
      const ir::Sink& sink = collect.sinks[i];
      PartialValue none = empty_partial(sink);
      PartialValue& found = i < merged.size() ? merged[i] : none;
      if (found.kind != none.kind) {
        fail(runtime::ErrorKind::Runtime, "internal error: a dealt region found values of another kind", {},
             collect.loc);
      }
      if (sink.kind == ir::SinkKind::List) {
        values_.set(sink.var, host::owned(std::move(found.list.columns), found.list.size));
      } else {
        values_.set(sink.var, scalar_of(found, collect.loc));
      }
    }
  }

  RegionWork prepare(const host::RegionStep& s, std::size_t index) {
    load_kernels(index);
    const EmittedRegion& emitted = session().regions()[index];
    RegionWork work{requests_.make(s, emitted), {}};
    work.request.number = index;
    work.request.rows_may_be_remote = program_.options_.graph_bytes != 0 && options_.resident_rows.empty();
    devices_.make_hub_rows(index, program_.options_.hubs);
    work.inputs = devices_.inputs_of(s, emitted);
    choose_kernels(work.request, index, work.inputs);
    return work;
  }

  /// Waits for the kernels of a region, not for those of later ones.
  void load_kernels(std::size_t index) {
    const Clock::time_point waiting = Clock::now();
    session().load(index, report_.result(), options_);
    report_.time("ready", waiting);
  }

  /// Selects the kernels of the region. If its arrays do not fit, schedules the program for pages and compiles it
  /// first.
  void choose_kernels(RegionRequest& request, std::size_t index, std::vector<RegionInputs>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].kernels = &session().kernels(i, index);
    bool pages = false;
    for (std::size_t i = 0; i < inputs.size() && session().stack() == ir::Stack::Array; ++i) {
      pages = pages || session().launchers()[i]->needs_pages(request, inputs[i]);
    }
    const ir::Module* const paged = pages ? program_.paged_module() : nullptr;
    if (paged == nullptr) return;
    report_.note("lists are kept in pages, because arrays for enough groups of threads do not fit");
    session().begin_compile(*paged, session().hubs());
    load_kernels(index);
    RequestMaker::take_kernels(request, session().regions()[index]);
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].kernels = &session().kernels(i, index);
  }

  /// True if the run does not merge the values of all runs: it then ends after its last region, without values.
  bool ends_after_regions() const {
    return options_.maybe_dealer != nullptr && !options_.maybe_dealer->merges() &&
           next_region_ == program_.plan_.host.regions().size();
  }

  CudaExecutable& program_;
  const RunOptions& options_;
  HostValues values_;
  RunReport report_;
  RunDevices devices_;
  RequestMaker requests_;
  std::size_t next_region_ = 0;
  std::size_t dealt_begun_ = 0;
};

CudaExecutable::CudaExecutable(const ir::Module& module, const CudaOptions& options, OpeningSession opening)
    : module_(module), options_(options), plan_(module_), opening_(std::move(opening)) {}

CudaExecutable::~CudaExecutable() = default;

const ir::Module* CudaExecutable::paged_module() {
  if (options_.query.is_loaded()) return nullptr;  // The query was edited for this plan only.
  if (!paged_ && rescheduler_) paged_ = rescheduler_(module_, ir::Stack::Paged);
  return paged_ ? &*paged_ : nullptr;
}

void CudaExecutable::begin_compile(Session& session, bool hubs, PendingKernels early) const {
  session.begin_compile(module_, hubs, std::move(early));
  if (!plan_.device_graphs.builds.empty()) session.begin_compile_builder();
}

void CudaExecutable::begin() {
  if (session_ != nullptr) return;
  if (!opening_.valid()) opening_ = open_session(options_);
  opening_ = std::async(std::launch::async, [this, opening = std::move(opening_)]() mutable {
    PendingKernels early = compile_early(module_, options_);
    std::unique_ptr<Session> session = opening.get();
    if (session != nullptr) begin_compile(*session, options_.hubs != 0, std::move(early));
    return session;
  });
}

RunOutcome CudaExecutable::run(std::span<const Argument> arguments, const runtime::Universe& universe,
                               const RunOptions& options) {
  if (!options.share.is_whole()) return no_shares("a GPU");
  if (options.maybe_dealer != nullptr) {
    const bool deals = std::ranges::any_of(plan_.host.regions(), &host::RegionStep::is_dealt);
    std::optional<runtime::Error> error = dealing_error(*options.maybe_dealer, plan_.host.independent, deals);
    if (error) return RunError{std::move(*error), {}};
  }
  try {
    return Run(*this, universe, options).walk(arguments);
  } catch (const host::Trap& trap) {
    return RunError{trap.error, trap.loc};
  }
}

}  // namespace matcha::codegen::gpu
