#include "codegen/llvm/function_emitter.h"
#include "ir/analysis/sum_bounds.h"

/// Sums of ints that are carried in 64 bits, and where.
namespace matcha::codegen::jit {

using llvm::Value;

/// Before a loop: the sums of 128 bits whose part from this loop fits 64 get an accumulator of that width for its time.
void FunctionEmitter::open_partial_sums(const ir::For& s) {
  partial_marks_.push_back(partial_sums_.size());
  for (const ir::Var* var : open_sums_) {
    OpenSink& sink = sinks_.at(var);
    if (sink.value->getAllocatedType() != i128_) continue;
    const ir::SumBound total = ir::sum_bound(module_.facts(), s, var);
    if (!total.fits_64_bits() || total.magnitude == 0) continue;
    PartialSum partial{var, sink.value, local(i64_, name_of(*var)), total.negative};
    b_.CreateStore(integer(0), partial.part);
    sink.value = partial.part;
    partial_sums_.push_back(partial);
  }
}

void FunctionEmitter::add_partial(const PartialSum& partial) {
  Value* part = b_.CreateLoad(i64_, partial.part);
  Value* wide = partial.negative ? b_.CreateSExt(part, i128_) : b_.CreateZExt(part, i128_);
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(i128_, partial.whole), wide), partial.whole);
}

void FunctionEmitter::close_partial_sums() {
  while (partial_sums_.size() > partial_marks_.back()) {
    add_partial(partial_sums_.back());
    sinks_.at(partial_sums_.back().sink).value = partial_sums_.back().whole;
    partial_sums_.pop_back();
  }
  partial_marks_.pop_back();
}

}  // namespace matcha::codegen::jit
