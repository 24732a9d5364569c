#include "session/run/gpu_beside.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "planner/prices.h"
#include "session/compile.h"

namespace matcha::session {

namespace {

using codegen::RunOutcome;

using Clock = std::chrono::steady_clock;

/// The least time from opening a GPU to its first answer.
constexpr std::chrono::nanoseconds kOpening{
    static_cast<std::int64_t>(planner::price::gpu_open + planner::price::gpu_compile)};
/// The head start of the CPU. Short questions then never open the driver; the answer of a GPU is an eighth later.
constexpr std::chrono::nanoseconds kAlone = kOpening / 8;
constexpr std::uint32_t kStop = 1;
/// Times the work that is done; more than that is never near its end.
constexpr double kMostLeft = 1e3;

bool is_complete(const RunOutcome& outcome) {
  const codegen::RunResult* const result = std::get_if<codegen::RunResult>(&outcome);
  return result != nullptr && result->ending == codegen::Ending::Complete;
}

bool lacks_memory(const RunOutcome& outcome) {
  const codegen::RunError* const failed = std::get_if<codegen::RunError>(&outcome);
  return failed != nullptr && failed->error.kind == runtime::ErrorKind::Resource;
}

/// The message of the first error of a log.
std::string first_error(std::string errors) {
  constexpr std::string_view kError = "error: ";
  errors.resize(std::min(errors.find('\n'), errors.size()));
  return errors.starts_with(kError) ? errors.substr(kError.size()) : errors;
}

ProgramRequest request_for_gpu(const QuestionRun& run) {
  ProgramRequest request = run.request;
  if (!request.of_pattern()) request.text = std::string(run.compilation->text());
  request.reads_file = false;
  request.device = "cuda";
  request.engine = run.chosen().engine;
  return request;
}

/// The graph of a run, which continues with a view of it.
std::shared_ptr<ResidentGraph> shared_graph(BoundInputs& bound) {
  runtime::Graph& graph = bound.inputs.graphs.at(bound.main_graph);
  std::shared_ptr<ResidentGraph> shared = ResidentGraph::from_graph(std::move(graph));
  graph = runtime::Graph::alias(shared->graph(), shared);
  graph.set_stored_order(shared->graph().stored_order());
  return shared;
}

}  // namespace

/// The state that both threads share; the thread of the GPU keeps it alive while it works.
struct GpuBeside::State {
  ProgramRequest request;
  std::shared_ptr<ResidentGraph> graph;
  codegen::RunOptions options;

  std::mutex mutex;  ///< Guards the members below.
  std::condition_variable changed;
  std::atomic<std::uint32_t> stop_gpu{0}, stop_cpu{0};
  Clock::time_point start = Clock::now(), cpu_start;
  std::optional<Clock::time_point> maybe_cpu_end;        ///< By its progress.
  bool begun = false, over = false;                      ///< Of the GPU's work.
  const std::function<void()>* maybe_reading = nullptr;  ///< A step for the thread that reads patterns.
  std::optional<RunOutcome> answer;                      ///< Of the GPU, complete.
  std::string problem;                                   ///< Why there is none.
  std::unique_ptr<Prepared> prepared;
  double run_ms = 0;
  bool won = false;

  /// When to open the GPU. If the CPU is expected to be done before a GPU could be, that is later by `kOpening` at
  /// most.
  Clock::time_point opens_at() const {
    const Clock::time_point soon = start + kAlone;
    return maybe_cpu_end && *maybe_cpu_end < std::max(soon, Clock::now()) + kOpening ? start + kOpening : soon;
  }
  /// Of the CPU.
  void take_progress(std::uint64_t done, std::uint64_t total);
  /// On the thread of the GPU.
  void work();
  void ask_gpu();
  /// Does the steps of reading of the other thread until `is_done`. `maybe_stop`: a request to stop the CPU.
  template <typename Done>
  void serve(std::unique_lock<std::mutex>& lock, const std::atomic<std::uint32_t>* maybe_stop, const Done& is_done);
};

void GpuBeside::State::take_progress(std::uint64_t done, std::uint64_t total) {
  if (done == 0 || total == 0) return;
  const std::lock_guard<std::mutex> lock(mutex);
  const std::chrono::duration<double> spent = Clock::now() - cpu_start;
  const double left = static_cast<double>(total - std::min(done, total)) / static_cast<double>(done);
  maybe_cpu_end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::min(left, kMostLeft) * spent);
  changed.notify_all();
}

void GpuBeside::State::work() {
  {
    std::unique_lock<std::mutex> lock(mutex);
    while (stop_gpu == 0 && Clock::now() < opens_at()) changed.wait_until(lock, opens_at());
    if (stop_gpu != 0) return;
    begun = true;
  }
  ask_gpu();
  const std::lock_guard<std::mutex> lock(mutex);
  over = true;
  changed.notify_all();
}

void GpuBeside::State::ask_gpu() {
  const auto reading = [this](const std::function<void()>& step) {
    std::unique_lock<std::mutex> lock(mutex);
    maybe_reading = &step;
    changed.notify_all();
    changed.wait(lock, [this] { return maybe_reading == nullptr; });
  };
  std::string errors;
  std::unique_ptr<Prepared> made;
  if (Prepared::make(request, graph, reading, errors, made) != Status::Ok) {
    const std::lock_guard<std::mutex> lock(mutex);
    problem = first_error(std::move(errors));
    return;
  }
  const Stopwatch watch;
  RunOutcome outcome = made->run(options);
  const std::lock_guard<std::mutex> lock(mutex);
  run_ms = watch.ms();
  prepared = std::move(made);
  if (const codegen::RunError* const failed = std::get_if<codegen::RunError>(&outcome)) {
    problem = failed->error.message;
  } else if (is_complete(outcome)) {
    answer = std::move(outcome);
  }
}

template <typename Done>
void GpuBeside::State::serve(std::unique_lock<std::mutex>& lock, const std::atomic<std::uint32_t>* maybe_stop,
                             const Done& is_done) {
  constexpr std::chrono::milliseconds kLook{20};  // Nothing wakes a thread for a stop.
  const auto is_answered = [this] { return answer && stop_cpu == 0; };
  while (!is_done()) {
    changed.wait_for(lock, kLook, [&] { return is_done() || maybe_reading != nullptr || is_answered(); });
    if (is_answered()) stop_cpu = kStop;
    if (maybe_stop != nullptr && maybe_stop->load() != 0) stop_cpu = maybe_stop->load();
    if (maybe_reading == nullptr || is_done()) continue;
    lock.unlock();
    (*maybe_reading)();
    lock.lock();
    maybe_reading = nullptr;
    changed.notify_all();
  }
}

bool GpuBeside::fits(const RunRequest& options, const QuestionRun& run) {
  if (options.lists() || options.verify || options.interval.within || run.request.pattern.query) return false;
  const runtime::Inputs& inputs = run.bound.inputs;
  const auto report = inputs.reports.find(run.bound.main_graph);
  if (inputs.graphs.size() != 1 || !inputs.lists.empty() || !run.bound.edge_lists.empty()) return false;
  if (report == inputs.reports.end() || report->second.edge_info) return false;
  const runtime::Graph& graph = inputs.graphs.begin()->second;
  if (!graph.facts().simple || graph.facts().info != runtime::InfoKind::None) return false;
  const frontend::Type& result = *run.signature.result;
  const auto is_scalar = [](const frontend::Type* type) { return type->is_scalar(); };
  return result.is_scalar() || (result.is_tuple() && std::ranges::all_of(result.positions, is_scalar));
}

GpuBeside::GpuBeside(QuestionRun& run, codegen::RunOptions options) : state_(std::make_shared<State>()) {
  state_->request = request_for_gpu(run);
  state_->graph = shared_graph(run.bound);
  state_->options = std::move(options);
  state_->options.on_note = {};
  state_->options.stop_request = &state_->stop_gpu;
  try {
    thread_ = std::thread([state = state_] { state->work(); });
  } catch (const std::system_error& failed) {
    state_->problem = failed.what();
    state_->over = true;
  }
}

GpuBeside::~GpuBeside() {
  const bool is_busy = stop();
  if (!is_busy && thread_.joinable()) thread_.join();
  if (thread_.joinable()) thread_.detach();
}

bool GpuBeside::stop() {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->stop_gpu = kStop;
  state_->changed.notify_all();
  return state_->begun && !state_->over;
}

RunOutcome GpuBeside::first(const OnCpu& on_cpu, codegen::RunOptions options) {
  State& all = *state_;
  const std::atomic<std::uint32_t>* const maybe_stop = options.stop_request;
  options.stop_request = &all.stop_cpu;
  options.on_progress = [&all, own = std::move(options.on_progress)](std::uint64_t done, std::uint64_t total) {
    all.take_progress(done, total);
    if (own) own(done, total);
  };
  std::unique_lock<std::mutex> lock(all.mutex);
  all.cpu_start = Clock::now();
  std::optional<RunOutcome> cpu;
  const auto ask_cpu = [&] {
    RunOutcome found = on_cpu(options);
    const std::lock_guard<std::mutex> own(all.mutex);
    cpu = std::move(found);
    all.changed.notify_all();
  };
  std::thread thread;
  try {
    thread = std::thread(ask_cpu);
  } catch (const std::system_error&) {
    lock.unlock();
    ask_cpu();
    lock.lock();
  }
  const auto waits_for_gpu = [&] { return lacks_memory(*cpu) && !all.over && all.stop_cpu == 0; };
  all.serve(lock, maybe_stop, [&] { return cpu && !waits_for_gpu(); });
  lock.unlock();
  if (thread.joinable()) thread.join();
  lock.lock();
  const bool is_stopped = std::holds_alternative<codegen::RunResult>(*cpu) && !is_complete(*cpu);
  all.won = all.answer && (is_stopped || lacks_memory(*cpu));
  all.stop_gpu = kStop;
  all.changed.notify_all();
  return all.won ? std::move(*all.answer) : std::move(*cpu);
}

void GpuBeside::report(RunReport& into, BoundInputs& bound) const {
  const State& all = *state_;
  const std::lock_guard<std::mutex> lock(state_->mutex);
  into.device_why = !all.problem.empty() ? fmt::format("the GPU has no answer: {}", all.problem)
                    : all.won            ? "the GPU had the answer before the CPU"
                    : all.begun          ? "the CPU had the answer before the GPU"
                                         : "the CPU had the answer before a GPU was opened";
  if (!all.won) return;
  into.engine = all.prepared->engine();
  into.backend = into.engine == "program" ? "cuda" : into.engine;
  into.compilation = &all.prepared->compilation();
  into.order = all.prepared->order();
  into.run_ms = all.run_ms;
  bound.inputs.universe = all.prepared->shared_universe();
}

}  // namespace matcha::session
