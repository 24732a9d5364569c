#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/graph/id_names.h"

namespace matcha::session::stream {

/// Bytes in a form that JSON can hold, and back; nothing: the form is invalid.
std::string saved_bytes(std::string_view bytes);
std::optional<std::string> restored_bytes(std::string_view saved);

/// The names of vertices with text ids. Internally they have numbers: first those of the initial graph in the order of
/// their names, then the others in order of arrival. A name keeps its number when its vertex is deleted.
class VertexNames {
 public:
  VertexNames() = default;
  /// Requires: they are text.
  explicit VertexNames(const runtime::IdNames& first);
  VertexNames(const VertexNames&) = delete;
  VertexNames& operator=(const VertexNames&) = delete;

  std::uint64_t size() const { return names_.size(); }
  /// The number of a name; a new name gets the next one.
  std::int64_t number(std::string_view name);
  /// Requires: a valid number.
  const std::string& name(std::int64_t number) const { return names_[static_cast<std::size_t>(number)]; }

  /// All names, in a form that JSON can hold for any bytes; `restore` reads it. Requires of `restore`: there are no
  /// names. False: the form is invalid, or a name is repeated.
  std::vector<std::string> saved() const;
  bool restore(const std::vector<std::string>& saved);

 private:
  std::deque<std::string> names_;
  std::unordered_map<std::string_view, std::int64_t> numbers_;
};

}  // namespace matcha::session::stream
