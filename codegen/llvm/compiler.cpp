#include "codegen/llvm/compiler.h"

#include <llvm/Support/raw_ostream.h>

#include <chrono>

#include "codegen/cpu/planner.h"
#include "codegen/llvm/function_maker.h"
#include "codegen/llvm/jit.h"
#include "runtime/code_cache.h"

namespace matcha::codegen {

namespace jit {

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

/// All data between a module and its machine code.
struct Unit::Parts {
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
  cpu::Program program;
  std::unique_ptr<Code> code;
  cpu::Origin origin;
  CompileTimes times;

  bool plan(const ir::Module& module, Diagnostics& diagnostics);
  bool prepare(const ir::Module& module, Diagnostics& diagnostics);
  bool load_kept(const std::string& file, const runtime::CodeCache& cache, const std::vector<std::string>& names);
};

namespace {

bool failed(const std::string& why, Diagnostics& diagnostics) {
  diagnostics.error(DiagId::IrInvalid, {}, "LLVM: " + why);
  return false;
}

/// The functions called by the host.
std::vector<std::string> functions_of(const llvm::Module& module) {
  std::vector<std::string> names;
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration() && !function.hasLocalLinkage()) names.push_back(function.getName().str());
  }
  return names;
}

}  // namespace

/// Returns false after reporting an error.
bool Unit::Parts::plan(const ir::Module& source, Diagnostics& diagnostics) {
  if (!cpu::runs_here(source, diagnostics)) return false;
  ModuleEmitter emitter(source, *context, diagnostics.sources());
  FunctionMaker maker(emitter);
  program = cpu::make_program(emitter, maker, diagnostics.sources());
  module = emitter.take();
  return true;
}

bool Unit::Parts::prepare(const ir::Module& source, Diagnostics& diagnostics) {
  if (!plan(source, diagnostics)) return false;
  std::string why;
  machine = host_machine(why);
  return machine != nullptr || failed(why, diagnostics);
}

std::optional<std::string> Unit::text(const ir::Module& module, Text text, Diagnostics& diagnostics) {
  Parts parts;
  if (!parts.prepare(module, diagnostics)) return std::nullopt;
  std::string why;
  if (text != Text::Unoptimized && !optimize(*parts.module, *parts.machine, nullptr, why)) {
    failed(why, diagnostics);
    return std::nullopt;
  }
  if (text == Text::Assembly) return assembly(*parts.module, *parts.machine);
  std::string result;
  llvm::raw_string_ostream stream(result);
  parts.module->print(stream, nullptr);
  return result;
}

std::optional<std::string> emit_text(const ir::Module& module, Text text, Diagnostics& diagnostics) {
  return Unit::text(module, text, diagnostics);
}

Unit::Unit(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Unit::~Unit() = default;
const cpu::Program& Unit::program() const { return parts_->program; }
const CompileTimes& Unit::times() const { return parts_->times; }
cpu::Program Unit::take_program() { return std::move(parts_->program); }
std::unique_ptr<cpu::Code> Unit::take_code() { return std::move(parts_->code); }
cpu::Origin Unit::take_origin() { return std::move(parts_->origin); }

std::unique_ptr<Unit> Unit::make(const ir::Module& module, Diagnostics& diagnostics) {
  const Clock::time_point start = Clock::now();
  std::unique_ptr<Parts> parts = std::make_unique<Parts>();
  // The names of values are not read, and keeping them takes time.
  parts->context->setDiscardValueNames(true);
  if (!parts->prepare(module, diagnostics)) return nullptr;
  parts->times.plan = milliseconds_since(start);
  return std::unique_ptr<Unit>(new Unit(std::move(parts)));
}

/// Loads object code that an earlier process kept.
bool Unit::Parts::load_kept(const std::string& file, const runtime::CodeCache& cache,
                            const std::vector<std::string>& names) {
  const Clock::time_point start = Clock::now();
  runtime::CodeCache::Found found = cache.load(file);
  std::string why;
  if (found.code) code = Code::load(*found.code, names, *machine, why);
  origin.from_cache = code != nullptr;
  if (code != nullptr) times.generate = milliseconds_since(start);
  if (code == nullptr && !found.note.empty()) origin.notes.push_back(std::move(found.note));
  return code != nullptr;
}

bool Unit::compile(const std::string& code_folder, const std::atomic<bool>* maybe_cancel, std::string& why) {
  Parts& parts = *parts_;
  const auto cancelled = [&] { return maybe_cancel != nullptr && maybe_cancel->load(); };
  const std::vector<std::string> names = functions_of(*parts.module);
  const runtime::CodeCache cache(code_folder);
  const std::string file = code_folder.empty() ? "" : object_file_name(*parts.module, *parts.machine);
  if (!file.empty() && parts.load_kept(file, cache, names)) return true;

  Clock::time_point start = Clock::now();
  if (!optimize(*parts.module, *parts.machine, maybe_cancel, why) || cancelled()) return false;
  parts.times.optimize = milliseconds_since(start);
  start = Clock::now();
  const std::string object = object_code(*parts.module, *parts.machine);
  if (cancelled()) return false;
  parts.code = Code::load(object, names, *parts.machine, why);
  if (parts.code == nullptr) return false;
  if (!file.empty()) {
    std::string problem = cache.store(file, object);
    const bool is_reported = !parts.origin.notes.empty() && parts.origin.notes[0] == problem;
    if (!problem.empty() && !is_reported) parts.origin.notes.push_back(std::move(problem));
  }
  parts.times.generate = milliseconds_since(start);
  return true;
}

std::unique_ptr<cpu::CpuExecutable> load(const ir::Module& module, Diagnostics& diagnostics,
                                         const std::string& code_folder, CompileTimes* maybe_times) {
  const std::unique_ptr<Unit> unit = Unit::make(module, diagnostics);
  if (unit == nullptr) return nullptr;
  std::string why;
  if (!unit->compile(code_folder, nullptr, why)) {
    failed(why, diagnostics);
    return nullptr;
  }
  if (maybe_times != nullptr) *maybe_times = unit->times();
  return std::make_unique<cpu::CpuExecutable>(unit->take_program(), unit->take_code(), unit->take_origin());
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
