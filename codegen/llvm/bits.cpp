#include "codegen/llvm/bits.h"

#include <llvm/IR/Intrinsics.h>

#include <cstddef>

#include "codegen/llvm/graphs.h"
#include "codegen/llvm/lists.h"
#include "codegen/llvm/loops.h"
#include "codegen/llvm/regions.h"
#include "codegen/llvm/scalars.h"
#include "ir/match.h"

namespace matcha::codegen::jit {

using llvm::Value;

namespace {

constexpr std::uint64_t kWordBits = 64;

/// Marks the loop that ends at `latch` as short: unrolling or vectorizing it would slow both the code and its
/// compilation.
void keep_simple(llvm::Instruction* latch) {
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

Value* BitSets::gep(Value* words, Value* k) { return f_.gep(f_.i64, words, k); }

Value* BitSets::words_for(Value* positions) {
  return b_.CreateLShr(b_.CreateNUWAdd(positions, f_.integer(kWordBits - 1)), 6, "words");
}

Value* BitSets::buffer_cells(const host::BufferPlan& plan) {
  Value* items = scalars_.of(*plan.buffer->capacity);
  switch (plan.form) {
    case host::BufferForm::Bits: return words_for(items);
    case host::BufferForm::BitRows: return b_.CreateMul(items, words_for(items));
    case host::BufferForm::Items:
    case host::BufferForm::Counters: break;
  }
  return items;
}

/// Calls `body` with 0, 1, … below `count`.
void BitSets::for_each(Value* count, const std::function<void(Value*)>& body) {
  keep_simple(f_.count_up(f_.integer(0), count, 1, body));
}

/// One call for each row: the positions of the list's items that are neighbours of one item. For neighbours below an
/// item only the items in front of it are searched.
void BitSets::store_rows(const ir::Store& s) {
  const List& out = f_.buffer(*s.buffer);
  const ir::Expr& value = *s.value;
  List items = lists_.of(*value.operands[1]);
  Rows made{&value, out.columns[0].data, items.size, words_for(items.size)};
  rows_[s.var] = made;
  f_.trap_if(b_.CreateICmpUGT(b_.CreateMul(made.size, made.stride), out.capacity), runtime::TrapCode::CapacityExceeded,
             s.loc);
  const ir::Side side = ir::side_of(value);
  const bool lower = side == ir::Side::Lower;
  // Tasks that walk parts of one position one after the other make its rows once.
  for_each(regions_.unless_made(items.size), [&](Value* index) {
    Value* vertex = f_.load_cell(items.columns[0], index);
    List near = side == ir::Side::All ? graphs_.neighbors(*value.operands[0], vertex)
                                      : graphs_.half_neighbors(*value.operands[0], vertex, lower);
    Value* row = gep(made.data, b_.CreateMul(index, made.stride));
    f_.call_kernel(offsetof(runtime::SetKernels, member_bits),
                   f_.module().type_of<decltype(runtime::SetKernels::member_bits)>(),
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
      return ir::side_of(*all.value) == ir::Side::Lower ? words_for(scalars_.of(*set.operands[1])) : all.stride;
    }
    case ir::Kind::AllBits: return rows(*set.operands[0]).stride;
    case ir::Kind::Cut:
      if (ir::is_above(set)) return words_of(*set.operands[0]);
      return f_.min_u(words_of(*set.operands[0]), words_for(scalars_.of(*set.operands[1])));
    default: break;
  }
  MATCHA_UNREACHABLE("no bit set");
}

Value* BitSets::word_of(const ir::Expr& set, Value* k) {
  if (ir::is_set_op(set.kind)) {
    switch (ir::set_op(set.kind)) {
      case ir::SetOp::Intersect: return b_.CreateAnd(word_of(*set.operands[0], k), word_of(*set.operands[1], k));
      case ir::SetOp::Diff:
        return b_.CreateAnd(word_of(*set.operands[0], k), b_.CreateNot(word_or_zero(*set.operands[1], k)));
    }
  }
  switch (set.kind) {
    case ir::Kind::Var: {
      const ir::Var* var = static_cast<const ir::Var*>(&set);
      const auto named = names_.find(var);
      if (named != names_.end()) return word_of(*named->second, k);
      return b_.CreateLoad(f_.i64, gep(stored_.at(var).data, k), "word");
    }
    case ir::Kind::BitRow: {
      const Rows& all = rows(*set.operands[0]);
      Value* row = gep(all.data, b_.CreateMul(scalars_.of(*set.operands[1]), all.stride));
      return b_.CreateLoad(f_.i64, gep(row, k), "word");
    }
    case ir::Kind::AllBits: return bits_below(rows(*set.operands[0]).size, k);
    case ir::Kind::Cut: {
      const auto mask = [&] {
        Value* bound = scalars_.of(*set.operands[1]);
        return ir::is_below(set) ? bits_below(bound, k) : bits_above(bound, k);
      };
      return b_.CreateAnd(word_of(*set.operands[0], k), mask());
    }
    default: break;
  }
  MATCHA_UNREACHABLE("no bit set");
}

/// A word that may be past the end of a set: buffers and rows have room for it, but it may hold any value.
Value* BitSets::word_or_zero(const ir::Expr& set, Value* k) {
  return b_.CreateSelect(b_.CreateICmpULT(k, words_of(set)), word_of(set, k), f_.integer(0));
}

/// The bits of word `k` of the positions below `position`, which has a bit in this word or a later one.
Value* BitSets::bits_below(Value* position, Value* k) {
  Value* left = b_.CreateSub(position, b_.CreateShl(k, 6));
  return b_.CreateLShr(f_.integer(~std::uint64_t{0}),
                       b_.CreateSub(f_.integer(kWordBits), f_.min_u(left, f_.integer(kWordBits))));
}

/// The bits of word `k` of the positions above `position`.
Value* BitSets::bits_above(Value* position, Value* k) {
  Value* first = b_.CreateSub(b_.CreateAdd(position, f_.integer(1)), b_.CreateShl(k, 6));
  Value* from = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, first, f_.integer(0));
  Value* bits = b_.CreateShl(f_.integer(~std::uint64_t{0}), b_.CreateAnd(from, f_.integer(kWordBits - 1)));
  return b_.CreateSelect(b_.CreateICmpUGE(from, f_.integer(kWordBits)), f_.integer(0), bits);
}

void BitSets::store(const ir::Store& s) {
  const List& out = f_.buffer(*s.buffer);
  Value* words = words_of(*s.value);
  f_.trap_if(b_.CreateICmpUGT(words, out.capacity), runtime::TrapCode::CapacityExceeded, s.loc);
  for_each(words, [&](Value* k) { b_.CreateStore(word_of(*s.value, k), gep(out.columns[0].data, k)); });
  stored_[s.var] = {out.columns[0].data, words};
}

Value* BitSets::count(const ir::Expr& set) {
  llvm::AllocaInst* count = f_.local(f_.i64, "count");
  b_.CreateStore(f_.integer(0), count);
  for_each(words_of(set), [&](Value* k) {
    Value* bits = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, word_of(set, k));
    b_.CreateStore(b_.CreateNUWAdd(b_.CreateLoad(f_.i64, count), bits), count);
  });
  return b_.CreateLoad(f_.i64, count, "count");
}

Value* BitSets::contains(const ir::Expr& set, Value* position) {
  Value* word = word_or_zero(set, b_.CreateLShr(position, 6));
  return b_.CreateTrunc(b_.CreateLShr(word, b_.CreateAnd(position, f_.integer(kWordBits - 1))), f_.i1);
}

void BitSets::loop(const ir::For& s, const std::function<void()>& item) {
  const ir::Expr& set = *s.lists[0];
  llvm::AllocaInst* left = f_.local(f_.i64, "left");
  llvm::AllocaInst* ordinal = s.maybe_index != nullptr ? f_.local(f_.i64, name_of(*s.maybe_index)) : nullptr;
  if (ordinal != nullptr) b_.CreateStore(f_.integer(0), ordinal);
  loops_.enter();
  for_each(words_of(set), [&](Value* k) {
    b_.CreateStore(word_of(set, k), left);
    llvm::BasicBlock* look = f_.new_block("look");
    llvm::BasicBlock* found = f_.new_block("bit");
    llvm::BasicBlock* end = f_.new_block("");
    b_.CreateBr(look);
    b_.SetInsertPoint(look);
    Value* bits = b_.CreateLoad(f_.i64, left, "left");
    b_.CreateCondBr(b_.CreateICmpEQ(bits, f_.integer(0)), end, found);
    b_.SetInsertPoint(found);
    Value* bit = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b_.getTrue());
    b_.CreateStore(b_.CreateAnd(bits, b_.CreateSub(bits, f_.integer(1))), left);
    scalars_.bind(*s.vars[0], b_.CreateOr(b_.CreateShl(k, 6), bit, name_of(*s.vars[0])));
    if (ordinal != nullptr) {
      Value* index = b_.CreateLoad(f_.i64, ordinal, name_of(*s.maybe_index));
      scalars_.bind(*s.maybe_index, index);
      b_.CreateStore(b_.CreateNUWAdd(index, f_.integer(1)), ordinal);
    }
    item();
    b_.CreateBr(look);
    b_.SetInsertPoint(end);
  });
  loops_.leave();
}

}  // namespace matcha::codegen::jit
