#include "codegen/llvm/function_frame.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <cstddef>
#include <utility>

#include "codegen/llvm/helpers.h"
#include "ir/check.h"

namespace matcha::codegen::jit {

using llvm::Value;

namespace {

/// Keys of `hoisted` that are neither frame slots nor fields of graphs.
constexpr std::uint64_t kBufferKey = std::uint64_t{1} << 32;
constexpr std::uint64_t kKernelKey = std::uint64_t{1} << 34;
constexpr std::uint64_t kWorkerKey = std::uint64_t{1} << 35;

}  // namespace

Types::Types(llvm::LLVMContext& context)
    : i1(llvm::Type::getInt1Ty(context)),
      i8(llvm::Type::getInt8Ty(context)),
      i32(llvm::Type::getInt32Ty(context)),
      i64(llvm::Type::getInt64Ty(context)),
      i128(llvm::Type::getInt128Ty(context)),
      f64(llvm::Type::getDoubleTy(context)),
      ptr(llvm::PointerType::getUnqual(context)) {}

FunctionFrame::FunctionFrame(ModuleEmitter& module, llvm::Function* function)
    : Types(module.context()),
      module_(module),
      b_(module.context()),
      entry_(module.context()),
      context_(function->getArg(0)) {
  begin(function);
  frame_ = entry_.CreateLoad(
      ptr, entry_.CreateConstInBoundsGEP1_64(i8, context_, offsetof(runtime::RegionContext, frame)), "frame");
  if (function->arg_size() > 1) worker_ = function->getArg(1);
}

void FunctionFrame::begin(llvm::Function* function) {
  place_.function = function;
  entry_.SetInsertPoint(llvm::BasicBlock::Create(module_.context(), "entry", function));
  place_.start = new_block("start");
  place_.exit = new_block("exit");
  place_.trap_exit = new_block("trapped");
  b_.SetInsertPoint(place_.start);
}

void FunctionFrame::finish(const std::function<void()>& at_exit) {
  b_.CreateBr(place_.exit);
  b_.SetInsertPoint(place_.exit);
  at_exit();
  b_.CreateRetVoid();
  b_.SetInsertPoint(place_.trap_exit);
  b_.CreateRetVoid();
  if (place_.trap_exit->hasNPredecessors(0)) place_.trap_exit->eraseFromParent();
  entry_.CreateBr(place_.start);
}

FunctionFrame::Place FunctionFrame::enter(llvm::Function* function) {
  Place outer = place_;
  outer.at = b_.saveIP();
  outer.entry_at = entry_.saveIP();
  begin(function);
  return outer;
}

void FunctionFrame::resume(Place outer) {
  place_ = std::move(outer);
  entry_.restoreIP(place_.entry_at);
  b_.restoreIP(place_.at);
}

// Code

llvm::BasicBlock* FunctionFrame::new_block(const llvm::Twine& name) {
  return llvm::BasicBlock::Create(module_.context(), name, place_.function);
}

llvm::AllocaInst* FunctionFrame::local(llvm::Type* type, const llvm::Twine& name, Value* count) {
  return entry_.CreateAlloca(type, count, name);
}

Value* FunctionFrame::hoisted(std::uint64_t key, const Make& make) {
  const auto found = place_.hoisted.find(key);
  if (found != place_.hoisted.end()) return found->second;
  Value* made = make(entry_);
  place_.hoisted.emplace(key, made);
  return made;
}

void FunctionFrame::likely(Value* condition, llvm::BasicBlock* usual, llvm::BasicBlock* rare) {
  llvm::MDNode* weights = llvm::MDBuilder(module_.context()).createBranchWeights(1 << 20, 1);
  b_.CreateCondBr(condition, usual, rare, weights);
}

void FunctionFrame::trap_if(Value* condition, runtime::TrapCode code, SourceLoc loc,
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
  b_.CreateBr(place_.trap_exit);
  b_.SetInsertPoint(next);
}

llvm::Instruction* FunctionFrame::count_up(Value* begin, Value* end, std::uint64_t step,
                                           const std::function<void(Value*)>& item) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* body = new_block("for");
  llvm::BasicBlock* after = new_block("done");
  b_.CreateCondBr(b_.CreateICmpULT(begin, end), body, after);
  b_.SetInsertPoint(body);
  llvm::PHINode* index = b_.CreatePHI(i64, 2, "i");
  index->addIncoming(begin, before);
  item(index);
  Value* next = b_.CreateNUWAdd(index, integer(step));
  index->addIncoming(next, b_.GetInsertBlock());
  llvm::Instruction* latch = b_.CreateCondBr(b_.CreateICmpULT(next, end), body, after);
  b_.SetInsertPoint(after);
  return latch;
}

Value* FunctionFrame::gep(llvm::Type* type, Value* base, Value* index, const llvm::Twine& name) {
  return b_.CreateInBoundsGEP(type, base, index, name);
}

Value* FunctionFrame::min_u(Value* a, Value* b) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b); }

llvm::LoadInst* FunctionFrame::constant_load(llvm::IRBuilder<>& at, llvm::Type* type, Value* pointer,
                                             const llvm::Twine& name) {
  llvm::LoadInst* load = at.CreateLoad(type, pointer, name);
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(module_.context(), {}));
  return load;
}

/// Calls an entry of the table of set kernels; the pointer is loaded once a call of the function.
Value* FunctionFrame::call_kernel(std::size_t offset, llvm::FunctionType* type, llvm::ArrayRef<Value*> arguments,
                                  const char* name, Effect effect) {
  Value* kernel = hoisted(kKernelKey + offset, [&](llvm::IRBuilder<>& at) {
    Value* slot = at.CreateConstInBoundsGEP1_64(i8, context_, offsetof(runtime::RegionContext, sets));
    Value* table = at.CreateLoad(ptr, slot, "sets");
    return at.CreateLoad(ptr, at.CreateConstInBoundsGEP1_64(i8, table, offset), name);
  });
  llvm::CallInst* call = b_.CreateCall(type, kernel, arguments);
  call->setAttributes(module_.attributes(effect));
  return call;
}

Value* FunctionFrame::worker_field(std::size_t offset, llvm::Type* type, const llvm::Twine& name) {
  return hoisted(kWorkerKey + offset, [&](llvm::IRBuilder<>& at) {
    return at.CreateLoad(type, at.CreateConstInBoundsGEP1_64(i8, worker_, offset), name);
  });
}

// Slots of the program's frame

Value* FunctionFrame::load_slot(std::uint32_t slot, llvm::Type* type, const llvm::Twine& name) {
  return hoisted(slot, [&](llvm::IRBuilder<>& at) -> Value* {
    Value* address = at.CreateConstInBoundsGEP1_64(i64, frame_, slot);
    if (type != i1) return at.CreateAlignedLoad(type, address, llvm::Align(8), name);
    return at.CreateICmpNE(at.CreateLoad(i64, address), at.getInt64(0), name);
  });
}

void FunctionFrame::store_slot(std::uint32_t slot, Value* value) {
  b_.CreateAlignedStore(value, b_.CreateConstInBoundsGEP1_64(i64, frame_, slot), llvm::Align(8));
}

void FunctionFrame::store_scalar(std::uint32_t slot, Value* value) {
  if (value->getType() == i1) value = b_.CreateZExt(value, i64);
  store_slot(slot, value);
}

void FunctionFrame::store_list(std::uint32_t slot, const List& value) {
  store_slot(slot, value.size);
  for (const Column& column : value.columns) store_slot(++slot, column.data);
}

List FunctionFrame::frame_list(std::uint32_t slot, const ir::Type& type) {
  List result{load_slot(slot, i64, "size"), {}, nullptr};
  for (const ir::Type* column : type.columns) {
    result.columns.push_back({load_slot(++slot, ptr, "items"), cell_of(*column), true, nullptr});
  }
  return result;
}

const List& FunctionFrame::buffer(const ir::Var& var) {
  const auto found = place_.buffers.find(&var);
  if (found != place_.buffers.end()) return found->second;
  std::uint32_t slot = module_.frame().slot(var);
  List made;
  made.capacity = load_slot(slot, i64, "capacity");
  Value* scratch = hoisted(kBufferKey, [&](llvm::IRBuilder<>& at) {
    Value* address = at.CreateConstInBoundsGEP1_64(i8, worker_, offsetof(runtime::Worker, scratch));
    return at.CreateLoad(ptr, address, "scratch");
  });
  for (const ir::Type* column : var.type->columns) {
    Value* offset = load_slot(++slot, i64, "offset");
    Value* data = entry_.CreateInBoundsGEP(i8, scratch, offset, name_of(var));
    made.columns.push_back({data, cell_of(*column), false, nullptr});
  }
  return place_.buffers.emplace(&var, made).first->second;
}

// Cells of lists

llvm::Type* FunctionFrame::register_type(const ir::Type& type) {
  switch (type.scalar) {
    case ir::ScalarKind::Bool: return i1;
    case ir::ScalarKind::Vid:
    case ir::ScalarKind::I64: return i64;
    case ir::ScalarKind::I128: return i128;
    case ir::ScalarKind::F64: return f64;
  }
  MATCHA_UNREACHABLE("a scalar kind");
}

llvm::Type* FunctionFrame::cell_type(Cell cell) {
  switch (cell) {
    case Cell::Vid: return i32;
    case Cell::Bool: return i8;
    case Cell::Float: return f64;
    case Cell::Int:
    case Cell::WordVid:
    case Cell::WordBool: break;
  }
  return i64;
}

Value* FunctionFrame::load_cell(const Column& column, Value* index, const llvm::Twine& name) {
  llvm::Type* type = cell_type(column.cell);
  Value* data = column.data;
  Value* place = index;
  if (column.identity != nullptr) {
    data = b_.CreateSelect(column.identity, frame_, data);
    place = b_.CreateSelect(column.identity, integer(0), index);
  }
  llvm::LoadInst* raw = b_.CreateLoad(type, gep(type, data, place), name);
  if (column.constant) raw->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(module_.context(), {}));
  if (column.cell == Cell::Vid) {
    Value* vid = b_.CreateZExt(raw, i64, name);
    return column.identity != nullptr ? b_.CreateSelect(column.identity, index, vid, name) : vid;
  }
  if (column.cell == Cell::Bool) return b_.CreateICmpNE(raw, b_.getInt8(0), name);
  return column.cell == Cell::WordBool ? b_.CreateICmpNE(raw, integer(0), name) : raw;
}

void FunctionFrame::store_cell(const Column& column, Value* index, Value* value) {
  llvm::Type* type = cell_type(column.cell);
  Value* address = gep(type, column.data, index);
  if (column.cell == Cell::Vid) value = b_.CreateTrunc(value, i32);
  if (column.cell == Cell::Bool) value = b_.CreateZExt(value, i8);
  b_.CreateStore(value, address);
}

Value* FunctionFrame::less(Cell cell, Value* a, Value* b) {
  if (cell == Cell::Float) return b_.CreateFCmpOLT(a, b);
  return cell == Cell::Int ? b_.CreateICmpSLT(a, b) : b_.CreateICmpULT(a, b);
}

Value* FunctionFrame::same(Cell cell, Value* a, Value* b) {
  return cell == Cell::Float ? b_.CreateFCmpOEQ(a, b) : b_.CreateICmpEQ(a, b);
}

}  // namespace matcha::codegen::jit
