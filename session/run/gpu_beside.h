#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "codegen/backend.h"
#include "session/prepared.h"
#include "session/question_run.h"
#include "session/run/report.h"
#include "session/run/request.h"

namespace matcha::session {

/// A GPU that answers a question while a CPU does: the first answer is kept. A separate thread opens the GPU,
/// compiles for it and runs there, unless the CPU has the answer before that begins.
class GpuBeside {
 public:
  /// Whether a question can be answered so: its answer is a few numbers, and its only input is a plain graph in memory.
  static bool fits(const RunRequest& options, const QuestionRun& run);

  /// Requires: the question fits, and the chosen offer is of a GPU. The graph of `run` becomes a view of one that both
  /// share. `options`: of the run.
  GpuBeside(QuestionRun& run, codegen::RunOptions options);
  ~GpuBeside();
  GpuBeside(const GpuBeside&) = delete;
  GpuBeside& operator=(const GpuBeside&) = delete;

  using OnCpu = std::function<codegen::RunOutcome(const codegen::RunOptions& options)>;
  /// Runs `on_cpu` on another thread until one of both has answered, and stops the other one. An error of the CPU is
  /// the answer, unless it is short of memory. To be called once, on the thread that reads programs and patterns.
  codegen::RunOutcome first(const OnCpu& on_cpu, codegen::RunOptions options);
  /// Enters the device that answered first into the report. Call it after `first`, or if `first` was not needed.
  void report(RunReport& into, BoundInputs& bound) const;

  /// Asks the thread to stop. True: it is busy, in a driver or a compiler, which cannot be stopped; only the end of the
  /// process ends it.
  bool stop();

 private:
  struct State;

  const std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace matcha::session
