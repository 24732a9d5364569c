#include "codegen/cuda/region_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <future>
#include <optional>
#include <thread>

#include "codegen/cuda/clock.h"
#include "codegen/cuda/sinks.h"
#include "codegen/cuda/stops.h"
#include "runtime/common/rooms.h"

namespace matcha::codegen::gpu {

using matcha_program::Shared;
using matcha_program::Slot;
using runtime::ErrorKind;
using runtime::TrapCode;

namespace {

/// One region on its devices.
class RegionRun {
 public:
  RegionRun(const std::vector<RegionLauncher*>& launchers, const RegionRequest& request,
            const std::vector<RegionInputs>& inputs, const CudaOptions& settings, const RunOptions& options)
      : launchers_(launchers), request_(request), inputs_(inputs), settings_(settings), options_(options) {}

  RegionOutcome run() {
    std::uint64_t capacity = std::max<std::uint64_t>(settings_.rows, 1);
    while (true) {
      outcome_.ending = Ending::Complete;
      start(capacity);
      finish_or_stop();
      if (takes_fewer_groups()) continue;
      const Clock::time_point ended = Clock::now();
      check();
      if (std::uint64_t wanted = rows_wanted(); wanted > capacity && outcome_.ending == Ending::Complete) {
        capacity = wanted;
        continue;
      }
      collect_rows();
      collect_values();
      outcome_.collect_ms = milliseconds_since(ended);
      return std::move(outcome_);
    }
  }

 private:
  /// Calls `work(i)` for each active device, in parallel; throws the first exception of any of them.
  template <typename F>
  void on_each(F work) {
    std::vector<std::future<void>> others;
    for (std::size_t i = 1; i < active_; ++i) others.push_back(std::async(std::launch::async, work, i));
    std::exception_ptr failure;
    const auto keep_first = [&](auto&& step) {
      try {
        step();
      } catch (...) {
        if (failure == nullptr) failure = std::current_exception();
      }
    };
    keep_first([&] { work(0); });
    for (std::future<void>& other : others) keep_first([&] { other.get(); });
    if (failure != nullptr) std::rethrow_exception(failure);
  }

  void start(std::uint64_t capacity) {
    const Clock::time_point begin = Clock::now();
    active_ = request_.region->schedule.parallel ? launchers_.size() : 1;
    stopping_ = false;
    ended_.assign(active_, false);
    std::vector<std::uint64_t> workers(active_);
    std::vector<std::string> notes(active_);
    on_each([&](std::size_t i) { workers[i] = launchers_[i]->plan(request_, inputs_[i], most_groups_, notes[i]); });
    for (std::string& note : notes) {
      bool known =
          note.empty() || std::find(outcome_.notes.begin(), outcome_.notes.end(), note) != outcome_.notes.end();
      if (!known) outcome_.notes.push_back(std::move(note));
    }
    std::uint64_t groups = 0;
    for (std::uint64_t count : workers) groups += count;
    outcome_.groups = groups;
    try {
      const std::vector<std::uint64_t> cuts = cut(groups);
      on_each([&](std::size_t i) {
        RegionShare share = RegionShare::of_device(request_, i, active_, groups);
        if (!cuts.empty()) share.ranges = runtime::share_of(cuts, share.device, share.devices);
        launchers_[i]->start(request_, inputs_[i], share, capacity);
      });
    } catch (...) {
      abandon();
      throw;
    }
    outcome_.launch_ms += milliseconds_since(begin);
  }

  /// The cuts of the positions for several devices, or for parts of a sample, so that each has as many arcs. Empty: not
  /// cut.
  std::vector<std::uint64_t> cut(std::uint64_t groups) const {
    const std::uint64_t shares = active_ * request_.parts;
    if (shares == 1 || request_.units > 1) return {};
    const std::uint64_t units = shares * runtime::kUnitsOfShare, chunk = launchers_[0]->chunk(request_, groups);
    return request_.maybe_walked != nullptr ? runtime::cut_by_arcs(*request_.maybe_walked, units, chunk)
                                            : runtime::cut_evenly(request_.positions, units, chunk);
  }

  /// Waits for all devices; if that fails, none of them still runs afterwards.
  void finish_or_stop() {
    try {
      wait();
      for (std::size_t i = 0; i < active_; ++i) launchers_[i]->settle();
    } catch (...) {
      abandon();
      throw;
    }
  }

  /// Ends kernels that may still run, before an error is reported: their memory is about to be freed.
  void abandon() noexcept {
    constexpr std::chrono::microseconds kNap{100};
    for (std::size_t i = 0; i < active_; ++i) {
      try {
        while (!ended_[i]) {
          launchers_[i]->stop();
          ended_[i] = launchers_[i]->done(request_);
          std::this_thread::sleep_for(kNap);
        }
        launchers_[i]->settle();
      } catch (const host::Trap&) {
        (void)launchers_[i]->stream().synchronize();
      }
    }
  }

  void wait() {
    using std::chrono::duration;
    constexpr double kSpinMs = 3;
    constexpr double kReportMs = 100;
    constexpr double kLongestNapMs = 0.5;
    constexpr double kStreamNapMs = 0.05;
    const Clock::time_point started = Clock::now();
    double reported = 0;
    while (true) {
      std::uint64_t streamed = outcome_.streamed;
      if (!poll()) break;
      if (stopping_) stop_all();
      double elapsed = milliseconds_since(started);
      if (outcome_.ending == Ending::Complete) apply_requests();
      if (options_.on_progress && elapsed - reported > kReportMs) {
        reported = elapsed;
        std::uint64_t walked = 0;
        for (std::size_t i = 0; i < active_; ++i) walked += launchers_[i]->walked();
        options_.on_progress(request_.work_of_first(walked), request_.work_of_first(request_.positions));
      }
      if (elapsed < kSpinMs || outcome_.streamed != streamed) continue;
      // The pause is at most a few percent of the time waited so far.
      std::this_thread::sleep_for(
          duration<double, std::milli>(std::min(request_.stream_rows ? kStreamNapMs : kLongestNapMs, elapsed / 32)));
    }
    double longest = 0;
    outcome_.each_ms.resize(launchers_.size());
    for (std::size_t i = 0; i < active_ && request_.kernel_times; ++i) {
      const double ms = launchers_[i]->milliseconds();
      outcome_.each_ms[i] += ms;
      longest = std::max(longest, ms);
    }
    outcome_.kernel_ms += longest;
  }

  /// Polls the running devices once. False: none is running.
  bool poll() {
    bool running = false;
    for (std::size_t i = 0; i < active_; ++i) {
      if (ended_[i]) continue;
      // Tested before the rows are taken, so that no row is left behind when the kernel has ended.
      bool done = launchers_[i]->done(request_);
      if (request_.stream_rows) drain(i, done);
      ended_[i] = done;
      running = running || !done;
      // An error on one device ends the others.
      if (done && launchers_[i]->shared().error != 0) stop_all();
    }
    return running;
  }

  void drain(std::size_t i, bool done) {
    if (outcome_.ending == Ending::RowsRefused) return;
    bool more = launchers_[i]->drain(options_.on_rows, done, outcome_.streamed);
    if (more) return;
    outcome_.ending = Ending::RowsRefused;
    stop_all();
  }

  void apply_requests() {
    const Ending asked = requested_ending(options_);
    if (asked != Ending::Complete) outcome_.ending = asked;
    if (outcome_.ending != Ending::Complete) stop_all();
  }

  void stop_all() {
    stopping_ = true;
    for (std::size_t i = 0; i < active_; ++i) {
      if (!ended_[i]) launchers_[i]->stop();
    }
  }

  /// True if the pages ran out and the region is to run again with a quarter of the groups. Not possible after rows
  /// were handed over.
  bool takes_fewer_groups() {
    bool ran_out = false;
    for (std::size_t i = 0; i < active_; ++i) {
      ran_out = ran_out || launchers_[i]->shared().error >> 56 == matcha_program::kOutOfPages;
    }
    const std::uint64_t each = outcome_.groups / active_;
    if (!ran_out || each <= 1 || outcome_.ending != Ending::Complete || outcome_.streamed != 0) return false;
    most_groups_ = std::max<std::uint64_t>(each / 4, 1);
    outcome_.notes.push_back(fmt::format("the pages for lists ran out with {} groups of threads; it runs again with {}",
                                         outcome_.groups, most_groups_ * active_));
    return true;
  }

  /// Outermost positions that all devices have to walk together; empty for the tiles of a sample, which are not
  /// counted.
  std::optional<std::uint64_t> wanted_positions() const {
    if (request_.parts == 1 && request_.units == 1) return request_.positions;
    std::uint64_t wanted = 0;
    for (std::size_t i = 0; i < active_; ++i) {
      const std::optional<std::uint64_t> share = launchers_[i]->share();
      if (!share) return std::nullopt;
      wanted += *share;
    }
    return wanted;
  }

  /// Throws if the program failed, or if work was left although no stop was requested.
  void check() {
    outcome_.list_bytes = 0;
    outcome_.positions = 0;
    outcome_.splits = 0;
    outcome_.kernels = {};
    std::uint64_t live = 0;
    std::uint64_t queued = 0;
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < active_; ++i) {
      const Shared& shared = launchers_[i]->shared();
      if (shared.error != 0) raise(shared.error);
      outcome_.positions += shared.positions_done;
      outcome_.splits += shared.splits;
      outcome_.kernels.started += shared.kernels;
      outcome_.kernels.refused += shared.kernels_refused;
      outcome_.kernels.at_once = std::max(outcome_.kernels.at_once, launchers_[i]->kernels());
      outcome_.kernels.list_bytes += launchers_[i]->kernel_bytes();
      outcome_.list_bytes += launchers_[i]->list_bytes();
      live += shared.live;
      queued += matcha_program::tasks_in(shared.queue_ready);
      if (request_.stream_rows) found += launchers_[i]->row_count(list_sink());
    }
    const std::uint64_t wanted = wanted_positions().value_or(std::min(outcome_.positions, request_.positions));
    bool whole = outcome_.positions == wanted && live == 0 && queued == 0 &&
                 (!request_.stream_rows || outcome_.streamed == found);
    if (whole && outcome_.ending != Ending::RowsRefused) outcome_.ending = Ending::Complete;
    if (whole || outcome_.ending != Ending::Complete) return;
    fail(ErrorKind::Runtime,
         fmt::format("internal error: the GPU walked {} of {} positions, and {} tasks are left", outcome_.positions,
                     wanted, live),
         "report this with the program", request_.region->loc);
  }

  [[noreturn]] void raise(std::uint64_t error) const {
    SourceLoc loc = request_.region->loc;
    std::uint32_t line = static_cast<std::uint32_t>(error >> 24);
    if (line != 0) {
      loc.line = line;
      loc.column = static_cast<std::uint32_t>(error & 0xFFFFFF);
      loc.length = 0;
    }
    if (error >> 56 == matcha_program::kOutOfPages) {
      fail(ErrorKind::Resource, "the pages for intermediate lists ran out",
           "raise --arena-mb or --scratch-mb where they are given, or take --stack=array", loc);
    }
    host::trap(static_cast<TrapCode>(error >> 56), loc);
  }

  std::size_t list_sink() const {
    std::size_t i = 0;
    while (sinks()[i].kind != ir::SinkKind::List) ++i;
    return i;
  }

  std::span<const ir::Sink> sinks() const { return request_.region->collect->sinks; }

  std::uint64_t rows_wanted() const {
    std::uint64_t wanted = 0;
    for (std::size_t i = 0; i < active_ && request_.stores_rows(); ++i) {
      for (std::size_t sink = 0; sink < sinks().size(); ++sink)
        wanted = std::max(wanted, launchers_[i]->row_count(sink));
    }
    return wanted;
  }

  void collect_rows() {
    outcome_.rows.resize(sinks().size());
    for (std::size_t sink = 0; sink < sinks().size() && request_.stores_rows(); ++sink) {
      if (sinks()[sink].kind != ir::SinkKind::List) continue;
      DeviceRows found{&sinks()[sink], {}, request_.positions};
      for (std::size_t i = 0; i < active_; ++i) found.parts.push_back(launchers_[i]->take_rows(sink));
      if (request_.staying.contains(sinks()[sink].var)) {
        outcome_.staying.push_back(std::move(found));
      } else {
        outcome_.rows[sink] = found.fetch();
      }
    }
  }

  void collect_values() {
    std::vector<Slot> slots;
    std::vector<std::vector<runtime::ExactSum>> sums(sinks().size());
    for (std::size_t i = 0; i < active_; ++i) launchers_[i]->take(request_, slots, sums);
    for (std::size_t sink = 0; sink < sinks().size(); ++sink) {
      outcome_.found.push_back(
          merge_slots(sinks()[sink], slots, sink, sinks().size(), sums[sink], request_.region->collect->loc));
    }
  }

  const std::vector<RegionLauncher*>& launchers_;
  const RegionRequest& request_;
  const std::vector<RegionInputs>& inputs_;
  const CudaOptions& settings_;
  const RunOptions& options_;
  std::size_t active_ = 1;                  ///< Active devices: the first ones.
  std::uint64_t most_groups_ = UINT64_MAX;  ///< Of a device.
  std::vector<bool> ended_;
  bool stopping_ = false;
  RegionOutcome outcome_;
};

}  // namespace

RegionOutcome run_region(const std::vector<RegionLauncher*>& launchers, const RegionRequest& request,
                         const std::vector<RegionInputs>& inputs, const CudaOptions& settings,
                         const RunOptions& options) {
  return RegionRun(launchers, request, inputs, settings, options).run();
}

}  // namespace matcha::codegen::gpu
