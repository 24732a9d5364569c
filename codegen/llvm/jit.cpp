#include "codegen/llvm/jit.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include "codegen/llvm/build_id.h"
#include "codegen/llvm/helpers.h"
#include "runtime/code_cache.h"

namespace matcha::codegen::jit {

namespace {

/// Modules with more instructions are compiled quickly, with less optimization. A pattern of dozens of vertices makes
/// one nest with thousands of set operations, which are calls; LLVM's register allocator alone takes a minute for it.
constexpr unsigned kLargeModule = 20'000;

void initialize_once() {
  static const bool done = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  static_cast<void>(done);
}

/// An LLJIT without features that small programs do not use: no platform, no unwinding tables, and no symbols of the
/// process except ours.
llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> make_jit(const llvm::Triple& triple) {
  llvm::orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(llvm::orc::JITTargetMachineBuilder(triple));
  builder.setPlatformSetUp(llvm::orc::setUpInactivePlatform);
  builder.setLinkProcessSymbolsByDefault(false);
  // Up to LLVM 19 it is called with the triple, too.
  builder.setObjectLinkingLayerCreator([](llvm::orc::ExecutionSession& session, auto&&...) {
    return std::make_unique<llvm::orc::ObjectLinkingLayer>(session, session.getExecutorProcessControl().getMemMgr());
  });
  return builder.create();
}

llvm::orc::SymbolMap absolute_symbols(llvm::orc::LLJIT& jit) {
  llvm::orc::SymbolMap symbols;
  const auto add = [&](const runtime::RuntimeSymbol& symbol) {
    llvm::JITSymbolFlags flags = llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable;
    symbols[jit.mangleAndIntern(symbol.name)] = {llvm::orc::ExecutorAddr::fromPtr(symbol.address), flags};
  };
  for (const runtime::RuntimeSymbol& symbol : runtime::runtime_symbols()) add(symbol);
  for (const runtime::RuntimeSymbol& symbol : helper_symbols()) add(symbol);
  return symbols;
}

/// Later versions take the triple, earlier ones its text.
template <typename Module>
void set_triple(Module& module, const llvm::Triple& triple) {
  if constexpr (requires { module.setTargetTriple(triple); }) {
    module.setTargetTriple(triple);
  } else {
    module.setTargetTriple(triple.str());
  }
}

llvm::SmallVector<char, 0> generate(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  machine.addPassesToEmitFile(passes, stream, nullptr, type, true);
  passes.run(module);
  return bytes;
}

}  // namespace

std::unique_ptr<llvm::TargetMachine> host_machine(std::string& why) {
  initialize_once();
  llvm::Expected<llvm::orc::JITTargetMachineBuilder> builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder) {
    why = llvm::toString(builder.takeError());
    return nullptr;
  }
  builder->setRelocationModel(llvm::Reloc::PIC_);
  builder->setCodeModel(llvm::CodeModel::Small);
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = builder->createTargetMachine();
  if (!machine) {
    why = llvm::toString(machine.takeError());
    return nullptr;
  }
  return std::move(*machine);
}

bool optimize(llvm::Module& module, llvm::TargetMachine& machine, const std::atomic<bool>* maybe_cancel,
              std::string& why) {
  module.setDataLayout(machine.createDataLayout());
  set_triple(module, machine.getTargetTriple());
  llvm::raw_string_ostream reason(why);
  if (llvm::verifyModule(module, &reason)) return false;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassInstrumentationCallbacks callbacks;
  if (maybe_cancel != nullptr) {
    callbacks.registerShouldRunOptionalPassCallback(
        [maybe_cancel](llvm::StringRef, llvm::Any) { return !maybe_cancel->load(std::memory_order_relaxed); });
  }
  llvm::PassBuilder builder(&machine, llvm::PipelineTuningOptions(), std::nullopt, &callbacks);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  bool large = module.getInstructionCount() > kLargeModule;
  if (large) machine.setOptLevel(llvm::CodeGenOptLevel::None);
  llvm::OptimizationLevel level = large ? llvm::OptimizationLevel::O1 : llvm::OptimizationLevel::O3;
  builder.buildPerModuleDefaultPipeline(level).run(module, modules);
  return true;
}

std::string assembly(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> text = generate(module, machine, llvm::CodeGenFileType::AssemblyFile);
  return std::string(text.data(), text.size());
}

std::string object_code(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> object = generate(module, machine, llvm::CodeGenFileType::ObjectFile);
  return std::string(object.data(), object.size());
}

std::string object_file_name(const llvm::Module& module, const llvm::TargetMachine& machine) {
  const std::string build = build_id();
  if (build.empty()) return "";
  llvm::SmallVector<char, 0> bitcode;
  llvm::raw_svector_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(module, stream);
  const std::string triple = machine.getTargetTriple().str();
  const std::string_view parts[] = {"object",
                                    build,
                                    LLVM_VERSION_STRING,
                                    triple,
                                    machine.getTargetCPU(),
                                    machine.getTargetFeatureString(),
                                    std::string_view(bitcode.data(), bitcode.size())};
  return runtime::CodeCache::key(parts) + ".o";
}

std::unique_ptr<Code> Code::load(const std::string& object, const std::vector<std::string>& functions,
                                 const llvm::TargetMachine& machine, std::string& why) {
  llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> jit = make_jit(machine.getTargetTriple());
  if (!jit) {
    why = llvm::toString(jit.takeError());
    return nullptr;
  }
  llvm::Error error = (*jit)->getMainJITDylib().define(llvm::orc::absoluteSymbols(absolute_symbols(**jit)));
  if (!error) {
    error = (*jit)->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(object, "program"));
  }
  if (error) {
    why = llvm::toString(std::move(error));
    return nullptr;
  }
  std::unique_ptr<Code> code(new Code);
  code->jit_ = std::move(*jit);
  for (const std::string& name : functions) {
    llvm::Expected<llvm::orc::ExecutorAddr> address = code->jit_->lookup(name);
    if (!address) {
      llvm::consumeError(address.takeError());
      why = "`" + name + "` cannot be linked";
      return nullptr;
    }
    code->functions_.emplace(name, address->toPtr<void*>());
  }
  return code;
}

void Code::call(const std::string& function, runtime::RegionContext& context) const {
  reinterpret_cast<void (*)(runtime::RegionContext*)>(find(function))(&context);
}

cpu::RegionCode Code::region(const cpu::RegionStep& step) const {
  cpu::RegionCode result;
  result.body = reinterpret_cast<runtime::RegionBody>(find(step.body));
  if (!step.inner.empty()) result.inner = reinterpret_cast<runtime::RegionInner>(find(step.inner));
  return result;
}

void* Code::find(const std::string& name) const {
  const auto found = functions_.find(name);
  return found != functions_.end() ? found->second : nullptr;
}

}  // namespace matcha::codegen::jit
