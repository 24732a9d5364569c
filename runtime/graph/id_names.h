#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/graph/buffer.h"

namespace matcha::runtime {

/// The type of the vertex ids in the files of a run.
enum class IdKind : std::uint8_t {
  Int,       ///< int64.
  Unsigned,  ///< uint64, at least one of them above the int64 range; ascending.
  Text,      ///< Bytes, in ascending byte order.
};

/// The ids of a run that are not int64. Programs see the place of an id among them, from 0; answers have the id.
/// Immutable.
class IdNames {
 public:
  /// Requires: strictly ascending.
  static IdNames unsigned_ids(Buffer<std::uint64_t> ids);
  /// `ends[i]` is where id i ends in `text`. Requires: ends ascend up to the length of the text, ids strictly.
  static IdNames text_ids(Buffer<std::uint64_t> ends, Buffer<char> text);

  IdKind kind() const { return kind_; }
  std::uint64_t size() const { return numbers_.size(); }
  /// Appends the id at `place`. Requires: place < size().
  void append(std::string& out, std::uint64_t place) const;
  std::string name(std::uint64_t place) const;
  /// Requires: the kind is Text.
  std::string_view text(std::uint64_t place) const;
  /// Requires: the kind is Unsigned.
  std::uint64_t number(std::uint64_t place) const { return numbers_[place]; }
  /// The place of an id, if it is present.
  std::optional<std::uint64_t> find(std::string_view id) const;
  /// The length of the longest id in bytes.
  std::uint64_t longest() const { return longest_; }
  std::uint64_t bytes() const { return numbers_.size() * sizeof(std::uint64_t) + text_.size(); }

  /// The arrays, for writing: the numbers, or the ends of the ids in the text.
  std::string_view number_bytes() const;
  std::string_view text_bytes() const { return {text_.data(), text_.size()}; }
  bool operator==(const IdNames& other) const;

 private:
  IdKind kind_ = IdKind::Text;
  Buffer<std::uint64_t> numbers_;
  Buffer<char> text_;
  std::uint64_t longest_ = 0;
};

}  // namespace matcha::runtime
