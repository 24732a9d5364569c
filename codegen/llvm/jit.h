#pragma once

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/cpu/code.h"

/// The LLVM part: machine, optimizer, object code, JIT. Errors are returned as text.
namespace matcha::codegen::jit {

/// The processor of this machine with all its features; null with the reason in `why`.
std::unique_ptr<llvm::TargetMachine> host_machine(std::string& why);

/// Prepares the module for the machine and runs the O3 pipeline, or a quick one for a very large module. False, with
/// the reason, if LLVM finds the module broken. The remaining passes are skipped once `maybe_cancel` is true.
bool optimize(llvm::Module& module, llvm::TargetMachine& machine, const std::atomic<bool>* maybe_cancel,
              std::string& why);

/// Assembly of an optimized module, for display.
std::string assembly(llvm::Module& module, llvm::TargetMachine& machine);

/// Object code of an optimized module. It refers to functions of the runtime by name and contains no addresses.
std::string object_code(llvm::Module& module, llvm::TargetMachine& machine);

/// The file name in a CodeCache for the object code of a module before optimization. It depends on everything that
/// determines the code: the module, the processor, and this build with its LLVM. Empty if the build is unknown.
std::string object_file_name(const llvm::Module& module, const llvm::TargetMachine& machine);

/// Code in memory, ready to be called.
class Code final : public cpu::Code {
 public:
  /// Loads object code with these functions. Null with the reason in `why`.
  static std::unique_ptr<Code> load(const std::string& object, const std::vector<std::string>& functions,
                                    const llvm::TargetMachine& machine, std::string& why);

  void call(const std::string& function, runtime::RegionContext& context) const override;
  cpu::RegionCode region(const cpu::RegionStep& step) const override;

 private:
  /// The address of one of its functions; null if there is none.
  void* find(const std::string& name) const;

  std::unique_ptr<llvm::orc::LLJIT> jit_;
  std::unordered_map<std::string, void*> functions_;
};

}  // namespace matcha::codegen::jit
