#include <cstring>

#include "codegen/cpu/run_state.h"

/// Rounds: the values between `repeat` and `again`.
namespace matcha::codegen::cpu {

using runtime::TrapCode;

/// True if the next value is that of the round, bit for bit.
bool Run::same(const RoundValue& value) const {
  if (frame_[value.slot] != frame_[value.next_slot]) return false;
  for (std::size_t c = 0; c < value.columns.size(); ++c) {
    const void* a = reinterpret_cast<const void*>(frame_[value.slot + 1 + c]);
    const void* b = reinterpret_cast<const void*>(frame_[value.next_slot + 1 + c]);
    const std::uint64_t bytes = frame_[value.slot] * runtime::element_bytes(value.columns[c]);
    if (bytes != 0 && a != b && std::memcmp(a, b, bytes) != 0) return false;
  }
  return true;
}

/// Gives the values their next ones. A list is copied first: its next items may be those of another value.
Run::Failure Run::take(std::span<const RoundValue> values) {
  std::vector<std::vector<runtime::Column>> lists(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const RoundValue& value = values[i];
    const std::uint64_t size = frame_[value.next_slot];
    for (std::size_t c = 0; c < value.columns.size(); ++c) {
      runtime::Column& column = lists[i].emplace_back(value.columns[c]);
      if (!column.resize(size + kSlack)) return trap(static_cast<std::uint32_t>(TrapCode::OutOfMemory), {});
      const std::uint64_t bytes = size * runtime::element_bytes(value.columns[c]);
      if (bytes != 0) std::memcpy(column.data(), reinterpret_cast<const void*>(frame_[value.next_slot + 1 + c]), bytes);
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const RoundValue& value = values[i];
    frame_[value.slot] = frame_[value.next_slot];
    if (!value.list) continue;
    for (std::size_t c = 0; c < value.columns.size(); ++c)
      frame_[value.slot + 1 + c] = reinterpret_cast<std::uint64_t>(lists[i][c].data());
    lists_[value.slot] = std::move(lists[i]);
  }
  return std::nullopt;
}

Run::Failure Run::step(const RepeatStep& s) {
  rounds_ = 0;
  return take(s.values);
}

Run::Failure Run::step(const AgainStep& s) {
  const std::int64_t times = static_cast<std::int64_t>(frame_[s.times_slot]);
  ++rounds_;
  bool equal = s.until_equal;
  for (const RoundValue& value : s.values) equal = equal && same(value);
  const bool last = equal || (!s.until_equal && rounds_ >= times);
  if (!last && rounds_ >= times) return trap(static_cast<std::uint32_t>(TrapCode::NoFixedPoint), s.loc);
  if (!last) {
    next_ = s.first;
    return take(s.values);
  }
  std::vector<RoundValue> results = s.results;
  for (std::size_t i = 0; !s.until_equal && times < 1 && i < results.size(); ++i)
    results[i].next_slot = s.values[i].slot;
  return take(results);
}

}  // namespace matcha::codegen::cpu
