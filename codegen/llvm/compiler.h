#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "codegen/cpu/executable.h"
#include "ir/nodes.h"
#include "ir/support/diagnostics.h"

namespace matcha::codegen::jit {

/// The form of a module's text.
enum class Text { Unoptimized, Optimized, Assembly };

/// The module as text, for the CPU of this machine; nothing after an error. It contains no address and no path of this
/// run.
std::optional<std::string> emit_text(const ir::Module& module, Text text, Diagnostics& diagnostics);

/// Milliseconds of the phases.
struct CompileTimes {
  double plan = 0;      ///< From ir to LLVM IR.
  double optimize = 0;  ///< 0: the object code was in the cache.
  double generate = 0;  ///< LLJIT, object code, linking.
};

/// A module during its compilation. The source module may be destroyed after `make`.
class Unit {
 public:
  /// Its LLVM IR; null after an error, which is reported.
  static std::unique_ptr<Unit> make(const ir::Module& module, Diagnostics& diagnostics);
  ~Unit();

  /// Compiles it. Object code is loaded from `code_folder` if it is there, else kept there (runtime/code_cache.h);
  /// empty: no folder. False with the reason in `why`; or, soon after `maybe_cancel` became true, with an empty `why`.
  bool compile(const std::string& code_folder, const std::atomic<bool>* maybe_cancel, std::string& why);

  /// As `emit_text`.
  static std::optional<std::string> text(const ir::Module& module, Text text, Diagnostics& diagnostics);

  const cpu::Program& program() const;
  const CompileTimes& times() const;
  /// To be called after `compile`, each once.
  cpu::Program take_program();
  std::unique_ptr<cpu::Code> take_code();
  cpu::Origin take_origin();

 private:
  struct Parts;
  explicit Unit(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

/// The module ready to run; null after an error. Object code is loaded from `code_folder` if it is there, else kept
/// there (runtime/code_cache.h); empty: no folder.
std::unique_ptr<cpu::CpuExecutable> load(const ir::Module& module, Diagnostics& diagnostics,
                                         const std::string& code_folder = {}, CompileTimes* maybe_times = nullptr);

}  // namespace matcha::codegen::jit
