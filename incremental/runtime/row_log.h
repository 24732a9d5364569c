#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace matcha::runtime::stream {

/// Words of a memory to which rows are appended, in a circle, so that what is oldest has to go, or is appended again,
/// when the memory is full. What is dropped may be read until the next turn; only then others get its words. A reserve
/// is kept for rows that are appended again.
class RowLog {
 public:
  struct Entry {
    std::uint64_t slot = 0;      ///< Whose row it is.
    std::uint32_t words = 0;     ///< So many,
    std::uint64_t position = 0;  ///< from this one on, counted without the circle.
  };

  /// Empties it. Requires: a reserve is no larger than the capacity.
  void reset(std::uint64_t capacity, std::uint64_t reserve);
  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t reserve() const { return reserve_; }
  /// No row may be longer, so that it can be appended again.
  std::uint64_t longest() const { return reserve_ / 2; }

  /// The first of so many words for a row; nothing where there is no room in this turn. Requires: some words.
  std::optional<std::uint64_t> append(std::uint64_t slot, std::uint32_t words, bool uses_reserve);
  bool empty() const { return entries_.empty(); }
  /// Requires: it is not empty.
  const Entry& oldest() const { return entries_.front(); }
  /// The one so many behind it, or the last.
  const Entry& after_oldest(std::size_t many) const { return entries_[std::min(many, entries_.size() - 1)]; }
  std::uint64_t word_of(const Entry& entry) const { return entry.position % capacity_; }
  void drop_oldest() { entries_.pop_front(); }
  /// The words of what was dropped are free.
  void turn() { tail_ = entries_.empty() ? head_ : entries_.front().position; }

 private:
  std::uint64_t capacity_ = 0, reserve_ = 0;
  std::uint64_t head_ = 0, tail_ = 0;  ///< Positions: those between are in use, or were in this turn.
  std::deque<Entry> entries_;
};

}  // namespace matcha::runtime::stream
