#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/inputs.h"

/// Which columns of lines `u v t` have the ends and the time of an edge.
namespace matcha::session::stream {

/// What the user says of them.
struct ColumnWish {
  std::array<runtime::ColumnRef, 3> columns{};  ///< Source, target, time; not said: as the heading says, or 0, 1 and 2.
  /// Names that no heading has are an error; else they are of another file.
  bool is_strict = true;
};

struct TimedColumns {
  static constexpr std::size_t kSource = 0, kTarget = 1, kTime = 2;
  std::array<unsigned, 3> index{0, 1, 2};
  char separator = 0;        ///< As that of CellWalk.
  unsigned count = 0;        ///< Cells of each line; 0: as many as are needed, or more.
  bool has_heading = false;  ///< Below one no line is a comment.
};

/// Looks at the first line that is no comment, below the last one, which may be a heading behind `#`. `is_heading`: it
/// is one and no update. On false, `error` has the fault, with a hint.
bool choose_columns(std::string_view line, std::string_view comment, const ColumnWish& wish, TimedColumns& columns,
                    bool& is_heading, std::string& error);

}  // namespace matcha::session::stream
