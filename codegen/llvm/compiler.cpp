#include "codegen/llvm/compiler.h"

#include <llvm/Support/raw_ostream.h>

#include <chrono>

#include "codegen/llvm/jit.h"
#include "codegen/llvm/planner.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "runtime/code_cache.h"

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
  for (const ir::Stmt* stmt : module.body->body) {
    const ir::Region* region = ir::as<ir::Region>(stmt);
    if (region == nullptr) continue;
    const ir::Schedule& how = region->schedule;
    if (how.steal == ir::Stealing::Give && how.stack == ir::Stack::Array && how.group == 1) continue;
    diagnostics.error(DiagId::TargetLimit, region->loc, "the schedule of a region is not for the run time of the CPU",
                      "`legalize` makes it fit");
    return false;
  }
  ModuleEmitter emitter(module, *result.context, diagnostics.sources());
  result.program = Planner(emitter).run();
  result.module = emitter.take();
  for (std::uint32_t file = 0; file < diagnostics.sources().size(); ++file) {
    result.program.files.emplace_back(diagnostics.sources().name(file));
  }
  add_places(module, result.program);
  return true;
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

/// The functions that the host calls.
std::vector<std::string> functions_of(const llvm::Module& module) {
  std::vector<std::string> names;
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration() && !function.hasLocalLinkage()) names.push_back(function.getName().str());
  }
  return names;
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

std::unique_ptr<JitExecutable> load(const ir::Module& module, Diagnostics& diagnostics, const std::string& code_folder,
                                    CompileTimes* maybe_times) {
  CompileTimes times;
  Compilation compilation;
  // Nobody reads the names of values, and keeping them takes time.
  compilation.context->setDiscardValueNames(true);
  Clock::time_point start = Clock::now();
  if (!prepare(module, compilation, diagnostics)) return nullptr;
  const std::vector<std::string> names = functions_of(*compilation.module);
  times.plan = milliseconds_since(start);

  start = Clock::now();
  Origin origin;
  const runtime::CodeCache cache(code_folder);
  const std::string file = code_folder.empty() ? "" : object_file_name(*compilation.module, *compilation.machine);
  if (!file.empty()) {
    runtime::CodeCache::Found found = cache.load(file);
    std::string why;
    if (found.code) {
      if (std::unique_ptr<Code> code = Code::load(*found.code, names, *compilation.machine, why)) {
        times.generate = milliseconds_since(start);
        if (maybe_times != nullptr) *maybe_times = times;
        origin.from_cache = true;
        return std::make_unique<JitExecutable>(std::move(compilation.program), std::move(code), std::move(origin));
      }
    }
    if (!found.note.empty()) origin.notes.push_back(std::move(found.note));
  }

  start = Clock::now();
  std::string why;
  if (!optimize(*compilation.module, *compilation.machine, why)) {
    failed(why, diagnostics);
    return nullptr;
  }
  times.optimize = milliseconds_since(start);
  start = Clock::now();
  const std::string object = object_code(*compilation.module, *compilation.machine);
  std::unique_ptr<Code> code = Code::load(object, names, *compilation.machine, why);
  if (code == nullptr) {
    failed(why, diagnostics);
    return nullptr;
  }
  if (!file.empty()) {
    std::string problem = cache.store(file, object);
    const bool told = !origin.notes.empty() && origin.notes[0] == problem;
    if (!problem.empty() && !told) origin.notes.push_back(std::move(problem));
  }
  times.generate = milliseconds_since(start);
  if (maybe_times != nullptr) *maybe_times = times;
  return std::make_unique<JitExecutable>(std::move(compilation.program), std::move(code), std::move(origin));
}

}  // namespace jit

namespace {

class LlvmBackend final : public Backend {
 public:
  explicit LlvmBackend(std::string code_folder) : code_folder_(std::move(code_folder)) {}

  std::string_view name() const override { return "llvm"; }
  ir::Stage stage() const override { return ir::Stage::Kernel; }
  std::optional<std::string> emit(const ir::Module& module, Diagnostics& diagnostics) override {
    return jit::emit_text(module, jit::Text::Optimized, diagnostics);
  }
  std::unique_ptr<Executable> load(const ir::Module& module, Diagnostics& diagnostics) override {
    return jit::load(module, diagnostics, code_folder_);
  }

 private:
  std::string code_folder_;
};

}  // namespace

std::unique_ptr<Backend> make_llvm(std::string code_folder) {
  return std::make_unique<LlvmBackend>(std::move(code_folder));
}

}  // namespace matcha::codegen
