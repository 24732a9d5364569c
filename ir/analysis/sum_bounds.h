#pragma once

#include "ir/analysis/facts.h"
#include "ir/nodes.h"

namespace matcha::ir {

/// Bounds of a part of a sum of ints, for all graphs.
struct SumBound {
  __int128 magnitude = 0;  ///< Upper bound of the sum of absolute values.
  bool negative = false;   ///< Some values may be negative.

  /// True if the sum fits 64 bits, signed if some values may be negative, else unsigned.
  bool fits_64_bits() const;
};

/// The bound of everything that `block`, or a whole run of `loop`, adds to `sink`. Lists have at most as many items as
/// there are ranks, or 2^40 if they may repeat.
SumBound sum_bound(const Facts& facts, const Block& block, const Var* sink);
SumBound sum_bound(const Facts& facts, const For& loop, const Var* sink);

}  // namespace matcha::ir
