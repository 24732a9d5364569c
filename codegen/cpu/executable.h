#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "codegen/cpu/code.h"
#include "codegen/cpu/program.h"

namespace matcha::codegen::cpu {

/// Where the code of a program comes from.
struct Origin {
  bool from_cache = false;
  std::vector<std::string> notes;  ///< What a user should know of it; the first run tells.
  std::string level = "native";    ///< RunResult::level
};

/// A compiled program, which any number of threads may run at once. The host walks its steps: it calls the step
/// functions, gives memory to lists, builds graphs and runs the regions.
class CpuExecutable final : public Executable {
 public:
  /// All functions that the steps name are in `code`.
  CpuExecutable(Program program, std::unique_ptr<Code> code, Origin origin = {});
  ~CpuExecutable() override;

  RunOutcome run(std::span<const Argument> arguments, const runtime::Universe& universe,
                 const RunOptions& options) override;

  bool from_cache() const override { return origin_.from_cache; }

  /// When loops are split, and how many rows a worker buffers; a test makes them small.
  runtime::RunControl& control() { return control_; }

 private:
  Program program_;
  std::unique_ptr<Code> code_;
  Origin origin_;
  std::mutex mutex_;  ///< For the notes, and what a run adds to the graphs among its arguments.
  runtime::RunControl control_;
};

}  // namespace matcha::codegen::cpu
