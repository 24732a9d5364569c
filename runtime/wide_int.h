#pragma once

#include <cstdint>
#include <string>

namespace matcha::runtime {

/// An unsigned number of 256 bits. Larger sums wrap, so the caller must know a bound.
struct WideInt {
  static constexpr unsigned kBits = 256;
  std::uint64_t words[4] = {};  ///< The lowest first.

  WideInt() = default;
  explicit WideInt(unsigned __int128 value)
      : words{static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64), 0, 0} {}

  WideInt& operator+=(const WideInt& other) {
    unsigned __int128 carry = 0;
    for (int i = 0; i < 4; ++i) {
      carry += static_cast<unsigned __int128>(words[i]) + other.words[i];
      words[i] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    return *this;
  }
  /// Differences below 0 wrap.
  WideInt& operator-=(const WideInt& other) {
    __int128 borrow = 0;
    for (int i = 0; i < 4; ++i) {
      borrow += static_cast<__int128>(words[i]) - other.words[i];
      words[i] = static_cast<std::uint64_t>(borrow);
      borrow >>= 64;
    }
    return *this;
  }
  bool operator==(const WideInt& other) const = default;
  bool operator<(const WideInt& other) const {
    int i = 3;
    while (i > 0 && words[i] == other.words[i]) --i;
    return words[i] < other.words[i];
  }

  bool is_zero() const { return (words[0] | words[1] | words[2] | words[3]) == 0; }
  /// It is one of the numbers of a signed int of 128 bits.
  bool fits_int128() const { return (words[2] | words[3] | words[1] >> 63) == 0; }
  /// Its lower 128 bits.
  __int128 int128() const { return static_cast<__int128>(static_cast<unsigned __int128>(words[1]) << 64 | words[0]); }
  double to_double() const;
  /// In decimal digits.
  std::string to_string() const;
};

}  // namespace matcha::runtime
