#include "runtime/wide_int.h"

#include <algorithm>
#include <cmath>

namespace matcha::runtime {

double WideInt::to_double() const {
  constexpr int kWordBits = 64;
  double sum = 0;
  for (int i = 3; i >= 0; --i) sum = std::ldexp(sum, kWordBits) + static_cast<double>(words[i]);
  return sum;
}

std::string WideInt::to_string() const {
  constexpr std::uint64_t kTen = 10;
  std::string digits;
  WideInt left = *this;
  do {
    unsigned __int128 rest = 0;
    for (int i = 3; i >= 0; --i) {
      rest = rest << 64 | left.words[i];
      left.words[i] = static_cast<std::uint64_t>(rest / kTen);
      rest %= kTen;
    }
    digits += static_cast<char>('0' + static_cast<int>(rest));
  } while (!left.is_zero());
  std::ranges::reverse(digits);
  return digits;
}

}  // namespace matcha::runtime
