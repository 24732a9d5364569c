#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "codegen/cpu/executable.h"
#include "ir/nodes.h"
#include "ir/support/diagnostics.h"

namespace matcha::codegen::jit {

/// What to show of a module.
enum class Text { Unoptimized, Optimized, Assembly };

/// The module as text, for the CPU that this runs on; nothing after an error. No address and no path of this run is in
/// it.
std::optional<std::string> emit_text(const ir::Module& module, Text text, Diagnostics& diagnostics);

/// Milliseconds of the parts.
struct CompileTimes {
  double plan = 0;      ///< From ir to LLVM IR.
  double optimize = 0;  ///< 0: the object code was kept.
  double generate = 0;  ///< LLJIT, object code, linking.
};

/// A module on its way to machine code. What it was made of need not live longer than `make`.
class Unit {
 public:
  /// Its LLVM IR; null after an error, which is reported.
  static std::unique_ptr<Unit> make(const ir::Module& module, Diagnostics& diagnostics);
  ~Unit();

  /// Compiles it. Object code is taken from `code_folder` and kept there (runtime/code_cache.h), unless that is empty.
  /// False with the reason in `why`; soon after `maybe_cancel` became true, with none.
  bool compile(const std::string& code_folder, const std::atomic<bool>* maybe_cancel, std::string& why);

  /// As `emit_text`.
  static std::optional<std::string> text(const ir::Module& module, Text text, Diagnostics& diagnostics);

  const cpu::Program& program() const;
  const CompileTimes& times() const;
  /// After `compile`, each once.
  cpu::Program take_program();
  std::unique_ptr<cpu::Code> take_code();
  cpu::Origin take_origin();

 private:
  struct Parts;
  explicit Unit(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

/// The module ready to run; null after an error. Object code is taken from `code_folder` and kept there
/// (runtime/code_cache.h), unless that is empty.
std::unique_ptr<cpu::CpuExecutable> load(const ir::Module& module, Diagnostics& diagnostics,
                                         const std::string& code_folder = {}, CompileTimes* maybe_times = nullptr);

}  // namespace matcha::codegen::jit
