#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "codegen/llvm/function_emitter.h"
#include "runtime/cpu/set_kernels.h"

/// Set operations whose first list fits one register, done in place: most lists of a sparse graph are that short, and a
/// call costs them more than the comparison. Only for processors that compare two registers in one instruction
/// (VP2INTERSECT); a run with another tier takes the call.
namespace matcha::codegen::jit {

using llvm::Value;

namespace {

constexpr std::uint64_t kLanes = 16;

}  // namespace

/// The first `count` lanes (at most 16) from memory; the others hold what is no rank.
Value* FunctionEmitter::load_lanes(Value* data, Value* count) {
  llvm::Type* lanes_type = llvm::FixedVectorType::get(i32_, kLanes);
  Value* bits = low_lanes(count);
  Value* mask = b_.CreateBitCast(b_.CreateTrunc(bits, b_.getInt16Ty()), llvm::FixedVectorType::get(i1_, kLanes));
  Value* fill = b_.CreateVectorSplat(kLanes, b_.getInt32(0xffffffff));
  return b_.CreateMaskedLoad(lanes_type, data, llvm::Align(4), mask, fill);
}

/// A bit for each of the first `count` lanes.
Value* FunctionEmitter::low_lanes(Value* count) {
  Value* n = b_.CreateTrunc(count, i32_);
  return b_.CreateIntrinsic(llvm::Intrinsic::x86_bmi_bzhi_32, {}, {b_.getInt32(0xffff), n});
}

/// Emits `e` for a first list of at most 16 items; gives the number of items of the result, which are stored if there
/// is an `out` (with room for 16).
Value* FunctionEmitter::short_set(const ir::Expr& e, const List& a, const List& b, Value* maybe_out) {
  Value* a_data = a.columns[0].data;
  Value* b_data = b.columns[0].data;
  Value* items = load_lanes(a_data, a.size);
  // Against an empty list there is nothing to read.
  Value* b_size = b_.CreateSelect(b_.CreateICmpEQ(a.size, integer(0)), integer(0), b.size);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* body = new_block("compare");
  llvm::BasicBlock* more = new_block("compare_more");
  llvm::BasicBlock* end = new_block("compared");
  b_.CreateBr(body);
  b_.SetInsertPoint(body);
  llvm::PHINode* index = b_.CreatePHI(i64_, 2, "i");
  llvm::PHINode* seen = b_.CreatePHI(i32_, 2, "hits");
  index->addIncoming(integer(0), before);
  seen->addIncoming(b_.getInt32(0), before);
  Value* rest = min_u(b_.CreateSub(b_size, index), integer(kLanes));
  Value* others = load_lanes(gep(i32_, b_data, index), rest);
  Value* both = b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vp2intersect_d_512, {}, {items, others});
  Value* found = b_.CreateZExt(b_.CreateBitCast(b_.CreateExtractValue(both, 0), b_.getInt16Ty()), i32_);
  Value* hits = b_.CreateOr(seen, found);
  Value* next = b_.CreateAdd(index, integer(kLanes));
  b_.CreateCondBr(b_.CreateICmpULT(next, b_size), more, end);
  b_.SetInsertPoint(more);
  Value* last = b_.CreateLoad(i32_, gep(i32_, a_data, b_.CreateSub(a.size, integer(1))), "last");
  Value* in_reach = b_.CreateICmpULE(b_.CreateLoad(i32_, gep(i32_, b_data, next)), last);
  index->addIncoming(next, more);
  seen->addIncoming(hits, more);
  b_.CreateCondBr(in_reach, body, end);
  b_.SetInsertPoint(end);
  llvm::PHINode* all = b_.CreatePHI(i32_, 2, "hits");
  all->addIncoming(hits, body);
  all->addIncoming(hits, more);
  Value* wanted = b_.CreateAnd(ir::keeps_found(e.kind) ? all : b_.CreateNot(all), low_lanes(a.size));
  if (maybe_out != nullptr) {
    Value* mask = b_.CreateBitCast(b_.CreateTrunc(wanted, b_.getInt16Ty()), llvm::FixedVectorType::get(i1_, kLanes));
    Value* none = llvm::Constant::getNullValue(items->getType());
    Value* packed =
        b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_compress, {items->getType()}, {items, none, mask});
    b_.CreateAlignedStore(packed, maybe_out, llvm::Align(4));
  }
  return b_.CreateZExt(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, wanted), i64_);
}

/// `call` for long lists and other tiers, in place for short ones.
Value* FunctionEmitter::short_or_call(const ir::Expr& e, const List& a, const List& b, Value* maybe_out,
                                      const std::function<Value*()>& call) {
  if (runtime::best_tier() != runtime::Tier::Avx512Vp2intersect) return call();
  function_->addFnAttr("min-legal-vector-width", "512");
  Value* limit = load_slot(cpu::kShortSlot, i64_, "short_limit");
  llvm::BasicBlock* in_place = new_block("short");
  llvm::BasicBlock* called = new_block("long");
  llvm::BasicBlock* end = new_block("");
  // Empty lists go with the short ones, since which they are cannot be foreseen. A limit and not a flag, so that no
  // loop is made twice for its two values.
  b_.CreateCondBr(b_.CreateICmpULT(a.size, limit), in_place, called);
  b_.SetInsertPoint(in_place);
  Value* first = short_set(e, a, b, maybe_out);
  in_place = b_.GetInsertBlock();
  b_.CreateBr(end);
  b_.SetInsertPoint(called);
  Value* second = call();
  called = b_.GetInsertBlock();
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
  llvm::PHINode* result = b_.CreatePHI(i64_, 2, "count");
  result->addIncoming(first, in_place);
  result->addIncoming(second, called);
  return result;
}

}  // namespace matcha::codegen::jit
