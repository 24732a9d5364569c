#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/cpu/code.h"
#include "codegen/cpu/code_maker.h"
#include "codegen/cpu/layout.h"
#include "codegen/plan/function_writer.h"
#include "codegen/plan/native.h"
#include "ir/support/source.h"

namespace matcha::codegen::plan {

/// The functions of a program as plans, shared by all threads.
class Code final : public cpu::Code {
 public:
  void call(const std::string& function, runtime::RegionContext& context) const override;
  cpu::RegionCode region(const cpu::RegionStep& step) const override;

  /// Switches the regions of the program to native code from the next task on (for tests, only every other task). To be
  /// called once; plans may be running.
  void take_native(std::unique_ptr<cpu::Code> native, const cpu::Program& program, bool every_other);

 private:
  friend class Maker;

  std::deque<std::string> files_;
  std::unordered_map<std::string, std::unique_ptr<Function>> functions_;
  std::unordered_map<std::string, std::unique_ptr<Region>> regions_;
  std::unique_ptr<cpu::Code> native_;
  std::deque<cpu::RegionCode> native_regions_;
};

/// Writes the functions of a program as plans.
class Maker final : public cpu::CodeMaker {
 public:
  Maker(cpu::Layout& layout, const SourceManager& sources);

  std::unique_ptr<Code> take() { return std::move(code_); }

  void begin_step(const std::string& name) override;
  void end_step() override;
  void let(const ir::Let& s, std::uint32_t slot) override;
  void keep(SourceLoc loc, const ir::Expr& value, std::uint32_t slot) override;
  void measure(const std::string& name, const ir::Expr& list, std::uint32_t slot) override;
  void fill(const std::string& name, const ir::Expr& list, std::uint32_t slot, bool sorted) override;
  void prepare(const std::string& name, const host::RegionStep& planned, std::uint32_t positions_slot) override;
  void region(const cpu::RegionShape& shape, const std::string& body, const std::string& inner) override;

 private:
  cpu::Layout& layout_;
  std::unique_ptr<Code> code_ = std::make_unique<Code>();
  FileName file_name_;
  std::string step_name_;
  std::unique_ptr<FunctionWriter> step_;
};

}  // namespace matcha::codegen::plan
