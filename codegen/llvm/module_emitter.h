#pragma once

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "codegen/llvm/frame.h"
#include "ir/analysis/facts.h"
#include "ir/analysis/resolve.h"
#include "ir/support/source.h"

namespace matcha::codegen::jit {

/// What a called function does to memory, so that loads and calls around it can be moved.
enum class Effect {
  Any,
  ReadsArguments,   ///< Reads what its arguments point to, always returns.
  WritesArguments,  ///< Also writes there.
};

/// A flat list in the frame: a top-level list variable, or a part of a top-level expression that had to be stored.
struct FrameList {
  std::uint32_t slot = 0;
  const ir::Type* type = nullptr;
};

/// What the functions of one module share: the LLVM module, the frame, the facts, declarations of the runtime.
class ModuleEmitter {
 public:
  ModuleEmitter(const ir::Module& module, llvm::LLVMContext& context, const SourceManager& sources);

  llvm::LLVMContext& context() { return context_; }
  llvm::Module& llvm_module() { return *llvm_module_; }
  std::unique_ptr<llvm::Module> take() { return std::move(llvm_module_); }
  const ir::Module& module() const { return module_; }
  const ir::Facts& facts() const { return facts_; }
  FrameLayout& frame() { return frame_; }

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

  /// Top-level expressions that are stored in the frame, by structure.
  std::unordered_map<const ir::Expr*, FrameList>& stored() { return stored_; }
  /// Sorted copies of top-level lists that are the second operand of a set operation and not known to ascend.
  std::unordered_map<const ir::Expr*, FrameList>& sorted_copies() { return sorted_copies_; }
  /// Graph variables whose vertices are read as an array, not only walked.
  std::vector<const ir::Var*>& vertex_arrays() { return vertex_arrays_; }
  /// The graph variables that a graph expression may stand for.
  std::vector<const ir::Var*> graph_vars(const ir::Expr& e) const;
  /// The parameter, `build_graph` or `select` that a graph expression stands for, through `let`.
  const ir::Expr& resolve(const ir::Expr& e) const { return *ir::resolve(facts_, &e); }

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

  const ir::Module& module_;
  llvm::LLVMContext& context_;
  const SourceManager& sources_;
  std::unique_ptr<llvm::Module> llvm_module_;
  ir::Facts facts_;
  FrameLayout frame_;
  std::unordered_map<std::uint32_t, llvm::Constant*> files_;
  std::unordered_map<const ir::Expr*, FrameList> stored_;
  std::unordered_map<const ir::Expr*, FrameList> sorted_copies_;
  std::vector<const ir::Var*> vertex_arrays_;
};

/// Calls a function of the runtime from a FunctionEmitter by its C++ name: a wrong name does not compile.
#define MATCHA_RUNTIME(emitter, function, effect) (emitter).runtime<decltype(function)>(#function, effect)

}  // namespace matcha::codegen::jit
