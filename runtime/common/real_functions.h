#pragma once

// Includes nothing: device code compiles this file too, with MATCHA_DEVICE_FUNCTION set to its qualifiers.
#ifndef MATCHA_DEVICE_FUNCTION
#define MATCHA_DEVICE_FUNCTION inline
#endif

namespace matcha::runtime {

/// The square root, correctly rounded; NaN below zero.
MATCHA_DEVICE_FUNCTION double square_root(double x) {
#ifdef MATCHA_ON_DEVICE
  return sqrt(x);
#else
  return __builtin_sqrt(x);
#endif
}

/// The upper half of the product of two fractions of 128 bits; at most 3 below it.
MATCHA_DEVICE_FUNCTION unsigned __int128 high_product(unsigned __int128 a, unsigned __int128 b) {
  const unsigned __int128 a_low = static_cast<unsigned long long>(a), a_high = a >> 64;
  const unsigned __int128 b_low = static_cast<unsigned long long>(b), b_high = b >> 64;
  return a_high * b_high + ((a_high * b_low) >> 64) + ((a_low * b_high) >> 64);
}

/// 1/(2k + 1) + z/(2k + 3) + z²/(2k + 5) + …, in units of 2^-127; z below .03, in units of 2^-128.
template <int k>
MATCHA_DEVICE_FUNCTION unsigned __int128 logarithm_series(unsigned __int128 z) {
  const unsigned __int128 first = (static_cast<unsigned __int128>(1) << 127) / (2 * k + 1);
  if constexpr (k == 25) {
    return first;
  } else {
    return first + high_product(logarithm_series<k + 1>(z), z);
  }
}

/// `x` shifted to the left until its top bit is set; adds the number of places to `shift`. Requires: x > 0.
MATCHA_DEVICE_FUNCTION unsigned __int128 with_top_bit(unsigned __int128 x, int& shift) {
  for (int step = 64; step != 0; step /= 2) {
    if (x >> (128 - step) != 0) continue;
    x <<= step;
    shift += step;
  }
  return x;
}

/// The double nearest to `x` 2^`exponent`, of two the even one; the result is a normal number. Requires: x > 0.
MATCHA_DEVICE_FUNCTION double nearest_double(unsigned __int128 x, int exponent, bool negative) {
  int shift = 0;
  x = with_top_bit(x, shift);
  unsigned long long mantissa = static_cast<unsigned long long>(x >> 75);
  const unsigned __int128 rest = x << 53, half = static_cast<unsigned __int128>(1) << 127;
  if (rest > half || (rest == half && (mantissa & 1) != 0)) ++mantissa;
  union {
    double number;
    unsigned long long bits;
  } pun;
  // A mantissa that is rounded up to a power of two carries into the exponent.
  pun.bits = (static_cast<unsigned long long>(exponent - shift + 127 + 1022) << 52) + mantissa;
  if (negative) pun.bits |= 1ull << 63;
  return pun.number;
}

/// The natural logarithm: -infinity of zero, NaN below it. It is computed in whole numbers, with an error below 2^-120
/// of the result before it is rounded once; so its bits are the same on all machines.
MATCHA_DEVICE_FUNCTION double natural_logarithm(double x) {
  constexpr unsigned long long kInfinity = 0x7ffull << 52;
  union {
    double number;
    unsigned long long bits;
  } pun;
  pun.number = x;
  if (x != x || pun.bits == kInfinity) return x;
  if (x <= 0) {
    pun.bits = x == 0 ? kInfinity | 1ull << 63 : kInfinity | 1ull << 51;
    return pun.number;
  }
  // x = m 2^e with sqrt(.5) < m < sqrt(2); m = top / base.
  unsigned long long top = pun.bits & ((1ull << 52) - 1);
  int e = static_cast<int>(pun.bits >> 52) - 1023;
  if (e == -1023) {
    ++e;
    for (; top >> 52 == 0; --e) top <<= 1;
  } else {
    top |= 1ull << 52;
  }
  unsigned long long base = 1ull << 52;
  if (top > 0x16A09E667F3BCDull) {
    base <<= 1;
    ++e;
  }
  // log(m) = 2 s (1 + s²/3 + s⁴/5 + …) with s = (m - 1) / (m + 1) = quotient 2^(-127 - down); |s| < .172.
  const bool below = top < base;
  int top_shift = 0, base_shift = 0;
  unsigned __int128 part = 0;  // Of log(m), in units of 2^(-125 - down).
  int down = 2;
  if (top != base) {
    const unsigned __int128 difference = with_top_bit(below ? base - top : top - base, top_shift);
    const unsigned __int128 sum = with_top_bit(static_cast<unsigned __int128>(top) + base, base_shift) >> 64;
    const unsigned __int128 dividend = difference >> 1;
    const unsigned __int128 first = dividend / sum;
    const unsigned __int128 quotient = (first << 64) | (((dividend % sum) << 64) / sum);
    down = top_shift - base_shift;
    const unsigned __int128 s = down - 1 < 128 ? quotient >> (down - 1) : 0;
    part = high_product(quotient, logarithm_series<0>(high_product(s, s)));
  }
  if (e == 0) return part == 0 ? 0 : nearest_double(part, -125 - down, below);
  // |e| log(2) in units of 2^-places, the highest power that leaves room for the sum.
  const unsigned times = static_cast<unsigned>(e < 0 ? -e : e);
  int whole = 1;
  while (times >> whole != 0) ++whole;
  const int places = 128 - whole;
  const unsigned __int128 low = static_cast<unsigned __int128>(0xC9E3B39803F2F6AFull) * times;
  const unsigned __int128 high = static_cast<unsigned __int128>(0xB17217F7D1CF79ABull) * times + (low >> 64);
  unsigned __int128 total = (high << (64 - whole)) | (static_cast<unsigned long long>(low) >> whole);
  const int shift = 125 - places + down;
  if (shift < 128) total = below == (e < 0) ? total + (part >> shift) : total - (part >> shift);
  return nearest_double(total, -places, e < 0);
}

}  // namespace matcha::runtime
