#pragma once

#include <memory>
#include <string>

#include "codegen/cpu/code_maker.h"
#include "codegen/llvm/function_emitter.h"
#include "codegen/llvm/module_emitter.h"

namespace matcha::codegen::jit {

/// Emits the functions of a program as LLVM IR.
class FunctionMaker final : public cpu::CodeMaker {
 public:
  explicit FunctionMaker(ModuleEmitter& emitter) : emitter_(emitter) {}

  void begin_step(const std::string& name) override { step_ = function(name); }
  void end_step() override;
  void let(const ir::Let& s, std::uint32_t slot) override;
  void keep(SourceLoc loc, const ir::Expr& value, std::uint32_t slot) override;
  void measure(const std::string& name, const ir::Expr& list, std::uint32_t slot) override;
  void fill(const std::string& name, const ir::Expr& list, std::uint32_t slot, bool sorted) override;
  void prepare(const std::string& name, const host::RegionStep& planned, std::uint32_t positions_slot) override;
  void region(const cpu::RegionShape& shape, const std::string& body, const std::string& inner) override;

 private:
  std::unique_ptr<FunctionEmitter> function(const std::string& name);

  ModuleEmitter& emitter_;
  std::unique_ptr<FunctionEmitter> step_;
};

}  // namespace matcha::codegen::jit
