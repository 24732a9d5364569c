#include "codegen/plan/tiers.h"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include "codegen/llvm/compiler.h"

namespace matcha::codegen {

namespace plan {

namespace {

using Clock = std::chrono::steady_clock;

/// The compiling threads. They have to finish before the end of the process destroys the data that they use.
class Compilers {
 public:
  static Compilers& all() {
    static Compilers compilers;
    return compilers;
  }
  ~Compilers() {
    std::unique_lock<std::mutex> lock(mutex_);
    ending_ = true;
    const std::map<std::uint64_t, std::function<void()>> cancels = cancels_;
    lock.unlock();
    for (const auto& [number, cancel] : cancels) cancel();
    lock.lock();
    changed_.wait(lock, [&] { return running_ == 0; });
  }

  /// `cancel` makes `work` end soon; it is called from any thread. False if no thread can be started.
  bool start(std::function<void()> work, std::function<void()> cancel) {
    std::uint64_t number = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (ending_) return false;
      number = started_++;
      ++running_;
      cancels_.emplace(number, std::move(cancel));
    }
    try {
      std::thread([this, number, work = std::move(work)] {
        work();
        finished(number);
      }).detach();
    } catch (const std::system_error&) {
      finished(number);
      return false;
    }
    return true;
  }
  bool any() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return running_ != 0;
  }

 private:
  void finished(std::uint64_t number) {
    const std::lock_guard<std::mutex> lock(mutex_);
    cancels_.erase(number);
    --running_;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, std::function<void()>> cancels_;
  std::uint64_t started_ = 0;
  unsigned running_ = 0;
  bool ending_ = false;
};

/// True if two regions have the same frame slots and worker memory, so that either can walk for the other.
bool same_region(const cpu::RegionStep& a, const cpu::RegionStep& b) {
  const auto same_sinks = [](const cpu::SinkPlan& x, const cpu::SinkPlan& y) {
    return x.slot == y.slot && x.info.kind == y.info.kind && x.info.columns == y.info.columns;
  };
  const auto same_buffers = [](const cpu::ScratchPlan& x, const cpu::ScratchPlan& y) {
    return x.slot == y.slot && x.columns == y.columns && x.counters == y.counters;
  };
  return a.body == b.body && a.inner == b.inner && a.positions_slot == b.positions_slot &&
         std::ranges::equal(a.sinks, b.sinks, same_sinks) && std::ranges::equal(a.buffers, b.buffers, same_buffers);
}

}  // namespace

bool fits(const cpu::Program& plan, const cpu::Program& native) {
  const auto same_step = [](const cpu::Step& a, const cpu::Step& b) {
    const cpu::RegionStep* region = std::get_if<cpu::RegionStep>(&a);
    if (a.index() != b.index()) return false;
    return region == nullptr || same_region(*region, std::get<cpu::RegionStep>(b));
  };
  const auto given = [&](const cpu::GraphPlan& wanted) {
    return std::ranges::any_of(plan.graphs, [&](const cpu::GraphPlan& has) {
      return has.slot == wanted.slot && has.vertex_array >= wanted.vertex_array && has.sources >= wanted.sources &&
             has.halves >= wanted.halves && has.edge_info >= wanted.edge_info;
    });
  };
  return plan.slot_count == native.slot_count && std::ranges::equal(plan.steps, native.steps, same_step) &&
         std::ranges::all_of(native.graphs, given);
}

/// The state shared by the executable and the thread that compiles for it.
struct Tiered::Job {
  Job(const ir::Module& of, const SourceManager& texts, const Loaded& loaded, std::string folder,
      std::chrono::microseconds how_long)
      : module(of),
        sources(texts),
        program(loaded.program),
        code(loaded.code.get()),
        code_folder(std::move(folder)),
        patience(how_long) {}

  const ir::Module module;
  const SourceManager& sources;
  cpu::Program program;  ///< For comparison; the executable also keeps it.
  Code* code;            ///< Of the executable.
  std::string code_folder;
  std::chrono::microseconds patience;

  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<bool> cancelled{false};
  int runs = 0;             ///< Current runs.
  Clock::time_point since;  ///< Time of the first of them; `spent` is the total before it.
  Clock::duration spent{0};
  bool waiting = false;               ///< A thread waits for the end of the patience.
  int threads = 0;                    ///< Waiting and compiling threads.
  bool begun = false, ended = false;  ///< Of the compilation.
  bool native = false;
  std::string note;

  /// May be called from any thread.
  void cancel() {
    const std::lock_guard<std::mutex> lock(mutex);
    cancelled = true;
    changed.notify_all();
  }
  Clock::duration total() const { return spent + (runs != 0 ? Clock::now() - since : Clock::duration(0)); }
};

Tiered::Tiered(const ir::Module& module, const SourceManager& sources, Loaded loaded, std::string code_folder,
               std::chrono::microseconds patience)
    : job_(new Job(module, sources, loaded, std::move(code_folder), patience)),
      plan_(std::move(loaded.program), std::move(loaded.code), {false, {}, "interp"}) {
  Compilers::all();
}

Tiered::~Tiered() {
  std::unique_lock<std::mutex> lock(job_->mutex);
  job_->cancelled = true;
  job_->changed.notify_all();
  // After this the module may be destroyed, the plan will be, and LLVM's data at the end of a process.
  job_->changed.wait(lock, [&] { return job_->threads == 0; });
}

void Tiered::wait_for_native() {
  std::unique_lock<std::mutex> lock(job_->mutex);
  job_->changed.wait(lock, [&] { return job_->ended || (!job_->waiting && !job_->begun); });
}

void Tiered::work(const std::shared_ptr<Job>& job) {
  compile(job);
  const std::lock_guard<std::mutex> lock(job->mutex);
  --job->threads;
  job->changed.notify_all();
}

void Tiered::compile(const std::shared_ptr<Job>& job) {
  std::unique_lock<std::mutex> lock(job->mutex);
  // Until runs have taken long enough, or are over.
  while (!job->cancelled && job->runs != 0 && job->total() < job->patience) {
    job->changed.wait_for(lock, job->patience - job->total());
  }
  job->waiting = false;
  job->changed.notify_all();
  if (job->cancelled || job->begun || job->total() < job->patience) return;
  job->begun = true;
  lock.unlock();
  Diagnostics diagnostics(job->sources);
  std::unique_ptr<jit::Unit> unit = jit::Unit::make(job->module, diagnostics);
  std::string why;
  const bool compiled = unit != nullptr && unit->compile(job->code_folder, &job->cancelled, why);
  lock.lock();
  job->ended = true;
  job->changed.notify_all();
  if (compiled && fits(job->program, unit->program())) {
    job->code->take_native(unit->take_code(), job->program, false);
    job->native = true;
  } else if (!job->cancelled) {
    job->note = "there is no native code, and the plan goes on" + (why.empty() ? "" : ": " + why);
  }
  // Runs do not wait while LLVM's memory is freed.
  lock.unlock();
}

RunOutcome Tiered::run(std::span<const Argument> arguments, const runtime::Universe& universe,
                       const RunOptions& options) {
  bool native = false;
  {
    const std::lock_guard<std::mutex> lock(job_->mutex);
    if (job_->runs++ == 0) job_->since = Clock::now();
    native = job_->native;
    if (!job_->begun && !job_->waiting) {
      job_->waiting = true;
      ++job_->threads;
      if (!Compilers::all().start([job = job_] { work(job); }, [job = job_] { job->cancel(); })) {
        job_->waiting = false;
        --job_->threads;
      }
    }
  }
  RunOutcome outcome = plan_.run(arguments, universe, options);
  const std::lock_guard<std::mutex> lock(job_->mutex);
  if (--job_->runs == 0) {
    job_->spent += Clock::now() - job_->since;
    job_->changed.notify_all();
  }
  if (RunResult* result = std::get_if<RunResult>(&outcome)) {
    result->level = native ? "native" : job_->native ? "interp, native" : "interp";
    if (!job_->note.empty()) result->notes.push_back(std::exchange(job_->note, {}));
  }
  return outcome;
}

}  // namespace plan

namespace {

class TieredBackend final : public Backend {
 public:
  TieredBackend(std::string code_folder, std::chrono::microseconds patience)
      : code_folder_(std::move(code_folder)), patience_(patience) {}

  std::string_view name() const override { return "tiers"; }
  ir::Stage stage() const override { return ir::Stage::Kernel; }
  std::optional<std::string> emit(const ir::Module&, Diagnostics&) override { return std::nullopt; }
  std::unique_ptr<Executable> load(const ir::Module& module, Diagnostics& diagnostics) override {
    std::optional<plan::Loaded> loaded = plan::load(module, diagnostics);
    if (!loaded) return nullptr;
    return std::make_unique<plan::Tiered>(module, diagnostics.sources(), std::move(*loaded), code_folder_, patience_);
  }

 private:
  std::string code_folder_;
  std::chrono::microseconds patience_;
};

}  // namespace

std::unique_ptr<Backend> make_tiers(std::string code_folder, std::chrono::microseconds patience) {
  return std::make_unique<TieredBackend>(std::move(code_folder), patience);
}

bool compiles_in_background() { return plan::Compilers::all().any(); }

}  // namespace matcha::codegen
