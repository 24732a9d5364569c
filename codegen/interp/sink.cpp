#include "codegen/interp/sink.h"

#include <utility>

#include "codegen/interp/evaluator.h"
#include "ir/check.h"

namespace matcha::codegen::interp {

using ir::SinkKind;
using runtime::TrapCode;

SinkState::SinkState(const ir::Sink& sink, std::uint64_t capacity)
    : type_(*sink.var->type),
      kind_(sink.kind),
      capacity_(capacity),
      truth_(sink.kind == SinkKind::All),
      rows_(std::make_shared<List>(sink.var->type->columns.size())) {
  runtime::exact_sum_clear(float_sum_);
}

void SinkState::add(std::vector<Value> values, SourceLoc loc) {
  switch (kind_) {
    case SinkKind::Sum:
      if (const double* real = std::get_if<double>(&values[0])) {
        runtime::exact_sum_add(float_sum_, *real);
      } else {
        const std::int64_t* narrow = std::get_if<std::int64_t>(&values[0]);
        __int128 term = narrow != nullptr ? *narrow : std::get<__int128>(values[0]);
        if (__builtin_add_overflow(int_sum_, term, &int_sum_)) trap(TrapCode::IntegerOverflow, loc);
      }
      return;
    case SinkKind::Min:
    case SinkKind::Max: {
      bool first = std::holds_alternative<std::monostate>(extreme_);
      extreme_ = first ? values[0] : Value(extreme(extreme_, values[0], kind_ == SinkKind::Min));
      return;
    }
    case SinkKind::Any: truth_ = truth_ || std::get<bool>(values[0]); return;
    case SinkKind::All: truth_ = truth_ && std::get<bool>(values[0]); return;
    case SinkKind::List:
      if (rows_->rows >= capacity_) trap(TrapCode::CapacityExceeded, loc);
      for (std::size_t c = 0; c < values.size(); ++c) rows_->columns[c].push_back(std::move(values[c]));
      ++rows_->rows;
      return;
  }
  MATCHA_UNREACHABLE("a sink kind");
}

Value SinkState::result(SourceLoc loc) const {
  switch (kind_) {
    case SinkKind::Sum:
      if (type_.is_scalar(ir::ScalarKind::F64)) return runtime::exact_sum_round(float_sum_);
      if (type_.is_scalar(ir::ScalarKind::I128)) return int_sum_;
      if (int_sum_ < INT64_MIN || int_sum_ > INT64_MAX) trap(TrapCode::IntegerOverflow, loc);
      return static_cast<std::int64_t>(int_sum_);
    case SinkKind::Min:
    case SinkKind::Max: return extreme_;
    case SinkKind::Any:
    case SinkKind::All: return truth_;
    case SinkKind::List: return ListPtr(rows_);
  }
  MATCHA_UNREACHABLE("a sink kind");
}

}  // namespace matcha::codegen::interp
