#include "runtime/graph/detail/matrix_names.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace matcha::runtime::detail {

namespace {

template <typename Number>
bool read_whole(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, number);
  return !text.empty() && read.ec == std::errc() && read.ptr == end;
}

/// Removes the text up to the next blank from `rest`.
std::string_view next_word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

bool has_control_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F; });
}

}  // namespace

std::int64_t MatrixNames::cell(std::int64_t row, IdKind run, NameTable& names) const {
  if (kind == IdKind::Int) return number(row);
  const std::size_t at = static_cast<std::size_t>(row - 1);
  if (kind == IdKind::Text) return names.intern(texts[at]);
  if (run == IdKind::Unsigned) return ids[at];
  return names.intern(std::to_string(static_cast<std::uint64_t>(flip_id(static_cast<std::uint64_t>(ids[at])))));
}

Error MatrixNamesReader::bad(std::uint64_t line, const std::string& what) const {
  return input_error(path_, line, "in the table of names in the comments: " + what,
                     "delete the line `" + std::string(kMatrixNames) + "…` to read the numbers as they are");
}

Status MatrixNamesReader::begin(std::string_view rest, std::uint64_t line) {
  if (has_begun_) return bad(line, "it begins a second time");
  has_begun_ = true;
  begin_line_ = line;
  const std::string_view version = next_word(rest), kind = next_word(rest);
  if (version != kMatrixNamesVersion) {
    return bad(line, "version " + quote(version) + " is not known, but " + std::string(kMatrixNamesVersion));
  }
  if (kind == "text") {
    names_.kind = IdKind::Text;
  } else if (kind == "uint64") {
    names_.kind = IdKind::Unsigned;
  } else if (kind != "int") {
    return bad(line, "expected `int`, `uint64` or `text`, found " + quote(kind));
  }
  const bool fits = rest.empty() || (kind == "int" && read_whole(rest, names_.first_id));
  return fits ? Status(Done{}) : bad(line, "expected the id of the first row, found " + quote(rest));
}

Status MatrixNamesReader::add_id(std::string_view text, std::uint64_t line) {
  bool is_good = true, ascends = true;
  if (names_.kind == IdKind::Text) {
    is_good = !text.empty() && !has_control_characters(text);
    ascends = names_.texts.empty() || names_.texts.back() < text;
    names_.texts.emplace_back(text);
  } else {
    std::int64_t id = 0;
    std::uint64_t number = 0;
    is_good = names_.kind == IdKind::Int ? read_whole(text, id) : read_whole(text, number);
    if (names_.kind == IdKind::Unsigned) id = flip_id(number);
    ascends = names_.ids.empty() || names_.ids.back() < id;
    names_.ids.push_back(id);
  }
  if (!is_good) return bad(line, quote(text) + " is no id");
  return ascends ? Status(Done{}) : bad(line, "the id " + quote(text) + " is not above the one before it");
}

Status MatrixNamesReader::take(std::string_view line, std::uint64_t number) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.starts_with(kMatrixNames)) return begin(line.substr(kMatrixNames.size()), number);
  if (!has_begun_ || !line.starts_with("% ")) return Done{};
  std::string_view rest = line.substr(2);
  const std::string_view what = next_word(rest);
  if (what != "id" && what != "label" && what != "edge-label") return Done{};
  const std::string_view key = next_word(rest);
  if (what == "edge-label") {
    std::int64_t value = 0;
    if (!read_whole(key, value)) return bad(number, "expected a value, found " + quote(key));
    const bool is_new = names_.edge_labels.emplace(value, rest).second && !has_control_characters(rest);
    return is_new ? Status(Done{}) : bad(number, quote(rest) + " is no label of the value " + quote(key));
  }
  std::uint64_t row = 0;
  if (!read_whole(key, row) || row == 0) return bad(number, "expected a row, from 1, found " + quote(key));
  if (what == "id") {
    if (row == std::max(names_.ids.size(), names_.texts.size()) + 1) return add_id(rest, number);
    return bad(number, "row " + std::to_string(row) + " does not follow on the one before it");
  }
  if (!names_.labelled_rows.empty() && names_.labelled_rows.back() >= row) {
    return bad(number, "row " + std::to_string(row) + " is not above the one before it");
  }
  const std::optional<LineError> error = labels_.read(rest);
  if (error) return bad(number, error->message);
  names_.labelled_rows.push_back(row);
  names_.label_lines.push_back(number);
  return Done{};
}

Result<std::optional<MatrixNames>> MatrixNamesReader::finish(std::uint64_t size) {
  if (!has_begun_) return std::optional<MatrixNames>();
  const std::uint64_t ids = std::max(names_.ids.size(), names_.texts.size());
  const bool needs_ids = names_.kind != IdKind::Int && size != 0;
  if ((ids != 0 || needs_ids) && ids != size) {
    return bad(begin_line_, "it has " + std::to_string(ids) + " ids, and the matrix " + std::to_string(size) + " rows");
  }
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (size != 0 && names_.first_id > 0 && static_cast<std::uint64_t>(most - names_.first_id) < size - 1) {
    return bad(begin_line_, "the id of the last row is beyond 64 bits");
  }
  if (!names_.labelled_rows.empty() && names_.labelled_rows.back() > size) {
    return bad(names_.label_lines.back(), "the matrix has no row " + std::to_string(names_.labelled_rows.back()));
  }
  return std::optional<MatrixNames>(std::move(names_));
}

}  // namespace matcha::runtime::detail
