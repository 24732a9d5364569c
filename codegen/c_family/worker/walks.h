#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/c_family/worker/place.h"
#include "codegen/c_family/worker/text.h"

namespace matcha::codegen::worker {

/// What is in front of a loop and at the start of its body, however it is walked: its lists and items by name, its
/// length, and the bounds that a task gives it.
class Walks {
 public:
  Walks(Text& text, const Place& place)
      : text_(text), names_(text.names), expressions_(text.expressions), out_(text.out), place_(place) {}

  /// Binds the lists of a loop to names, so that they are derived once; gives the names.
  std::vector<std::string> bind_lists(const ir::For& loop);
  /// Binds the items at `index` that the body reads, or with a `specifier` all; and the index.
  void bind_items(const ir::For& loop, const std::vector<std::string>& lists, const std::string& index,
                  std::string_view specifier = "");
  /// Binds the position and index at which `walk`, over a bit set, is.
  void bind_position(const ir::For& s, const std::string& walk);
  /// The length of the loop's lists, which is checked to be the same.
  std::string length(const ir::For& loop, const std::vector<std::string>& lists) const;

  /// Binds `walk` to the positions of a spine loop over lists of that size.
  void begin_spine(const std::string& walk, const std::string& size);
  /// Leaves a spine loop where the task ends or has been handed on; `call` asks the worker.
  void leave_spine(std::string_view call, const std::string& walk, const std::string& index);

 private:
  Text& text_;
  Names& names_;
  Expressions& expressions_;
  TextWriter& out_;
  const Place& place_;
};

}  // namespace matcha::codegen::worker
