#include "ir/analysis/multiples.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <vector>

#include "ir/analysis/resolve.h"
#include "ir/match.h"

namespace matcha::ir {

namespace {

bool is_polynomial(const Expr& number) {
  return number.kind == Kind::Add || number.kind == Kind::Sub || number.kind == Kind::Mul;
}

class Remainders {
 public:
  Remainders(const Facts& facts, std::int64_t divisor) : facts_(facts), divisor_(divisor) {}

  bool are_all_zero(const Expr* number) {
    constexpr std::int64_t kMostCases = 4096;
    std::vector<const Expr*> parts;
    if (!collect_parts(number, parts)) return false;
    std::int64_t cases = 1;
    for (std::size_t at = 0; at < parts.size(); ++at) {
      if (cases > kMostCases / divisor_) return false;
      cases *= divisor_;
    }
    for (std::int64_t one = 0; one < cases; ++one) {
      std::int64_t rest = one;
      for (const Expr* part : parts) {
        of_part_[part] = rest % divisor_;
        rest /= divisor_;
      }
      if (remainder(number) != 0) return false;
    }
    return true;
  }

 private:
  bool collect_parts(const Expr* number, std::vector<const Expr*>& out) const {
    constexpr std::size_t kMostParts = 12;
    number = resolve(facts_, number);
    if (number->kind == Kind::ConstInt) return true;
    if (!is_polynomial(*number)) {
      if (std::find(out.begin(), out.end(), number) == out.end()) out.push_back(number);
      return out.size() <= kMostParts;
    }
    return std::all_of(number->operands.begin(), number->operands.end(),
                       [&](const Expr* operand) { return collect_parts(operand, out); });
  }

  /// The remainder of `number`, from those of its parts.
  std::int64_t remainder(const Expr* number) const {
    number = resolve(facts_, number);
    if (number->kind == Kind::ConstInt) return (as<ConstInt>(number)->value % divisor_ + divisor_) % divisor_;
    if (!is_polynomial(*number)) return of_part_.at(number);
    const std::int64_t a = remainder(number->operands[0]);
    const std::int64_t b = remainder(number->operands[1]);
    if (number->kind == Kind::Mul) return a * b % divisor_;
    return (number->kind == Kind::Add ? a + b : a - b + divisor_) % divisor_;
  }

  const Facts& facts_;
  std::int64_t divisor_;
  std::unordered_map<const Expr*, std::int64_t> of_part_;
};

}  // namespace

bool is_multiple(const Facts& facts, const Expr* number, std::int64_t divisor) {
  return Remainders(facts, divisor).are_all_zero(number);
}

}  // namespace matcha::ir
