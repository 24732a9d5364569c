#include "runtime/graph/detail/rows.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

#include "runtime/graph/detail/line_pipeline.h"
#include "runtime/graph/formats/graph_sink.h"

namespace matcha::runtime::detail {

namespace {

/// Parses the lines of a chunk by a plan.
class RowParser {
 public:
  explicit RowParser(const RowPlan& plan) : plan_(plan), order_(plan.columns.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&plan](std::size_t a, std::size_t b) { return plan.columns[a].index < plan.columns[b].index; });
    is_pair_ = plan.columns.size() == 2 && is_vertex(0, 0) && is_vertex(1, 1) && plan.min_columns <= 2;
  }

  void operator()(const LineChunk& lines, RowChunk& chunk) const {
    constexpr std::uint64_t kUsualLine = 10;
    chunk.cells.resize(plan_.columns.size());
    const std::uint64_t guess = static_cast<std::uint64_t>(lines.end - lines.begin) / kUsualLine;
    for (std::size_t column = 0; column < chunk.cells.size(); ++column) {
      if (plan_.columns[column].kind != ColumnKind::Label) chunk.cells[column].reserve(guess);
    }
    LabelReader labels(chunk.labels);
    for_each_line(lines, chunk, [&](const char* line, const char*& p) {
      if (starts_comment(p)) return count_comment(chunk);
      const bool good = is_pair_ ? pair_row(p, chunk) : row(p, chunk, labels);
      if (good && (!plan_.is_even || same_columns(line, p, chunk))) ++chunk.rows;
    });
    if (chunk.error) return;
    drop_repeats(plan_, chunk);
    for (std::vector<std::int64_t>& column : chunk.cells) {
      if (column.capacity() > 2 * column.size()) column.shrink_to_fit();
    }
  }

  /// Checks that the first row of a chunk has as many columns as the rows of earlier chunks.
  std::optional<LineError> follow(const std::vector<RowChunk>& before, RowChunk& chunk) const {
    return plan_.is_even ? follow_columns(before, chunk) : std::nullopt;
  }

  Status take(RowChunk& chunk) const { return hand_over(plan_, chunk); }

 private:
  bool is_vertex(std::size_t column, unsigned index) const {
    return plan_.columns[column].index == index && plan_.columns[column].kind == ColumnKind::Vertex;
  }

  bool id(const char*& p, RowChunk& chunk, std::int64_t& out) const {
    const char* const begin = p;
    NumberState state = parse_int(p, out);
    if (state == NumberState::NotANumber) state = parse_whole(p, out);
    if (state != NumberState::Ok) {
      if (state == NumberState::TooLarge && plan_.maybe_past_int64 != nullptr && is_unsigned(token_at(p))) {
        plan_.maybe_past_int64->store(true, std::memory_order_relaxed);
      }
      chunk.error = bad_number(p, kIdWords, state);
      return false;
    }
    if (out < plan_.lowest_id || out > plan_.highest_id) {
      chunk.error = LineError{0,
                              "index `" + std::to_string(out) + "` is outside " + std::to_string(plan_.lowest_id) +
                                  "…" + std::to_string(plan_.highest_id),
                              "Matrix Market counts rows and columns from 1"};
      return false;
    }
    if (*begin == '0' && p - begin > 1) chunk.leading_zeros = true;
    return true;
  }

  /// A number such as `1.0` at `p`; moves `p` past it when Ok.
  static NumberState parse_whole(const char*& p, std::int64_t& out) {
    const std::string_view token = token_at(p), whole = without_zero_fraction(token);
    const std::from_chars_result read = std::from_chars(whole.data(), whole.data() + whole.size(), out);
    if (whole.empty() || read.ec != std::errc() || read.ptr != whole.data() + whole.size()) {
      return NumberState::NotANumber;
    }
    p += token.size();
    return NumberState::Ok;
  }

  bool pair_row(const char*& p, RowChunk& chunk) const {
    std::int64_t source = 0;
    std::int64_t target = 0;
    if (!id(p, chunk, source)) return false;
    p = skip_separator(p);
    if (!id(p, chunk, target)) return false;
    chunk.cells[0].push_back(source);
    chunk.cells[1].push_back(target);
    return true;
  }

  bool cell(const char*& p, const ColumnSpec& spec, RowChunk& chunk, std::int64_t& out) const {
    NumberState state = NumberState::Ok;
    double number = 0;
    switch (spec.kind) {
      case ColumnKind::Vertex: return id(p, chunk, out);
      case ColumnKind::Int:
        state = parse_int(p, out);
        if (state == NumberState::NotANumber) state = parse_whole(p, out);
        if (state != NumberState::Ok) chunk.error = bad_number(p, "an integer", state);
        break;
      case ColumnKind::Float:
        state = parse_float(p, number);
        if (state != NumberState::Ok) chunk.error = bad_number(p, "a number", state);
        out = std::bit_cast<std::int64_t>(number);
        break;
      case ColumnKind::Text:
      case ColumnKind::Label: break;
    }
    return state == NumberState::Ok;
  }

  bool row(const char*& p, RowChunk& chunk, LabelReader& labels) const {
    unsigned at = 0;
    for (const std::size_t column : order_) {
      const ColumnSpec& spec = plan_.columns[column];
      for (; at < spec.index; ++at) {
        if (*p == '\n') return too_short(at, spec, chunk);
        p = skip_separator(skip_token(p));
      }
      if (*p == '\n') return too_short(at, spec, chunk);
      const char* token = p;
      if (spec.kind == ColumnKind::Label) {
        chunk.error = labels.read(token);
        if (chunk.error) return false;
        continue;
      }
      std::int64_t value = 0;
      if (!cell(token, spec, chunk, value)) return false;
      chunk.cells[column].push_back(value);
    }
    for (; at < plan_.min_columns; ++at) {
      if (*p == '\n') return too_short(at, plan_.min_columns, chunk);
      p = skip_separator(skip_token(p));
    }
    return true;
  }

  /// `p` is the end of the columns that were read. A comment at the end of a line is not a column.
  bool same_columns(const char* line, const char*& p, RowChunk& chunk) const {
    unsigned columns = 2;
    if (!is_pair_) {
      columns = 0;
      p = skip_blanks(line);
    } else {
      p = skip_separator(p);
    }
    for (; *p != '\n' && !starts_comment(p); p = skip_separator(skip_token(p))) ++columns;
    if (chunk.columns == 0) {
      chunk.columns = columns;
      chunk.first_row = chunk.lines;
    }
    if (columns == chunk.columns) return true;
    chunk.error = uneven_columns(columns, chunk.columns);
    return false;
  }

  static bool too_short(unsigned found, const ColumnSpec& wanted, RowChunk& chunk) {
    chunk.error = line_too_short(found, wanted);
    return false;
  }

  static bool too_short(unsigned found, unsigned wanted, RowChunk& chunk) {
    chunk.error = line_too_short(found, {wanted - 1, ColumnKind::Vertex});
    return false;
  }

  const RowPlan& plan_;
  std::vector<std::size_t> order_;
  bool is_pair_ = false;
};

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::size_t at = line.find_first_not_of(" \t\r");
  while (at != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back(lower_case(line.substr(at, end - at)));
    at = line.find_first_not_of(" \t\r", end);
  }
  return words;
}

Status read_banner(const std::string& path, std::string_view line, MatrixHeader& header) {
  const std::vector<std::string> words = words_of(line);
  constexpr std::string_view kHint = "the first line reads `%%MatrixMarket matrix coordinate pattern symmetric`";
  if (words.size() != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix") {
    return input_error(path, 1, "expected a Matrix Market banner, found " + quote(line), std::string(kHint));
  }
  if (words[2] != "coordinate") {
    return input_error(path, 1, "the file has a dense " + quote(words[2]) + ", only `coordinate` matrices are graphs",
                       "`scipy.io.mmwrite` of a `scipy.sparse.coo_array` writes one");
  }
  if (words[3] == "pattern") {
    header.value_columns = 0;
  } else if (words[3] == "integer" || words[3] == "unsigned-integer" || words[3] == "real" || words[3] == "double") {
    header.value_columns = 1;
  } else if (words[3] == "complex") {
    header.value_columns = 2;
  } else {
    return input_error(path, 1, "unknown field " + quote(words[3]), "pattern, integer, real or complex");
  }
  if (words[4] == "general") {
    header.symmetry = MatrixHeader::Symmetry::General;
  } else if (words[4] == "symmetric" || words[4] == "hermitian") {
    header.symmetry = MatrixHeader::Symmetry::Symmetric;
  } else if (words[4] == "skew-symmetric") {
    header.symmetry = MatrixHeader::Symmetry::Skew;
  } else {
    return input_error(path, 1, "unknown symmetry " + quote(words[4]), "general, symmetric or skew-symmetric");
  }
  return Done{};
}

/// Replaces numbers that represent words by these words.
void put_words(const MatrixNames& names, LabelCells& cells) {
  std::unordered_map<std::int64_t, std::int64_t> places;
  for (std::size_t at = 0; at < cells.size(); ++at) {
    const auto word = names.edge_labels.find(cells.values[at]);
    if (word == names.edge_labels.end()) continue;
    const auto [place, is_new] = places.try_emplace(word->first, static_cast<std::int64_t>(cells.words.size()));
    if (is_new) cells.words.push_back(word->second);
    cells.is_word.resize(cells.size(), false);
    cells.values[at] = place->second;
    cells.is_word[at] = true;
  }
}

/// True if a column of numbers has some that represent words.
bool has_words(const MatrixNames& names, const ColumnSpec& column, const std::vector<std::int64_t>& cells) {
  if (names.edge_labels.empty() || column.kind == ColumnKind::Label) return false;
  return column.kind == ColumnKind::Float || std::any_of(cells.begin(), cells.end(), [&names](std::int64_t value) {
           return names.edge_labels.contains(value);
         });
}

}  // namespace

Status hand_over(const RowPlan& plan, RowChunk& chunk) {
  if (plan.maybe_take == nullptr) return Done{};
  Status taken = (*plan.maybe_take)(chunk);
  chunk.cells = {};
  // Assigning an empty table would keep the memory of its text.
  (void)std::exchange(chunk.names, NameTable());
  chunk.labels = {};
  return taken;
}

void drop_repeats(const RowPlan& plan, RowChunk& chunk) {
  constexpr std::uint64_t kSample = 256, kMostDifferent = kSample * 7 / 8, kFew = 4 * kSample;
  if (!plan.drops_repeats || plan.columns.size() != 2 || chunk.rows < kFew) return;
  using Edge = std::pair<std::int64_t, std::int64_t>;
  std::vector<std::int64_t>&sources = chunk.cells[0], &targets = chunk.cells[1];
  const auto pick = [&](std::uint64_t step) {
    std::vector<Edge> edges;
    for (std::uint64_t at = 0; at < chunk.rows; at += step) edges.emplace_back(sources[at], targets[at]);
    std::sort(edges.begin(), edges.end());
    return edges;
  };
  const auto is_repeat = [](const Edge& a, const Edge& b) { return a == b && a.first != a.second; };
  std::vector<Edge> some = pick(chunk.rows / kSample);
  some.erase(std::unique(some.begin(), some.end(), is_repeat), some.end());
  if (some.size() > kMostDifferent) return;
  std::vector<Edge> all = pick(1);
  all.erase(std::unique(all.begin(), all.end(), is_repeat), all.end());
  chunk.repeats = chunk.rows - all.size();
  chunk.rows = all.size();
  sources = targets = std::vector<std::int64_t>();
  for (const Edge& edge : all) {
    sources.push_back(edge.first);
    targets.push_back(edge.second);
  }
}

void count_comment(RowChunk& chunk) {
  ++chunk.comments;
  if (chunk.rows == 0) ++chunk.first_comments;
}

Rows rows_of(std::vector<RowChunk> chunks) {
  Rows rows;
  for (const RowChunk& chunk : chunks) {
    rows.comments += chunk.comments - (rows.count == 0 ? chunk.first_comments : 0);
    rows.count += chunk.rows;
    rows.repeats += chunk.repeats;
    rows.leading_zeros = rows.leading_zeros || chunk.leading_zeros;
  }
  rows.chunks = std::move(chunks);
  return rows;
}

LineError uneven_columns(unsigned found, unsigned expected) {
  return LineError{0,
                   "the line has " + std::to_string(found) + (found == 1 ? " column" : " columns") +
                       ", those before have " + std::to_string(expected),
                   "name the columns to read and leave the others out, such as `FILE:0,1`"};
}

std::optional<LineError> follow_columns(const std::vector<RowChunk>& before, RowChunk& chunk) {
  if (before.empty() || before.back().columns == 0) return std::nullopt;
  const unsigned expected = before.back().columns;
  if (chunk.columns == 0) chunk.columns = expected;
  if (chunk.columns == expected) return std::nullopt;
  LineError error = uneven_columns(chunk.columns, expected);
  error.line = chunk.first_row;
  return error;
}

LineError line_too_short(unsigned found, const ColumnSpec& wanted) {
  const bool is_whole = found == 1 && wanted.kind == ColumnKind::Vertex;
  return LineError{0,
                   "the line has " + std::to_string(found) + (found == 1 ? " column, " : " columns, ") +
                       std::to_string(wanted.index + 1) + " are needed",
                   wanted.kind == ColumnKind::Label ? kNoEdgeLabel
                   : is_whole                       ? "tabs, commas, `;`, `|` or blanks separate columns"
                                                    : ""};
}

void name_numbers(RowChunk& chunk, const std::vector<ColumnSpec>& columns) {
  for (std::size_t column = 0; column < chunk.cells.size(); ++column) {
    if (columns[column].kind != ColumnKind::Vertex) continue;
    for (std::int64_t& cell : chunk.cells[column]) cell = chunk.names.intern(std::to_string(cell));
  }
}

std::uint64_t RowChunk::bytes() const {
  std::uint64_t total = labels.bytes() + names.bytes();
  for (const std::vector<std::int64_t>& column : cells) total += column.size() * sizeof(std::int64_t);
  for (const CellTexts& column : texts) total += column.bytes.size() + column.ends.size() * sizeof(std::uint64_t);
  return total;
}

Result<Rows> read_rows(LineSource& source, const RowPlan& plan, const IoOptions& options, Budget& budget) {
  const RowParser parser(plan);
  std::vector<RowChunk> chunks = MATCHA_TRY(parse_lines<RowChunk>(source, options, budget, parser));
  return rows_of(std::move(chunks));
}

Result<MatrixHeader> read_matrix_header(LineSource& source) {
  MatrixHeader header;
  MatrixNamesReader names(source.path());
  bool has_banner = false;
  while (true) {
    std::optional<std::string_view> line = MATCHA_TRY(source.next_line());
    if (!line.has_value()) {
      return input_error(source.path(), source.lines_taken(), "the file ends before the size line",
                         "it reads `rows columns entries`");
    }
    const std::string_view text = *line;
    if (!has_banner) {
      MATCHA_TRY(read_banner(source.path(), text, header));
      has_banner = true;
      continue;
    }
    if (text.starts_with('%')) {
      MATCHA_TRY(names.take(text, source.lines_taken()));
      continue;
    }
    const std::vector<std::string> words = words_of(text);
    if (words.empty() || words[0].front() == '%') continue;
    std::uint64_t sizes[3] = {0, 0, 0};
    bool good = words.size() == 3;
    for (std::size_t i = 0; i < words.size() && good; ++i) {
      const char* const end = words[i].data() + words[i].size();
      const std::from_chars_result result = std::from_chars(words[i].data(), end, sizes[i]);
      good = result.ec == std::errc() && result.ptr == end;
    }
    header.size_line = source.lines_taken();
    if (!good) {
      return input_error(source.path(), header.size_line, "expected `rows columns entries`, found " + quote(text));
    }
    if (sizes[0] != sizes[1]) {
      return input_error(source.path(), header.size_line,
                         "the matrix is not square: " + words[0] + " rows, " + words[1] + " columns",
                         "a graph has a row and a column for each vertex");
    }
    header.size = sizes[0];
    header.entries = sizes[2];
    header.names = MATCHA_TRY(names.finish(header.size));
    return header;
  }
}

Result<Rows> read_matrix(LineSource& source, RowPlan plan, const IoOptions& options, Budget& budget,
                         MatrixHeader& header) {
  header = MATCHA_TRY(read_matrix_header(source));
  if (header.size > kMaxVertices)
    return check_declared(source.path(), header.size_line, header.size, 0, "rows").error();
  plan.lowest_id = 1;
  plan.highest_id = static_cast<std::int64_t>(header.size);
  plan.min_columns = std::max(plan.min_columns, 2 + header.value_columns);
  Rows rows = MATCHA_TRY(read_rows(source, plan, options, budget));
  if (rows.count != header.entries) {
    return count_error(source.path(), header.size_line, static_cast<std::int64_t>(header.entries), rows.count,
                       "entries");
  }
  const std::uint64_t named = header.names ? header.names->ids.size() + header.names->texts.size() : 0;
  MATCHA_TRY(check_declared(source.path(), header.size_line, header.size, header.entries + named, "rows"));
  return rows;
}

Status name_rows(const std::string& path, const MatrixNames& names, IdKind run, const std::vector<ColumnSpec>& columns,
                 Rows& rows) {
  for (RowChunk& chunk : rows.chunks) {
    if (!names.edge_labels.empty()) put_words(names, chunk.labels);
    for (std::size_t column = 0; column < columns.size(); ++column) {
      const bool is_end = columns[column].index < 2;
      const bool is_text_end = is_end && columns[column].kind != ColumnKind::Vertex && !names.has_numbers();
      if (is_text_end || (!is_end && has_words(names, columns[column], chunk.cells[column]))) {
        return input_error(path, 0,
                           "column " + std::to_string(columns[column].index) +
                               " is read as numbers, and the comments of the file give them names");
      }
      if (!is_end) continue;
      for (std::int64_t& cell : chunk.cells[column]) cell = names.cell(cell, run, chunk.names);
    }
  }
  return Done{};
}

}  // namespace matcha::runtime::detail
