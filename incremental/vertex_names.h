#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/graph/id_names.h"

namespace matcha::session::stream {

/// The names of vertices that have text for ids. Inside they have numbers: those of the first graph in the order of
/// their names, then the others as they come. A name keeps its number when its vertex goes.
class VertexNames {
 public:
  VertexNames() = default;
  /// Requires: they are text.
  explicit VertexNames(const runtime::IdNames& first);
  VertexNames(const VertexNames&) = delete;
  VertexNames& operator=(const VertexNames&) = delete;

  std::uint64_t size() const { return names_.size(); }
  /// Of a name that nobody has heard of, the next one.
  std::int64_t number(std::string_view name);
  /// Requires: a number that was given.
  const std::string& name(std::int64_t number) const { return names_[static_cast<std::size_t>(number)]; }

  /// All of them, as text that JSON can hold whatever their bytes are; and the same again. Requires of `restore`: there
  /// are none. False: that is no such text, or a name is there twice.
  std::vector<std::string> saved() const;
  bool restore(const std::vector<std::string>& saved);

 private:
  std::deque<std::string> names_;
  std::unordered_map<std::string_view, std::int64_t> numbers_;
};

}  // namespace matcha::session::stream
