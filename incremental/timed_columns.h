#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/inputs.h"

/// The columns of lines `u v t` with the ends and the time of an edge.
namespace matcha::session::stream {

/// The user's choice of columns.
struct ColumnRequest {
  /// Source, target, time; if not given: from the heading, or 0, 1 and 2.
  std::array<runtime::ColumnRef, 3> columns{};
  /// Names missing in a heading are an error; false: they belong to another file.
  bool is_strict = true;
};

struct TimedColumns {
  static constexpr std::size_t kSource = 0, kTarget = 1, kTime = 2;
  std::array<unsigned, 3> index{0, 1, 2};
  char separator = 0;                  ///< As in CellWalk.
  unsigned count = 0;                  ///< Cells of each line; 0: at least the required ones.
  bool has_heading = false;            ///< No line below a heading is a comment.
  std::vector<std::string> heading{};  ///< The names of the columns, if they have some.
};

/// Examines the first line that is not a comment, and the last comment above it, which may be a heading after `#`.
/// `is_heading`: the line is a heading, not an update. On false, `error` has the fault, with a hint.
bool choose_columns(std::string_view line, std::string_view comment, const ColumnRequest& request,
                    TimedColumns& columns, bool& is_heading, std::string& error);

}  // namespace matcha::session::stream
