#include "codegen/llvm/sums.h"

#include "ir/analysis/sum_bounds.h"

namespace matcha::codegen::jit {

using llvm::Value;

void PartialSums::open(const ir::For& loop) {
  marks_.push_back(carried_.size());
  for (OpenSink* sink : sums_) {
    if (sink->value->getAllocatedType() != f_.i128) continue;
    const ir::Var* var = sink->sink->var;
    const ir::SumBound total = ir::sum_bound(f_.module().facts(), loop, var);
    if (!total.fits_64_bits() || total.magnitude == 0) continue;
    Carried carried{sink, sink->value, f_.local(f_.i64, name_of(*var)), total.negative};
    b_.CreateStore(f_.integer(0), carried.part);
    sink->value = carried.part;
    carried_.push_back(carried);
  }
}

void PartialSums::close() {
  while (carried_.size() > marks_.back()) {
    add(carried_.back());
    carried_.back().sink->value = carried_.back().whole;
    carried_.pop_back();
  }
  marks_.pop_back();
}

void PartialSums::add_carried(std::size_t outer) {
  for (std::size_t i = carried_.size(); i-- > outer;) add(carried_[i]);
}

/// Adds the part of a loop to the accumulator that it replaces.
void PartialSums::add(const Carried& carried) {
  Value* part = b_.CreateLoad(f_.i64, carried.part);
  Value* wide = carried.negative ? b_.CreateSExt(part, f_.i128) : b_.CreateZExt(part, f_.i128);
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(f_.i128, carried.whole), wide), carried.whole);
}

}  // namespace matcha::codegen::jit
