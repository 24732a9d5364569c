#pragma once

#include <memory>
#include <optional>

#include "codegen/backend.h"
#include "codegen/cpu/program.h"
#include "codegen/plan/code.h"
#include "ir/support/diagnostics.h"

namespace matcha::codegen::plan {

/// A program as a plan.
struct Loaded {
  cpu::Program program;
  std::unique_ptr<Code> code;
};

/// The module, ready to run; empty after an error.
std::optional<Loaded> load(const ir::Module& module, Diagnostics& diagnostics);

}  // namespace matcha::codegen::plan
