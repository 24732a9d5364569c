#include "codegen/cpu/executable.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "codegen/cpu/frame.h"
#include "codegen/cpu/run_state.h"
#include "codegen/shares.h"
#include "runtime/machine.h"

/// The regions of a run.
namespace matcha::codegen::cpu {

using runtime::ErrorKind;

namespace {

constexpr std::uint64_t kLine = 64;
constexpr std::uint64_t kMostExpected = std::uint64_t{1} << 26;

Ending ending_of(runtime::RegionEnd end) {
  switch (end) {
    case runtime::RegionEnd::Complete: break;
    case runtime::RegionEnd::StopRequested: return Ending::Stopped;
    case runtime::RegionEnd::DeadlinePassed: return Ending::Deadline;
    case runtime::RegionEnd::RowsRefused: return Ending::RowsRefused;
  }
  return Ending::Complete;
}

}  // namespace

CpuExecutable::CpuExecutable(Program program, std::unique_ptr<Code> code, Origin origin)
    : program_(std::move(program)), code_(std::move(code)), origin_(std::move(origin)) {
  runtime::start_watching();
}

CpuExecutable::~CpuExecutable() = default;

RunOutcome CpuExecutable::run(std::span<const Argument> arguments, const runtime::Universe& universe,
                              const RunOptions& options) {
  RunOutcome outcome = Run(program_, *code_, control_, universe, options).walk(arguments, mutex_);
  if (RunResult* result = std::get_if<RunResult>(&outcome)) {
    const std::lock_guard<std::mutex> lock(mutex_);
    result->level = origin_.level;
    for (std::string& note : origin_.notes) result->notes.push_back(std::move(note));
    origin_.notes.clear();
  }
  return outcome;
}

RunOutcome Run::walk(std::span<const Argument> arguments, std::mutex& binding) {
  std::unique_lock<std::mutex> lock(binding);
  if (Failure failed = bind(arguments)) return *failed;
  lock.unlock();
  if (Failure failed = check_share()) return *failed;
  if (Failure failed = check_dealing()) return *failed;
  for (std::size_t at = 0; at < program_.steps.size(); at = next_.value_or(at) + 1) {
    const Step& next = program_.steps[at];
    next_.reset();
    // The value of a round that was cut short would look like an answer.
    bool big = std::holds_alternative<RegionStep>(next) || std::holds_alternative<BuildStep>(next) ||
               std::holds_alternative<AgainStep>(next);
    if (ended() && (big || map_cut_)) break;
    if (is_after_last_dealt(at)) break;
    Failure failed = std::visit([&](const auto& s) { return step(s); }, next);
    if (failed && ended()) break;
    if (failed) return *failed;
  }
  return std::move(result_);
}

/// Assigns every buffer its offset in the scratch memory of a worker.
Run::Failure Run::plan_scratch(const RegionStep& s, std::uint64_t own_bytes, runtime::RegionLaunch& launch,
                               unsigned threads) {
  unsigned __int128 total = 0;
  unsigned __int128 largest = 0;
  const ScratchPlan* largest_buffer = nullptr;
  unsigned __int128 limit = runtime::machine().memory_bytes / 2;
  for (const ScratchPlan& buffer : s.buffers) {
    std::uint64_t items =
        buffer.counters
            ? universe_.size()
            : static_cast<std::uint64_t>(std::max<std::int64_t>(static_cast<std::int64_t>(frame_[buffer.slot]), 0));
    launch.clear_scratch = launch.clear_scratch || buffer.counters;
    frame_[buffer.slot] = items;
    unsigned __int128 before = total;
    for (std::size_t c = 0; c < buffer.columns.size(); ++c) {
      frame_[buffer.slot + 1 + c] = static_cast<std::uint64_t>(total);
      unsigned __int128 bytes =
          (static_cast<unsigned __int128>(items) + kSlack) * runtime::element_bytes(buffer.columns[c]);
      total += (bytes + kLine - 1) / kLine * kLine;
    }
    if (total - before >= largest) {
      largest = total - before;
      largest_buffer = &buffer;
    }
  }
  frame_[kScratchSlot] = static_cast<std::uint64_t>(total);
  if (total * threads > limit) {
    std::string message =
        fmt::format("the intermediate list `{}` of up to {} items for each of {} threads does not fit memory",
                    largest_buffer->name, frame_[largest_buffer->slot], threads);
    return failure(ErrorKind::Resource, std::move(message),
                   largest_buffer->counters ? "use fewer threads, or --disable-pass count-wedges"
                                            : "use fewer threads or a list with a smaller capacity",
                   s.loc);
  }
  launch.scratch_bytes = static_cast<std::uint64_t>(total) + own_bytes;
  return std::nullopt;
}

Run::Failure Run::step(const RegionStep& s) {
  if (Failure failed = call(s.prepare)) return failed;
  runtime::RegionLaunch launch;
  const RegionCode code = code_.region(s);
  launch.body = code.body;
  launch.inner = code.inner;
  frame_[kPlanSlot] = reinterpret_cast<std::uint64_t>(code.plan);
  launch.positions = frame_[s.positions_slot];
  if (s.vertices_slot != 0) {
    launch.maybe_walked = reinterpret_cast<const runtime::GraphView*>(frame_[s.vertices_slot]);
  }
  launch.frame = frame_.data();
  launch.sets = sets_;
  for (const SinkPlan& sink : s.sinks) {
    launch.sinks.push_back(sink.info);
    if (sink.walked_slot != 0) {
      // Enough for a filter of the walked graph's edges; the buffer grows if it needs more.
      const std::uint64_t arcs = reinterpret_cast<const runtime::GraphView*>(frame_[sink.walked_slot])->arc_count;
      launch.sinks.back().expected = std::min(arcs, kMostExpected) + kSlack;
    }
  }
  runtime::RunControl control = control_;
  if (!s.parallel) control.threads = 1;
  unsigned threads = control.threads != 0 ? control.threads : runtime::machine().threads;
  if (Failure failed = plan_scratch(s, code.scratch_bytes, launch, threads)) return failed;
  std::vector<runtime::ElementKind> kinds;
  if (streams(s)) {
    launch.row_mode = runtime::RowMode::Stream;
    kinds = s.sinks[static_cast<std::size_t>(s.stream_sink)].info.columns;
    control.on_rows = [&](const runtime::RowBlock& block) {
      result_.rows += block.count;
      return options_.on_rows(Rows{block.count, kinds, block.columns});
    };
  }
  if (options_.maybe_dealer != nullptr && s.dealt) return deal(s, launch, control);
  if (s.shared && !options_.share.is_whole()) {
    const PositionRange range = positions_of(options_.share, launch.positions, launch.maybe_walked);
    launch.begin = range.begin;
    launch.end = range.end;
  }
  runtime::RegionResult result;
  if (Failure failed = run_part(s, launch, control, result)) return failed;
  return take_results(s, result);
}

Run::Failure Run::run_part(const RegionStep& s, const runtime::RegionLaunch& launch, const runtime::RunControl& control,
                           runtime::RegionResult& out) {
  result_.positions_total += launch.walked();
  runtime::RegionOutcome outcome = runtime::run_region(launch, control);
  if (const runtime::RegionError* error = std::get_if<runtime::RegionError>(&outcome)) {
    SourceLoc loc = error->line != 0 ? place(error->file, error->line, error->column) : s.loc;
    RunError result = trap(static_cast<std::uint32_t>(error->code), loc);
    if (!error->message.empty()) result.error.message = error->message;
    result.error.hint = error->hint;
    return result;
  }
  out = std::move(std::get<runtime::RegionResult>(outcome));
  result_.ending = ending_of(out.end);
  result_.positions += out.positions_done;
  result_.work_done += out.work_done;
  result_.work_total += out.work_total;
  result_.deferred += out.deferred;
  return std::nullopt;
}

Run::Failure Run::take_results(const RegionStep& s, runtime::RegionResult& result) {
  if (streams(s)) streamed_ = true;
  for (std::size_t i = 0; s.shared && !options_.share.is_whole() && i < s.sinks.size(); ++i) {
    partials_[s.sinks[i].slot] = partial_of(s.sinks[i], result.sinks[i]);
  }
  if (s.shared && !options_.share.is_whole()) return std::nullopt;
  for (std::size_t i = 0; i < s.sinks.size(); ++i) {
    const SinkPlan& plan = s.sinks[i];
    runtime::SinkResult& sink = result.sinks[i];
    std::uint64_t& slot = frame_[plan.slot];
    switch (plan.info.kind) {
      case runtime::SinkKind::SumInt:
        slot = static_cast<std::uint64_t>(sink.sum);
        if (plan.wide) {
          frame_[plan.slot + 1] = static_cast<std::uint64_t>(sink.sum >> 64);
        } else if (sink.sum < INT64_MIN || sink.sum > INT64_MAX) {
          return trap(static_cast<std::uint32_t>(runtime::TrapCode::IntegerOverflow), s.loc);
        }
        break;
      case runtime::SinkKind::SumFloat: slot = std::bit_cast<std::uint64_t>(sink.number); break;
      case runtime::SinkKind::MinInt:
      case runtime::SinkKind::MaxInt:
        slot = static_cast<std::uint64_t>(sink.integer);
        frame_[plan.slot + 1] = sink.has_value ? 1 : 0;
        break;
      case runtime::SinkKind::MinFloat:
      case runtime::SinkKind::MaxFloat:
        slot = std::bit_cast<std::uint64_t>(sink.number);
        frame_[plan.slot + 1] = sink.has_value ? 1 : 0;
        break;
      case runtime::SinkKind::Any:
      case runtime::SinkKind::All: slot = sink.flag ? 1 : 0; break;
      case runtime::SinkKind::Rows:
      case runtime::SinkKind::Map:
        if (ended() && plan.info.kind == runtime::SinkKind::Map) map_cut_ = true;
        slot = sink.rows;
        for (std::size_t c = 0; c < sink.columns.size(); ++c) {
          frame_[plan.slot + 1 + c] = reinterpret_cast<std::uint64_t>(sink.columns[c].data());
        }
        lists_[plan.slot] = std::move(sink.columns);
        break;
    }
  }
  return std::nullopt;
}

}  // namespace matcha::codegen::cpu
