#include "codegen/llvm/function_emitter.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/MDBuilder.h>

#include <cstddef>

#include "codegen/llvm/helpers.h"
#include "ir/match.h"

namespace matcha::codegen::jit {

namespace {

/// Keys of `hoisted` that are not frame slots.
constexpr std::uint64_t kBufferKey = std::uint64_t{1} << 32;

}  // namespace

FunctionEmitter::FunctionEmitter(ModuleEmitter& module, llvm::Function* function)
    : module_(module),
      function_(function),
      b_(module.context()),
      entry_(module.context()),
      i1_(b_.getInt1Ty()),
      i8_(b_.getInt8Ty()),
      i32_(b_.getInt32Ty()),
      i64_(b_.getInt64Ty()),
      i128_(b_.getInt128Ty()),
      f64_(b_.getDoubleTy()),
      ptr_(b_.getPtrTy()),
      context_(function->getArg(0)) {
  entry_.SetInsertPoint(llvm::BasicBlock::Create(module.context(), "entry", function));
  start_ = new_block("start");
  exit_ = new_block("exit");
  trap_exit_ = new_block("trapped");
  b_.SetInsertPoint(start_);
  frame_ = entry_.CreateLoad(
      ptr_, entry_.CreateConstInBoundsGEP1_64(i8_, context_, offsetof(runtime::RegionContext, frame)), "frame");
  if (function->arg_size() > 1) worker_ = function->getArg(1);
}

void FunctionEmitter::finish() {
  b_.CreateBr(exit_);
  b_.SetInsertPoint(exit_);
  if (worker_ != nullptr) close_region();
  b_.CreateRetVoid();
  b_.SetInsertPoint(trap_exit_);
  b_.CreateRetVoid();
  if (trap_exit_->hasNPredecessors(0)) trap_exit_->eraseFromParent();
  entry_.CreateBr(start_);
}

/// What `make` gives, made once at the start of the function.
llvm::Value* FunctionEmitter::hoisted(std::uint64_t key, const std::function<Value*(llvm::IRBuilder<>&)>& make) {
  const auto found = hoisted_.find(key);
  if (found != hoisted_.end()) return found->second;
  Value* made = make(entry_);
  hoisted_.emplace(key, made);
  return made;
}

llvm::BasicBlock* FunctionEmitter::new_block(const llvm::Twine& name) {
  return llvm::BasicBlock::Create(module_.context(), name, function_);
}

llvm::LoadInst* FunctionEmitter::constant_load(llvm::IRBuilder<>& at, llvm::Type* type, Value* pointer,
                                               const llvm::Twine& name) {
  llvm::LoadInst* load = at.CreateLoad(type, pointer, name);
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(module_.context(), {}));
  return load;
}

llvm::AllocaInst* FunctionEmitter::local(llvm::Type* type, const llvm::Twine& name, Value* count) {
  return entry_.CreateAlloca(type, count, name);
}

void FunctionEmitter::likely(Value* condition, llvm::BasicBlock* usual, llvm::BasicBlock* rare) {
  llvm::MDNode* weights = llvm::MDBuilder(module_.context()).createBranchWeights(1 << 20, 1);
  b_.CreateCondBr(condition, usual, rare, weights);
}

void FunctionEmitter::trap_if(Value* condition, runtime::TrapCode code, SourceLoc loc,
                              const std::function<void()>& before) {
  if (const llvm::ConstantInt* known = llvm::dyn_cast<llvm::ConstantInt>(condition);
      known != nullptr && known->isZero())
    return;
  if (!loc.valid()) loc = loc_;
  llvm::BasicBlock* trap = new_block("trap");
  llvm::BasicBlock* next = new_block("");
  likely(b_.CreateNot(condition), next, trap);
  b_.SetInsertPoint(trap);
  if (before) before();
  using runtime::rt_trap;
  b_.CreateCall(worker_ != nullptr ? MATCHA_RUNTIME(module_, rt_trap, Effect::Any)
                                   : MATCHA_RUNTIME(module_, matcha_step_trap, Effect::Any),
                {context_, b_.getInt32(static_cast<std::uint32_t>(code)), b_.getInt32(loc.line),
                 b_.getInt32(loc.column), module_.file_name(loc.file)});
  b_.CreateBr(trap_exit_);
  b_.SetInsertPoint(next);
}

llvm::Type* FunctionEmitter::register_type(const ir::Type& type) {
  switch (type.scalar) {
    case ir::ScalarKind::Bool: return i1_;
    case ir::ScalarKind::Vid:
    case ir::ScalarKind::I64: return i64_;
    case ir::ScalarKind::I128: return i128_;
    case ir::ScalarKind::F64: return f64_;
  }
  MATCHA_UNREACHABLE("a scalar kind");
}

llvm::Type* FunctionEmitter::cell_type(Cell cell) {
  switch (cell) {
    case Cell::Vid: return i32_;
    case Cell::Bool: return i8_;
    case Cell::Float: return f64_;
    case Cell::Int:
    case Cell::WordVid:
    case Cell::WordBool: break;
  }
  return i64_;
}

// Frame

llvm::Value* FunctionEmitter::load_slot(std::uint32_t slot, llvm::Type* type, const llvm::Twine& name) {
  return hoisted(slot, [&](llvm::IRBuilder<>& at) -> Value* {
    Value* address = at.CreateConstInBoundsGEP1_64(i64_, frame_, slot);
    if (type != i1_) return at.CreateAlignedLoad(type, address, llvm::Align(8), name);
    return at.CreateICmpNE(at.CreateLoad(i64_, address), at.getInt64(0), name);
  });
}

void FunctionEmitter::store_slot(std::uint32_t slot, Value* value) {
  b_.CreateAlignedStore(value, b_.CreateConstInBoundsGEP1_64(i64_, frame_, slot), llvm::Align(8));
}

void FunctionEmitter::store_scalar(std::uint32_t slot, Value* value) {
  if (value->getType() == i1_) value = b_.CreateZExt(value, i64_);
  store_slot(slot, value);
}

void FunctionEmitter::store_list(std::uint32_t slot, const List& value) {
  store_slot(slot, value.size);
  for (const Column& column : value.columns) store_slot(++slot, column.data);
}

List FunctionEmitter::frame_list(std::uint32_t slot, const ir::Type& type) {
  List result{load_slot(slot, i64_, "size"), {}, nullptr};
  for (const ir::Type* column : type.columns) {
    result.columns.push_back({load_slot(++slot, ptr_, "items"), cell_of(*column), true, nullptr});
  }
  return result;
}

const List& FunctionEmitter::buffer(const ir::Var& var) {
  const auto found = buffers_.find(&var);
  if (found != buffers_.end()) return found->second;
  std::uint32_t slot = module_.frame().slot(var);
  List made;
  made.capacity = load_slot(slot, i64_, "capacity");
  Value* scratch = hoisted(kBufferKey, [&](llvm::IRBuilder<>& at) {
    Value* address = at.CreateConstInBoundsGEP1_64(i8_, worker_, offsetof(runtime::Worker, scratch));
    return at.CreateLoad(ptr_, address, "scratch");
  });
  for (const ir::Type* column : var.type->columns) {
    Value* offset = load_slot(++slot, i64_, "offset");
    Value* data = entry_.CreateInBoundsGEP(i8_, scratch, offset, name_of(var));
    made.columns.push_back({data, cell_of(*column), false, nullptr});
  }
  return buffers_.emplace(&var, made).first->second;
}

}  // namespace matcha::codegen::jit
