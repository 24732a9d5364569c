#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

/// The encoding of FlatBuffers, as far as the metadata of Arrow files need it.
namespace matcha::session {

/// Builds a buffer from its end to its beginning: a target comes before the offsets that point to it. Positions count
/// from the end of the buffer.
class FlatBuilder {
 public:
  using Position = std::uint32_t;

  Position string(std::string_view text) {
    align(sizeof(std::uint32_t), text.size() + 1);
    prepend("\0", 1);
    prepend(text.data(), text.size());
    return put(static_cast<std::uint32_t>(text.size()));
  }

  /// A vector of structs, `count` of them in `items`, aligned to 8.
  Position structs(std::string_view items, std::size_t count) {
    align(sizeof(std::uint32_t), items.size());
    align(sizeof(std::uint64_t), items.size());
    prepend(items.data(), items.size());
    return put(static_cast<std::uint32_t>(count));
  }

  Position offsets(const std::vector<Position>& items) {
    align(sizeof(std::uint32_t), items.size() * sizeof(std::uint32_t));
    for (std::size_t at = items.size(); at-- > 0;) put_offset(items[at]);
    return put(static_cast<std::uint32_t>(items.size()));
  }

  void begin_table() {
    fields_.clear();
    table_end_ = size();
  }
  template <typename T>
  void field(std::size_t slot, T value) {
    remember(slot, put(value));
  }
  void field_at(std::size_t slot, Position target) { remember(slot, put_offset(target)); }
  Position end_table() {
    const Position table = put(std::int32_t{0});
    std::vector<std::uint16_t> entries(fields_.size(), 0);
    for (std::size_t slot = 0; slot < fields_.size(); ++slot) {
      if (fields_[slot] != 0) entries[slot] = static_cast<std::uint16_t>(table - fields_[slot]);
    }
    for (std::size_t slot = entries.size(); slot-- > 0;) put(entries[slot]);
    put(static_cast<std::uint16_t>(table - table_end_));
    const Position vtable = put(static_cast<std::uint16_t>(4 + 2 * entries.size()));
    const std::int32_t back = static_cast<std::int32_t>(vtable - table);
    std::memcpy(bytes_.data() + (bytes_.size() - table), &back, sizeof(back));
    return table;
  }

  /// The buffer, whose root is a table; its length is a multiple of 8.
  std::string finish(Position root) {
    align(sizeof(std::uint64_t), sizeof(std::uint32_t));
    put_offset(root);
    return bytes_;
  }

 private:
  Position size() const { return static_cast<Position>(bytes_.size()); }

  void prepend(const void* data, std::size_t count) { bytes_.insert(0, static_cast<const char*>(data), count); }

  /// Pads so that after `more` bytes the position is a multiple of `to`.
  void align(std::size_t to, std::size_t more) { bytes_.insert(0, (to - (size() + more) % to) % to, '\0'); }

  template <typename T>
  Position put(T value) {
    align(sizeof(T), sizeof(T));
    prepend(&value, sizeof(T));
    return size();
  }

  Position put_offset(Position target) {
    align(sizeof(std::uint32_t), sizeof(std::uint32_t));
    return put(static_cast<std::uint32_t>(size() + sizeof(std::uint32_t) - target));
  }

  void remember(std::size_t slot, Position position) {
    if (fields_.size() <= slot) fields_.resize(slot + 1, 0);
    fields_[slot] = position;
  }

  std::string bytes_;
  std::vector<Position> fields_;  ///< The fields of the current table, by slot; 0: absent.
  Position table_end_ = 0;
};

}  // namespace matcha::session
