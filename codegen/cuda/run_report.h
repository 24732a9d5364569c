#pragma once

#include <string>
#include <string_view>

#include "codegen/backend.h"
#include "codegen/cuda/clock.h"
#include "codegen/cuda/host_values.h"
#include "codegen/cuda/region_request.h"
#include "codegen/cuda/region_run.h"

namespace matcha::codegen::gpu {

/// The report of a run: its times, notes, ending, progress and values.
class RunReport {
 public:
  explicit RunReport(const RunOptions& options) : options_(options) {}

  RunResult& result() { return result_; }
  bool ended() const { return result_.ending != Ending::Complete; }
  void end(Ending ending) { result_.ending = ending; }
  /// Records the time of a step that began at `start`.
  void time(std::string_view step, Clock::time_point start) {
    result_.times.emplace_back(step, milliseconds_since(start));
  }
  void note(std::string text) { result_.notes.push_back(std::move(text)); }

  /// Adds the outcome of a region; its rows and values stay in `outcome`.
  void add(const RegionRequest& request, RegionOutcome& outcome);
  /// Takes the values that the program returns, and hands over their rows unless they were streamed while their region
  /// ran. A sample has no values.
  void answer(const ir::Return& s, HostValues& values, bool sampled);

 private:
  void add_lists(const RegionRequest& request, const RegionOutcome& outcome);
  void add_kernels(const StartedKernels& more);

  const RunOptions& options_;
  RunResult result_;
  bool streamed_ = false;  ///< The rows of the answer were streamed while their region ran.
};

}  // namespace matcha::codegen::gpu
