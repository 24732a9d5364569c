#pragma once

#include <cstdint>

namespace matcha::runtime::motif {

/// A sum of 128 bits that detects overflow.
class Sum {
 public:
  void add(__int128 number) { overflow_ = __builtin_add_overflow(value_, number, &value_) || overflow_; }
  void add(const Sum& other) {
    overflow_ = overflow_ || other.overflow_;
    add(other.value_);
  }
  /// Adds `factor` times `number`.
  void add(const Sum& number, std::int64_t factor) {
    __int128 product = 0;
    overflow_ =
        __builtin_mul_overflow(number.value_, static_cast<__int128>(factor), &product) || overflow_ || number.overflow_;
    add(product);
  }
  /// The sum divided by `divisor`. `is_exact` becomes false if there is a remainder, which means that the sum is wrong.
  Sum over(std::int64_t divisor, bool& is_exact) const {
    Sum part;
    part.value_ = value_ / divisor;
    part.overflow_ = overflow_;
    if (!overflow_ && value_ % divisor != 0) is_exact = false;
    return part;
  }

  __int128 value() const { return value_; }
  bool overflow() const { return overflow_; }

 private:
  __int128 value_ = 0;
  bool overflow_ = false;
};

}  // namespace matcha::runtime::motif
