#include "codegen/llvm/bits.h"

#include <llvm/IR/Intrinsics.h>

#include <cstddef>

#include "codegen/llvm/function_emitter.h"
#include "ir/match.h"

namespace matcha::codegen::jit {

using llvm::Value;

namespace {

constexpr std::uint64_t kWordBits = 64;

/// Marks the loop that `latch` closes as one of few rounds: unrolled or vectorized it takes longer, to compile as well.
void keep_simple(llvm::BranchInst* latch) {
  llvm::LLVMContext& context = latch->getContext();
  const auto note = [&](const char* name, llvm::Metadata* maybe_value) {
    llvm::SmallVector<llvm::Metadata*, 2> parts = {llvm::MDString::get(context, name)};
    if (maybe_value != nullptr) parts.push_back(maybe_value);
    return llvm::MDNode::get(context, parts);
  };
  llvm::MDNode* scalar_only =
      note("llvm.loop.vectorize.enable", llvm::ConstantAsMetadata::get(llvm::ConstantInt::getFalse(context)));
  llvm::MDNode* loop =
      llvm::MDNode::getDistinct(context, {nullptr, scalar_only, note("llvm.loop.unroll.disable", nullptr)});
  loop->replaceOperandWith(0, loop);
  latch->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

}  // namespace

Value* BitSets::integer(std::uint64_t value) { return f_.integer(value); }

Value* BitSets::gep(Value* words, Value* k) { return f_.gep(f_.i64_, words, k); }

Value* BitSets::words_for(Value* positions) {
  return f_.b_.CreateLShr(f_.b_.CreateNUWAdd(positions, integer(kWordBits - 1)), 6, "words");
}

Value* BitSets::buffer_cells(const host::BufferPlan& plan) {
  Value* items = f_.scalar(*plan.buffer->capacity);
  switch (plan.form) {
    case host::BufferForm::Bits: return words_for(items);
    case host::BufferForm::BitRows: return f_.b_.CreateMul(items, words_for(items));
    case host::BufferForm::Items:
    case host::BufferForm::Counters: break;
  }
  return items;
}

/// Calls `body` with 0, 1, … below `count`.
void BitSets::for_each(Value* count, const std::function<void(Value*)>& body) {
  llvm::BasicBlock* before = f_.b_.GetInsertBlock();
  llvm::BasicBlock* each = f_.new_block("each");
  llvm::BasicBlock* end = f_.new_block("");
  f_.b_.CreateCondBr(f_.b_.CreateICmpEQ(count, integer(0)), end, each);
  f_.b_.SetInsertPoint(each);
  llvm::PHINode* index = f_.b_.CreatePHI(f_.i64_, 2, "k");
  index->addIncoming(integer(0), before);
  body(index);
  Value* next = f_.b_.CreateNUWAdd(index, integer(1));
  index->addIncoming(next, f_.b_.GetInsertBlock());
  keep_simple(f_.b_.CreateCondBr(f_.b_.CreateICmpEQ(next, count), end, each));
  f_.b_.SetInsertPoint(end);
}

/// One call a row: which items of the list are among the neighbours of one of them. Neighbours below an item are looked
/// for among the items in front of it only.
void BitSets::store_rows(const ir::Store& s) {
  const List& out = f_.buffer(*s.buffer);
  const ir::Expr& value = *s.value;
  List items = f_.list(*value.operands[1]);
  Rows made{&value, out.columns[0].data, items.size, words_for(items.size)};
  rows_[s.var] = made;
  f_.trap_if(f_.b_.CreateICmpUGT(f_.b_.CreateMul(made.size, made.stride), out.capacity),
             runtime::TrapCode::CapacityExceeded, s.loc);
  const ir::Side side = ir::side_of(value);
  const bool lower = side == ir::Side::Lower;
  // The parts of one position that a task is given one after the other make their rows once.
  bool outer_level = f_.before_split_ && f_.depth_ == 1;
  Value* count = items.size;
  if (outer_level) {
    Value* kept = f_.b_.CreateLoad(f_.i64_, f_.kept_position(), "kept");
    count = f_.b_.CreateSelect(f_.b_.CreateICmpEQ(kept, f_.b_.CreateAdd(f_.position_, integer(1))), integer(0), count);
  }
  for_each(count, [&](Value* index) {
    Value* vertex = f_.load_cell(items.columns[0], index);
    List near = side == ir::Side::All ? f_.neighbors(*value.operands[0], vertex)
                                      : f_.half_neighbors(*value.operands[0], vertex, lower);
    Value* row = gep(made.data, f_.b_.CreateMul(index, made.stride));
    f_.call_kernel(offsetof(runtime::SetKernels, member_bits),
                   f_.module_.type_of<decltype(runtime::SetKernels::member_bits)>(),
                   {items.columns[0].data, lower ? index : items.size, near.columns[0].data, near.size, row},
                   "member_bits", Effect::WritesArguments);
  });
}

Value* BitSets::words_of(const ir::Expr& set) {
  if (ir::is_set_op(set.kind)) {
    switch (ir::set_op(set.kind)) {
      case ir::SetOp::Intersect: return f_.min_u(words_of(*set.operands[0]), words_of(*set.operands[1]));
      case ir::SetOp::Diff: return words_of(*set.operands[0]);
    }
  }
  switch (set.kind) {
    case ir::Kind::Var: {
      const ir::Var* var = static_cast<const ir::Var*>(&set);
      const auto named = names_.find(var);
      return named != names_.end() ? words_of(*named->second) : stored_.at(var).words;
    }
    case ir::Kind::BitRow: {
      const Rows& all = rows(*set.operands[0]);
      return ir::side_of(*all.value) == ir::Side::Lower ? words_for(f_.scalar(*set.operands[1])) : all.stride;
    }
    case ir::Kind::AllBits: return rows(*set.operands[0]).stride;
    case ir::Kind::Cut:
      if (ir::is_above(set)) return words_of(*set.operands[0]);
      return f_.min_u(words_of(*set.operands[0]), words_for(f_.scalar(*set.operands[1])));
    default: break;
  }
  MATCHA_UNREACHABLE("no bit set");
}

Value* BitSets::word_of(const ir::Expr& set, Value* k) {
  if (ir::is_set_op(set.kind)) {
    switch (ir::set_op(set.kind)) {
      case ir::SetOp::Intersect: return f_.b_.CreateAnd(word_of(*set.operands[0], k), word_of(*set.operands[1], k));
      case ir::SetOp::Diff:
        return f_.b_.CreateAnd(word_of(*set.operands[0], k), f_.b_.CreateNot(word_or_zero(*set.operands[1], k)));
    }
  }
  switch (set.kind) {
    case ir::Kind::Var: {
      const ir::Var* var = static_cast<const ir::Var*>(&set);
      const auto named = names_.find(var);
      if (named != names_.end()) return word_of(*named->second, k);
      return f_.b_.CreateLoad(f_.i64_, gep(stored_.at(var).data, k), "word");
    }
    case ir::Kind::BitRow: {
      const Rows& all = rows(*set.operands[0]);
      Value* row = gep(all.data, f_.b_.CreateMul(f_.scalar(*set.operands[1]), all.stride));
      return f_.b_.CreateLoad(f_.i64_, gep(row, k), "word");
    }
    case ir::Kind::AllBits: return bits_below(rows(*set.operands[0]).size, k);
    case ir::Kind::Cut: {
      const auto mask = [&] {
        Value* bound = f_.scalar(*set.operands[1]);
        return ir::is_below(set) ? bits_below(bound, k) : bits_above(bound, k);
      };
      return f_.b_.CreateAnd(word_of(*set.operands[0], k), mask());
    }
    default: break;
  }
  MATCHA_UNREACHABLE("no bit set");
}

/// A word that may be past those that are there: buffers and rows have room for it, but it may hold anything.
Value* BitSets::word_or_zero(const ir::Expr& set, Value* k) {
  return f_.b_.CreateSelect(f_.b_.CreateICmpULT(k, words_of(set)), word_of(set, k), integer(0));
}

/// The bits of word `k` of the positions below `position`, which has a bit in this word or a later one.
Value* BitSets::bits_below(Value* position, Value* k) {
  Value* left = f_.b_.CreateSub(position, f_.b_.CreateShl(k, 6));
  return f_.b_.CreateLShr(integer(~std::uint64_t{0}),
                          f_.b_.CreateSub(integer(kWordBits), f_.min_u(left, integer(kWordBits))));
}

/// The bits of word `k` of the positions above `position`.
Value* BitSets::bits_above(Value* position, Value* k) {
  Value* first = f_.b_.CreateSub(f_.b_.CreateAdd(position, integer(1)), f_.b_.CreateShl(k, 6));
  Value* from = f_.b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, first, integer(0));
  Value* bits = f_.b_.CreateShl(integer(~std::uint64_t{0}), f_.b_.CreateAnd(from, integer(kWordBits - 1)));
  return f_.b_.CreateSelect(f_.b_.CreateICmpUGE(from, integer(kWordBits)), integer(0), bits);
}

void BitSets::store(const ir::Store& s) {
  const List& out = f_.buffer(*s.buffer);
  Value* words = words_of(*s.value);
  f_.trap_if(f_.b_.CreateICmpUGT(words, out.capacity), runtime::TrapCode::CapacityExceeded, s.loc);
  for_each(words, [&](Value* k) { f_.b_.CreateStore(word_of(*s.value, k), gep(out.columns[0].data, k)); });
  stored_[s.var] = {out.columns[0].data, words};
}

Value* BitSets::count(const ir::Expr& set) {
  llvm::AllocaInst* count = f_.local(f_.i64_, "count");
  f_.b_.CreateStore(integer(0), count);
  for_each(words_of(set), [&](Value* k) {
    Value* bits = f_.b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, word_of(set, k));
    f_.b_.CreateStore(f_.b_.CreateNUWAdd(f_.b_.CreateLoad(f_.i64_, count), bits), count);
  });
  return f_.b_.CreateLoad(f_.i64_, count, "count");
}

Value* BitSets::contains(const ir::Expr& set, Value* position) {
  Value* word = word_or_zero(set, f_.b_.CreateLShr(position, 6));
  return f_.b_.CreateTrunc(f_.b_.CreateLShr(word, f_.b_.CreateAnd(position, integer(kWordBits - 1))), f_.i1_);
}

/// Walks the set bits, word by word.
void BitSets::loop(const ir::For& s) {
  const ir::Expr& set = *s.lists[0];
  const bool may_leave = f_.worker_ != nullptr && holds_for(*s.body);
  f_.open_partial_sums(s);
  llvm::AllocaInst* left = f_.local(f_.i64_, "left");
  llvm::AllocaInst* ordinal = s.maybe_index != nullptr ? f_.local(f_.i64_, f_.name_of(*s.maybe_index)) : nullptr;
  if (ordinal != nullptr) f_.b_.CreateStore(integer(0), ordinal);
  ++f_.depth_;
  for_each(words_of(set), [&](Value* k) {
    f_.b_.CreateStore(word_of(set, k), left);
    llvm::BasicBlock* look = f_.new_block("look");
    llvm::BasicBlock* item = f_.new_block("bit");
    llvm::BasicBlock* end = f_.new_block("");
    f_.b_.CreateBr(look);
    f_.b_.SetInsertPoint(look);
    Value* bits = f_.b_.CreateLoad(f_.i64_, left, "left");
    f_.b_.CreateCondBr(f_.b_.CreateICmpEQ(bits, integer(0)), end, item);
    f_.b_.SetInsertPoint(item);
    Value* bit = f_.b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, f_.b_.getTrue());
    f_.b_.CreateStore(f_.b_.CreateAnd(bits, f_.b_.CreateSub(bits, integer(1))), left);
    f_.scalars_[s.vars[0]] = f_.b_.CreateOr(f_.b_.CreateShl(k, 6), bit, f_.name_of(*s.vars[0]));
    if (ordinal != nullptr) {
      Value* index = f_.b_.CreateLoad(f_.i64_, ordinal, f_.name_of(*s.maybe_index));
      f_.scalars_[s.maybe_index] = index;
      f_.b_.CreateStore(f_.b_.CreateNUWAdd(index, integer(1)), ordinal);
    }
    if (may_leave) f_.leave_if_stopped();
    f_.block(*s.body);
    f_.b_.CreateBr(look);
    f_.b_.SetInsertPoint(end);
  });
  --f_.depth_;
  f_.close_partial_sums();
}

}  // namespace matcha::codegen::jit
