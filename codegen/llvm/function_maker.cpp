#include "codegen/llvm/function_maker.h"

#include <vector>

namespace matcha::codegen::jit {

std::unique_ptr<FunctionEmitter> FunctionMaker::function(const std::string& name) {
  llvm::FunctionType* type = emitter_.type_of<void(runtime::RegionContext*)>();
  return std::make_unique<FunctionEmitter>(emitter_, emitter_.define(name, type, {"context"}));
}

void FunctionMaker::end_step() {
  step_->finish();
  step_.reset();
}

void FunctionMaker::let(const ir::Let& s, std::uint32_t slot) {
  step_->frame().set_loc(s.loc);
  step_->let(s);
  if (s.var->type->is_list()) {
    step_->frame().store_list(slot, step_->lists().of(*s.var));
  } else {
    step_->frame().store_scalar(slot, step_->scalars().of(*s.var));
  }
}

void FunctionMaker::keep(SourceLoc loc, const ir::Expr& value, std::uint32_t slot) {
  step_->frame().set_loc(loc);
  if (value.type->is_list()) {
    step_->frame().store_list(slot, step_->lists().of(value));
  } else {
    step_->frame().store_scalar(slot, step_->scalars().of(value));
  }
}

void FunctionMaker::measure(const std::string& name, const ir::Expr& list, std::uint32_t slot) {
  const std::unique_ptr<FunctionEmitter> emitter = function(name);
  llvm::Value* most = list.kind == ir::Kind::Literal
                          ? emitter->frame().builder().getInt64(list.operands.size() / list.type->columns.size())
                          : emitter->lists().size_of(list);
  emitter->frame().store_slot(slot, most);
  emitter->finish();
}

void FunctionMaker::fill(const std::string& name, const ir::Expr& list, std::uint32_t slot, bool sorted) {
  const std::unique_ptr<FunctionEmitter> emitter = function(name);
  emitter->frame().store_slot(slot, emitter->sets().fill(list, slot, sorted));
  emitter->finish();
}

void FunctionMaker::prepare(const std::string& name, const host::RegionStep& planned, std::uint32_t positions_slot) {
  const std::unique_ptr<FunctionEmitter> emitter = function(name);
  llvm::Value* positions = emitter->frame().builder().getInt64(1);
  if (planned.outer != nullptr) {
    const ir::For& loop = *planned.outer;
    emitter->frame().set_loc(loop.loc);
    std::vector<List> lists;
    for (const ir::Expr* e : loop.lists) lists.push_back(emitter->lists().of_loop(*e));
    positions = emitter->common_length(lists);
  }
  emitter->frame().store_slot(positions_slot, positions);
  for (const host::BufferPlan& plan : planned.buffers) {
    emitter->frame().store_slot(emitter_.frame().slot(*plan.buffer->var), emitter->bits().buffer_cells(plan));
  }
  emitter->finish();
}

void FunctionMaker::region(const cpu::RegionShape& shape, const std::string& body_name, const std::string& inner_name) {
  const bool splits = !shape.split.empty();
  llvm::Function* body =
      emitter_.define(body_name, emitter_.type_of<runtime::RegionBody>(), {"context", "worker", "begin", "end"});
  llvm::Function* walk = body;
  if (splits) {
    walk = emitter_.define(body_name + "_walk", emitter_.type_of<RegionWalk>(),
                           {"context", "worker", "begin", "end", "first", "last"});
    walk->setLinkage(llvm::GlobalValue::InternalLinkage);
    walk->addFnAttr(llvm::Attribute::NoInline);
  }
  FunctionEmitter emitter(emitter_, walk);
  emitter.region_body(shape);
  emitter.finish();
  if (!splits) return;
  llvm::IRBuilder<> at(llvm::BasicBlock::Create(emitter_.context(), "entry", body));
  at.CreateCall(walk, {body->getArg(0), body->getArg(1), body->getArg(2), body->getArg(3), at.getInt64(0),
                       at.getInt64(kAllItems)});
  at.CreateRetVoid();
  llvm::Function* inner = emitter_.define(inner_name, emitter_.type_of<runtime::RegionInner>(),
                                          {"context", "worker", "position", "begin", "end"});
  at.SetInsertPoint(llvm::BasicBlock::Create(emitter_.context(), "entry", inner));
  llvm::Value* position = inner->getArg(2);
  at.CreateCall(walk, {inner->getArg(0), inner->getArg(1), position, at.CreateNUWAdd(position, at.getInt64(1)),
                       inner->getArg(3), inner->getArg(4)});
  at.CreateRetVoid();
}

}  // namespace matcha::codegen::jit
