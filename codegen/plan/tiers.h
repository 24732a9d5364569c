#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "codegen/cpu/executable.h"
#include "codegen/plan/plan.h"
#include "ir/support/source.h"

namespace matcha::codegen::plan {

/// True if native code of the same module can take over regions of a plan: the frame and the steps are the same, and
/// graphs have all arrays that it reads.
bool fits(const cpu::Program& plan, const cpu::Program& native);

/// A program that starts as a plan and continues with native code from the next task on once that is compiled. A
/// separate thread compiles it after runs have taken `patience` in total; no run waits for it. The destructor cancels
/// the compilation and waits until LLVM's code has returned.
class Tiered final : public Executable {
 public:
  /// The nodes of the module and the sources must outlive it.
  Tiered(const ir::Module& module, const SourceManager& sources, Loaded loaded, std::string code_folder,
         std::chrono::microseconds patience);
  ~Tiered() override;

  RunOutcome run(std::span<const Argument> arguments, const runtime::Universe& universe,
                 const RunOptions& options) override;

  /// Waits until native code is ready or its compilation failed; for tests. Requires: a run that took longer than
  /// `patience`.
  void wait_for_native();

 private:
  struct Job;
  static void work(const std::shared_ptr<Job>& job);
  static void compile(const std::shared_ptr<Job>& job);

  std::shared_ptr<Job> job_;
  cpu::CpuExecutable plan_;
};

}  // namespace matcha::codegen::plan
