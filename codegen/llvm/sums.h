#pragma once

#include <vector>

#include "codegen/llvm/function_frame.h"

namespace matcha::codegen::jit {

/// Which sums of ints are open, and which of them loops carry in 64 bits. A sum of 128 bits whose part from a loop
/// provably fits 64 gets an accumulator of that width for the time of the loop, which is then added.
class PartialSums {
 public:
  explicit PartialSums(FunctionFrame& frame) : f_(frame), b_(frame.builder()) {}

  /// A sum that loops from here on may add to. `sink` must stay where it is until the sum is removed; its `value` is
  /// the accumulator to add to at any time.
  void add_sum(OpenSink& sink) { sums_.push_back(&sink); }
  /// Sums that are open; to remove those that were added since, call `remove_sums` with it.
  std::size_t sums() const { return sums_.size(); }
  void remove_sums(std::size_t down_to) { sums_.resize(down_to); }

  /// Before and behind a loop.
  void open(const ir::For& loop);
  void close();

  /// Accumulators that loops carry at the moment.
  std::size_t carried() const { return carried_.size(); }
  /// Adds what they hold, innermost first, for code that leaves their loops: all but the `outer` outermost.
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
  std::vector<std::size_t> marks_;  ///< How many there were before each open loop.
};

}  // namespace matcha::codegen::jit
