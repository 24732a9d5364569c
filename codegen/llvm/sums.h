#pragma once

#include <vector>

#include "codegen/llvm/function_frame.h"

namespace matcha::codegen::jit {

/// The open sums of ints, and those carried by loops in 64 bits. If the part of a 128-bit sum from one loop provably
/// fits 64 bits, the loop uses an accumulator of that width, which is added to the sum behind it.
class PartialSums {
 public:
  explicit PartialSums(FunctionFrame& frame) : f_(frame), b_(frame.builder()) {}

  /// Registers a sum to which later loops may add. `sink` must not move until the sum is removed; its `value` is always
  /// the accumulator to add to.
  void add_sum(OpenSink& sink) { sums_.push_back(&sink); }
  /// Number of open sums, for a later `remove_sums`.
  std::size_t sums() const { return sums_.size(); }
  void remove_sums(std::size_t down_to) { sums_.resize(down_to); }

  /// To be called before and behind a loop.
  void open(const ir::For& loop);
  void close();

  /// Number of accumulators that open loops carry.
  std::size_t carried() const { return carried_.size(); }
  /// Adds the carried parts, innermost first, for code that leaves their loops: all but the `outer` outermost.
  void add_carried(std::size_t outer);

 private:
  struct Carried {
    OpenSink* sink;
    llvm::AllocaInst* whole;
    llvm::AllocaInst* part;
    bool negative;
  };

  void add(const Carried& carried);

  FunctionFrame& f_;
  llvm::IRBuilder<>& b_;
  std::vector<OpenSink*> sums_;  ///< Outermost first.
  std::vector<Carried> carried_;
  std::vector<std::size_t> marks_;  ///< Number of carried parts before each open loop.
};

}  // namespace matcha::codegen::jit
