#include "codegen/llvm/function_emitter.h"

#include <vector>

#include "ir/match.h"

namespace matcha::codegen::jit {

using runtime::TrapCode;

void FunctionEmitter::finish() {
  frame_.finish([&] {
    if (frame_.worker() != nullptr) regions_.close();
  });
}

void FunctionEmitter::block(const ir::Block& b) {
  if (parts_.divides(b)) return parts_.block(b);
  for (const ir::Stmt* s : b.body) stmt(*s);
}

void FunctionEmitter::stmt(const ir::Stmt& s) {
  if (regions_.only_yields(s)) return regions_.if_whole([&] { stmt(s); });
  frame_.set_loc(s.loc);
  const auto never = [](const ir::OneOf<ir::BuildGraph, ir::Repeat, ir::Again, ir::Return, ir::Region> auto&) {
    MATCHA_UNREACHABLE("a top-level statement inside a function");
  };
  ir::match(
      s, [&](const ir::Block& x) { block(x); }, [&](const ir::Let& x) { let(x); },
      [&](const ir::Store& x) { store(x); }, [&](const ir::For& x) { loop(x); }, [&](const ir::If& x) { branch(x); },
      [&](const ir::Collect& x) { sinks_.collect(x, [&] { block(*x.body); }); }, [&](const ir::Yield& x) { yield(x); },
      never);
}

void FunctionEmitter::let(const ir::Let& s) {
  if (batches_.is_later(*s.var)) return;
  if (s.var->type->bits) {
    bits_.let(s);
  } else if (s.var->type->is_scalar()) {
    Value* value = scalars_.of(*s.value);
    if (!value->hasName() && !llvm::isa<llvm::Constant>(value)) value->setName(name_of(*s.var));
    scalars_.bind(*s.var, value);
  } else if (s.var->type->is_list()) {
    lists_.bind(*s.var, lists_.of(*s.value));
  }
}

void FunctionEmitter::store(const ir::Store& s) {
  if (s.var->type->bits) return bits_.store(s);
  if (s.var->type->is_bit_rows()) return bits_.store_rows(s);
  if (s.value->kind == ir::Kind::CommonNeighbors) {
    scalars_.bind(*s.var, sets_.common(*s.value, *s.buffer));
    return;
  }
  List items = frame_.buffer(*s.buffer);
  items.size = sets_.store(*s.value, items);
  items.capacity = nullptr;
  lists_.bind(*s.var, items);
}

void FunctionEmitter::branch(const ir::If& s) {
  llvm::IRBuilder<>& b = frame_.builder();
  llvm::BasicBlock* then_block = frame_.new_block("then");
  llvm::BasicBlock* end = frame_.new_block("");
  llvm::BasicBlock* else_block = s.maybe_else != nullptr ? frame_.new_block("else") : end;
  b.CreateCondBr(scalars_.of(*s.cond), then_block, else_block);
  b.SetInsertPoint(then_block);
  block(*s.then_body);
  b.CreateBr(end);
  if (s.maybe_else != nullptr) {
    b.SetInsertPoint(else_block);
    block(*s.maybe_else);
    b.CreateBr(end);
  }
  b.SetInsertPoint(end);
}

llvm::Value* FunctionEmitter::common_length(std::span<const List> lists) {
  for (std::size_t i = 1; i < lists.size(); ++i) {
    frame_.trap_if(frame_.builder().CreateICmpNE(lists[i].size, lists[0].size), TrapCode::LengthMismatch, frame_.loc());
  }
  return lists[0].size;
}

void FunctionEmitter::loop(const ir::For& s) {
  if (s.lists[0]->type->bits) return loop_bits(s);
  if (rows_.loop(s)) return;
  std::vector<List> lists;
  for (const ir::Expr* e : s.lists) lists.push_back(lists_.of_loop(*e));
  Value* size = common_length(lists);
  if (regions_.splits(s)) return regions_.defer_or_walk(s, lists, size);
  bool may_leave = frame_.worker() != nullptr && (holds_for(*s.body) || loops_.depth() == 0);
  sinks_.sums().open(s);
  loops_.walk(s, lists, frame_.integer(0), size, [&] {
    if (may_leave) regions_.leave_if_stopped();
    block(*s.body);
  });
  sinks_.sums().close();
}

void FunctionEmitter::loop_bits(const ir::For& s) {
  const bool may_leave = frame_.worker() != nullptr && holds_for(*s.body);
  sinks_.sums().open(s);
  bits_.loop(s, [&] {
    if (may_leave) regions_.leave_if_stopped();
    block(*s.body);
  });
  sinks_.sums().close();
}

void FunctionEmitter::yield(const ir::Yield& s) {
  OpenSink& sink = sinks_.at(*s.sink);
  if (sink.region_index >= 0 && regions_.before_split()) return regions_.if_whole([&] { yield(s); });
  if (s.batched && batches_.put_off(s)) return;
  std::vector<Value*> values;
  for (const ir::Expr* e : s.values) values.push_back(scalars_.of(*e));
  sinks_.take(sink, s, values);
}

}  // namespace matcha::codegen::jit
