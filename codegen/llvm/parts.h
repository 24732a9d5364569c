#pragma once

#include <functional>
#include <span>
#include <unordered_map>

#include "codegen/llvm/function_frame.h"

namespace matcha::codegen::jit {

class FunctionEmitter;
class Sinks;

/// Makes several functions of a large region, since what LLVM does to one takes more than in proportion to its size:
/// every accumulator is live in every loop. A part is a run of statements that define nothing for those behind them. It
/// is given the address of a block with the values of the calling function that it reads; accumulators lie in memory
/// then.
class Parts {
 public:
  Parts(FunctionFrame& frame, Sinks& sinks, FunctionEmitter& statements)
      : f_(frame), sinks_(sinks), statements_(statements) {}

  /// To be called before the body of a region is emitted.
  void open(const RegionShape& shape);
  /// True if the statements of `b` are to be emitted by `block`.
  bool divides(const ir::Block& b) const;
  void block(const ir::Block& b);
  /// Calls `make` with the entry builder at the function of the region, for what lives as long as that runs.
  void at_region(const std::function<void()>& make);
  /// Ends the function, a part or not, before the end of its loops.
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
  std::size_t outer_sums_ = 0;  ///< Carried partial sums of the functions that call this one.
  std::unordered_map<const ir::Stmt*, std::size_t> sizes_;  ///< Nodes of statements and expressions, all in all.
};

}  // namespace matcha::codegen::jit
