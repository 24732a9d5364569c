#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/c_family/worker/place.h"
#include "codegen/c_family/worker/text.h"

namespace matcha::codegen::worker {

/// Prints the common parts of every loop: names of its lists and items, its length, and the bounds given by a task.
class Walks {
 public:
  Walks(Text& text, const Place& place)
      : text_(text), names_(text.names), expressions_(text.expressions), out_(text.out), place_(place) {}

  /// Binds the lists of a loop to names, so that they are derived once; gives the names.
  std::vector<std::string> bind_lists(const ir::For& loop);
  /// Binds the items at `index` that the body reads, or, with a `specifier`, all of them; then the index.
  void bind_items(const ir::For& loop, const std::vector<std::string>& lists, const std::string& index,
                  std::string_view specifier = "");
  /// Binds the position and index at which `walk`, over a bit set, stands.
  void bind_position(const ir::For& s, const std::string& walk);
  /// The length of the loop's lists, which is checked to be the same.
  std::string length(const ir::For& loop, const std::vector<std::string>& lists) const;

  /// Binds `walk` to the positions of a spine loop over lists of that size.
  void begin_spine(const std::string& walk, const std::string& size);
  /// Leaves a spine loop when its task ends or was handed on; `call` is the worker's test for that.
  void leave_spine(std::string_view call, const std::string& walk, const std::string& index);

 private:
  Text& text_;
  Names& names_;
  Expressions& expressions_;
  TextWriter& out_;
  const Place& place_;
};

}  // namespace matcha::codegen::worker
