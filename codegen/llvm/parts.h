#pragma once

#include <functional>
#include <span>
#include <unordered_map>

#include "codegen/llvm/function_frame.h"

namespace matcha::codegen::jit {

class FunctionEmitter;
class Sinks;

/// Divides a large region into several functions, because LLVM's time grows faster than the size of a function: every
/// accumulator is live in every loop. A part is a sequence of statements that define nothing for those behind them. It
/// is given the address of a block with the values of the calling function that it reads; accumulators are in memory
/// then.
class Parts {
 public:
  Parts(FunctionFrame& frame, Sinks& sinks, FunctionEmitter& statements)
      : f_(frame), sinks_(sinks), statements_(statements) {}

  /// To be called before the body of a region is emitted.
  void open(const RegionShape& shape);
  /// True if the statements of `b` have to be emitted by `block`.
  bool divides(const ir::Block& b) const;
  void block(const ir::Block& b);
  /// Calls `make` with the entry builder in the region's own function, for values that live as long as it.
  void at_region(const std::function<void()>& make);
  /// Returns from the function, a part or not, before the end of its loops.
  void leave();

 private:
  using Value = llvm::Value;

  bool movable(const ir::Stmt& s) const;
  std::size_t size_of(const ir::Stmt& s) const { return sizes_.at(&s); }
  std::size_t measure(const ir::Stmt& s);
  std::size_t measure(const ir::Block& b);
  void call(std::span<const ir::Stmt* const> run);
  llvm::Function* function_of(std::span<const ir::Stmt* const> run);
  void pass_values(llvm::Function& part, llvm::AllocaInst& block);

  FunctionFrame& f_;
  Sinks& sinks_;
  FunctionEmitter& statements_;
  const RegionShape* shape_ = nullptr;
  bool large_ = false;
  int made_ = 0;
  llvm::BasicBlock* region_entry_ = nullptr;
  std::size_t outer_sums_ = 0;                              ///< Carried partial sums of the calling functions.
  std::unordered_map<const ir::Stmt*, std::size_t> sizes_;  ///< Total nodes of each statement with its expressions.
};

}  // namespace matcha::codegen::jit
