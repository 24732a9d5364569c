#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace matcha::runtime::stream {

/// A circular memory to which rows are appended; when it is full, the oldest rows are dropped or appended again.
/// Dropped rows may be read until the next turn; only then their words are reused. A reserve is kept for rows that are
/// appended again.
class RowLog {
 public:
  struct Entry {
    std::uint64_t slot = 0;      ///< The slot of the row.
    std::uint32_t words = 0;     ///< The number of its words,
    std::uint64_t position = 0;  ///< and the first of them, not reduced modulo the capacity.
  };

  /// Empties it. Requires: the reserve does not exceed the capacity.
  void reset(std::uint64_t capacity, std::uint64_t reserve);
  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t reserve() const { return reserve_; }
  /// The most words of a row, so that it can be appended again.
  std::uint64_t longest() const { return reserve_ / 2; }

  /// Appends a row of `words` words; returns its first word, or nothing if there is no room in this turn. Requires:
  /// words > 0.
  std::optional<std::uint64_t> append(std::uint64_t slot, std::uint32_t words, bool uses_reserve);
  bool empty() const { return entries_.empty(); }
  /// Requires: it is not empty.
  const Entry& oldest() const { return entries_.front(); }
  /// The entry `many` places after it, or the last.
  const Entry& after_oldest(std::size_t many) const { return entries_[std::min(many, entries_.size() - 1)]; }
  std::uint64_t word_of(const Entry& entry) const { return entry.position % capacity_; }
  void drop_oldest() { entries_.pop_front(); }
  /// The words of dropped rows become free.
  void turn() { tail_ = entries_.empty() ? head_ : entries_.front().position; }

 private:
  std::uint64_t capacity_ = 0, reserve_ = 0;
  std::uint64_t head_ = 0, tail_ = 0;  ///< Positions: the words between are in use, or were in this turn.
  std::deque<Entry> entries_;
};

}  // namespace matcha::runtime::stream
