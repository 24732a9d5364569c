#include "runtime/graph/detail/tokens.h"

#include <cstring>

namespace matcha::runtime::detail {

LineError bad_number(const char* token, std::string_view what, NumberState state) {
  const std::string_view text = token_at(token);
  LineError error;
  if (text.empty()) {
    const bool line_ends = *skip_blanks(token) == '\n';
    error.message = "expected " + std::string(what) + ", " + (line_ends ? "the line ends" : "the column is empty");
    return error;
  }
  if (state == NumberState::TooLarge) {
    error.message = quote(text) + " does not fit in 64 bits";
    error.hint = "numbers lie between -9223372036854775808 and 9223372036854775807";
    return error;
  }
  error.message = "expected " + std::string(what) + ", found " + quote(text);
  if (text == "+" || text == "-" || text == "-v" || text == "-e" || text == "+v" || text == "+e") {
    error.hint = "this looks like a stream of updates; load the graph it starts from";
  } else if (std::strchr("tve", text.front()) != nullptr && text.size() == 1) {
    error.hint = "a `t/v/e` file starts with such a line";
  } else if ((text.front() >= 'a' && text.front() <= 'z') || (text.front() >= 'A' && text.front() <= 'Z') ||
             text.front() == '"') {
    error.hint = "the first ids of the file are integers; `--ids text` takes all of them as text";
  } else if (what == kIdWords && is_meant_as_number(text)) {
    error.hint = "ids are whole numbers; `--ids text` takes all of them as text";
  }
  return error;
}

std::string_view without_zero_fraction(std::string_view token) {
  const std::size_t point = token.find('.');
  const bool fits = point != std::string_view::npos && point != 0 && token[point - 1] != '-' &&
                    token.find_first_not_of('0', point + 1) == std::string_view::npos;
  return fits ? token.substr(0, point) : token;
}

bool is_meant_as_number(std::string_view cell) {
  if (cell.starts_with('+') || cell.starts_with('-')) cell.remove_prefix(1);
  if (cell.empty() || (cell.front() != '.' && (cell.front() < '0' || cell.front() > '9'))) return false;
  // `0,5` is a number too: spreadsheets write decimal commas.
  std::string number(cell);
  if (const std::size_t comma = number.find(','); comma != std::string::npos) number[comma] = '.';
  double ignored = 0;
  const std::from_chars_result read = std::from_chars(number.data(), number.data() + number.size(), ignored);
  return read.ptr == number.data() + number.size();
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

bool has_lone_return(const char* begin, const char* newline) {
  if (begin == newline) return false;
  const char* const found =
      static_cast<const char*>(std::memchr(begin, '\r', static_cast<std::size_t>(newline - begin)));
  return found != nullptr && found != newline - 1;
}

LineError lone_return() {
  return LineError{0, "carriage return inside a line",
                   "end lines with a line feed, with or without a return before it"};
}

}  // namespace matcha::runtime::detail
