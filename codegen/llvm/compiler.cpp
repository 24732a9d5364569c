#include "codegen/llvm/compiler.h"

#include <llvm/Support/raw_ostream.h>

#include <chrono>

#include "codegen/llvm/jit.h"
#include "codegen/llvm/planner.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen {

namespace jit {

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Everything between a module and its LLVM IR.
struct Compilation {
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
  Program program;
};

void add_places(const ir::Module& module, Program& program) {
  const auto add = [&](SourceLoc loc) {
    if (loc.valid()) program.places.push_back(loc);
  };
  ir::for_each_stmt(*module.body, [&](const ir::Stmt& s) {
    add(s.loc);
    ir::for_each_expr(s,
                      [&](const ir::Expr& e) { ir::for_each_node(e, [&](const ir::Expr& node) { add(node.loc); }); });
  });
}

/// Gives false after reporting an error.
bool plan(const ir::Module& module, Compilation& result, Diagnostics& diagnostics) {
  if (module.stage != ir::Stage::Kernel) {
    diagnostics.error(DiagId::IrInvalid, {}, "the LLVM back end takes a module of stage kernel");
    return false;
  }
  std::size_t errors = diagnostics.error_count();
  ModuleEmitter emitter(module, *result.context, diagnostics.sources());
  Planner planner(emitter, diagnostics);
  result.program = planner.run();
  result.module = emitter.take();
  for (std::uint32_t file = 0; file < diagnostics.sources().size(); ++file) {
    result.program.files.emplace_back(diagnostics.sources().name(file));
  }
  add_places(module, result.program);
  return diagnostics.error_count() == errors;
}

bool failed(const std::string& why, Diagnostics& diagnostics) {
  diagnostics.error(DiagId::IrInvalid, {}, "LLVM: " + why);
  return false;
}

bool prepare(const ir::Module& module, Compilation& result, Diagnostics& diagnostics) {
  if (!plan(module, result, diagnostics)) return false;
  std::string why;
  result.machine = host_machine(why);
  return result.machine != nullptr || failed(why, diagnostics);
}

}  // namespace

std::optional<std::string> emit_text(const ir::Module& module, Text text, Diagnostics& diagnostics) {
  Compilation compilation;
  if (!prepare(module, compilation, diagnostics)) return std::nullopt;
  std::string why;
  if (text != Text::Unoptimized && !optimize(*compilation.module, *compilation.machine, why)) {
    failed(why, diagnostics);
    return std::nullopt;
  }
  if (text == Text::Assembly) return assembly(*compilation.module, *compilation.machine);
  std::string result;
  llvm::raw_string_ostream stream(result);
  compilation.module->print(stream, nullptr);
  return result;
}

std::unique_ptr<JitExecutable> load(const ir::Module& module, Diagnostics& diagnostics, CompileTimes* maybe_times) {
  CompileTimes times;
  Compilation compilation;
  Clock::time_point start = Clock::now();
  if (!prepare(module, compilation, diagnostics)) return nullptr;
  times.plan = milliseconds_since(start);
  start = Clock::now();
  std::string why;
  if (!optimize(*compilation.module, *compilation.machine, why)) {
    failed(why, diagnostics);
    return nullptr;
  }
  times.optimize = milliseconds_since(start);
  start = Clock::now();
  std::unique_ptr<Code> code = Code::load(*compilation.module, *compilation.machine, why);
  std::vector<std::string> names;
  for (const llvm::Function& function : *compilation.module) {
    if (!function.isDeclaration() && !function.hasLocalLinkage()) names.push_back(function.getName().str());
  }
  for (const std::string& name : names) {
    if (code == nullptr) break;
    if (code->find(name) == nullptr) why = "`" + name + "` cannot be linked";
  }
  if (!why.empty()) {
    failed(why, diagnostics);
    return nullptr;
  }
  times.generate = milliseconds_since(start);
  if (maybe_times != nullptr) *maybe_times = times;
  return std::make_unique<JitExecutable>(std::move(compilation.program), std::move(code));
}

}  // namespace jit

namespace {

class LlvmBackend final : public Backend {
 public:
  std::string_view name() const override { return "llvm"; }
  ir::Stage stage() const override { return ir::Stage::Kernel; }
  std::optional<std::string> emit(const ir::Module& module, Diagnostics& diagnostics) override {
    return jit::emit_text(module, jit::Text::Optimized, diagnostics);
  }
  std::unique_ptr<Executable> load(const ir::Module& module, Diagnostics& diagnostics) override {
    return jit::load(module, diagnostics);
  }
};

}  // namespace

std::unique_ptr<Backend> make_llvm() { return std::make_unique<LlvmBackend>(); }

}  // namespace matcha::codegen
