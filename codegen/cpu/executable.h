#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "codegen/cpu/code.h"
#include "codegen/cpu/program.h"

namespace matcha::codegen::cpu {

/// Origin of a program's code.
struct Origin {
  bool from_cache = false;
  std::vector<std::string> notes;  ///< Notes for the user, reported by the first run.
  std::string level = "native";    ///< RunResult::level
};

/// A compiled program, which several threads may run at the same time. The host walks its steps: it calls the step
/// functions, allocates lists, builds graphs and runs the regions.
class CpuExecutable final : public Executable {
 public:
  /// `code` has all functions that the steps name.
  CpuExecutable(Program program, std::unique_ptr<Code> code, Origin origin = {});
  ~CpuExecutable() override;

  RunOutcome run(std::span<const Argument> arguments, const runtime::Universe& universe,
                 const RunOptions& options) override;

  bool from_cache() const override { return origin_.from_cache; }

  /// The limits for splitting loops and the rows that a worker buffers; tests make them small.
  runtime::RunControl& control() { return control_; }

 private:
  Program program_;
  std::unique_ptr<Code> code_;
  Origin origin_;
  std::mutex mutex_;  ///< Guards the notes, and the arrays that a run adds to the graphs among its arguments.
  runtime::RunControl control_;
};

}  // namespace matcha::codegen::cpu
