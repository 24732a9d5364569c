#pragma once

#include <memory>
#include <optional>
#include <string>

#include "codegen/llvm/executable.h"
#include "ir/nodes.h"
#include "ir/support/diagnostics.h"

namespace matcha::codegen::jit {

/// What to show of a module.
enum class Text { Unoptimized, Optimized, Assembly };

/// The module as text, for the CPU that this runs on; nothing after an error. No address and no path of this run is in
/// it.
std::optional<std::string> emit_text(const ir::Module& module, Text text, Diagnostics& diagnostics);

/// Milliseconds of the parts of `load`.
struct CompileTimes {
  double plan = 0;  ///< From ir to LLVM IR.
  double optimize = 0;
  double generate = 0;  ///< LLJIT, object code, linking.
};

/// The module ready to run; null after an error.
std::unique_ptr<JitExecutable> load(const ir::Module& module, Diagnostics& diagnostics,
                                    CompileTimes* maybe_times = nullptr);

}  // namespace matcha::codegen::jit
