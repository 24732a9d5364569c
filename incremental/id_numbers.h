#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace matcha::session::stream {

/// Numbers 0, 1, … of vertex ids, in the order of their arrival. Small ids are indexes of an array; others are in a
/// hash table.
class IdNumbers {
 public:
  /// The number of an id; empty: it is unknown.
  std::optional<std::uint32_t> find(std::int64_t id) const {
    std::uint32_t number = kNone;
    if (static_cast<std::uint64_t>(id) < direct_.size()) {
      number = direct_[static_cast<std::size_t>(id)];
    } else if (!slots_.empty()) {
      number = slots_[slot_of(id)];
    }
    return number == kNone ? std::nullopt : std::optional(number);
  }
  /// Adds an id that is unknown; its number is the number of ids before.
  void add(std::int64_t id);
  std::int64_t id(std::uint32_t number) const { return ids_[number]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(ids_.size()); }
  /// Prefetches what `find` reads.
  void fetch(std::int64_t id) const {
    if (static_cast<std::uint64_t>(id) < direct_.size()) {
      __builtin_prefetch(&direct_[static_cast<std::size_t>(id)]);
    } else if (!slots_.empty()) {
      __builtin_prefetch(&slots_[first_slot(id)]);
    }
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::size_t first_slot(std::int64_t id) const {
    return static_cast<std::size_t>((static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15ULL) >> shift_);
  }
  /// The slot of an id, or the empty one where it belongs.
  std::size_t slot_of(std::int64_t id) const;
  void grow_direct(std::uint64_t size);
  void rehash(unsigned bits);

  std::vector<std::int64_t> ids_;      ///< By number.
  std::vector<std::uint32_t> direct_;  ///< By id.
  std::vector<std::uint32_t> slots_;   ///< The other ids; at most half used. The size is a power of two, or 0.
  unsigned shift_ = 64;
  std::size_t hashed_ = 0;
};

}  // namespace matcha::session::stream
