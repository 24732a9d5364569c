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
  double plan = 0;      ///< From ir to LLVM IR.
  double optimize = 0;  ///< 0: the object code was kept.
  double generate = 0;  ///< LLJIT, object code, linking.
};

/// The module ready to run; null after an error. Object code is taken from `code_folder` and kept there
/// (runtime/code_cache.h), unless that is empty.
std::unique_ptr<JitExecutable> load(const ir::Module& module, Diagnostics& diagnostics,
                                    const std::string& code_folder = {}, CompileTimes* maybe_times = nullptr);

}  // namespace matcha::codegen::jit
