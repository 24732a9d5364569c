#include "codegen/plan/plan.h"

#include "codegen/cpu/executable.h"
#include "codegen/cpu/planner.h"
#include "codegen/plan/code.h"

namespace matcha::codegen {

namespace plan {

std::optional<Loaded> load(const ir::Module& module, Diagnostics& diagnostics) {
  if (!cpu::runs_here(module, diagnostics)) return std::nullopt;
  cpu::Layout layout(module);
  Maker maker(layout, diagnostics.sources());
  Loaded result;
  result.program = cpu::make_program(layout, maker, diagnostics.sources());
  result.code = maker.take();
  return result;
}

}  // namespace plan

namespace {

class PlanBackend final : public Backend {
 public:
  std::string_view name() const override { return "plan"; }
  ir::Stage stage() const override { return ir::Stage::Kernel; }
  std::optional<std::string> emit(const ir::Module&, Diagnostics&) override { return std::nullopt; }
  std::unique_ptr<Executable> load(const ir::Module& module, Diagnostics& diagnostics) override {
    std::optional<plan::Loaded> loaded = plan::load(module, diagnostics);
    if (!loaded) return nullptr;
    return std::make_unique<cpu::CpuExecutable>(std::move(loaded->program), std::move(loaded->code),
                                                cpu::Origin{false, {}, "interp"});
  }
};

}  // namespace

std::unique_ptr<Backend> make_plan() { return std::make_unique<PlanBackend>(); }

}  // namespace matcha::codegen
