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

/// Where the table of options (session/options.h) stores the values of `options`.
OptionTargets targets_of(RunVerbOptions& options);

/// Adds the options and the help of `run` to the verb. Parsing stores values in `options`, which must outlive the verb.
void add_run_options(CLI::App& verb, RunVerbOptions& options);

}  // namespace matcha::tools
