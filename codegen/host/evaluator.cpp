#include "codegen/host/evaluator.h"

#include <cmath>

#include "ir/check.h"
#include "ir/match.h"

/// Scalars.
namespace matcha::codegen::host {

using ir::Arithmetic;
using ir::Comparison;
using ir::Kind;
using ir::ScalarKind;
using runtime::TrapCode;

namespace {

template <typename Int>
Int checked(Arithmetic operation, SourceLoc loc, Int a, Int b) {
  Int result = 0;
  bool overflow = false;
  switch (operation) {
    case Arithmetic::Add: overflow = __builtin_add_overflow(a, b, &result); break;
    case Arithmetic::Sub: overflow = __builtin_sub_overflow(a, b, &result); break;
    case Arithmetic::Mul: overflow = __builtin_mul_overflow(a, b, &result); break;
    case Arithmetic::Div:
      if (b == 0) trap(TrapCode::DivisionByZero, loc);
      // The quotient of the lowest number by -1 overflows; its remainder is 0.
      if (b != -1) return a / b;
      overflow = __builtin_sub_overflow(Int{0}, a, &result);
      break;
    case Arithmetic::Mod:
      if (b == 0) trap(TrapCode::DivisionByZero, loc);
      return b == -1 ? Int{0} : a % b;
  }
  if (overflow) trap(TrapCode::IntegerOverflow, loc);
  return result;
}

double checked(Arithmetic operation, SourceLoc loc, double a, double b) {
  const bool divides = operation == Arithmetic::Div || operation == Arithmetic::Mod;
  if (divides && b == 0) trap(TrapCode::DivisionByZero, loc);
  switch (operation) {
    case Arithmetic::Add: return a + b;
    case Arithmetic::Sub: return a - b;
    case Arithmetic::Mul: return a * b;
    case Arithmetic::Div: return a / b;
    case Arithmetic::Mod: return std::fmod(a, b);
  }
  MATCHA_UNREACHABLE("an arithmetic operation");
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

bool compare(Comparison comparison, const Scalar& a, const Scalar& b) {
  return both(a, b, [&](auto x, auto y) {
    switch (comparison) {
      case Comparison::Eq: return x == y;
      case Comparison::Ne: return x != y;
      case Comparison::Lt: return x < y;
      case Comparison::Le: return x <= y;
    }
    MATCHA_UNREACHABLE("a comparison");
  });
}

}  // namespace

const Scalar& extreme(const Scalar& a, const Scalar& b, bool smaller) {
  const double* x = std::get_if<double>(&a);
  const double* y = std::get_if<double>(&b);
  if (x == nullptr || y == nullptr) return compare(Comparison::Lt, b, a) == smaller ? b : a;
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
  using ir::Group;
  const auto operand = [&](std::size_t i) -> const ir::Expr& { return *e.operands[i]; };
  const auto never = [](const ir::InGroup<Group::GraphList, Group::Literal, Group::SetOp, Group::Slice, Group::Reorder,
                                          Group::Bits> auto&) -> Scalar {
    MATCHA_UNREACHABLE("a list where a scalar is expected");
  };
  const auto removed = [](const ir::OneOf<ir::LabelName, ir::CommonNeighbors> auto&) -> Scalar {
    MATCHA_UNREACHABLE("a scalar outside a region");
  };
  return ir::match(
      e, [&](const ir::Var& x) -> Scalar { return variable(x); },
      [](const ir::OneOf<ir::ConstInt, ir::ConstFloat, ir::ConstBool> auto& x) -> Scalar { return x.value; },
      [&](const ir::Neg& x) { return negation(x); },
      [&](const ir::OneOf<ir::Add, ir::Sub, ir::Mul, ir::Div, ir::Mod> auto& x) { return arithmetic(x); },
      [&](const ir::InGroup<Group::Comparison> auto& x) -> Scalar {
        const Scalar first = eval(operand(0));
        return compare(ir::comparison_of(x.kind), first, eval(operand(1)));
      },
      [&](const ir::Not&) -> Scalar { return !get<bool>(operand(0)); },
      [&](const ir::And&) -> Scalar { return get<bool>(operand(0)) && get<bool>(operand(1)); },
      [&](const ir::Or&) -> Scalar { return get<bool>(operand(0)) || get<bool>(operand(1)); },
      [&](const ir::InGroup<Group::Extremum> auto& x) -> Scalar {
        const Scalar first = eval(operand(0));
        const Scalar second = eval(operand(1));
        return extreme(first, second, x.kind == Kind::Min);
      },
      [&](const ir::Select&) { return eval(operand(get<bool>(operand(0)) ? 1 : 2)); },
      [&](const ir::Log&) -> Scalar { return runtime::rt_log(get<double>(operand(0))); },
      [&](const ir::Sqrt&) -> Scalar { return runtime::rt_sqrt(get<double>(operand(0))); },
      [&](const ir::AtMost& x) { return at_most(x); }, [&](const ir::Convert& x) { return conversion(x); },
      [&](const ir::Size&) -> Scalar { return static_cast<std::int64_t>(count(operand(0))); },
      [&](const ir::At& x) { return item(x); }, [&](const ir::Contains& x) { return contains(x); },
      [&](const ir::LowerBound& x) { return lower_bound(x); }, [&](const ir::FindRow& x) { return find_row(x); },
      [&](const ir::Label& x) { return label(x); }, [&](const ir::HasEdge& x) { return has_edge(x); },
      [&](const ir::MaxDegree&) -> Scalar { return static_cast<std::int64_t>(graph(operand(0)).view.max_degree); },
      never, removed);
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
  if (const __int128* x = std::get_if<__int128>(&a)) return checked(Arithmetic::Sub, e.loc, __int128{0}, *x);
  return checked(Arithmetic::Sub, e.loc, std::int64_t{0}, std::get<std::int64_t>(a));
}

Scalar Evaluator::arithmetic(const ir::Expr& e) {
  const Scalar a = eval(*e.operands[0]);
  const Scalar b = eval(*e.operands[1]);
  const Arithmetic operation = ir::arithmetic_of(e.kind);
  if (const double* x = std::get_if<double>(&a)) return checked(operation, e.loc, *x, std::get<double>(b));
  if (const __int128* x = std::get_if<__int128>(&a)) return checked(operation, e.loc, *x, std::get<__int128>(b));
  return checked(operation, e.loc, std::get<std::int64_t>(a), std::get<std::int64_t>(b));
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
