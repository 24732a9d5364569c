#pragma once

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

/// LLVM's part: the machine, the optimizer, object code, the JIT. Failures here are reported as text.
namespace matcha::codegen::jit {

/// The processor that this runs on, with all that it has; null with the reason in `why`.
std::unique_ptr<llvm::TargetMachine> host_machine(std::string& why);

/// Prepares the module for the machine and runs the O3 pipeline, or a quick one on a very large module. False, with the
/// reason, if LLVM finds the module broken.
bool optimize(llvm::Module& module, llvm::TargetMachine& machine, std::string& why);

/// Assembly of an optimized module, for people.
std::string assembly(llvm::Module& module, llvm::TargetMachine& machine);

/// Code in memory, ready to be called.
class Code {
 public:
  /// Null with the reason in `why`.
  static std::unique_ptr<Code> load(llvm::Module& module, llvm::TargetMachine& machine, std::string& why);

  /// The address of a function; null if there is none.
  void* find(const std::string& name) const;

 private:
  std::unique_ptr<llvm::orc::LLJIT> jit_;
};

}  // namespace matcha::codegen::jit
