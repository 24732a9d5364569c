#include <llvm/IR/Intrinsics.h>

#include <cstddef>

#include "codegen/llvm/function_emitter.h"
#include "ir/match.h"

/// Bit sets of positions in a short list: words that are computed where they are read.
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

Value* FunctionEmitter::words_for(Value* positions) {
  return b_.CreateLShr(b_.CreateNUWAdd(positions, integer(kWordBits - 1)), 6, "words");
}

Value* FunctionEmitter::buffer_cells(const ir::Buffer& buffer) {
  Value* items = scalar(*buffer.capacity);
  if (buffer.var->type->bits) return words_for(items);
  return buffer.var->type->is_bit_rows() ? b_.CreateMul(items, words_for(items)) : items;
}

/// Calls `body` with 0, 1, … below `count`.
void FunctionEmitter::for_each(Value* count, const std::function<void(Value*)>& body) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* each = new_block("each");
  llvm::BasicBlock* end = new_block("");
  b_.CreateCondBr(b_.CreateICmpEQ(count, integer(0)), end, each);
  b_.SetInsertPoint(each);
  llvm::PHINode* index = b_.CreatePHI(i64_, 2, "k");
  index->addIncoming(integer(0), before);
  body(index);
  Value* next = b_.CreateNUWAdd(index, integer(1));
  index->addIncoming(next, b_.GetInsertBlock());
  keep_simple(b_.CreateCondBr(b_.CreateICmpEQ(next, count), end, each));
  b_.SetInsertPoint(end);
}

/// One call a row: which items of the list are among the neighbours of one of them. Neighbours below an item are looked
/// for among the items in front of it only.
void FunctionEmitter::store_rows(const ir::Store& s) {
  const List& out = buffer(*s.buffer);
  const ir::Expr& value = *s.value;
  List items = list(*value.operands[1]);
  StoredRows made{&value, out.columns[0].data, items.size, words_for(items.size)};
  rows_[s.var] = made;
  trap_if(b_.CreateICmpUGT(b_.CreateMul(made.size, made.stride), out.capacity), runtime::TrapCode::CapacityExceeded,
          s.loc);
  bool lower = value.kind == ir::Kind::LowerBitRows;
  // The parts of one position that a task is given one after the other make their rows once.
  bool outer_level = in_inner_ && before_split_ && depth_ == 1;
  Value* count = outer_level ? b_.CreateSelect(is_kept_position(), integer(0), items.size) : items.size;
  for_each(count, [&](Value* index) {
    Value* vertex = load_cell(items.columns[0], index);
    List near = value.kind == ir::Kind::BitRows ? neighbors(*value.operands[0], vertex)
                                                : half_neighbors(*value.operands[0], vertex, lower);
    Value* row = gep(i64_, made.data, b_.CreateMul(index, made.stride));
    call_kernel(offsetof(runtime::SetKernels, member_bits),
                module_.type_of<decltype(runtime::SetKernels::member_bits)>(),
                {items.columns[0].data, lower ? index : items.size, near.columns[0].data, near.size, row},
                "member_bits", Effect::WritesArguments);
  });
}

Value* FunctionEmitter::words_of(const ir::Expr& set) {
  switch (set.kind) {
    case ir::Kind::Var: {
      const ir::Var* var = static_cast<const ir::Var*>(&set);
      const auto named = bit_names_.find(var);
      return named != bit_names_.end() ? words_of(*named->second) : bits_.at(var).words;
    }
    case ir::Kind::BitRow: {
      const StoredRows& all = rows(*set.operands[0]);
      return all.value->kind == ir::Kind::LowerBitRows ? words_for(scalar(*set.operands[1])) : all.stride;
    }
    case ir::Kind::AllBits: return rows(*set.operands[0]).stride;
    case ir::Kind::Below: return min_u(words_of(*set.operands[0]), words_for(scalar(*set.operands[1])));
    case ir::Kind::Intersect: return min_u(words_of(*set.operands[0]), words_of(*set.operands[1]));
    default: return words_of(*set.operands[0]);
  }
}

Value* FunctionEmitter::word_of(const ir::Expr& set, Value* k) {
  switch (set.kind) {
    case ir::Kind::Var: {
      const ir::Var* var = static_cast<const ir::Var*>(&set);
      const auto named = bit_names_.find(var);
      if (named != bit_names_.end()) return word_of(*named->second, k);
      return b_.CreateLoad(i64_, gep(i64_, bits_.at(var).data, k), "word");
    }
    case ir::Kind::BitRow: {
      const StoredRows& all = rows(*set.operands[0]);
      Value* row = gep(i64_, all.data, b_.CreateMul(scalar(*set.operands[1]), all.stride), "row");
      return b_.CreateLoad(i64_, gep(i64_, row, k), "word");
    }
    case ir::Kind::AllBits: return bits_below(rows(*set.operands[0]).size, k);
    case ir::Kind::Below: return b_.CreateAnd(word_of(*set.operands[0], k), bits_below(scalar(*set.operands[1]), k));
    case ir::Kind::Above: return b_.CreateAnd(word_of(*set.operands[0], k), bits_above(scalar(*set.operands[1]), k));
    case ir::Kind::Intersect: return b_.CreateAnd(word_of(*set.operands[0], k), word_of(*set.operands[1], k));
    case ir::Kind::Diff:
      return b_.CreateAnd(word_of(*set.operands[0], k), b_.CreateNot(word_or_zero(*set.operands[1], k)));
    default: break;
  }
  MATCHA_UNREACHABLE("no bit set");
}

/// A word that may be past those that are there: buffers and rows have room for it, but it may hold anything.
Value* FunctionEmitter::word_or_zero(const ir::Expr& set, Value* k) {
  return b_.CreateSelect(b_.CreateICmpULT(k, words_of(set)), word_of(set, k), integer(0));
}

/// The bits of word `k` of the positions below `position`, which has a bit in this word or a later one.
Value* FunctionEmitter::bits_below(Value* position, Value* k) {
  Value* left = b_.CreateSub(position, b_.CreateShl(k, 6));
  return b_.CreateLShr(integer(~std::uint64_t{0}), b_.CreateSub(integer(kWordBits), min_u(left, integer(kWordBits))));
}

/// The bits of word `k` of the positions above `position`.
Value* FunctionEmitter::bits_above(Value* position, Value* k) {
  Value* first = b_.CreateSub(b_.CreateAdd(position, integer(1)), b_.CreateShl(k, 6));
  Value* from = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, first, integer(0));
  Value* bits = b_.CreateShl(integer(~std::uint64_t{0}), b_.CreateAnd(from, integer(kWordBits - 1)));
  return b_.CreateSelect(b_.CreateICmpUGE(from, integer(kWordBits)), integer(0), bits);
}

void FunctionEmitter::store_bits(const ir::Store& s) {
  const List& out = buffer(*s.buffer);
  Value* words = words_of(*s.value);
  trap_if(b_.CreateICmpUGT(words, out.capacity), runtime::TrapCode::CapacityExceeded, s.loc);
  for_each(words, [&](Value* k) { b_.CreateStore(word_of(*s.value, k), gep(i64_, out.columns[0].data, k)); });
  bits_[s.var] = {out.columns[0].data, words};
}

Value* FunctionEmitter::count_bits(const ir::Expr& set) {
  llvm::AllocaInst* count = local(i64_, "count");
  b_.CreateStore(integer(0), count);
  for_each(words_of(set), [&](Value* k) {
    Value* bits = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, word_of(set, k));
    b_.CreateStore(b_.CreateNUWAdd(b_.CreateLoad(i64_, count), bits), count);
  });
  return b_.CreateLoad(i64_, count, "count");
}

Value* FunctionEmitter::test_bit(const ir::Expr& set, Value* position) {
  Value* word = word_or_zero(set, b_.CreateLShr(position, 6));
  return b_.CreateTrunc(b_.CreateLShr(word, b_.CreateAnd(position, integer(kWordBits - 1))), i1_);
}

/// Walks the set bits, word by word.
void FunctionEmitter::bit_loop(const ir::For& s) {
  const ir::Expr& set = *s.lists[0];
  open_partial_sums(s);
  llvm::AllocaInst* left = local(i64_, "left");
  llvm::AllocaInst* ordinal = s.maybe_index != nullptr ? local(i64_, name_of(*s.maybe_index)) : nullptr;
  if (ordinal != nullptr) b_.CreateStore(integer(0), ordinal);
  ++depth_;
  for_each(words_of(set), [&](Value* k) {
    b_.CreateStore(word_of(set, k), left);
    llvm::BasicBlock* look = new_block("look");
    llvm::BasicBlock* item = new_block("bit");
    llvm::BasicBlock* end = new_block("");
    b_.CreateBr(look);
    b_.SetInsertPoint(look);
    Value* bits = b_.CreateLoad(i64_, left, "left");
    b_.CreateCondBr(b_.CreateICmpEQ(bits, integer(0)), end, item);
    b_.SetInsertPoint(item);
    Value* bit = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b_.getTrue());
    b_.CreateStore(b_.CreateAnd(bits, b_.CreateSub(bits, integer(1))), left);
    scalars_[s.vars[0]] = b_.CreateOr(b_.CreateShl(k, 6), bit, name_of(*s.vars[0]));
    if (ordinal != nullptr) {
      Value* index = b_.CreateLoad(i64_, ordinal, name_of(*s.maybe_index));
      scalars_[s.maybe_index] = index;
      b_.CreateStore(b_.CreateNUWAdd(index, integer(1)), ordinal);
    }
    block(*s.body);
    b_.CreateBr(look);
    b_.SetInsertPoint(end);
  });
  --depth_;
  close_partial_sums();
}

}  // namespace matcha::codegen::jit
