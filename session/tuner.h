#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "codegen/cuda/cuda.h"
#include "session/bind.h"
#include "session/compile.h"
#include "session/targets.h"
#include "session/tuned_schedules.h"

namespace matcha::session {

/// The choices of `--tune`, as options.
struct ScheduleChoice {
  std::size_t plan = 0;               ///< The plan of a pattern, as `--plan` numbers them; 0: the current one.
  std::vector<std::string> disabled;  ///< Passes.
  bool by_degree = false;             ///< `--order degree`.
  GpuOptions gpu;
};

/// Reads the words into `choice`; false if `--tune` would not choose them.
bool apply_words(const ScheduleWords& words, ScheduleChoice& choice);

/// Plans of a pattern that `--tune` compares.
inline constexpr std::size_t kTunedPlans = 4;

/// All that a choice depends on.
struct TuningSubject {
  const CompileOptions& compile;
  const BindOptions& bind;
  const BoundInputs& bound;
  std::string_view text;                  ///< The program.
  const std::vector<std::string>& plans;  ///< The programs of `--plan 2` and so on.
  std::string_view order = "auto";
  const Target* target = &target_named("llvm");
  std::string_view simd = {};
  unsigned threads = 0;  ///< The threads of a CPU; 0: as many as there are.
  GpuOptions gpu = {};
};

/// The key of its winner.
std::string tuning_key(const TuningSubject& subject);

/// How one program is run to be timed.
struct TuningTask {
  const Target* target = &target_named("llvm");
  std::string code_folder;  ///< Where the code of a CPU is kept.
  CompileOptions compile;
  GpuOptions gpu;                  ///< As on the command line; other parameters are tried.
  std::string text;                ///< The program.
  std::vector<std::string> plans;  ///< The programs of `--plan 2` and so on.
  std::uint64_t positions = 0;     ///< The approximate number of positions of an outermost loop.
  bool may_rank = false;           ///< Ranks by degree are tried too.
  /// As OrderSwitch::set.
  std::function<double(bool by_degree, Compilation&)> rank;
  /// The passes of the device, for the inputs as they are ranked now.
  std::function<Status(Compilation&)> run_passes;
  std::function<codegen::RunOutcome(codegen::Executable&, std::chrono::steady_clock::time_point)> run;
  std::function<bool()> stopped;
};

/// Times a short list of schedules on a sample of the outermost positions: 0.1% of many, and all of few. A GPU runs its
/// share of a run on many GPUs (CudaOptions::sample), so the timed code is the code that runs later; a CPU runs a
/// program that skips positions (position_sample.h). First come the plans of a pattern, then ranks by degree, which
/// must also save the time of ranking. Then come, on a CPU, lists instead of bits; on a GPU, group widths, stealing,
/// searches and stacks; each with the best of the earlier ones. Each is run twice and the faster run counts; a schedule
/// less than 5% better than the default is not taken. Ends after some seconds with the best so far.
Tuning tune(const TuningTask& task, const Reporter& reporter);

}  // namespace matcha::session
