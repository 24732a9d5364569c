#pragma once

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "codegen/cpu/layout.h"
#include "ir/support/source.h"

namespace matcha::codegen::jit {

/// Effects of a called function on memory, by which loads and calls around it can be moved.
enum class Effect {
  Any,
  ReadsArguments,   ///< Reads memory that its arguments point to, always returns.
  WritesArguments,  ///< Also writes that memory.
};

using cpu::FrameList;

/// The state shared by the functions of one module, besides the layout: the LLVM module and declarations of the
/// runtime.
class ModuleEmitter : public cpu::Layout {
 public:
  ModuleEmitter(const ir::Module& module, llvm::LLVMContext& context, const SourceManager& sources);

  llvm::LLVMContext& context() { return context_; }
  llvm::Module& llvm_module() { return *llvm_module_; }
  std::unique_ptr<llvm::Module> take() { return std::move(llvm_module_); }

  /// The function `name` of the runtime; its type is that of the C++ declaration `F`.
  template <typename F>
  llvm::FunctionCallee runtime(const char* name, Effect effect = Effect::Any) {
    return declare(name, type_of<F>(), effect);
  }
  /// The LLVM type of a C++ function type or function pointer.
  template <typename F>
  llvm::FunctionType* type_of() {
    return function_type(static_cast<std::remove_pointer_t<F>*>(nullptr));
  }
  llvm::Function* define(const std::string& name, llvm::FunctionType* type,
                         std::initializer_list<const char*> parameters);
  /// A C string with the name of a source file; null if there is none.
  llvm::Constant* file_name(std::uint32_t file);
  llvm::AttributeList attributes(Effect effect);

 private:
  template <typename R, typename... A>
  llvm::FunctionType* function_type(R (*)(A...)) {
    llvm::Type* parameters[] = {value_type<A>()...};
    return llvm::FunctionType::get(value_type<R>(), parameters, false);
  }
  template <typename T>
  llvm::Type* value_type() {
    if constexpr (std::is_void_v<T>) {
      return llvm::Type::getVoidTy(context_);
    } else if constexpr (std::is_same_v<T, bool>) {
      return llvm::Type::getInt1Ty(context_);
    } else if constexpr (std::is_pointer_v<T>) {
      return llvm::PointerType::getUnqual(context_);
    } else if constexpr (std::is_same_v<T, double>) {
      return llvm::Type::getDoubleTy(context_);
    } else {
      static_assert(std::is_integral_v<T>);
      return llvm::Type::getIntNTy(context_, sizeof(T) * 8);
    }
  }
  llvm::FunctionCallee declare(const char* name, llvm::FunctionType* type, Effect effect);

  llvm::LLVMContext& context_;
  const SourceManager& sources_;
  std::unique_ptr<llvm::Module> llvm_module_;
  std::unordered_map<std::uint32_t, llvm::Constant*> files_;
};

/// Calls a function of the runtime from a FunctionEmitter by its C++ name: a wrong name does not compile.
#define MATCHA_RUNTIME(emitter, function, effect) (emitter).runtime<decltype(function)>(#function, effect)

}  // namespace matcha::codegen::jit
