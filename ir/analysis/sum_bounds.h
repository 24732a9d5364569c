#pragma once

#include "ir/analysis/facts.h"
#include "ir/nodes.h"

namespace matcha::ir {

/// How large a part of a sum of ints can get, whatever the graphs are.
struct SumBound {
  __int128 magnitude = 0;  ///< Of the sum of absolute values.
  bool negative = false;   ///< Some values may be.

  /// What is added up fits 64 bits, signed if some values may be negative, else unsigned.
  bool fits_64_bits() const;
};

/// Of what `block` adds to `sink`, or a whole run of `loop`. Lists have at most as many items as there can be ranks, or
/// 2^40 where they may repeat.
SumBound sum_bound(const Facts& facts, const Block& block, const Var* sink);
SumBound sum_bound(const Facts& facts, const For& loop, const Var* sink);

}  // namespace matcha::ir
