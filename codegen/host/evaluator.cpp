#include "codegen/host/evaluator.h"

#include <cmath>

#include "ir/check.h"
#include "ir/match.h"

/// Scalars.
namespace matcha::codegen::host {

using ir::Kind;
using ir::ScalarKind;
using runtime::TrapCode;

namespace {

template <typename Int>
Int checked(const ir::Expr& e, Int a, Int b) {
  Int result = 0;
  bool overflow = false;
  switch (e.kind) {
    case Kind::Add: overflow = __builtin_add_overflow(a, b, &result); break;
    case Kind::Neg:
    case Kind::Sub: overflow = __builtin_sub_overflow(a, b, &result); break;
    case Kind::Mul: overflow = __builtin_mul_overflow(a, b, &result); break;
    case Kind::Div:
    case Kind::Mod:
      if (b == 0) trap(TrapCode::DivisionByZero, e.loc);
      // The quotient of the lowest number by -1 has no room; its remainder is 0.
      if (e.kind == Kind::Mod) return b == -1 ? Int{0} : a % b;
      if (b != -1) return a / b;
      overflow = __builtin_sub_overflow(Int{0}, a, &result);
      break;
    default: MATCHA_UNREACHABLE("an operation on numbers");
  }
  if (overflow) trap(TrapCode::IntegerOverflow, e.loc);
  return result;
}

double checked(const ir::Expr& e, double a, double b) {
  const bool divides = e.kind == Kind::Div || e.kind == Kind::Mod;
  if (divides && b == 0) trap(TrapCode::DivisionByZero, e.loc);
  switch (e.kind) {
    case Kind::Add: return a + b;
    case Kind::Sub: return a - b;
    case Kind::Mul: return a * b;
    case Kind::Div: return a / b;
    case Kind::Mod: return std::fmod(a, b);
    default: MATCHA_UNREACHABLE("an operation on numbers");
  }
}

std::uint32_t comparable(VertexValue v) { return v.rank; }
template <typename T>
T comparable(T x) {
  return x;
}

/// Calls `f` with two scalars of one type.
template <typename F>
auto both(const Scalar& a, const Scalar& b, F f) {
  return std::visit(
      [&](const auto& x) -> decltype(f(true, true)) {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          MATCHA_UNREACHABLE("a scalar");
        } else {
          return f(comparable(x), comparable(std::get<T>(b)));
        }
      },
      a);
}

bool compare(Kind kind, const Scalar& a, const Scalar& b) {
  return both(a, b, [&](auto x, auto y) {
    switch (kind) {
      case Kind::Eq: return x == y;
      case Kind::Ne: return x != y;
      case Kind::Lt: return x < y;
      case Kind::Le: return x <= y;
      default: MATCHA_UNREACHABLE("a comparison");
    }
  });
}

}  // namespace

const Scalar& extreme(const Scalar& a, const Scalar& b, bool smaller) {
  const double* x = std::get_if<double>(&a);
  const double* y = std::get_if<double>(&b);
  if (x == nullptr || y == nullptr) return compare(Kind::Lt, b, a) == smaller ? b : a;
  if (std::isnan(*x)) return a;
  if (std::isnan(*y)) return b;
  if (*x == *y) return std::signbit(*y) == smaller ? b : a;
  return (*y < *x) == smaller ? b : a;
}

ResultValue result_value(const Scalar& scalar) {
  return std::visit(
      [](const auto& x) -> ResultValue {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          MATCHA_UNREACHABLE("a value");
        } else if constexpr (std::is_same_v<T, std::int64_t>) {
          return static_cast<__int128>(x);
        } else {
          return x;
        }
      },
      scalar);
}

Scalar Evaluator::scalar(const ir::Expr& e) {
  scalars_.clear();
  lists_.clear();
  return eval(e);
}

Scalar Evaluator::eval(const ir::Expr& e) {
  if (e.operands.empty()) return compute(e);
  const auto found = scalars_.find(&e);
  if (found != scalars_.end()) return found->second;
  Scalar value = compute(e);
  scalars_.emplace(&e, value);
  return value;
}

Scalar Evaluator::compute(const ir::Expr& e) {
  const auto operand = [&](std::size_t i) -> const ir::Expr& { return *e.operands[i]; };
  switch (e.kind) {
    case Kind::Var: return variable(static_cast<const ir::Var&>(e));
    case Kind::ConstInt: return static_cast<const ir::ConstInt&>(e).value;
    case Kind::ConstFloat: return static_cast<const ir::ConstFloat&>(e).value;
    case Kind::ConstBool: return static_cast<const ir::ConstBool&>(e).value;
    case Kind::Neg: return negation(e);
    case Kind::Not: return !get<bool>(operand(0));
    case Kind::Add:
    case Kind::Sub:
    case Kind::Mul:
    case Kind::Div:
    case Kind::Mod: return arithmetic(e);
    case Kind::Eq:
    case Kind::Ne:
    case Kind::Lt:
    case Kind::Le: {
      const Scalar first = eval(operand(0));
      return compare(e.kind, first, eval(operand(1)));
    }
    case Kind::And: return get<bool>(operand(0)) && get<bool>(operand(1));
    case Kind::Or: return get<bool>(operand(0)) || get<bool>(operand(1));
    case Kind::Min:
    case Kind::Max: {
      const Scalar first = eval(operand(0));
      const Scalar second = eval(operand(1));
      return extreme(first, second, e.kind == Kind::Min);
    }
    case Kind::AtMost: return at_most(e);
    case Kind::Select: return eval(operand(get<bool>(operand(0)) ? 1 : 2));
    case Kind::Convert: return conversion(e);
    case Kind::Size: return static_cast<std::int64_t>(count(operand(0)));
    case Kind::At: return item(static_cast<const ir::At&>(e));
    case Kind::Contains: return contains(e);
    case Kind::LowerBound: return lower_bound(e);
    case Kind::Label:
    case Kind::KnownLabel: return label(e);
    case Kind::HasEdge: return has_edge(e);
    case Kind::MaxDegree: return static_cast<std::int64_t>(graph(operand(0)).view.max_degree);
    default: MATCHA_UNREACHABLE("a scalar outside a region");
  }
}

Scalar Evaluator::variable(const ir::Var& e) const {
  const auto found = values_.scalars.find(&e);
  MATCHA_CHECK(found != values_.scalars.end(), "a value that is bound");
  if (std::holds_alternative<std::monostate>(found->second)) trap(TrapCode::EmptyList, e.loc);
  return found->second;
}

Scalar Evaluator::negation(const ir::Expr& e) {
  const Scalar a = eval(*e.operands[0]);
  if (const double* x = std::get_if<double>(&a)) return -*x;
  if (const __int128* x = std::get_if<__int128>(&a)) return checked(e, __int128{0}, *x);
  return checked(e, std::int64_t{0}, std::get<std::int64_t>(a));
}

Scalar Evaluator::arithmetic(const ir::Expr& e) {
  const Scalar a = eval(*e.operands[0]);
  const Scalar b = eval(*e.operands[1]);
  if (const double* x = std::get_if<double>(&a)) return checked(e, *x, std::get<double>(b));
  if (const __int128* x = std::get_if<__int128>(&a)) return checked(e, *x, std::get<__int128>(b));
  return checked(e, std::get<std::int64_t>(a), std::get<std::int64_t>(b));
}

Scalar Evaluator::at_most(const ir::Expr& e) {
  const std::int64_t value = get<std::int64_t>(*e.operands[0]);
  if (value > get<std::int64_t>(*e.operands[1])) trap(TrapCode::CapacityExceeded, e.loc);
  return value;
}

Scalar Evaluator::conversion(const ir::Expr& e) {
  const Scalar a = eval(*e.operands[0]);
  const bool real = e.type->is_scalar(ScalarKind::F64);
  if (const bool* x = std::get_if<bool>(&a)) return std::int64_t{*x ? 1 : 0};
  if (const VertexValue* x = std::get_if<VertexValue>(&a)) return universe_.id(x->rank);
  if (const __int128* x = std::get_if<__int128>(&a)) {
    if (real) return static_cast<double>(*x);
    if (*x < INT64_MIN || *x > INT64_MAX) trap(TrapCode::IntegerOverflow, e.loc);
    return static_cast<std::int64_t>(*x);
  }
  const std::int64_t x = std::get<std::int64_t>(a);
  if (real) return static_cast<double>(x);
  if (e.type->is_scalar(ScalarKind::I128)) return static_cast<__int128>(x);
  const std::optional<std::uint32_t> rank = universe_.rank(x);
  if (!rank) trap(TrapCode::UnknownVertex, e.loc);
  return VertexValue{*rank};
}

}  // namespace matcha::codegen::host
