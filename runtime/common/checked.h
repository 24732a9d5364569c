// Values that can fail. An error does not unwind: the first one is recorded with its place in the program (line,
// column), every worker returns soon, and the value is a harmless one. A lane that works alone may detect it alone.
#pragma once

#include "runtime/common/group.h"
#include "runtime/common/launch.h"
#define MATCHA_DEVICE_FUNCTION MATCHA_MEMBER
#include "runtime/common/real_functions.h"

namespace matcha_program {

template <typename Group>
class Checked {
 public:
  MATCHA_MEMBER explicit Checked(const Launch& launch) : launch_(launch) {}

  MATCHA_MEMBER void trap(u32 code, u32 line, u32 column) const {
    atomic_exchange_if(&launch_.shared->error, 0, u64(code) << 56 | u64(line) << 24 | (column & 0xFFFFFF));
    atomic_exchange(&launch_.shared->stop, 1);
  }

  MATCHA_MEMBER i64 add(i64 a, i64 b, u32 line, u32 column) const { return narrow(i128(a) + b, line, column); }
  MATCHA_MEMBER i64 subtract(i64 a, i64 b, u32 line, u32 column) const { return narrow(i128(a) - b, line, column); }
  MATCHA_MEMBER i64 multiply(i64 a, i64 b, u32 line, u32 column) const { return narrow(i128(a) * b, line, column); }
  MATCHA_MEMBER i64 negate(i64 a, u32 line, u32 column) const { return subtract(0, a, line, column); }
  MATCHA_MEMBER i64 quotient(i64 a, i64 b, u32 line, u32 column) const {
    if (!divides(a, b, line, column)) return 0;
    return a / b;
  }
  MATCHA_MEMBER i64 remainder(i64 a, i64 b, u32 line, u32 column) const {
    if (b == -1) return 0;
    return divides(a, b, line, column) ? a % b : 0;
  }
  MATCHA_MEMBER f64 quotient(f64 a, f64 b, u32 line, u32 column) const {
    if (b == 0) trap(kDivisionByZero, line, column);
    return a / b;
  }
  MATCHA_MEMBER f64 remainder(f64 a, f64 b, u32 line, u32 column) const {
    if (b == 0) trap(kDivisionByZero, line, column);
    return remainder_of(a, b);
  }
  MATCHA_MEMBER i64 narrow(i128 a, u32 line, u32 column) const {
    if (a != i64(a)) trap(kIntegerOverflow, line, column);
    return i64(a);
  }
  // The same on 128 bits; a separate name, since a call with a wide value must not narrow it.
  MATCHA_MEMBER i128 wide_add(i128 a, i128 b, u32 line, u32 column) const {
    i128 sum = i128(u128(a) + u128(b));
    return exact(sum, (a < 0) != (b < 0) || (sum < 0) == (a < 0), line, column);
  }
  MATCHA_MEMBER i128 wide_subtract(i128 a, i128 b, u32 line, u32 column) const {
    i128 difference = i128(u128(a) - u128(b));
    return exact(difference, (a < 0) == (b < 0) || (difference < 0) == (a < 0), line, column);
  }
  MATCHA_MEMBER i128 wide_multiply(i128 a, i128 b, u32 line, u32 column) const {
    i128 product = i128(u128(a) * u128(b));
    if (a == -1) return wide_negate(b, line, column);
    return exact(product, a == 0 || product / a == b, line, column);
  }
  MATCHA_MEMBER i128 wide_negate(i128 a, u32 line, u32 column) const { return wide_subtract(0, a, line, column); }
  MATCHA_MEMBER i128 wide_quotient(i128 a, i128 b, u32 line, u32 column) const {
    if (b == 0) trap(kDivisionByZero, line, column);
    if (b == -1) return wide_negate(a, line, column);
    return b == 0 ? 0 : a / b;
  }
  MATCHA_MEMBER i128 wide_remainder(i128 a, i128 b, u32 line, u32 column) const {
    if (b == 0) trap(kDivisionByZero, line, column);
    return b == 0 || b == -1 ? 0 : a % b;
  }
  MATCHA_MEMBER i64 at_most(i64 value, i64 limit, u32 line, u32 column) const {
    if (value > limit) trap(kCapacityExceeded, line, column);
    return smaller(value, limit);
  }
  template <u64 column, typename L>
  MATCHA_MEMBER auto at(const L& list, i64 i, u32 line, u32 place) const {
    bool inside = i >= 0 && u64(i) < list.size;
    if (!inside) trap(kIndexOutOfRange, line, place);
    return inside ? item<column>(list, u64(i)) : decltype(item<column>(list, 0)){};
  }
  template <typename Best>
  MATCHA_MEMBER auto best(const Best& found, u32 line, u32 column) const {
    if (!found.any) trap(kEmptyList, line, column);
    return found.value;
  }
  template <typename A, typename B>
  MATCHA_MEMBER A same_length(A a, B b, u32 line, u32 column) const {
    if (a != b) trap(kLengthMismatch, line, column);
    return A(smaller(u64(a), u64(b)));
  }
  MATCHA_MEMBER i64 label(const Graph& g, u32 v, u32 line, u32 column) const {
    i64 label = g.labels == nullptr ? kNoLabel : g.labels[v];
    if (label == kNoLabel) trap(kNoVertexLabel, line, column);
    return label;
  }
  MATCHA_MEMBER i64 original_id(u32 rank) const {
    return launch_.original_ids == nullptr ? i64(rank) : launch_.original_ids[rank];
  }
  MATCHA_MEMBER u32 vertex(i64 id, u32 line, u32 column) const {
    if (launch_.original_ids == nullptr && id >= 0 && u64(id) < launch_.universe) return u32(id);
    if (launch_.original_ids != nullptr) {
      u64 rank = position(List<i64>{launch_.original_ids, launch_.universe}, id);
      if (rank < launch_.universe && launch_.original_ids[rank] == id) return u32(rank);
    }
    trap(kUnknownVertex, line, column);
    return 0;
  }

 private:
  MATCHA_MEMBER bool divides(i64 a, i64 b, u32 line, u32 column) const {
    if (b == 0) trap(kDivisionByZero, line, column);
    bool overflows = b == -1 && a == -9223372036854775807ll - 1;
    if (overflows) trap(kIntegerOverflow, line, column);
    return b != 0 && !overflows;
  }

  MATCHA_MEMBER i128 exact(i128 value, bool fits, u32 line, u32 column) const {
    if (!fits) trap(kIntegerOverflow, line, column);
    return value;
  }

  const Launch& launch_;
};

}  // namespace matcha_program
