#include "ir/analysis/multiples.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/analysis/resolve.h"
#include "ir/match.h"

namespace matcha::ir {

namespace {

bool is_polynomial(const Expr& number) {
  return number.kind == Kind::Add || number.kind == Kind::Sub || number.kind == Kind::Mul;
}

/// The divisor of a division by a positive constant; 0: it is something else.
std::int64_t divisor_of(const Expr& number) {
  if (number.kind != Kind::Div || number.operands[1]->kind != Kind::ConstInt) return 0;
  return std::max<std::int64_t>(as<ConstInt>(number.operands[1])->value, 0);
}

/// Divisions without remainder inside a formula are read as such: the quotient by c has a remainder by m that the
/// remainder of the number by c times m tells.
class Remainders {
 public:
  Remainders(const Facts& facts, std::int64_t divisor) : facts_(facts), divisor_(divisor), modulus_(divisor) {}

  bool are_all_zero(const Expr* number) {
    std::vector<const Expr*> parts;
    if (!collect_parts(number, parts)) return false;
    std::int64_t cases = 1;
    for (std::size_t at = 0; at < parts.size(); ++at) {
      if (cases > kMostCases / modulus_) return false;
      cases *= modulus_;
    }
    for (std::int64_t one = 0; one < cases; ++one) {
      std::int64_t rest = one;
      for (const Expr* part : parts) {
        of_part_[part] = rest % modulus_;
        rest /= modulus_;
      }
      if (remainder(number, divisor_) != 0) return false;
    }
    return true;
  }

 private:
  static constexpr std::int64_t kMostCases = 4096;

  bool collect_parts(const Expr* number, std::vector<const Expr*>& out) {
    constexpr std::size_t kMostParts = 12;
    number = resolve(facts_, number);
    if (number->kind == Kind::ConstInt) return true;
    const std::int64_t by = divisor_of(*number);
    if (by != 0 && by <= kMostCases / modulus_ && is_multiple(facts_, number->operands[0], by)) {
      modulus_ *= by;
      exact_.insert(number);
      return collect_parts(number->operands[0], out);
    }
    if (!is_polynomial(*number)) {
      if (std::find(out.begin(), out.end(), number) == out.end()) out.push_back(number);
      return out.size() <= kMostParts;
    }
    return std::all_of(number->operands.begin(), number->operands.end(),
                       [&](const Expr* operand) { return collect_parts(operand, out); });
  }

  /// The remainder of `number` by `modulus`, from those of its parts.
  std::int64_t remainder(const Expr* number, std::int64_t modulus) const {
    number = resolve(facts_, number);
    if (number->kind == Kind::ConstInt) return (as<ConstInt>(number)->value % modulus + modulus) % modulus;
    if (exact_.contains(number)) {
      const std::int64_t by = divisor_of(*number);
      return remainder(number->operands[0], by * modulus) / by;
    }
    if (!is_polynomial(*number)) return of_part_.at(number) % modulus;
    const std::int64_t a = remainder(number->operands[0], modulus);
    const std::int64_t b = remainder(number->operands[1], modulus);
    if (number->kind == Kind::Mul) return a * b % modulus;
    return (number->kind == Kind::Add ? a + b : a - b + modulus) % modulus;
  }

  const Facts& facts_;
  std::int64_t divisor_;
  std::int64_t modulus_;  ///< Of the remainders of the parts: a multiple of all that are asked for.
  std::unordered_set<const Expr*> exact_;
  std::unordered_map<const Expr*, std::int64_t> of_part_;
};

}  // namespace

bool is_multiple(const Facts& facts, const Expr* number, std::int64_t divisor) {
  return Remainders(facts, divisor).are_all_zero(number);
}

}  // namespace matcha::ir
