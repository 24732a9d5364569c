#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "codegen/cpu/executable.h"
#include "codegen/plan/plan.h"
#include "ir/support/source.h"

namespace matcha::codegen::plan {

/// Whether native code of the same module can take over regions of a plan: the frame and the steps are the same, and
/// graphs have all that it reads.
bool fits(const cpu::Program& plan, const cpu::Program& native);

/// A program that runs as a plan at once, and as native code from the task on that comes after that was compiled. It is
/// compiled on a thread of its own once runs have taken `patience` together, in none of which an answer waits for it.
/// What is compiled when the object goes is given up; it waits until LLVM has left its code.
class Tiered final : public Executable {
 public:
  /// The nodes of the module and the sources must outlive it.
  Tiered(const ir::Module& module, const SourceManager& sources, Loaded loaded, std::string code_folder,
         std::chrono::microseconds patience);
  ~Tiered() override;

  RunOutcome run(std::span<const Argument> arguments, const runtime::Universe& universe,
                 const RunOptions& options) override;

  /// Waits until native code is there, or cannot be had; for tests. Requires: a run that took longer than `patience`.
  void wait_for_native();

 private:
  struct Job;
  static void work(const std::shared_ptr<Job>& job);
  static void compile(const std::shared_ptr<Job>& job);

  std::shared_ptr<Job> job_;
  cpu::CpuExecutable plan_;
};

}  // namespace matcha::codegen::plan
