#pragma once

#include "session/run/request.h"
#include "tools/options.h"

namespace matcha::tools {

/// The options of `matcha run`.
struct RunVerbOptions : RunRequest {
  RunVerbOptions() {
    code_folder = notes_folder = tools::code_folder();
    tuning_folder = tools::tuning_folder();
  }

  ConsoleOptions console;
};

/// Runs the program or the patterns of one command line.
Status run(const RunVerbOptions& options);

/// The parts that options are put into.
OptionTargets targets_of(RunVerbOptions& options);

/// Adds all of them to the verb, with its help. The values of a call are in `options`, which must outlive it.
void add_run_options(CLI::App& verb, RunVerbOptions& options);

}  // namespace matcha::tools
