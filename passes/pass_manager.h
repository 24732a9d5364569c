#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "passes/pipelines.h"

namespace matcha::passes {

/// Records to make while a pipeline runs, and where to stop it.
struct ManagerOptions {
  ir::AssumptionKinds allowed;              ///< Assumptions about input graphs that passes may make.
  std::vector<std::string> print_after;     ///< Names of passes, or `all`.
  bool print_changed = false;               ///< After each pass that changed something.
  std::vector<std::string> disabled;        ///< Passes to leave out.
  std::string stop_after;                   ///< Ends after the first run of this pass.
  std::optional<std::uint64_t> pass_limit;  ///< Stops after this many runs of passes, for bisection.
  std::string dump_dir;                     ///< Writes `07-restrict.mtir` there after each run.
};

/// One run of one pass.
struct PassRun {
  std::string text;  ///< As in a pipeline: `fuse{copies=2}`.
  bool changed = false;
  double milliseconds = 0;         ///< The time of the pass itself.
  double verify_milliseconds = 0;  ///< The time of the verifier after it.
  Statistics statistics;
};

struct PipelineResult {
  ir::Module module;    ///< The output of the last pass; the input of a pass that failed.
  bool ok = true;       ///< False after an error of a pass (see the diagnostics) or of the verifier.
  std::string printed;  ///< The text requested by `print_after` and `print_changed`.
  std::string bug;      ///< After a failed verification: its report, the module and a command that repeats it.
  std::vector<PassRun> runs;
};

/// Runs the pipeline and verifies the module before it and after every pass, in all builds. Prints nothing. Errors:
/// those of the passes; `bad-pipeline` when a pass takes another stage or a name in the options is unknown;
/// `broken-pass` when a pass breaks a rule of the verifier, which is a bug of ours; `dump-failed`.
PipelineResult run_pipeline(const ir::Module& module, const Pipeline& pipeline, ir::Context& context,
                            const TargetInfo& target, const LabelWords& labels, const ManagerOptions& options,
                            Diagnostics& diagnostics);

/// A table of the runs: milliseconds, changed or not, statistics.
std::string time_report(const PipelineResult& result);

}  // namespace matcha::passes
