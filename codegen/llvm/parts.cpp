#include "codegen/llvm/parts.h"

#include <llvm/IR/InstIterator.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "codegen/llvm/function_emitter.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen::jit {

namespace {

/// Regions with more nodes are divided. All motifs of six vertices have 15,000 to 21,000 nodes; those of five have
/// 2,400 and run 1% longer if divided.
constexpr std::size_t kLargeRegion = 5'000;
/// Nodes of a part: the cost of a call must be small beside its work, and the function small for LLVM.
constexpr std::size_t kLeastPart = 40, kEnough = 200, kMostPart = 500;

/// Return values of a part.
constexpr std::uint32_t kWentOn = 0, kLeft = 1, kTrapped = 2;

std::size_t nodes_of(const ir::Expr& e) {
  std::size_t count = 0;
  ir::for_each_node(e, [&](const ir::Expr&) { ++count; });
  return count;
}

}  // namespace

std::size_t Parts::measure(const ir::Block& b) {
  std::size_t size = 0;
  for (const ir::Stmt* s : b.body) size += measure(*s);
  return size;
}

std::size_t Parts::measure(const ir::Stmt& s) {
  std::size_t size = 1;
  ir::for_each_expr(s, [&](const ir::Expr& e) { size += nodes_of(e); });
  ir::match(
      s, [&](const ir::Block& x) { size += measure(x); }, [&](const ir::For& x) { size += measure(*x.body); },
      [&](const ir::If& x) {
        size += measure(*x.then_body);
        if (x.maybe_else != nullptr) size += measure(*x.maybe_else);
      },
      [&](const ir::Collect& x) { size += measure(*x.body); },
      [](const ir::OneOf<ir::Let, ir::Yield, ir::BuildGraph, ir::Repeat, ir::Again, ir::Return, ir::Region,
                         ir::Store> auto&) {});
  sizes_[&s] = size;
  return size;
}

void Parts::open(const RegionShape& shape) {
  shape_ = &shape;
  region_entry_ = &f_.function()->getEntryBlock();
  large_ = measure(*shape.region->collect->body) > kLargeRegion;
}

bool Parts::divides(const ir::Block& b) const {
  if (!large_ || sinks_.in_collect()) return false;
  std::size_t size = 0;
  for (const ir::Stmt* s : b.body) size += size_of(*s);
  return size > kMostPart;
}

/// The statements behind a loop or a branch read none of its values. The second-level loop reads the region's
/// arguments.
bool Parts::movable(const ir::Stmt& s) const {
  if (s.kind != ir::Kind::For && s.kind != ir::Kind::If) return false;
  const std::vector<const ir::For*>& split = shape_->split;
  bool found = std::ranges::find(split, &s) != split.end();
  const auto look = [&](const ir::Block& b) {
    ir::for_each_stmt(b,
                      [&](const ir::Stmt& inner) { found = found || std::ranges::find(split, &inner) != split.end(); });
  };
  ir::match(
      s, [&](const ir::For& x) { look(*x.body); },
      [&](const ir::If& x) {
        look(*x.then_body);
        if (x.maybe_else != nullptr) look(*x.maybe_else);
      },
      [](const ir::OneOf<ir::Block, ir::Let, ir::Collect, ir::Yield, ir::BuildGraph, ir::Repeat, ir::Again, ir::Return,
                         ir::Region, ir::Store> auto&) {});
  return !found;
}

void Parts::block(const ir::Block& b) {
  const std::span<const ir::Stmt* const> body(b.body);
  for (std::size_t begin = 0; begin < body.size();) {
    std::size_t end = begin;
    std::size_t size = 0;
    while (end < body.size() && size < kEnough && movable(*body[end])) {
      const std::size_t more = size_of(*body[end]);
      if (end > begin && size + more > kMostPart) break;
      size += more;
      ++end;
    }
    if (size >= kLeastPart && size <= kMostPart) {
      call(body.subspan(begin, end - begin));
    } else {
      end = std::max(end, begin + 1);
      for (std::size_t i = begin; i < end; ++i) statements_.stmt(*body[i]);
    }
    begin = end;
  }
}

/// Emits the statements as a separate function and calls it.
void Parts::call(std::span<const ir::Stmt* const> run) {
  llvm::IRBuilder<>& b = f_.builder();
  llvm::Function* part = function_of(run);
  llvm::AllocaInst* values = f_.local(f_.ptr, "values");
  pass_values(*part, *values);
  Value* end = b.CreateCall(part, {values}, "end");
  llvm::BasicBlock* next = f_.new_block("");
  llvm::BasicBlock* ended = f_.new_block("ended");
  llvm::BasicBlock* left = f_.new_block("leave");
  f_.likely(b.CreateICmpEQ(end, b.getInt32(kWentOn)), next, ended);
  b.SetInsertPoint(ended);
  b.CreateCondBr(b.CreateICmpEQ(end, b.getInt32(kLeft)), left, f_.trap_exit());
  b.SetInsertPoint(left);
  leave();
  b.SetInsertPoint(next);
}

llvm::Function* Parts::function_of(std::span<const ir::Stmt* const> run) {
  llvm::IRBuilder<>& b = f_.builder();
  const std::string name = f_.function()->getName().str() + "_part_" + std::to_string(made_++);
  llvm::Function* part = f_.module().define(name, llvm::FunctionType::get(f_.i32, {f_.ptr}, false), {"values"});
  part->setLinkage(llvm::GlobalValue::InternalLinkage);
  part->addFnAttr(llvm::Attribute::NoInline);

  FunctionFrame::Place outer = f_.enter(part);
  const std::size_t outer_sums = std::exchange(outer_sums_, sinks_.sums().carried());
  for (const ir::Stmt* s : run) statements_.stmt(*s);
  b.CreateRet(b.getInt32(kWentOn));
  f_.end_start();
  for (const auto& [block, code] : {std::pair(f_.exit(), kLeft), std::pair(f_.trap_exit(), kTrapped)}) {
    b.SetInsertPoint(block);
    b.CreateRet(b.getInt32(code));
    if (block->hasNPredecessors(0)) block->eraseFromParent();
  }
  outer_sums_ = outer_sums;
  f_.resume(std::move(outer));
  return part;
}

/// Makes the part read values of other functions from `block`. The caller stores them there: at its own start those
/// known then, the rest here.
void Parts::pass_values(llvm::Function& part, llvm::AllocaInst& block) {
  std::unordered_map<Value*, Value*> loads;
  std::uint64_t bytes = 0;
  llvm::IRBuilder<> start(&*part.getEntryBlock().begin());
  const auto pass = [&](Value* value) -> Value* {
    const llvm::Instruction* made = llvm::dyn_cast<llvm::Instruction>(value);
    const llvm::Argument* argument = llvm::dyn_cast<llvm::Argument>(value);
    const llvm::Function* owner = made != nullptr       ? made->getFunction()
                                  : argument != nullptr ? argument->getParent()
                                                        : nullptr;
    if (owner == nullptr || owner == &part) return value;
    const auto found = loads.find(value);
    if (found != loads.end()) return found->second;
    llvm::Type* type = value->getType();
    const std::uint64_t size = std::max<std::uint64_t>((type->getPrimitiveSizeInBits() + 7) / 8, sizeof(std::uint64_t));
    bytes = (bytes + size - 1) / size * size;
    const bool early = made == nullptr || owner != f_.function() || made->getParent()->isEntryBlock();
    llvm::IRBuilder<>& at = early ? f_.entry() : f_.builder();
    at.CreateAlignedStore(value, at.CreateConstInBoundsGEP1_64(f_.i8, &block, bytes), llvm::Align(8));
    Value* load = start.CreateAlignedLoad(type, start.CreateConstInBoundsGEP1_64(f_.i8, part.getArg(0), bytes),
                                          llvm::Align(8), value->getName());
    bytes += size;
    loads.emplace(value, load);
    return load;
  };
  std::vector<llvm::Instruction*> instructions;
  for (llvm::Instruction& i : llvm::instructions(part)) instructions.push_back(&i);
  for (llvm::Instruction* i : instructions) {
    for (llvm::Use& use : i->operands()) use.set(pass(use.get()));
  }
  block.setOperand(0, f_.integer(bytes / sizeof(std::uint64_t) + 1));
}

void Parts::leave() {
  sinks_.sums().add_carried(outer_sums_);
  f_.builder().CreateBr(f_.exit());
}

void Parts::at_region(const std::function<void()>& make) {
  const llvm::IRBuilderBase::InsertPointGuard guard(f_.entry());
  if (region_entry_ != nullptr && f_.entry().GetInsertBlock() != region_entry_)
    f_.entry().SetInsertPoint(region_entry_);
  make();
}

}  // namespace matcha::codegen::jit
