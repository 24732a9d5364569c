#include "incremental/update_cells.h"

namespace matcha::session::stream {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

}  // namespace

CellWalk::CellWalk(std::string_view line, char separator, bool keeps_end)
    : line_(line), separator_(separator), keeps_end_(keeps_end && separator != 0) {
  if (separator_ == 0) return;
  // A separator at the end has no cell after it.
  while (!line_.empty() && (line_.back() == separator_ ? !keeps_end : is_blank(line_.back()))) line_.remove_suffix(1);
}

bool CellWalk::is_between(char c) const { return separator_ == 0 ? is_blank(c) || c == ',' : c == separator_; }

bool CellWalk::next(std::string_view& cell) {
  is_copy_ = false;
  while (at_ < line_.size() &&
         (separator_ == 0 ? is_between(line_[at_]) : is_blank(line_[at_]) && line_[at_] != separator_)) {
    ++at_;
  }
  if (at_ == line_.size() && keeps_end_ && !is_last_ && !line_.empty()) {
    is_last_ = true;
    cell = {};
    return true;
  }
  if (at_ == line_.size() || is_last_) return false;
  if (line_[at_] == '"' && read_quoted(cell)) return true;
  const std::size_t begin = at_;
  while (at_ < line_.size() && !is_between(line_[at_])) ++at_;
  std::size_t end = at_;
  if (separator_ != 0) {
    while (end != begin && is_blank(line_[end - 1])) --end;
    is_last_ = at_ == line_.size();
    if (!is_last_) ++at_;
  }
  cell = line_.substr(begin, end - begin);
  return true;
}

bool CellWalk::read_quoted(std::string_view& cell) {
  unquoted_.clear();
  std::size_t begin = at_ + 1, end = line_.find('"', begin);
  while (end != std::string_view::npos && end + 1 < line_.size() && line_[end + 1] == '"') {
    unquoted_.append(line_.substr(begin, end + 1 - begin));
    begin = end + 2;
    end = line_.find('"', begin);
  }
  if (end == std::string_view::npos) {
    fault_ = "a quoted cell does not end in its line\n  hint: a quote inside of one is written twice";
    return false;
  }
  std::size_t after = end + 1;
  while (separator_ != 0 && after < line_.size() && is_blank(line_[after]) && line_[after] != separator_) ++after;
  if (after < line_.size() && !is_between(line_[after])) {
    // A literal of N-Triples, such as "text"@en, may stand between blanks.
    if (separator_ != 0)
      fault_ = "a quoted cell is followed by text\n  hint: a quote inside of a quoted cell is written twice";
    return false;
  }
  is_copy_ = !unquoted_.empty();
  cell = is_copy_ ? unquoted_.append(line_.substr(begin, end - begin)) : line_.substr(begin, end - begin);
  is_last_ = separator_ != 0 && after == line_.size();
  at_ = after + (separator_ != 0 && !is_last_ ? 1 : 0);
  return true;
}

}  // namespace matcha::session::stream
