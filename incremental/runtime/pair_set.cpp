#include "incremental/runtime/pair_set.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace matcha::runtime::stream {

bool PairSet::add(std::uint64_t pair) {
  constexpr std::size_t kLeast = 64;
  if (4 * (used_ + 1) > 3 * slots_.size()) {
    std::vector<std::uint64_t> larger(std::max(kLeast, 2 * slots_.size()));
    const std::vector<std::uint64_t> before = std::exchange(slots_, std::move(larger));
    shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots_.size()));
    for (const std::uint64_t one : before) {
      if (one != 0) slots_[slot_of(one)] = one;
    }
  }
  std::uint64_t& slot = slots_[slot_of(pair)];
  if (slot != 0) return false;
  slot = pair;
  ++used_;
  return true;
}

/// Later pairs move into the gap, so that no search ends before it should.
bool PairSet::erase(std::uint64_t pair) {
  if (slots_.empty()) return false;
  const std::size_t mask = slots_.size() - 1;
  std::size_t gap = slot_of(pair);
  if (slots_[gap] == 0) return false;
  for (std::size_t next = (gap + 1) & mask; slots_[next] != 0; next = (next + 1) & mask) {
    const std::size_t from_home = (next - first_slot(slots_[next])) & mask;
    if (from_home < ((next - gap) & mask)) continue;
    slots_[gap] = slots_[next];
    gap = next;
  }
  slots_[gap] = 0;
  --used_;
  return true;
}

void PairSet::clear() {
  std::ranges::fill(slots_, 0);
  used_ = 0;
}

}  // namespace matcha::runtime::stream
