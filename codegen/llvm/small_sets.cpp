#include "codegen/llvm/small_sets.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "ir/nodes.h"
#include "runtime/cpu/set_kernels.h"

namespace matcha::codegen::jit {

using llvm::Value;

namespace {

constexpr std::uint64_t kLanes = 16;

}  // namespace

Value* SmallSets::count(const ir::Expr& e, const List& a, const List& b, Value* maybe_out,
                        const std::function<Value*()>& call) {
  if (runtime::best_tier() != runtime::Tier::Avx512Vp2intersect) return call();
  f_.function()->addFnAttr("min-legal-vector-width", "512");
  Value* limit = f_.load_slot(cpu::kShortSlot, f_.i64, "short_limit");
  llvm::BasicBlock* here = f_.new_block("short");
  llvm::BasicBlock* called = f_.new_block("long");
  llvm::BasicBlock* end = f_.new_block("");
  // Empty lists take the inline path too, since branches on them would be mispredicted. The limit is a number and not a
  // flag, so that LLVM does not duplicate a loop for its two values.
  b_.CreateCondBr(b_.CreateICmpULT(a.size, limit), here, called);
  b_.SetInsertPoint(here);
  Value* first = in_place(e, a, b, maybe_out);
  here = b_.GetInsertBlock();
  b_.CreateBr(end);
  b_.SetInsertPoint(called);
  Value* second = call();
  called = b_.GetInsertBlock();
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
  llvm::PHINode* result = b_.CreatePHI(f_.i64, 2, "count");
  result->addIncoming(first, here);
  result->addIncoming(second, called);
  return result;
}

/// Loads the first `count` lanes (at most 16); the others are set to a value that is not a rank.
Value* SmallSets::load_lanes(Value* data, Value* count) {
  llvm::Type* lanes_type = llvm::FixedVectorType::get(f_.i32, kLanes);
  Value* bits = low_lanes(count);
  Value* mask = b_.CreateBitCast(b_.CreateTrunc(bits, b_.getInt16Ty()), llvm::FixedVectorType::get(f_.i1, kLanes));
  Value* fill = b_.CreateVectorSplat(kLanes, b_.getInt32(0xffffffff));
  return b_.CreateMaskedLoad(lanes_type, data, llvm::Align(4), mask, fill);
}

/// A bit for each of the first `count` lanes.
Value* SmallSets::low_lanes(Value* count) {
  Value* n = b_.CreateTrunc(count, f_.i32);
  return b_.CreateIntrinsic(llvm::Intrinsic::x86_bmi_bzhi_32, {}, {b_.getInt32(0xffff), n});
}

/// Emits `e` for a first list of at most 16 items. Returns the number of items of the result, which are stored at
/// `maybe_out` (room for 16) unless it is null.
Value* SmallSets::in_place(const ir::Expr& e, const List& a, const List& b, Value* maybe_out) {
  Value* a_data = a.columns[0].data;
  Value* b_data = b.columns[0].data;
  Value* items = load_lanes(a_data, a.size);
  // With an empty first list nothing is read.
  Value* b_size = b_.CreateSelect(b_.CreateICmpEQ(a.size, f_.integer(0)), f_.integer(0), b.size);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* body = f_.new_block("compare");
  llvm::BasicBlock* more = f_.new_block("compare_more");
  llvm::BasicBlock* end = f_.new_block("compared");
  b_.CreateBr(body);
  b_.SetInsertPoint(body);
  llvm::PHINode* index = b_.CreatePHI(f_.i64, 2, "i");
  llvm::PHINode* seen = b_.CreatePHI(f_.i32, 2, "hits");
  index->addIncoming(f_.integer(0), before);
  seen->addIncoming(b_.getInt32(0), before);
  Value* rest = f_.min_u(b_.CreateSub(b_size, index), f_.integer(kLanes));
  Value* others = load_lanes(f_.gep(f_.i32, b_data, index), rest);
  Value* both = b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vp2intersect_d_512, {}, {items, others});
  Value* found = b_.CreateZExt(b_.CreateBitCast(b_.CreateExtractValue(both, 0), b_.getInt16Ty()), f_.i32);
  Value* hits = b_.CreateOr(seen, found);
  Value* next = b_.CreateAdd(index, f_.integer(kLanes));
  b_.CreateCondBr(b_.CreateICmpULT(next, b_size), more, end);
  b_.SetInsertPoint(more);
  Value* last = b_.CreateLoad(f_.i32, f_.gep(f_.i32, a_data, b_.CreateSub(a.size, f_.integer(1))), "last");
  Value* in_reach = b_.CreateICmpULE(b_.CreateLoad(f_.i32, f_.gep(f_.i32, b_data, next)), last);
  index->addIncoming(next, more);
  seen->addIncoming(hits, more);
  b_.CreateCondBr(in_reach, body, end);
  b_.SetInsertPoint(end);
  llvm::PHINode* all = b_.CreatePHI(f_.i32, 2, "hits");
  all->addIncoming(hits, body);
  all->addIncoming(hits, more);
  Value* wanted = b_.CreateAnd(ir::keeps_found(e.kind) ? all : b_.CreateNot(all), low_lanes(a.size));
  if (maybe_out != nullptr) {
    Value* mask = b_.CreateBitCast(b_.CreateTrunc(wanted, b_.getInt16Ty()), llvm::FixedVectorType::get(f_.i1, kLanes));
    Value* none = llvm::Constant::getNullValue(items->getType());
    Value* packed =
        b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_compress, {items->getType()}, {items, none, mask});
    b_.CreateAlignedStore(packed, maybe_out, llvm::Align(4));
  }
  return b_.CreateZExt(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, wanted), f_.i64);
}

}  // namespace matcha::codegen::jit
