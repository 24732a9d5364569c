#include "codegen/cuda/sinks.h"

#include <algorithm>
#include <bit>

#include "codegen/host/host_plan.h"
#include "ir/check.h"

namespace matcha::codegen::gpu {

using ir::ScalarKind;
using ir::SinkKind;
using matcha_program::Slot;
using runtime::ElementKind;
using runtime::TrapCode;

namespace {

host::Scalar from_word(const ir::Type& type, std::uint64_t word) {
  switch (type.scalar) {
    case ScalarKind::Bool: return word != 0;
    case ScalarKind::Vid: return VertexValue{static_cast<std::uint32_t>(word)};
    case ScalarKind::F64: return std::bit_cast<double>(word);
    case ScalarKind::I64:
    case ScalarKind::I128: return static_cast<std::int64_t>(word);
  }
  MATCHA_UNREACHABLE("a scalar kind");
}

/// The sum of all groups; the sum of each is far below 2^127.
__int128 int_sum(const std::vector<Slot>& slots, std::uint64_t index, std::uint64_t sinks, SourceLoc loc) {
  __int128 total = 0;
  for (std::uint64_t at = index; at < slots.size(); at += sinks) {
    __int128 part = static_cast<__int128>(static_cast<unsigned __int128>(slots[at].high) << 64 | slots[at].low);
    if (__builtin_add_overflow(total, part, &total)) host::trap(TrapCode::IntegerOverflow, loc);
  }
  return total;
}

runtime::SinkKind kind_of(const ir::Sink& sink) {
  const bool is_float = sink.var->type->is_scalar(ScalarKind::F64);
  switch (sink.kind) {
    case SinkKind::Sum: return is_float ? runtime::SinkKind::SumFloat : runtime::SinkKind::SumInt;
    case SinkKind::Min: return is_float ? runtime::SinkKind::MinFloat : runtime::SinkKind::MinInt;
    case SinkKind::Max: return is_float ? runtime::SinkKind::MaxFloat : runtime::SinkKind::MaxInt;
    case SinkKind::Any: return runtime::SinkKind::Any;
    case SinkKind::All: return runtime::SinkKind::All;
    case SinkKind::List: break;
  }
  return runtime::SinkKind::Rows;
}

/// Sets the minimum or maximum of the groups' values.
void take_extreme(const ir::Sink& sink, const std::vector<Slot>& slots, std::uint64_t index, std::uint64_t sinks,
                  PartialValue& found) {
  host::Scalar best;
  for (std::uint64_t at = index; at < slots.size(); at += sinks) {
    if (slots[at].high == 0) continue;
    host::Scalar value = from_word(*sink.var->type, slots[at].low);
    best = found.has_value ? host::Scalar(host::extreme(best, value, sink.kind == SinkKind::Min)) : value;
    found.has_value = true;
  }
  if (const auto* const number = std::get_if<double>(&best)) found.number = *number;
  if (const auto* const integer = std::get_if<std::int64_t>(&best)) found.integer = *integer;
  if (const auto* const vertex = std::get_if<VertexValue>(&best)) found.integer = vertex->rank;
}

}  // namespace

bool is_exact_sum(const ir::Sink& sink) {
  return sink.kind == SinkKind::Sum && sink.var->type->is_scalar(ScalarKind::F64);
}

Slot empty_slot(const ir::Sink& sink) { return {sink.kind == SinkKind::All ? 1ULL : 0ULL, 0}; }

PartialValue merge_slots(const ir::Sink& sink, const std::vector<Slot>& slots, std::uint64_t index, std::uint64_t sinks,
                         const std::vector<runtime::ExactSum>& sums, SourceLoc loc) {
  PartialValue found = empty_partial(sink);
  switch (sink.kind) {
    case SinkKind::Sum:
      for (const runtime::ExactSum& sum : sums) runtime::exact_sum_merge(found.sum, sum);
      if (!is_exact_sum(sink)) found.integer = int_sum(slots, index, sinks, loc);
      break;
    case SinkKind::Any:
    case SinkKind::All:
      for (std::uint64_t at = index; at < slots.size(); at += sinks) {
        if ((slots[at].low != 0) != found.flag) {
          found.flag = !found.flag;
          break;
        }
      }
      break;
    case SinkKind::Min:
    case SinkKind::Max: take_extreme(sink, slots, index, sinks, found); break;
    case SinkKind::List: break;
  }
  return found;
}

PartialValue empty_partial(const ir::Sink& sink) {
  PartialValue none;
  none.kind = kind_of(sink);
  none.wide = sink.var->type->is_scalar(ScalarKind::I128);
  none.is_vertex = sink.var->type->is_scalar(ScalarKind::Vid);
  none.flag = sink.kind == SinkKind::All;
  runtime::exact_sum_clear(none.sum);
  if (sink.kind != SinkKind::List) return none;
  for (const ElementKind kind : host::element_kinds(*sink.var->type)) none.list.columns.emplace_back(kind);
  return none;
}

host::Scalar scalar_of(const PartialValue& found, SourceLoc loc) {
  switch (found.kind) {
    case runtime::SinkKind::SumInt:
      if (found.wide) return found.integer;
      if (found.integer < INT64_MIN || found.integer > INT64_MAX) host::trap(TrapCode::IntegerOverflow, loc);
      return static_cast<std::int64_t>(found.integer);
    case runtime::SinkKind::SumFloat: return runtime::exact_sum_round(found.sum);
    case runtime::SinkKind::Any:
    case runtime::SinkKind::All: return found.flag;
    case runtime::SinkKind::MinFloat:
    case runtime::SinkKind::MaxFloat: return found.has_value ? host::Scalar(found.number) : host::Scalar();
    case runtime::SinkKind::MinInt:
    case runtime::SinkKind::MaxInt:
      if (!found.has_value) return {};
      if (found.is_vertex) return VertexValue{static_cast<std::uint32_t>(found.integer)};
      return static_cast<std::int64_t>(found.integer);
    case runtime::SinkKind::Rows:
    case runtime::SinkKind::Map: break;
  }
  MATCHA_UNREACHABLE("a scalar sink");
}

void put_word(ElementKind kind, void* column, std::uint64_t at, std::uint64_t word) {
  switch (kind) {
    case ElementKind::Vid: static_cast<std::uint32_t*>(column)[at] = static_cast<std::uint32_t>(word); return;
    case ElementKind::Int:
    case ElementKind::Float: static_cast<std::uint64_t*>(column)[at] = word; return;
    case ElementKind::Bool: static_cast<std::uint8_t*>(column)[at] = word != 0 ? 1 : 0; return;
  }
}

host::List ordered_rows(const ir::Sink& sink, const std::vector<std::uint64_t>& words, std::uint64_t count,
                        std::uint64_t positions) {
  // A counting sort by outermost position; then the rows of each, which are mostly in order already.
  const std::uint64_t bits = matcha_program::place_bits(positions);
  std::vector<std::uint64_t> next(positions + 1, 0);
  for (std::uint64_t row = 0; row < count; ++row) ++next[(words[row] >> bits) + 1];
  for (std::uint64_t p = 0; p < positions; ++p) next[p + 1] += next[p];
  std::vector<std::uint64_t> order(count);
  for (std::uint64_t row = 0; row < count; ++row) order[next[words[row] >> bits]++] = row;
  const auto before = [&](std::uint64_t a, std::uint64_t b) { return words[a] < words[b]; };
  std::uint64_t* begin = order.data();
  for (std::uint64_t p = 0; p < positions; ++p) {
    std::uint64_t* const end = order.data() + next[p];
    if (!std::is_sorted(begin, end, before)) std::stable_sort(begin, end, before);
    begin = end;
  }
  std::vector<runtime::Column> columns;
  for (std::size_t c = 0; c < sink.var->type->columns.size(); ++c) {
    runtime::Column& column = columns.emplace_back(host::element_kind(*sink.var->type->columns[c]));
    if (!column.resize(count)) host::trap(TrapCode::OutOfMemory, {});
    for (std::uint64_t row = 0; row < count; ++row)
      put_word(column.kind(), column.data(), row, words[(c + 1) * count + order[row]]);
  }
  return host::owned(std::move(columns), count);
}

}  // namespace matcha::codegen::gpu
