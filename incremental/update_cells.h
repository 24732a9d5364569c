#pragma once

#include <string>
#include <string_view>

namespace matcha::session::stream {

/// Iterates over the cells of a line of updates.
class CellWalk {
 public:
  /// `separator`: the character between cells, optionally surrounded by blanks; 0: any number of blanks, tabs and
  /// commas. `keeps_end`: a separator at the end has an empty cell behind it.
  CellWalk(std::string_view line, char separator, bool keeps_end = false);

  /// The next cell, without its quotes; false: there is none. The text is valid until the next call.
  bool next(std::string_view& cell);
  /// The cell is a copy, not a part of the line: it had doubled quotes.
  bool is_copy() const { return is_copy_; }
  /// Why a cell so far that begins with a quote is none that ends with one; empty: there is no such cell. In files of
  /// graphs such cells are errors.
  std::string_view fault() const { return fault_; }

 private:
  bool is_between(char c) const;
  /// Reads the cell that begins with the quote at `at_`; false: it is not a quoted cell.
  bool read_quoted(std::string_view& cell);

  std::string_view line_;
  char separator_;
  std::size_t at_ = 0;
  bool is_last_ = false;
  bool keeps_end_ = false;
  bool is_copy_ = false;
  std::string_view fault_;
  std::string unquoted_;
};

}  // namespace matcha::session::stream
