#include "runtime/graph/detail/label_cells.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "runtime/graph/column_names.h"
#include "runtime/graph/detail/line_pipeline.h"
#include "runtime/graph/label_form.h"
#include "runtime/graph/labels.h"

namespace matcha::runtime {

bool is_number_like(std::string_view cell) {
  const std::size_t sign = cell.starts_with('-') ? 1 : 0;
  if (cell.size() <= sign || (cell[sign] != '.' && (cell[sign] < '0' || cell[sign] > '9'))) return false;
  double ignored = 0;
  return std::from_chars(cell.data(), cell.data() + cell.size(), ignored).ptr == cell.data() + cell.size();
}

}  // namespace matcha::runtime

namespace matcha::runtime::detail {

namespace {

struct LabelChunk {
  unsigned columns = 0;  ///< Columns of each line, 1 or 2; 0: unknown before the first label.
  std::vector<std::int64_t> ids;
  LabelCells cells;
  std::vector<std::uint32_t> at_line;
  std::uint64_t lines = 0;
  std::uint64_t first_line = 0;
  std::optional<LineError> error;

  std::uint64_t bytes() const { return ids.capacity() * 8 + cells.bytes() + at_line.capacity() * 12; }
};

std::optional<LineError> read_label_line(const char*& p, LabelChunk& chunk, LabelReader& reader) {
  unsigned columns = 0;
  for (const char* at = p; *at != '\n'; at = skip_separator(skip_token(at))) ++columns;
  if (columns > 2) {
    return LineError{0, "the line has " + std::to_string(columns) + " columns", "a label, or an id and a label"};
  }
  if (chunk.columns != 0 && columns != chunk.columns) {
    return LineError{
        0, "the line has " + std::to_string(columns) + " columns, those before have " + std::to_string(chunk.columns),
        "either every line is a label, or every line is an id and a label"};
  }
  chunk.columns = columns;
  if (columns == 2) {
    std::int64_t id = 0;
    const NumberState state = parse_int(p, id);
    if (state != NumberState::Ok) return bad_number(p, "a vertex id", state);
    chunk.ids.push_back(id);
    p = skip_separator(p);
  }
  chunk.at_line.push_back(static_cast<std::uint32_t>(chunk.lines));
  return reader.read(p);
}

void parse_label_chunk(const LineChunk& lines, LabelChunk& chunk) {
  LabelReader reader(chunk.cells);
  for_each_line(lines, chunk, [&](const char*, const char*& p) {
    if (!starts_comment(p)) chunk.error = read_label_line(p, chunk, reader);
  });
}

}  // namespace

std::uint64_t LabelCells::bytes() const {
  std::uint64_t total = values.capacity() * sizeof(std::int64_t) + is_word.capacity() / 8;
  for (const std::string& word : words) total += sizeof(std::string) + word.size();
  return total;
}

std::optional<LineError> LabelReader::read(const char*& p) {
  const std::string_view token = token_at(p);
  if (token.empty()) return bad_number(p, "a label", NumberState::NotANumber);
  std::optional<LineError> error = read(token);
  if (!error) p += token.size();
  return error;
}

std::optional<LineError> LabelReader::read(std::string_view cell) {
  if (const std::optional<std::int64_t> number = label_number(cell); number) {
    if (*number == kNoLabel) return LineError{0, "label " + quote(cell) + " is reserved", "use any other number"};
    cells_.values.push_back(*number);
    if (!cells_.is_word.empty()) cells_.is_word.push_back(false);
    return std::nullopt;
  }
  if (cell.find_first_not_of("0123456789", cell.starts_with('-') ? 1 : 0) == std::string_view::npos &&
      cell.find_first_of("0123456789") != std::string_view::npos) {
    return bad_number((std::string(cell) + "\n").data(), "a label", NumberState::TooLarge);
  }
  if (is_number_like(cell)) return LineError{0, "expected an integer or a word as label, found " + quote(cell), ""};
  if (cell.empty()) {
    return LineError{0, "expected a label, the column is empty", "each edge has one; a word such as `none` is a label"};
  }
  if (has_control_bytes(cell)) return LineError{0, "expected a label, found " + quote(cell), ""};
  const auto [entry, fresh] = positions_.try_emplace(std::string(cell), static_cast<std::int64_t>(cells_.words.size()));
  if (fresh) cells_.words.emplace_back(cell);
  cells_.is_word.resize(cells_.values.size(), false);
  cells_.values.push_back(entry->second);
  cells_.is_word.push_back(true);
  return std::nullopt;
}

bool RawLabels::lacks_some() const {
  return std::find(cells.values.begin(), cells.values.end(), kNoLabel) != cells.values.end();
}

void LabelReader::skip() {
  cells_.values.push_back(kNoLabel);
  if (!cells_.is_word.empty()) cells_.is_word.push_back(false);
}

void append_labels(LabelCells& to, LabelCells&& from, std::unordered_map<std::string, std::int64_t>& positions) {
  std::vector<std::int64_t> moved(from.words.size());
  for (std::size_t word = 0; word < from.words.size(); ++word) {
    const auto [entry, fresh] = positions.try_emplace(from.words[word], static_cast<std::int64_t>(to.words.size()));
    if (fresh) to.words.push_back(std::move(from.words[word]));
    moved[word] = entry->second;
  }
  if (!to.is_word.empty() || !from.is_word.empty()) to.is_word.resize(to.values.size(), false);
  for (std::size_t at = 0; at < from.values.size(); ++at) {
    const bool word = !from.is_word.empty() && from.is_word[at];
    to.values.push_back(word ? moved[static_cast<std::size_t>(from.values[at])] : from.values[at]);
    if (!to.words.empty()) {
      to.is_word.resize(to.values.size() - 1, false);
      to.is_word.push_back(word);
    }
  }
}

namespace {

/// The number of columns of the first line with a label; 0 if none has one.
unsigned columns_of_labels(const std::vector<std::string_view>& lines) {
  for (const std::string_view line : lines) {
    const std::string text = std::string(line) + "\n";
    const char* const begin = skip_blanks(text.data());
    if (*begin == '\n' || starts_comment(begin)) continue;
    unsigned columns = 0;
    for (const char* at = begin; *at != '\n'; at = skip_separator(skip_token(at))) ++columns;
    return columns;
  }
  return 0;
}

/// True if the first line names columns: `id label`.
bool is_label_heading(std::string_view line) {
  const std::string text = std::string(line) + "\n";
  const char* const first = skip_blanks(text.data());
  const char* const second = skip_separator(skip_token(first));
  if (*second == '\n') return false;
  const std::string_view id = token_at(first);
  return id_likeness(id) != 0 || (lower_case(id).ends_with("id") && is_usual_name(token_at(second), ColumnRole::Label));
}

/// True for a line of at most two columns, with any separator.
bool is_plain_label_line(std::string_view line) {
  const std::string text = std::string(line) + "\n";
  unsigned columns = 0;
  for (const char* at = skip_blanks(text.data()); *at != '\n'; at = skip_separator(skip_token(at))) ++columns;
  const bool is_table = line.find('\t') != std::string_view::npos || line.find(',') != std::string_view::npos;
  return line.find('"') == std::string_view::npos && (columns <= 2 || !is_table);
}

}  // namespace

Status check_label_columns(const LineSource& source, const std::vector<std::vector<std::string>>& lines, IdKind kind) {
  constexpr std::size_t kPair = 2;
  const auto is_pair = [](const std::vector<std::string>& cells) { return cells.size() == kPair; };
  if (lines.empty() || !std::all_of(lines.begin(), lines.end(), is_pair)) return Done{};
  const auto is_turned = [](const std::vector<std::string>& cells) {
    return !is_meant_as_number(cells[0]) && is_meant_as_number(cells[1]);
  };
  const std::size_t first = is_turned(lines[0]) ? 0 : 1;
  const bool is_below = kind == IdKind::Int && lines.size() > first && !is_meant_as_number(lines[0][0]) &&
                        std::all_of(lines.begin() + static_cast<std::ptrdiff_t>(first), lines.end(), is_turned);
  constexpr std::array<std::string_view, 7> kOfVertices{"class",  "category", "group",    "color",
                                                        "colour", "role",     "community"};
  const bool is_label = is_usual_name(lines[0][0], ColumnRole::Label) ||
                        std::find(kOfVertices.begin(), kOfVertices.end(), lower_case(lines[0][0])) != kOfVertices.end();
  const bool is_id =
      lower_case(lines[0][1]) == "id" && !is_meant_as_number(lines[0][0]) && id_likeness(lines[0][0]) == 0;
  const bool is_heading = is_id || (is_label && is_usual_name(lines[0][1], ColumnRole::Id));
  if (!is_heading && !is_below) return Done{};
  const std::string columns = is_heading ? " --id " + lines[0][1] + " --label " + lines[0][0] : " --id 1 --label 0";
  return input_error(source.path(), source.first_line(), "a labels file has the id first, and then the label",
                     "of other tables the columns are named: --vertices " + source.path() + columns);
}

Result<std::optional<RawLabels>> read_plain_labels(LineSource& source, const IoOptions& options, Budget& budget) {
  constexpr std::size_t kLookedAt = 100;
  std::vector<std::string_view> first = MATCHA_TRY(source.peek(kLookedAt));
  if (!std::all_of(first.begin(), first.end(), is_plain_label_line) ||
      (!first.empty() && is_label_heading(first.front()))) {
    return std::optional<RawLabels>();
  }
  const std::string& path = source.path();
  const unsigned expected = columns_of_labels(first);
  const auto parse = [expected](const LineChunk& lines, LabelChunk& chunk) {
    chunk.columns = expected;
    parse_label_chunk(lines, chunk);
  };
  std::vector<LabelChunk> chunks = MATCHA_TRY(parse_lines<LabelChunk>(source, options, budget, parse));
  RawLabels labels;
  labels.path = path;
  unsigned columns = 0;
  std::unordered_map<std::string, std::int64_t> positions;
  for (LabelChunk& chunk : chunks) {
    if (chunk.columns != 0 && columns != 0 && chunk.columns != columns) {
      return input_error(
          path, chunk.first_line + chunk.at_line.front(),
          "the line has " + std::to_string(chunk.columns) + " columns, those before have " + std::to_string(columns),
          "either every line is a label, or every line is an id and a label");
    }
    if (chunk.columns != 0) columns = chunk.columns;
    for (const std::uint32_t line : chunk.at_line) labels.lines.push_back(chunk.first_line + line);
    labels.ids.insert(labels.ids.end(), chunk.ids.begin(), chunk.ids.end());
    append_labels(labels.cells, std::move(chunk.cells), positions);
  }
  labels.by_order = columns != 2;
  return std::optional<RawLabels>(std::move(labels));
}

}  // namespace matcha::runtime::detail
