#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "codegen/interp/evaluator.h"
#include "ir/check.h"
#include "runtime/cpu/missing_key.h"

namespace matcha::codegen::interp {

namespace {

using ir::Arithmetic;
using ir::Comparison;
using ir::Kind;
using ir::ScalarKind;
using runtime::TrapCode;

template <typename Int>
Int integer_operation(const ir::Expr& e, Int a, Int b) {
  Int result = 0;
  bool overflow = false;
  switch (ir::arithmetic_of(e.kind)) {
    case Arithmetic::Add: overflow = __builtin_add_overflow(a, b, &result); break;
    case Arithmetic::Sub: overflow = __builtin_sub_overflow(a, b, &result); break;
    case Arithmetic::Mul: overflow = __builtin_mul_overflow(a, b, &result); break;
    case Arithmetic::Div:
      if (b == 0) trap(TrapCode::DivisionByZero, e.loc);
      if (b == -1) {
        overflow = __builtin_sub_overflow(Int{0}, a, &result);
      } else {
        result = a / b;
      }
      break;
    case Arithmetic::Mod:
      if (b == 0) trap(TrapCode::DivisionByZero, e.loc);
      result = b == -1 ? Int{0} : a % b;
      break;
  }
  if (overflow) trap(TrapCode::IntegerOverflow, e.loc);
  return result;
}

double real_operation(const ir::Expr& e, double a, double b) {
  switch (ir::arithmetic_of(e.kind)) {
    case Arithmetic::Add: return a + b;
    case Arithmetic::Sub: return a - b;
    case Arithmetic::Mul: return a * b;
    case Arithmetic::Div:
      if (b == 0) trap(TrapCode::DivisionByZero, e.loc);
      return a / b;
    case Arithmetic::Mod:
      if (b == 0) trap(TrapCode::DivisionByZero, e.loc);
      return std::fmod(a, b);
  }
  MATCHA_UNREACHABLE("an arithmetic operation");
}

template <typename T>
bool compare(Kind kind, T a, T b) {
  switch (ir::comparison_of(kind)) {
    case Comparison::Eq: return a == b;
    case Comparison::Ne: return a != b;
    case Comparison::Lt: return a < b;
    case Comparison::Le: return a <= b;
  }
  MATCHA_UNREACHABLE("a comparison");
}

template <typename Int>
Int negated(const ir::Expr& e, Int a) {
  Int result = 0;
  if (__builtin_sub_overflow(Int{0}, a, &result)) trap(TrapCode::IntegerOverflow, e.loc);
  return result;
}

}  // namespace

Value Evaluator::variable(const ir::Var& e) const {
  const auto found = environment_.values.find(&e);
  MATCHA_CHECK(found != environment_.values.end(), "a value that is bound");
  if (std::holds_alternative<std::monostate>(found->second)) trap(TrapCode::EmptyList, e.loc);
  return found->second;
}

Value Evaluator::negation(const ir::Expr& e) {
  Value a = eval(*e.operands[0]);
  if (const std::int64_t* x = std::get_if<std::int64_t>(&a)) return negated(e, *x);
  if (const __int128* x = std::get_if<__int128>(&a)) return negated(e, *x);
  return -std::get<double>(a);
}

Value Evaluator::arithmetic(const ir::Expr& e) {
  Value a = eval(*e.operands[0]);
  Value b = eval(*e.operands[1]);
  if (const std::int64_t* x = std::get_if<std::int64_t>(&a)) return integer_operation(e, *x, std::get<std::int64_t>(b));
  if (const __int128* x = std::get_if<__int128>(&a)) return integer_operation(e, *x, std::get<__int128>(b));
  return real_operation(e, std::get<double>(a), std::get<double>(b));
}

Value Evaluator::comparison(const ir::Expr& e) {
  Value a = eval(*e.operands[0]);
  Value b = eval(*e.operands[1]);
  if (const bool* x = std::get_if<bool>(&a)) return compare(e.kind, *x, std::get<bool>(b));
  if (const Vid* x = std::get_if<Vid>(&a)) return compare(e.kind, x->rank, std::get<Vid>(b).rank);
  if (const std::int64_t* x = std::get_if<std::int64_t>(&a)) return compare(e.kind, *x, std::get<std::int64_t>(b));
  if (const __int128* x = std::get_if<__int128>(&a)) return compare(e.kind, *x, std::get<__int128>(b));
  return compare(e.kind, std::get<double>(a), std::get<double>(b));
}

Value Evaluator::extremum(const ir::Expr& e) {
  Value a = eval(*e.operands[0]);
  Value b = eval(*e.operands[1]);
  return extreme(a, b, e.kind == Kind::Min);
}

Value Evaluator::at_most(const ir::Expr& e) {
  std::int64_t value = get<std::int64_t>(*e.operands[0]);
  if (value > get<std::int64_t>(*e.operands[1])) trap(TrapCode::CapacityExceeded, e.loc);
  return value;
}

Value Evaluator::conversion(const ir::Expr& e) {
  Value a = eval(*e.operands[0]);
  ScalarKind to = e.type->scalar;
  if (const bool* x = std::get_if<bool>(&a)) return std::int64_t{*x ? 1 : 0};
  if (const Vid* x = std::get_if<Vid>(&a)) return environment_.universe.id(x->rank);
  if (const __int128* x = std::get_if<__int128>(&a)) {
    if (to == ScalarKind::F64) return static_cast<double>(*x);
    if (*x < INT64_MIN || *x > INT64_MAX) trap(TrapCode::IntegerOverflow, e.loc);
    return static_cast<std::int64_t>(*x);
  }
  std::int64_t x = std::get<std::int64_t>(a);
  if (to == ScalarKind::F64) return static_cast<double>(x);
  if (to == ScalarKind::I128) return static_cast<__int128>(x);
  std::optional<std::uint32_t> rank = environment_.universe.rank(x);
  if (!rank) trap(TrapCode::UnknownVertex, e.loc);
  return Vid{*rank};
}

Value Evaluator::item(const ir::At& e) {
  ListPtr items = list(*e.operands[0]);
  std::int64_t index = get<std::int64_t>(*e.operands[1]);
  if (index < 0 || static_cast<std::uint64_t>(index) >= items->rows) {
    const std::uint64_t size = e.operands[0]->type->is_table() ? runtime::kOfTable : items->rows;
    const std::string hint = runtime::trap_hint(TrapCode::IndexOutOfRange, index, size);
    throw Trap{{runtime::ErrorKind::Runtime, runtime::trap_message(TrapCode::IndexOutOfRange), {}, 0, hint}, e.loc};
  }
  return items->columns[e.column][static_cast<std::size_t>(index)];
}

Value Evaluator::lower_bound(const ir::Expr& e) {
  ListPtr items = list(*e.operands[0]);
  Value x = eval(*e.operands[1]);
  std::int64_t position = 0;
  for (const Value& item : items->columns[0]) position += less(item, x) ? 1 : 0;
  return position;
}

Value Evaluator::label(const ir::Expr& e) {
  runtime::GraphView view = graph(*e.operands[0]);
  std::uint32_t rank = get<Vid>(*e.operands[1]).rank;
  bool known = view.labels != nullptr && rank < view.universe && view.labels[rank] != runtime::kNoLabel;
  if (!known) trap(TrapCode::NoLabel, e.loc);
  return view.labels[rank];
}

Value Evaluator::has_edge(const ir::Expr& e) {
  runtime::GraphView view = graph(*e.operands[0]);
  std::uint32_t source = get<Vid>(*e.operands[1]).rank;
  std::uint32_t target = get<Vid>(*e.operands[2]).rank;
  runtime::ArcRange arcs = runtime::arcs_of(view, source);
  for (std::uint64_t arc = arcs.begin; arc < arcs.end; ++arc) {
    if (view.neighbors[arc] == target) return true;
  }
  return false;
}

/// Pair by pair, in the first part.
Value Evaluator::common(const ir::CommonNeighbors& e) {
  runtime::GraphView view = graph(*e.operands[0]);
  ListPtr items = list(*e.operands[1]);
  const std::uint32_t cut = get<Vid>(*e.operands[2]).rank;
  const bool lower = e.arcs.side == ir::Side::Lower;
  if (get<std::int64_t>(*e.operands[3]) != 0) return std::int64_t{0};
  std::vector<std::vector<std::uint32_t>> near;
  for (const Value& item : items->columns[0]) {
    runtime::ArcRange arcs = runtime::arcs_of(view, std::get<Vid>(item).rank);
    near.emplace_back();
    for (std::uint64_t arc = arcs.begin; arc < arcs.end; ++arc) {
      const std::uint32_t other = view.neighbors[arc];
      if (lower ? other < cut : cut < other) near.back().push_back(other);
    }
  }
  __int128 found = 0;
  for (std::size_t i = 0; i < near.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::vector<std::uint32_t> both;
      std::set_intersection(near[i].begin(), near[i].end(), near[j].begin(), near[j].end(), std::back_inserter(both));
      found += static_cast<__int128>(both.size());
    }
  }
  if (found > INT64_MAX) trap(TrapCode::IntegerOverflow, e.loc);
  return static_cast<std::int64_t>(found);
}

}  // namespace matcha::codegen::interp
