#include "codegen/llvm/module_emitter.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>

namespace matcha::codegen::jit {

ModuleEmitter::ModuleEmitter(const ir::Module& module, llvm::LLVMContext& context, const SourceManager& sources)
    : Layout(module),
      context_(context),
      sources_(sources),
      llvm_module_(std::make_unique<llvm::Module>(llvm::StringRef(module.name.data(), module.name.size()), context)) {}

llvm::AttributeList ModuleEmitter::attributes(Effect effect) {
  llvm::AttrBuilder attrs(context_);
  attrs.addAttribute(llvm::Attribute::NoUnwind);
  if (effect != Effect::Any) {
    attrs.addAttribute(llvm::Attribute::WillReturn);
    attrs.addMemoryAttr(llvm::MemoryEffects::argMemOnly(effect == Effect::ReadsArguments ? llvm::ModRefInfo::Ref
                                                                                         : llvm::ModRefInfo::ModRef));
  }
  return llvm::AttributeList::get(context_, llvm::AttributeList::FunctionIndex, attrs);
}

llvm::FunctionCallee ModuleEmitter::declare(const char* name, llvm::FunctionType* type, Effect effect) {
  llvm::AttributeList list = attributes(effect);
  if (type->getReturnType()->isIntegerTy(1)) list = list.addRetAttribute(context_, llvm::Attribute::ZExt);
  return llvm_module_->getOrInsertFunction(name, type, list);
}

llvm::Function* ModuleEmitter::define(const std::string& name, llvm::FunctionType* type,
                                      std::initializer_list<const char*> parameters) {
  llvm::Function* function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, llvm_module_.get());
  function->setDoesNotThrow();
  std::size_t i = 0;
  for (const char* parameter : parameters) {
    llvm::Argument* argument = function->getArg(static_cast<unsigned>(i++));
    argument->setName(parameter);
    if (argument->getType()->isPointerTy()) argument->addAttr(llvm::Attribute::NonNull);
  }
  return function;
}

llvm::Constant* ModuleEmitter::file_name(std::uint32_t file) {
  const auto found = files_.find(file);
  if (found != files_.end()) return found->second;
  llvm::Constant* result = llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(context_));
  if (file < sources_.size()) {
    std::string_view name = sources_.name(file);
    llvm::Constant* text = llvm::ConstantDataArray::getString(context_, llvm::StringRef(name.data(), name.size()));
    result = new llvm::GlobalVariable(*llvm_module_, text->getType(), true, llvm::GlobalValue::PrivateLinkage, text,
                                      "file_" + std::to_string(file));
  }
  files_.emplace(file, result);
  return result;
}

}  // namespace matcha::codegen::jit
