#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>

#include "codegen/llvm/function_emitter.h"
#include "codegen/llvm/helpers.h"
#include "ir/match.h"

/// Scalar expressions: one method a group of nodes.
namespace matcha::codegen::jit {

using llvm::Value;
using runtime::TrapCode;

bool is_cheap_operator(ir::Kind kind) {
  switch (kind) {
    case ir::Kind::Neg:
    case ir::Kind::Not:
    case ir::Kind::Add:
    case ir::Kind::Sub:
    case ir::Kind::Mul:
    case ir::Kind::Eq:
    case ir::Kind::Ne:
    case ir::Kind::Lt:
    case ir::Kind::Le:
    case ir::Kind::And:
    case ir::Kind::Or: return true;
    default: return false;
  }
}

Value* FunctionEmitter::scalar(const ir::Expr& e) {
  if (const auto known = batches_.counted.find(&e); known != batches_.counted.end()) return known->second;
  const auto arithmetic_case = [&](const ir::Expr& x) { return arithmetic(x); };
  const auto compare_case = [&](const ir::Expr& x) { return compare(x); };
  using ir::Group;
  const auto never = [](const ir::InGroup<Group::GraphList, Group::Literal, Group::SetOp, Group::Slice, Group::Reorder,
                                          Group::Bits> auto&) -> Value* {
    MATCHA_UNREACHABLE("a list where a scalar is expected");
  };
  const auto gone = [](const ir::OneOf<ir::LabelName, ir::CommonNeighbors> auto&) -> Value* {
    MATCHA_UNREACHABLE("a scalar that another step has made");
  };
  return ir::match(
      e, [&](const ir::Var& x) { return variable(x); },
      [&](const ir::ConstInt& x) -> Value* { return integer(static_cast<std::uint64_t>(x.value)); },
      [&](const ir::ConstFloat& x) -> Value* { return llvm::ConstantFP::get(f64_, x.value); },
      [&](const ir::ConstBool& x) -> Value* { return b_.getInt1(x.value); },
      [&](const ir::Neg& x) { return negate(x); },
      [&](const ir::Not& x) { return b_.CreateNot(scalar(*x.operands[0])); },
      [&](const ir::Add& x) { return arithmetic_case(x); }, [&](const ir::Sub& x) { return arithmetic_case(x); },
      [&](const ir::Mul& x) { return arithmetic_case(x); }, [&](const ir::Div& x) { return arithmetic_case(x); },
      [&](const ir::Mod& x) { return arithmetic_case(x); }, [&](const ir::Eq& x) { return compare_case(x); },
      [&](const ir::Ne& x) { return compare_case(x); }, [&](const ir::Lt& x) { return compare_case(x); },
      [&](const ir::Le& x) { return compare_case(x); }, [&](const ir::And& x) { return logic(x); },
      [&](const ir::Or& x) { return logic(x); }, [&](const ir::Min& x) { return extreme(x); },
      [&](const ir::Max& x) { return extreme(x); }, [&](const ir::Select& x) { return select(x); },
      [&](const ir::AtMost& x) {
        Value* value = scalar(*x.operands[0]);
        trap_if(b_.CreateICmpSGT(value, scalar(*x.operands[1])), TrapCode::CapacityExceeded, x.loc);
        return value;
      },
      [&](const ir::Convert& x) { return convert(x); }, [&](const ir::Size& x) { return size_of(*x.operands[0]); },
      [&](const ir::At& x) { return at(x); }, [&](const ir::Contains& x) { return contains(x); },
      [&](const ir::LowerBound& x) {
        List items = list(*x.operands[0]);
        return lower_bound(items, scalar(*x.operands[1]));
      },
      [&](const ir::Label& x) { return label(x); },
      [&](const ir::HasEdge& x) {
        List targets = neighbors(*x.operands[0], scalar(*x.operands[1]));
        return contains(targets, scalar(*x.operands[2]));
      },
      [&](const ir::MaxDegree& x) -> Value* {
        return graph_field(*x.operands[0], offsetof(runtime::GraphView, max_degree), i64_, "max_degree");
      },
      never, gone);
}

Value* FunctionEmitter::variable(const ir::Var& var) {
  const auto found = scalars_.find(&var);
  Value* present = nullptr;
  Value* value = nullptr;
  if (found != scalars_.end()) {
    value = found->second;
    const auto flag = present_.find(&var);
    if (flag != present_.end()) present = flag->second;
  } else {
    std::uint32_t slot = module_.frame().slot(var);
    value = load_slot(slot, register_type(*var.type), name_of(var));
    if (module_.facts().may_be_empty(&var)) present = load_slot(slot + 1, i1_, "present");
  }
  if (present != nullptr) trap_if(b_.CreateNot(present), TrapCode::EmptyList, loc_);
  return value;
}

/// True if the operation may leave 64 bits, by the ranges of its operands.
bool FunctionEmitter::overflows(const ir::Expr& e) const {
  if (e.type->scalar == ir::ScalarKind::I128) return true;
  ir::Range a = module_.facts().range(e.operands[0]);
  ir::Range b = module_.facts().range(e.operands[1]);
  __int128 corners[4];
  std::size_t i = 0;
  for (__int128 x : {__int128{a.low}, __int128{a.high}}) {
    for (__int128 y : {__int128{b.low}, __int128{b.high}}) {
      corners[i++] = e.kind == ir::Kind::Add ? x + y : e.kind == ir::Kind::Sub ? x - y : x * y;
    }
  }
  return *std::min_element(corners, corners + 4) < INT64_MIN || *std::max_element(corners, corners + 4) > INT64_MAX;
}

Value* FunctionEmitter::arithmetic(const ir::Expr& e) {
  Value* a = scalar(*e.operands[0]);
  Value* b = scalar(*e.operands[1]);
  if (e.type->is_scalar(ir::ScalarKind::F64)) return real_arithmetic(e, a, b);
  if (e.kind == ir::Kind::Div || e.kind == ir::Kind::Mod) return whole_division(e, a, b);
  return whole_arithmetic(e, a, b);
}

Value* FunctionEmitter::whole_arithmetic(const ir::Expr& e, Value* a, Value* b) {
  if (!overflows(e)) {
    if (e.kind == ir::Kind::Add) return b_.CreateNSWAdd(a, b);
    return e.kind == ir::Kind::Sub ? b_.CreateNSWSub(a, b) : b_.CreateNSWMul(a, b);
  }
  llvm::Intrinsic::ID id = e.kind == ir::Kind::Add   ? llvm::Intrinsic::sadd_with_overflow
                           : e.kind == ir::Kind::Sub ? llvm::Intrinsic::ssub_with_overflow
                                                     : llvm::Intrinsic::smul_with_overflow;
  Value* both = b_.CreateBinaryIntrinsic(id, a, b);
  trap_if(b_.CreateExtractValue(both, 1), TrapCode::IntegerOverflow, e.loc);
  return b_.CreateExtractValue(both, 0);
}

Value* FunctionEmitter::whole_division(const ir::Expr& e, Value* a, Value* b) {
  llvm::Type* type = a->getType();
  Value* zero = llvm::ConstantInt::get(type, 0);
  Value* minus_one = llvm::ConstantInt::getSigned(type, -1);
  bool wide = type == i128_;
  ir::Range divisor = wide ? ir::Range{} : module_.facts().range(e.operands[1]);
  bool may_be_minus_one = divisor.low <= -1 && divisor.high >= -1;
  if (divisor.low <= 0 && divisor.high >= 0) trap_if(b_.CreateICmpEQ(b, zero), TrapCode::DivisionByZero, e.loc);
  if (e.kind == ir::Kind::Mod) {
    if (!may_be_minus_one) return b_.CreateSRem(a, b);
    Value* is_minus_one = b_.CreateICmpEQ(b, minus_one);
    Value* safe = b_.CreateSelect(is_minus_one, llvm::ConstantInt::get(type, 1), b);
    return b_.CreateSRem(a, safe);
  }
  bool may_be_lowest = wide || module_.facts().range(e.operands[0]).low == INT64_MIN;
  if (may_be_minus_one && may_be_lowest) {
    Value* lowest = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(type->getIntegerBitWidth()));
    Value* both = b_.CreateAnd(b_.CreateICmpEQ(b, minus_one), b_.CreateICmpEQ(a, lowest));
    trap_if(both, TrapCode::IntegerOverflow, e.loc);
  }
  return b_.CreateSDiv(a, b);
}

Value* FunctionEmitter::real_arithmetic(const ir::Expr& e, Value* a, Value* b) {
  switch (e.kind) {
    case ir::Kind::Add: return b_.CreateFAdd(a, b);
    case ir::Kind::Sub: return b_.CreateFSub(a, b);
    case ir::Kind::Mul: return b_.CreateFMul(a, b);
    default: break;
  }
  trap_if(b_.CreateFCmpOEQ(b, llvm::ConstantFP::get(f64_, 0.0)), TrapCode::DivisionByZero, e.loc);
  return e.kind == ir::Kind::Div ? b_.CreateFDiv(a, b) : b_.CreateFRem(a, b);
}

Value* FunctionEmitter::negate(const ir::Expr& e) {
  Value* a = scalar(*e.operands[0]);
  if (a->getType() == f64_) return b_.CreateFNeg(a);
  bool narrow = a->getType() == i64_;
  if (narrow && module_.facts().range(e.operands[0]).low != INT64_MIN) return b_.CreateNSWNeg(a);
  Value* lowest =
      llvm::ConstantInt::get(a->getType(), llvm::APInt::getSignedMinValue(a->getType()->getIntegerBitWidth()));
  trap_if(b_.CreateICmpEQ(a, lowest), TrapCode::IntegerOverflow, e.loc);
  return b_.CreateNeg(a);
}

Value* FunctionEmitter::compare(const ir::Expr& e) {
  Value* a = scalar(*e.operands[0]);
  Value* b = scalar(*e.operands[1]);
  bool real = a->getType() == f64_;
  bool vids = e.operands[0]->type->is_scalar(ir::ScalarKind::Vid);
  switch (e.kind) {
    case ir::Kind::Eq: return real ? b_.CreateFCmpOEQ(a, b) : b_.CreateICmpEQ(a, b);
    case ir::Kind::Ne: return real ? b_.CreateFCmpUNE(a, b) : b_.CreateICmpNE(a, b);
    case ir::Kind::Lt:
      if (real) return b_.CreateFCmpOLT(a, b);
      return vids ? b_.CreateICmpULT(a, b) : b_.CreateICmpSLT(a, b);
    case ir::Kind::Le:
      if (real) return b_.CreateFCmpOLE(a, b);
      return vids ? b_.CreateICmpULE(a, b) : b_.CreateICmpSLE(a, b);
    default: MATCHA_UNREACHABLE("a comparison");
  }
}

Value* FunctionEmitter::extreme(const ir::Expr& e) {
  Value* a = scalar(*e.operands[0]);
  Value* b = scalar(*e.operands[1]);
  bool smaller = e.kind == ir::Kind::Min;
  if (a->getType() == f64_) {
    return b_.CreateBinaryIntrinsic(smaller ? llvm::Intrinsic::minimum : llvm::Intrinsic::maximum, a, b);
  }
  return b_.CreateBinaryIntrinsic(smaller ? llvm::Intrinsic::smin : llvm::Intrinsic::smax, a, b);
}

/// True if evaluating `e` needlessly does no harm and costs next to nothing.
bool FunctionEmitter::speculable(const ir::Expr& e) const {
  switch (e.kind) {
    case ir::Kind::Var: {
      const ir::Stmt* definition = module_.facts().definition(static_cast<const ir::Var*>(&e));
      return e.type->is_scalar() && (definition == nullptr || definition->kind != ir::Kind::Collect);
    }
    case ir::Kind::ConstInt:
    case ir::Kind::ConstFloat:
    case ir::Kind::ConstBool: return true;
    case ir::Kind::Convert:
      if (e.operands[0]->type->is_scalar(ir::ScalarKind::Vid)) return false;
      break;
    default:
      if (!is_cheap_operator(e.kind)) return false;
  }
  return !module_.facts().may_trap(&e) && std::all_of(e.operands.begin(), e.operands.end(),
                                                      [&](const ir::Expr* operand) { return speculable(*operand); });
}

Value* FunctionEmitter::logic(const ir::Expr& e) {
  bool conjunction = e.kind == ir::Kind::And;
  Value* a = scalar(*e.operands[0]);
  if (speculable(*e.operands[1]) || (in_filter_ && branch_free(*e.operands[1]))) {
    Value* b = scalar(*e.operands[1]);
    if (in_filter_) return conjunction ? b_.CreateAnd(a, b) : b_.CreateOr(a, b);
    return conjunction ? b_.CreateLogicalAnd(a, b) : b_.CreateLogicalOr(a, b);
  }
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* more = new_block(conjunction ? "and" : "or");
  llvm::BasicBlock* end = new_block("");
  b_.CreateCondBr(a, conjunction ? more : end, conjunction ? end : more);
  b_.SetInsertPoint(more);
  Value* b = scalar(*e.operands[1]);
  llvm::BasicBlock* after = b_.GetInsertBlock();
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
  llvm::PHINode* result = b_.CreatePHI(i1_, 2);
  result->addIncoming(b_.getInt1(!conjunction), before);
  result->addIncoming(b, after);
  return result;
}

Value* FunctionEmitter::select(const ir::Expr& e) {
  Value* cond = scalar(*e.operands[0]);
  if (speculable(*e.operands[1]) && speculable(*e.operands[2])) {
    Value* a = scalar(*e.operands[1]);
    return b_.CreateSelect(cond, a, scalar(*e.operands[2]));
  }
  llvm::BasicBlock* first = new_block("then");
  llvm::BasicBlock* second = new_block("else");
  llvm::BasicBlock* end = new_block("");
  b_.CreateCondBr(cond, first, second);
  b_.SetInsertPoint(first);
  Value* a = scalar(*e.operands[1]);
  first = b_.GetInsertBlock();
  b_.CreateBr(end);
  b_.SetInsertPoint(second);
  Value* b = scalar(*e.operands[2]);
  second = b_.GetInsertBlock();
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
  llvm::PHINode* result = b_.CreatePHI(a->getType(), 2);
  result->addIncoming(a, first);
  result->addIncoming(b, second);
  return result;
}

Value* FunctionEmitter::convert(const ir::Expr& e) {
  const ir::Expr& from = *e.operands[0];
  Value* value = scalar(from);
  if (e.type->is_scalar(ir::ScalarKind::Vid)) return rank_of(value, e.loc);
  switch (from.type->scalar) {
    case ir::ScalarKind::Bool: return b_.CreateZExt(value, i64_);
    case ir::ScalarKind::Vid: return original_id(value);
    case ir::ScalarKind::I64:
      return e.type->is_scalar(ir::ScalarKind::F64) ? b_.CreateSIToFP(value, f64_) : b_.CreateSExt(value, i128_);
    case ir::ScalarKind::I128: {
      if (e.type->is_scalar(ir::ScalarKind::F64)) return b_.CreateSIToFP(value, f64_);
      Value* narrow = b_.CreateTrunc(value, i64_);
      trap_if(b_.CreateICmpNE(b_.CreateSExt(narrow, i128_), value), TrapCode::IntegerOverflow, e.loc);
      return narrow;
    }
    case ir::ScalarKind::F64: break;
  }
  MATCHA_UNREACHABLE("a conversion");
}

Value* FunctionEmitter::original_id(Value* rank) {
  Value* ids = load_slot(cpu::kOriginalIdsSlot, ptr_, "original_ids");
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* lookup = new_block("id");
  llvm::BasicBlock* end = new_block("");
  b_.CreateCondBr(b_.CreateIsNull(ids), end, lookup);
  b_.SetInsertPoint(lookup);
  Value* id = constant_load(b_, i64_, gep(i64_, ids, rank), "id");
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
  llvm::PHINode* result = b_.CreatePHI(i64_, 2, "id");
  result->addIncoming(rank, before);
  result->addIncoming(id, lookup);
  return result;
}

Value* FunctionEmitter::rank_of(Value* id, SourceLoc loc) {
  Value* universe = load_slot(cpu::kUniverseSlot, ptr_, "universe");
  Value* rank = b_.CreateCall(MATCHA_RUNTIME(module_, matcha_rank, Effect::Any), {universe, id}, "rank");
  trap_if(b_.CreateICmpEQ(rank, integer(kNoRank)), TrapCode::UnknownVertex, loc);
  return rank;
}

Value* FunctionEmitter::less(Cell cell, Value* a, Value* b) {
  if (cell == Cell::Float) return b_.CreateFCmpOLT(a, b);
  return cell == Cell::Int ? b_.CreateICmpSLT(a, b) : b_.CreateICmpULT(a, b);
}

Value* FunctionEmitter::same(Cell cell, Value* a, Value* b) {
  return cell == Cell::Float ? b_.CreateFCmpOEQ(a, b) : b_.CreateICmpEQ(a, b);
}

}  // namespace matcha::codegen::jit
