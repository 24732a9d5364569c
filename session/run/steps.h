#pragma once

#include <memory>

#include "session/question_run.h"
#include "session/run/host.h"
#include "session/run/request.h"
#include "session/run/shared_inputs.h"
#include "session/status.h"

namespace matcha::session {

struct RunReport;

/// The results of a run and the objects that made them; valid as long as the run.
struct Computed {
  RunReport* report;
  QuestionRun& run;
  codegen::RunOptions run_options;
};

/// One program or pattern on its way to an answer. Every step gives the status of the command; Ok continues with the
/// next. The step that finds an error prints it.
class RunSteps {
 public:
  virtual ~RunSteps() = default;

  /// Checks the options, of several patterns the same for all.
  virtual Status check() = 0;
  /// Reads and checks the program, or the pattern.
  virtual Status read() = 0;
  /// Binds and reads the inputs. Of several patterns, also writes the program, to find its errors.
  virtual Status prepare() = 0;
  /// Asks the engines which of them answers. `compute` does so itself.
  virtual Status decide() = 0;
  /// Compiles and runs.
  virtual Status compute() = 0;
  /// Prints the answer, or the part of it that there is.
  virtual Status finish() = 0;
  /// True if a thread still works for it whose result is not needed; only the end of the process stops it. Call it
  /// after all other steps.
  virtual bool is_busy() = 0;
  /// After `compute`.
  virtual Computed computed() = 0;

  /// Of a pattern, after `read`: the characters of the longest name in its lines.
  virtual std::size_t name_width() const = 0;
  /// Prints the name of the question, padded to `width` characters, before each number, and in JSON.
  virtual void print_name(std::size_t width) = 0;
};

/// `pattern`: the one that runs; its text is empty for a program. With `maybe_shared`, the graph comes from there.
/// All but the pattern outlives the run.
std::unique_ptr<RunSteps> make_run(const RunRequest& options, const PatternOptions& pattern, const RunReporter& console,
                                   StopControl& session, SharedInputs* maybe_shared);

}  // namespace matcha::session
