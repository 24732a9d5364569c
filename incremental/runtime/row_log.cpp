#include "incremental/runtime/row_log.h"

namespace matcha::runtime::stream {

void RowLog::reset(std::uint64_t capacity, std::uint64_t reserve) {
  capacity_ = capacity;
  reserve_ = reserve;
  head_ = tail_ = 0;
  entries_.clear();
}

std::optional<std::uint64_t> RowLog::append(std::uint64_t slot, std::uint32_t words, bool uses_reserve) {
  if (words > capacity_) return std::nullopt;
  // A row is contiguous: the end of the memory is skipped if it is too short.
  const std::uint64_t word = head_ % capacity_, skipped = word + words > capacity_ ? capacity_ - word : 0;
  const std::uint64_t used = head_ - tail_ + skipped + words;
  if (used > capacity_ - (uses_reserve ? 0 : reserve_)) return std::nullopt;
  entries_.push_back({slot, words, head_ + skipped});
  head_ += skipped + words;
  return (head_ - words) % capacity_;
}

}  // namespace matcha::runtime::stream
