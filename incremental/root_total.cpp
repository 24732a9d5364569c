#include "incremental/root_total.h"

#include <bit>
#include <cmath>
#include <limits>

namespace matcha::session::stream {

namespace {

/// Maps floats to ints in the same order; -0 is below 0.
std::int64_t ordered(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits - 1 : bits;
}
double unordered(std::int64_t place) {
  return std::bit_cast<double>(place < 0 ? std::numeric_limits<std::int64_t>::min() - place - 1 : place);
}

}  // namespace

RootTotal::RootTotal(const RootSink& sink) : kind_(sink.kind), keep_(sink.keep), loc_(sink.var->loc) {
  if (sink.var->type->is_scalar()) scalar_ = sink.var->type->scalar;
  clear();
}

void RootTotal::clear() {
  sum_ = 0;
  items_.clear();
  runtime::exact_sum_clear(exact_);
  nans_ = plus_infinities_ = minus_infinities_ = 0;
}

void RootTotal::put(std::int64_t item, int sign) {
  const auto [found, fresh] = items_.try_emplace(item, 0);
  found->second += sign;
  if (found->second == 0) items_.erase(found);
}

void RootTotal::add_float(double value, int sign) {
  if (std::isnan(value)) {
    nans_ += sign;
  } else if (kind_ != ir::SinkKind::Sum) {
    put(ordered(value), sign);
  } else if (std::isinf(value)) {
    (value > 0 ? plus_infinities_ : minus_infinities_) += sign;
  } else {
    runtime::exact_sum_add(exact_, sign > 0 ? value : -value);
  }
}

void RootTotal::add_items(const void* items, std::uint64_t count, int sign, const runtime::Universe& universe) {
  for (std::uint64_t i = 0; i < count; ++i) {
    switch (scalar_) {
      case ir::ScalarKind::F64: add_float(static_cast<const double*>(items)[i], sign); break;
      case ir::ScalarKind::Vid: put(universe.id(static_cast<const std::uint32_t*>(items)[i]), sign); break;
      case ir::ScalarKind::Bool:
      case ir::ScalarKind::I64:
      case ir::ScalarKind::I128: put(static_cast<const std::int64_t*>(items)[i], sign); break;
    }
  }
}

void RootTotal::add(const codegen::Rows& items, int sign, const runtime::Universe& universe) {
  add_items(items.columns[0], items.count, sign, universe);
}

bool RootTotal::add(const codegen::ResultValue& found, int sign, const runtime::Universe& universe) {
  if (const auto* const list = std::get_if<codegen::ListValue>(&found)) {
    add_items(list->columns.front().data(), list->size, sign, universe);
    return true;
  }
  const __int128 number = std::get<__int128>(found);
  return sign > 0 ? !__builtin_add_overflow(sum_, number, &sum_) : !__builtin_sub_overflow(sum_, number, &sum_);
}

codegen::host::Scalar RootTotal::value() const {
  switch (keep_) {
    case StoredForm::Trues: return sum_ != 0;
    case StoredForm::Falses: return sum_ == 0;
    case StoredForm::Sum:
      if (scalar_ == ir::ScalarKind::I128) return sum_;
      if (sum_ != static_cast<std::int64_t>(sum_)) codegen::host::trap(runtime::TrapCode::IntegerOverflow, loc_);
      return static_cast<std::int64_t>(sum_);
    case StoredForm::Count:
    case StoredForm::Rows: return sum_;
    case StoredForm::Values: break;
  }
  if (kind_ == ir::SinkKind::Sum) {
    runtime::ExactSum all = exact_;
    if (nans_ != 0) all.special |= runtime::ExactSum::kNan;
    if (plus_infinities_ != 0) all.special |= runtime::ExactSum::kPlusInfinity;
    if (minus_infinities_ != 0) all.special |= runtime::ExactSum::kMinusInfinity;
    return runtime::exact_sum_round(all);
  }
  if (nans_ != 0) return std::numeric_limits<double>::quiet_NaN();
  if (items_.empty()) return {};
  const std::int64_t best = kind_ == ir::SinkKind::Min ? items_.begin()->first : items_.rbegin()->first;
  if (scalar_ == ir::ScalarKind::F64) return unordered(best);
  return best;
}

}  // namespace matcha::session::stream
