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

/// The steps from one program or pattern to its answer. Every step returns the status of the command; after Ok the
/// caller continues with the next step. The step that finds an error prints it.
class RunSteps {
 public:
  virtual ~RunSteps() = default;

  /// Checks the options, which are the same for several patterns.
  virtual Status check() = 0;
  /// Reads and checks the program, or the pattern.
  virtual Status read() = 0;
  /// Binds and reads the inputs. For several patterns it also writes the program, to find its errors.
  virtual Status prepare() = 0;
  /// Chooses the engine. `compute` calls it if need be.
  virtual Status decide() = 0;
  /// Compiles and runs.
  virtual Status compute() = 0;
  /// Prints the answer, or a partial answer.
  virtual Status finish() = 0;
  /// True if a thread still works for it whose result is not needed; only the end of the process stops it. Call it
  /// after all other steps.
  virtual bool is_busy() = 0;
  /// The results. Requires: `compute` was called.
  virtual Computed computed() = 0;

  /// The length of the longest name in the lines of a pattern's answer, in characters. Requires: `read` was called.
  virtual std::size_t name_width() const = 0;
  /// Prints the name of the question, padded to `width` characters, before each number, and in JSON.
  virtual void print_name(std::size_t width) = 0;
};

/// Makes a run. `pattern`: the pattern to run; its text is empty for a program. With `maybe_shared`, the graph is that
/// of several patterns. All arguments except the pattern must outlive the run.
std::unique_ptr<RunSteps> make_run(const RunRequest& options, const PatternOptions& pattern, const RunReporter& console,
                                   StopControl& session, SharedInputs* maybe_shared);

}  // namespace matcha::session
