#include "codegen/llvm/scalars.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "codegen/llvm/bits.h"
#include "codegen/llvm/graphs.h"
#include "codegen/llvm/helpers.h"
#include "codegen/llvm/lists.h"
#include "codegen/llvm/sets.h"
#include "ir/check.h"
#include "ir/match.h"

namespace matcha::codegen::jit {

using llvm::Value;
using runtime::TrapCode;

bool is_cheap_operator(ir::Kind kind) {
  const ir::Group group = ir::group_of(kind);
  if (group == ir::Group::Arithmetic) return kind != ir::Kind::Div && kind != ir::Kind::Mod;
  return group == ir::Group::Comparison || group == ir::Group::Logic;
}

Value* Scalars::of(const ir::Expr& e) {
  if (const auto known = known_.find(&e); known != known_.end()) return known->second;
  const auto arithmetic_case = [&](const ir::Expr& x) { return arithmetic(x); };
  const auto compare_case = [&](const ir::Expr& x) { return compare(x); };
  using ir::Group;
  const auto never = [](const ir::InGroup<Group::GraphList, Group::Literal, Group::SetOp, Group::Slice, Group::Reorder,
                                          Group::Bits> auto&) -> Value* {
    MATCHA_UNREACHABLE("a list where a scalar is expected");
  };
  const auto removed = [](const ir::OneOf<ir::LabelName, ir::CommonNeighbors> auto&) -> Value* {
    MATCHA_UNREACHABLE("a scalar that another step has made");
  };
  return ir::match(
      e, [&](const ir::Var& x) { return variable(x); },
      [&](const ir::ConstInt& x) -> Value* { return f_.integer(static_cast<std::uint64_t>(x.value)); },
      [&](const ir::ConstFloat& x) -> Value* { return llvm::ConstantFP::get(f_.f64, x.value); },
      [&](const ir::ConstBool& x) -> Value* { return b_.getInt1(x.value); },
      [&](const ir::Neg& x) { return negate(x); }, [&](const ir::Not& x) { return b_.CreateNot(of(*x.operands[0])); },
      [&](const ir::Add& x) { return arithmetic_case(x); }, [&](const ir::Sub& x) { return arithmetic_case(x); },
      [&](const ir::Mul& x) { return arithmetic_case(x); }, [&](const ir::Div& x) { return arithmetic_case(x); },
      [&](const ir::Mod& x) { return arithmetic_case(x); }, [&](const ir::Eq& x) { return compare_case(x); },
      [&](const ir::Ne& x) { return compare_case(x); }, [&](const ir::Lt& x) { return compare_case(x); },
      [&](const ir::Le& x) { return compare_case(x); }, [&](const ir::And& x) { return logic(x); },
      [&](const ir::Or& x) { return logic(x); }, [&](const ir::Min& x) { return extreme(x); },
      [&](const ir::Max& x) { return extreme(x); }, [&](const ir::Select& x) { return select(x); },
      [&](const ir::Log& x) { return real_function(x); }, [&](const ir::Sqrt& x) { return real_function(x); },
      [&](const ir::AtMost& x) { return at_most(x); }, [&](const ir::Convert& x) { return convert(x); },
      [&](const ir::Size& x) { return lists_.size_of(*x.operands[0]); }, [&](const ir::At& x) { return lists_.at(x); },
      [&](const ir::Contains& x) { return sets_.contains(x); },
      [&](const ir::LowerBound& x) {
        List items = lists_.of(*x.operands[0]);
        return lists_.lower_bound(items, of(*x.operands[1]));
      },
      [&](const ir::FindRow& x) { return lists_.find_row(x); }, [&](const ir::Label& x) { return graphs_.label(x); },
      [&](const ir::HasEdge& x) { return has_edge(x); },
      [&](const ir::MaxDegree& x) -> Value* {
        return graphs_.field(*x.operands[0], offsetof(runtime::GraphView, max_degree), f_.i64, "max_degree");
      },
      never, removed);
}

Value* Scalars::of_unbranched(const ir::Expr& e) {
  unbranched_ = true;
  Value* value = of(e);
  unbranched_ = false;
  return value;
}

Value* Scalars::of_known(const ir::Expr& e, const ir::Expr& known, Value* value) {
  known_[&known] = value;
  Value* result = of(e);
  known_.erase(&known);
  return result;
}

Value* Scalars::real_function(const ir::Expr& e) {
  using namespace runtime;
  Value* x = of(*e.operands[0]);
  if (e.kind == ir::Kind::Sqrt) return b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
  return b_.CreateCall(MATCHA_RUNTIME(module_, rt_log, Effect::ReadsArguments), {x}, "log");
}

Value* Scalars::at_most(const ir::Expr& e) {
  Value* value = of(*e.operands[0]);
  f_.trap_if(b_.CreateICmpSGT(value, of(*e.operands[1])), TrapCode::CapacityExceeded, e.loc);
  return value;
}

Value* Scalars::has_edge(const ir::Expr& e) {
  List targets = graphs_.neighbors(*e.operands[0], of(*e.operands[1]));
  return lists_.holds(targets, of(*e.operands[2]));
}

Value* Scalars::variable(const ir::Var& var) {
  const auto found = values_.find(&var);
  Value* present = nullptr;
  Value* value = nullptr;
  if (found != values_.end()) {
    value = found->second;
    const auto flag = present_.find(&var);
    if (flag != present_.end()) present = flag->second;
  } else {
    std::uint32_t slot = module_.frame().slot(var);
    value = f_.load_slot(slot, f_.register_type(*var.type), name_of(var));
    if (module_.facts().may_be_empty(&var)) present = f_.load_slot(slot + 1, f_.i1, "present");
  }
  if (present != nullptr) {
    f_.trap_if(b_.CreateNot(present), TrapCode::EmptyList, var.loc.valid() ? var.loc : f_.loc());
  }
  return value;
}

/// True if the operation may leave 64 bits, by the ranges of its operands.
bool Scalars::overflows(const ir::Expr& e) const {
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

Value* Scalars::arithmetic(const ir::Expr& e) {
  Value* a = of(*e.operands[0]);
  Value* b = of(*e.operands[1]);
  if (e.type->is_scalar(ir::ScalarKind::F64)) return real_arithmetic(e, a, b);
  if (e.kind == ir::Kind::Div || e.kind == ir::Kind::Mod) return whole_division(e, a, b);
  return whole_arithmetic(e, a, b);
}

Value* Scalars::whole_arithmetic(const ir::Expr& e, Value* a, Value* b) {
  if (!overflows(e)) {
    if (e.kind == ir::Kind::Add) return b_.CreateNSWAdd(a, b);
    return e.kind == ir::Kind::Sub ? b_.CreateNSWSub(a, b) : b_.CreateNSWMul(a, b);
  }
  llvm::Intrinsic::ID id = e.kind == ir::Kind::Add   ? llvm::Intrinsic::sadd_with_overflow
                           : e.kind == ir::Kind::Sub ? llvm::Intrinsic::ssub_with_overflow
                                                     : llvm::Intrinsic::smul_with_overflow;
  Value* both = b_.CreateBinaryIntrinsic(id, a, b);
  f_.trap_if(b_.CreateExtractValue(both, 1), TrapCode::IntegerOverflow, e.loc);
  return b_.CreateExtractValue(both, 0);
}

Value* Scalars::whole_division(const ir::Expr& e, Value* a, Value* b) {
  llvm::Type* type = a->getType();
  Value* zero = llvm::ConstantInt::get(type, 0);
  Value* minus_one = llvm::ConstantInt::getSigned(type, -1);
  bool wide = type == f_.i128;
  ir::Range divisor = wide ? ir::Range{} : module_.facts().range(e.operands[1]);
  bool may_be_minus_one = divisor.low <= -1 && divisor.high >= -1;
  if (divisor.low <= 0 && divisor.high >= 0) f_.trap_if(b_.CreateICmpEQ(b, zero), TrapCode::DivisionByZero, e.loc);
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
    f_.trap_if(both, TrapCode::IntegerOverflow, e.loc);
  }
  return b_.CreateSDiv(a, b);
}

Value* Scalars::real_arithmetic(const ir::Expr& e, Value* a, Value* b) {
  const auto check_divisor = [&] {
    f_.trap_if(b_.CreateFCmpOEQ(b, llvm::ConstantFP::get(f_.f64, 0.0)), TrapCode::DivisionByZero, e.loc);
  };
  switch (ir::arithmetic_of(e.kind)) {
    case ir::Arithmetic::Add: return b_.CreateFAdd(a, b);
    case ir::Arithmetic::Sub: return b_.CreateFSub(a, b);
    case ir::Arithmetic::Mul: return b_.CreateFMul(a, b);
    case ir::Arithmetic::Div: check_divisor(); return b_.CreateFDiv(a, b);
    case ir::Arithmetic::Mod: check_divisor(); return b_.CreateFRem(a, b);
  }
  MATCHA_UNREACHABLE("an arithmetic operation");
}

Value* Scalars::negate(const ir::Expr& e) {
  Value* a = of(*e.operands[0]);
  if (a->getType() == f_.f64) return b_.CreateFNeg(a);
  bool narrow = a->getType() == f_.i64;
  if (narrow && module_.facts().range(e.operands[0]).low != INT64_MIN) return b_.CreateNSWNeg(a);
  Value* lowest =
      llvm::ConstantInt::get(a->getType(), llvm::APInt::getSignedMinValue(a->getType()->getIntegerBitWidth()));
  f_.trap_if(b_.CreateICmpEQ(a, lowest), TrapCode::IntegerOverflow, e.loc);
  return b_.CreateNeg(a);
}

Value* Scalars::compare(const ir::Expr& e) {
  Value* a = of(*e.operands[0]);
  Value* b = of(*e.operands[1]);
  bool real = a->getType() == f_.f64;
  bool vids = e.operands[0]->type->is_scalar(ir::ScalarKind::Vid);
  switch (ir::comparison_of(e.kind)) {
    case ir::Comparison::Eq: return real ? b_.CreateFCmpOEQ(a, b) : b_.CreateICmpEQ(a, b);
    case ir::Comparison::Ne: return real ? b_.CreateFCmpUNE(a, b) : b_.CreateICmpNE(a, b);
    case ir::Comparison::Lt:
      if (real) return b_.CreateFCmpOLT(a, b);
      return vids ? b_.CreateICmpULT(a, b) : b_.CreateICmpSLT(a, b);
    case ir::Comparison::Le:
      if (real) return b_.CreateFCmpOLE(a, b);
      return vids ? b_.CreateICmpULE(a, b) : b_.CreateICmpSLE(a, b);
  }
  MATCHA_UNREACHABLE("a comparison");
}

Value* Scalars::extreme(const ir::Expr& e) {
  Value* a = of(*e.operands[0]);
  Value* b = of(*e.operands[1]);
  bool smaller = e.kind == ir::Kind::Min;
  if (a->getType() == f_.f64) {
    return b_.CreateBinaryIntrinsic(smaller ? llvm::Intrinsic::minimum : llvm::Intrinsic::maximum, a, b);
  }
  return b_.CreateBinaryIntrinsic(smaller ? llvm::Intrinsic::smin : llvm::Intrinsic::smax, a, b);
}

/// True if evaluating `e` unnecessarily has no effect and is cheap.
bool Scalars::speculable(const ir::Expr& e) const {
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

bool Scalars::branch_free(const ir::Expr& e) const {
  switch (e.kind) {
    case ir::Kind::Var: return values_.contains(static_cast<const ir::Var*>(&e)) || speculable(e);
    case ir::Kind::Size: {
      const ir::Expr& list = module_.resolve(*e.operands[0]);
      if (list.kind != ir::Kind::Neighbors) return false;
      return module_.index_of(*list.operands[0]) == Index::Csr && branch_free(*list.operands[1]);
    }
    case ir::Kind::Label: return module_.facts().labelled(e.operands[0]) && branch_free(*e.operands[1]);
    case ir::Kind::ConstInt:
    case ir::Kind::ConstFloat:
    case ir::Kind::ConstBool:
    case ir::Kind::Convert: return speculable(e);
    default: break;
  }
  return is_cheap_operator(e.kind) && !module_.facts().may_trap(&e) &&
         std::all_of(e.operands.begin(), e.operands.end(),
                     [&](const ir::Expr* operand) { return branch_free(*operand); });
}

Value* Scalars::logic(const ir::Expr& e) {
  bool conjunction = e.kind == ir::Kind::And;
  Value* a = of(*e.operands[0]);
  if (speculable(*e.operands[1]) || (unbranched_ && branch_free(*e.operands[1]))) {
    Value* b = of(*e.operands[1]);
    if (unbranched_) return conjunction ? b_.CreateAnd(a, b) : b_.CreateOr(a, b);
    return conjunction ? b_.CreateLogicalAnd(a, b) : b_.CreateLogicalOr(a, b);
  }
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* more = f_.new_block(conjunction ? "and" : "or");
  llvm::BasicBlock* end = f_.new_block("");
  b_.CreateCondBr(a, conjunction ? more : end, conjunction ? end : more);
  b_.SetInsertPoint(more);
  Value* b = of(*e.operands[1]);
  llvm::BasicBlock* after = b_.GetInsertBlock();
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
  llvm::PHINode* result = b_.CreatePHI(f_.i1, 2);
  result->addIncoming(b_.getInt1(!conjunction), before);
  result->addIncoming(b, after);
  return result;
}

Value* Scalars::select(const ir::Expr& e) {
  Value* cond = of(*e.operands[0]);
  if (speculable(*e.operands[1]) && speculable(*e.operands[2])) {
    Value* a = of(*e.operands[1]);
    return b_.CreateSelect(cond, a, of(*e.operands[2]));
  }
  llvm::BasicBlock* first = f_.new_block("then");
  llvm::BasicBlock* second = f_.new_block("else");
  llvm::BasicBlock* end = f_.new_block("");
  b_.CreateCondBr(cond, first, second);
  b_.SetInsertPoint(first);
  Value* a = of(*e.operands[1]);
  first = b_.GetInsertBlock();
  b_.CreateBr(end);
  b_.SetInsertPoint(second);
  Value* b = of(*e.operands[2]);
  second = b_.GetInsertBlock();
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
  llvm::PHINode* result = b_.CreatePHI(a->getType(), 2);
  result->addIncoming(a, first);
  result->addIncoming(b, second);
  return result;
}

Value* Scalars::convert(const ir::Expr& e) {
  const ir::Expr& from = *e.operands[0];
  Value* value = of(from);
  if (e.type->is_scalar(ir::ScalarKind::Vid)) return rank_of(value, e.loc);
  switch (from.type->scalar) {
    case ir::ScalarKind::Bool: return b_.CreateZExt(value, f_.i64);
    case ir::ScalarKind::Vid: return original_id(value);
    case ir::ScalarKind::I64:
      return e.type->is_scalar(ir::ScalarKind::F64) ? b_.CreateSIToFP(value, f_.f64) : b_.CreateSExt(value, f_.i128);
    case ir::ScalarKind::I128: {
      if (e.type->is_scalar(ir::ScalarKind::F64)) return b_.CreateSIToFP(value, f_.f64);
      Value* narrow = b_.CreateTrunc(value, f_.i64);
      f_.trap_if(b_.CreateICmpNE(b_.CreateSExt(narrow, f_.i128), value), TrapCode::IntegerOverflow, e.loc);
      return narrow;
    }
    case ir::ScalarKind::F64: break;
  }
  MATCHA_UNREACHABLE("a conversion");
}

Value* Scalars::original_id(Value* rank) {
  Value* ids = f_.load_slot(cpu::kOriginalIdsSlot, f_.ptr, "original_ids");
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* lookup = f_.new_block("id");
  llvm::BasicBlock* end = f_.new_block("");
  b_.CreateCondBr(b_.CreateIsNull(ids), end, lookup);
  b_.SetInsertPoint(lookup);
  Value* id = f_.constant_load(b_, f_.i64, f_.gep(f_.i64, ids, rank), "id");
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
  llvm::PHINode* result = b_.CreatePHI(f_.i64, 2, "id");
  result->addIncoming(rank, before);
  result->addIncoming(id, lookup);
  return result;
}

Value* Scalars::rank_of(Value* id, SourceLoc loc) {
  Value* universe = f_.load_slot(cpu::kUniverseSlot, f_.ptr, "universe");
  Value* rank = b_.CreateCall(MATCHA_RUNTIME(module_, matcha_rank, Effect::Any), {universe, id}, "rank");
  f_.trap_if(b_.CreateICmpEQ(rank, f_.integer(kNoRank)), TrapCode::UnknownVertex, loc);
  return rank;
}

}  // namespace matcha::codegen::jit
