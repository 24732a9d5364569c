#pragma once

// Includes nothing: device code compiles this file too, with MATCHA_DEVICE_FUNCTION set to its qualifiers.
#ifndef MATCHA_DEVICE_FUNCTION
#define MATCHA_DEVICE_FUNCTION inline
#endif

namespace matcha::runtime {

/// The exact sum of any doubles: a fixed-point number wide enough for all of them, so adding is associative and the
/// result does not depend on order, threads or device. Digit i weighs 2^(32 i - 1074). Digits are signed and carry
/// late: each takes 2^29 additions before `exact_sum_carry` must run. (The small superaccumulator of R. M. Neal, "Fast
/// exact summation using small and large superaccumulators", 2015, section 2.)
struct ExactSum {
  static constexpr int kDigits = 70;  ///< (1074 + 1024) bits of doubles and 2^64 additions of the largest, by 32.
  static constexpr unsigned long long kMaxPending = 1ull << 29;
  static constexpr unsigned kPlusInfinity = 1;
  static constexpr unsigned kMinusInfinity = 2;
  static constexpr unsigned kNan = 4;

  long long digits[kDigits];
  unsigned long long pending;  ///< Additions since the last carry.
  unsigned long long special;  ///< The non-finite values that were added, as bits.
};

static_assert(sizeof(long long) == 8 && sizeof(double) == 8);

/// Sets the sum to 0.
MATCHA_DEVICE_FUNCTION void exact_sum_clear(ExactSum& sum) {
  for (int i = 0; i < ExactSum::kDigits; ++i) sum.digits[i] = 0;
  sum.pending = 0;
  sum.special = 0;
}

/// Brings all digits but the top one into [0, 2^32).
MATCHA_DEVICE_FUNCTION void exact_sum_carry(ExactSum& sum) {
  for (int i = 0; i + 1 < ExactSum::kDigits; ++i) {
    sum.digits[i + 1] += sum.digits[i] >> 32;
    sum.digits[i] &= 0xffffffffll;
  }
  sum.pending = 1;
}

/// Adds one double.
MATCHA_DEVICE_FUNCTION void exact_sum_add(ExactSum& sum, double value) {
  union {
    double number;
    unsigned long long bits;
  } pun;
  pun.number = value;
  bool negative = (pun.bits >> 63) != 0;
  unsigned exponent = static_cast<unsigned>(pun.bits >> 52) & 0x7ff;
  unsigned long long mantissa = pun.bits & ((1ull << 52) - 1);
  if (exponent == 0x7ff) {
    sum.special |= mantissa != 0 ? ExactSum::kNan : negative ? ExactSum::kMinusInfinity : ExactSum::kPlusInfinity;
    return;
  }
  if (exponent != 0) {
    mantissa |= 1ull << 52;
    --exponent;
  }
  int digit = static_cast<int>(exponent >> 5);
  unsigned shift = exponent & 31;
  unsigned long long low = mantissa << shift;
  unsigned long long high = shift == 0 ? 0 : mantissa >> (64 - shift);
  long long sign = negative ? -1 : 1;
  sum.digits[digit] += sign * static_cast<long long>(low & 0xffffffffull);
  sum.digits[digit + 1] += sign * static_cast<long long>(low >> 32);
  sum.digits[digit + 2] += sign * static_cast<long long>(high);
  if (++sum.pending >= ExactSum::kMaxPending) exact_sum_carry(sum);
}

/// Adds another sum.
MATCHA_DEVICE_FUNCTION void exact_sum_merge(ExactSum& sum, const ExactSum& other) {
  for (int i = 0; i < ExactSum::kDigits; ++i) sum.digits[i] += other.digits[i];
  sum.special |= other.special;
  sum.pending += other.pending;
  if (sum.pending >= ExactSum::kMaxPending) exact_sum_carry(sum);
}

/// The 32 bits of a carried, non-negative sum from bit `from` up; bits below 0 are 0.
MATCHA_DEVICE_FUNCTION unsigned long long exact_sum_bits(const ExactSum& sum, int from) {
  int digit = from >> 5;
  unsigned long long pair = static_cast<unsigned long long>(sum.digits[digit]);
  if (digit + 1 < ExactSum::kDigits) pair |= static_cast<unsigned long long>(sum.digits[digit + 1]) << 32;
  return (pair >> (from & 31)) & 0xffffffffull;
}

/// The sum, rounded once to nearest, ties to even. An exact 0 is +0; infinities of both signs, or a NaN, give NaN; a
/// finite sum too large for a double gives an infinity.
MATCHA_DEVICE_FUNCTION double exact_sum_round(const ExactSum& given) {
  union {
    double number;
    unsigned long long bits;
  } pun;
  const unsigned both = ExactSum::kPlusInfinity | ExactSum::kMinusInfinity;
  if ((given.special & ExactSum::kNan) != 0 || (given.special & both) == both) {
    pun.bits = 0x7ff8000000000000ull;
    return pun.number;
  }
  if (given.special != 0) {
    pun.bits = (given.special & ExactSum::kMinusInfinity) != 0 ? 0xfff0000000000000ull : 0x7ff0000000000000ull;
    return pun.number;
  }
  ExactSum sum = given;
  exact_sum_carry(sum);
  unsigned long long sign = 0;
  if (sum.digits[ExactSum::kDigits - 1] < 0) {
    sign = 1ull << 63;
    for (int i = 0; i < ExactSum::kDigits; ++i) sum.digits[i] = -sum.digits[i];
    exact_sum_carry(sum);
  }
  int top_digit = ExactSum::kDigits - 1;
  while (top_digit > 0 && sum.digits[top_digit] == 0) --top_digit;
  int top = 32 * top_digit - 1;
  for (unsigned long long rest = static_cast<unsigned long long>(sum.digits[top_digit]); rest != 0; rest >>= 1) ++top;
  // Up to 52 bits are the pattern of the double itself, subnormal or of the smallest exponent.
  int cut = top > 52 ? top - 52 : 0;
  unsigned long long mantissa = exact_sum_bits(sum, cut) | exact_sum_bits(sum, cut + 32) << 32;
  if (cut > 0) {
    int guard = cut - 1;
    bool half = ((sum.digits[guard >> 5] >> (guard & 31)) & 1) != 0;
    bool below = (sum.digits[guard >> 5] & ((1ll << (guard & 31)) - 1)) != 0;
    for (int i = 0; i < guard >> 5 && !below; ++i) below = sum.digits[i] != 0;
    if (half && (below || (mantissa & 1) != 0)) ++mantissa;
    // A mantissa that rounds up to 2^53 carries into the exponent by the addition below.
    mantissa += static_cast<unsigned long long>(cut) << 52;
    if (mantissa >= 0x7ff0000000000000ull || cut > 2046) mantissa = 0x7ff0000000000000ull;
  }
  pun.bits = sign | mantissa;
  return pun.number;
}

}  // namespace matcha::runtime
