#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace matcha::session::stream {

/// Walks the cells of a line of updates.
class CellWalk {
 public:
  /// `separator`: the character between cells, which may have blanks around them; 0: blanks, tabs and commas, any
  /// number of them.
  CellWalk(std::string_view line, char separator);

  /// The next cell, without its quotes; false: there is none. The text lives until the next call.
  bool next(std::string_view& cell);
  /// The cell is not a part of the line: quotes in it were written twice.
  bool is_copy() const { return is_copy_; }

 private:
  bool is_between(char c) const;
  /// The cell that begins with the quote at `at_`; false: its quotes are none.
  bool read_quoted(std::string_view& cell);

  std::string_view line_;
  char separator_;
  std::size_t at_ = 0;
  bool is_last_ = false;
  bool is_copy_ = false;
  std::string unquoted_;
};

/// All cells of a line.
std::vector<std::string> cells_of(std::string_view line, char separator);

}  // namespace matcha::session::stream
