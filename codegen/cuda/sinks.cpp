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

/// The sum of all groups; each of them stayed far below 2^127.
host::Scalar int_sum(const ir::Sink& sink, const std::vector<Slot>& slots, std::uint64_t index, std::uint64_t sinks,
                     SourceLoc loc) {
  __int128 total = 0;
  for (std::uint64_t at = index; at < slots.size(); at += sinks) {
    __int128 part = static_cast<__int128>(static_cast<unsigned __int128>(slots[at].high) << 64 | slots[at].low);
    if (__builtin_add_overflow(total, part, &total)) host::trap(TrapCode::IntegerOverflow, loc);
  }
  if (sink.var->type->is_scalar(ScalarKind::I128)) return total;
  if (total < INT64_MIN || total > INT64_MAX) host::trap(TrapCode::IntegerOverflow, loc);
  return static_cast<std::int64_t>(total);
}

}  // namespace

bool is_exact_sum(const ir::Sink& sink) {
  return sink.kind == SinkKind::Sum && sink.var->type->is_scalar(ScalarKind::F64);
}

Slot empty_slot(const ir::Sink& sink) { return {sink.kind == SinkKind::All ? 1ULL : 0ULL, 0}; }

host::Scalar merge_slots(const ir::Sink& sink, const std::vector<Slot>& slots, std::uint64_t index, std::uint64_t sinks,
                         const std::vector<runtime::ExactSum>& sums, SourceLoc loc) {
  const ir::Type& type = *sink.var->type;
  if (is_exact_sum(sink)) {
    runtime::ExactSum total;
    runtime::exact_sum_clear(total);
    for (const runtime::ExactSum& sum : sums) runtime::exact_sum_merge(total, sum);
    return runtime::exact_sum_round(total);
  }
  if (sink.kind == SinkKind::Sum) return int_sum(sink, slots, index, sinks, loc);
  if (sink.kind == SinkKind::Any || sink.kind == SinkKind::All) {
    bool wanted = sink.kind == SinkKind::Any;
    for (std::uint64_t at = index; at < slots.size(); at += sinks) {
      if ((slots[at].low != 0) == wanted) return wanted;
    }
    return !wanted;
  }
  host::Scalar best;
  for (std::uint64_t at = index; at < slots.size(); at += sinks) {
    if (slots[at].high == 0) continue;
    host::Scalar value = from_word(type, slots[at].low);
    bool first = std::holds_alternative<std::monostate>(best);
    best = first ? value : host::Scalar(host::extreme(best, value, sink.kind == SinkKind::Min));
  }
  return best;
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
