#include "runtime/graph/detail/table.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <numeric>

#include "runtime/graph/detail/line_pipeline.h"
#include "runtime/graph/labels.h"

namespace matcha::runtime::detail {

namespace {

LineError bad_cell(std::string_view cell, std::string_view what, NumberState state) {
  const std::string line = std::string(cell) + "\n";
  LineError error = bad_number(line.data(), what, state);
  // A cell may contain blanks and commas.
  if (!cell.empty() && state != NumberState::TooLarge) {
    error.message = "expected " + std::string(what) + ", found " + quote(cell);
  } else if (cell.empty()) {
    error.message = "expected " + std::string(what) + ", the column is empty";
  }
  return error;
}

template <typename Number>
NumberState read_exactly(std::string_view cell, Number& out) {
  const char* const end = cell.data() + cell.size();
  const std::from_chars_result read = std::from_chars(cell.data(), end, out);
  if (read.ec == std::errc::result_out_of_range && read.ptr == end) return NumberState::TooLarge;
  return read.ec == std::errc() && read.ptr == end && !cell.empty() ? NumberState::Ok : NumberState::NotANumber;
}

/// Accepts whole numbers with a fraction of zeros.
template <typename Number>
NumberState read_number(std::string_view cell, Number& out) {
  const NumberState state = read_exactly(cell, out);
  if (!std::is_integral_v<Number> || state != NumberState::NotANumber) return state;
  return read_exactly(without_zero_fraction(cell), out);
}

/// Parses the lines of a chunk of a table.
class TableParser {
 public:
  explicit TableParser(const TablePlan& plan) : plan_(plan), order_(plan.rows.columns.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const std::vector<ColumnSpec>& columns = plan.rows.columns;
    std::stable_sort(order_.begin(), order_.end(),
                     [&columns](std::size_t a, std::size_t b) { return columns[a].index < columns[b].index; });
  }

  void operator()(const LineChunk& lines, RowChunk& chunk) const {
    constexpr std::uint64_t kUsualLine = 16;
    chunk.cells.resize(plan_.rows.columns.size());
    if (std::ranges::any_of(plan_.rows.columns, is_text)) chunk.texts.resize(plan_.rows.columns.size());
    const std::uint64_t guess = static_cast<std::uint64_t>(lines.end - lines.begin) / kUsualLine;
    for (std::size_t column = 0; column < chunk.cells.size(); ++column) {
      const ColumnKind kind = plan_.rows.columns[column].kind;
      if (kind != ColumnKind::Label && kind != ColumnKind::Text) chunk.cells[column].reserve(guess);
    }
    const bool has_quotes = std::memchr(lines.begin, '"', static_cast<std::size_t>(lines.end - lines.begin)) != nullptr;
    CellReader cells(plan_.separator, lines.end);
    LabelReader labels(chunk.labels);
    const char* p = lines.begin;
    while (p != lines.end) {
      const char* const line = p;
      const char* const first = skip_blanks(p);
      const std::uint64_t inner = cells.inner_lines();
      const bool is_comment = *first != '\n' && starts_comment(first);
      if (*first == '\n' || (is_comment && !plan_.has_heading)) {
        if (is_comment) count_comment(chunk);
        p = static_cast<const char*>(std::memchr(first, '\n', static_cast<std::size_t>(lines.end - first)));
      } else {
        if (plan_.lists_vertices) chunk.row_lines.push_back(chunk.lines);
        chunk.error = row(p, has_quotes, lines.end, cells, labels, chunk);
        if (!chunk.error && cells.inner_lines() == inner && has_lone_return(line, p)) chunk.error = lone_return();
        ++chunk.rows;
        if (chunk.error && is_comment) chunk.error->hint = "below a heading `#`, `%` and `//` begin no comment";
      }
      if (chunk.error) {
        chunk.error->line += chunk.lines;
        return;
      }
      chunk.lines += 1 + cells.inner_lines() - inner;
      ++p;
    }
    drop_repeats(plan_.rows, chunk);
    for (std::vector<std::int64_t>& column : chunk.cells) {
      if (column.capacity() > 2 * column.size()) column.shrink_to_fit();
    }
  }

  std::optional<LineError> follow(const std::vector<RowChunk>& before, RowChunk& chunk) const {
    return plan_.rows.is_even ? follow_columns(before, chunk) : std::nullopt;
  }

  Status take(RowChunk& chunk) const { return hand_over(plan_.rows, chunk); }

 private:
  static bool is_text(const ColumnSpec& column) { return column.kind == ColumnKind::Text; }

  /// Parses a row and leaves `p` at the line feed that ends it. Lines of errors count from the row's first line: an
  /// error of a cell is at the line where the cell ends, an error of the whole row at 0.
  std::optional<LineError> row(const char*& p, bool has_quotes, const char* end, CellReader& cells, LabelReader& labels,
                               RowChunk& chunk) const {
    std::string_view cell;
    std::size_t taken = 0;
    unsigned at = 0;
    const std::uint64_t inner = cells.inner_lines();
    if (plan_.separator == 0) p = skip_blanks(p);
    do {
      std::optional<LineError> error = cells.read(p, cell);
      for (; !error && taken < order_.size() && plan_.rows.columns[order_[taken]].index == at; ++taken) {
        error = store(cell, order_[taken], labels, chunk);
      }
      if (error) {
        error->line = cells.inner_lines() - inner;
        return error;
      }
      ++at;
      if (taken == order_.size() && !plan_.rows.is_even && !has_quotes) {
        p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
        return std::nullopt;
      }
    } while (cells.next(p));
    if (taken < order_.size()) return line_too_short(at, plan_.rows.columns[order_[taken]]);
    if (!plan_.rows.is_even) return std::nullopt;
    if (chunk.columns == 0) {
      chunk.columns = plan_.has_heading ? plan_.heading_columns : at;
      chunk.first_row = chunk.lines;
    }
    if (at == chunk.columns) return std::nullopt;
    LineError error = uneven_columns(at, chunk.columns);
    // R writes names of rows, and no name of their column.
    if (plan_.has_heading && at == chunk.columns + 1) {
      error.hint = "if the first column has names of rows, name the columns behind it: `FILE:1,2`";
    }
    return error;
  }

  std::optional<LineError> store(std::string_view cell, std::size_t column, LabelReader& labels,
                                 RowChunk& chunk) const {
    std::int64_t value = 0;
    switch (plan_.rows.columns[column].kind) {
      case ColumnKind::Vertex: {
        std::optional<LineError> error = id(cell, chunk, value);
        if (error) return error;
        break;
      }
      case ColumnKind::Int: {
        const NumberState state = read_number(cell, value);
        if (state != NumberState::Ok) return bad_cell(cell, "an integer", state);
        break;
      }
      case ColumnKind::Float: {
        double number = 0;
        const NumberState state = read_number(cell, number);
        if (state != NumberState::Ok) return bad_cell(cell, "a number", state);
        value = std::bit_cast<std::int64_t>(number);
        break;
      }
      case ColumnKind::Label:
        if (cell.empty() && plan_.lists_vertices) {
          labels.skip();
          return std::nullopt;
        }
        return labels.read(cell);
      case ColumnKind::Text: chunk.texts[column].add(cell); return std::nullopt;
    }
    chunk.cells[column].push_back(value);
    return std::nullopt;
  }

  std::optional<LineError> id(std::string_view cell, RowChunk& chunk, std::int64_t& value) const {
    if (plan_.ids == IdKind::Int) {
      const NumberState state = read_number(cell, value);
      if (state == NumberState::Ok) {
        if (cell[0] == '0' && cell.size() > 1) chunk.leading_zeros = true;
        return std::nullopt;
      }
      if (state == NumberState::TooLarge && plan_.rows.maybe_past_int64 != nullptr && is_unsigned(cell)) {
        plan_.rows.maybe_past_int64->store(true, std::memory_order_relaxed);
      }
      return bad_cell(cell, kIdWords, state);
    }
    if (plan_.ids == IdKind::Unsigned) {
      std::uint64_t number = 0;
      const NumberState state = read_number(cell, number);
      if (state != NumberState::Ok) {
        LineError error = bad_cell(cell, "a vertex id from 0 to 18446744073709551615", NumberState::NotANumber);
        error.hint = "other ids are beyond 9223372036854775807; `--ids text` takes all of them as text";
        return error;
      }
      value = flip_id(number);
      return std::nullopt;
    }
    if (cell.empty() || has_control_bytes(cell)) {
      LineError error = bad_cell(cell, kIdWords, NumberState::NotANumber);
      error.hint = cell.empty() ? "" : "ids have no control characters";
      return error;
    }
    value = chunk.names.intern(cell);
    return std::nullopt;
  }

  const TablePlan& plan_;
  std::vector<std::size_t> order_;
};

}  // namespace

std::optional<LineError> CellReader::read_quoted(const char*& p, std::string_view& cell) {
  unquoted_.clear();
  const char* begin = ++p;
  while (true) {
    const char* const quoted = static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(end_ - p)));
    if (quoted == nullptr) return LineError{0, "a quoted cell does not end", "a quote inside of one is written twice"};
    inner_lines_ += static_cast<std::uint64_t>(std::count(p, quoted, '\n'));
    p = quoted + 1;
    if (*p == '"') {
      unquoted_.append(begin, p);
      begin = ++p;
      continue;
    }
    if (unquoted_.empty()) {
      cell = std::string_view(begin, static_cast<std::size_t>(quoted - begin));
    } else {
      unquoted_.append(begin, quoted);
      cell = unquoted_;
    }
    break;
  }
  const char* const after = p;
  if (separator_ != 0) {
    while ((is_blank(*p)) && *p != separator_) ++p;
  } else if (*p == '\r') {
    ++p;
  }
  if (ends_cell(*p)) return std::nullopt;
  return LineError{0, "a quoted cell is followed by " + quote(token_at(after)),
                   "a quote inside of a quoted cell is written twice"};
}

std::optional<LineError> CellReader::read(const char*& p, std::string_view& cell) {
  while (is_blank(*p) && *p != separator_) ++p;
  if (*p == '"') return read_quoted(p, cell);
  const char* const begin = p;
  const char* quoted = nullptr;
  for (; !ends_cell(*p); ++p) {
    if (*p == '"') quoted = p;
  }
  const char* end = p;
  while (end != begin && is_blank(end[-1])) --end;
  cell = std::string_view(begin, static_cast<std::size_t>(end - begin));
  if (quoted == nullptr) return std::nullopt;
  return LineError{0, "a quote inside of " + quote(cell),
                   "put the whole cell in quotes, and write a quote in it twice"};
}

bool CellReader::next(const char*& p) const {
  if (separator_ == 0) {
    p = skip_blanks(p);
    return *p != '\n';
  }
  if (*p == '\n') return false;
  ++p;
  return true;
}

Result<Rows> read_planned(LineSource& source, TablePlan plan, const IoOptions& options, Budget& budget,
                          IdKind& wanted) {
  std::atomic<bool> past_int64{false};
  plan.rows.maybe_past_int64 = &past_int64;
  const auto finish = [&](Result<Rows> rows) {
    wanted = std::max(wanted, plan.ids);
    if (!rows && past_int64.load() && plan.ids == IdKind::Int) wanted = std::max(wanted, IdKind::Unsigned);
    if (rows) rows->table = plan.text;
    return rows;
  };
  if (plan.is_plain) return finish(read_rows(source, plan.rows, options, budget));
  source.pair_quotes(!plan.has_heading);
  const TableParser parser(plan);
  Result<std::vector<RowChunk>> chunks = parse_lines<RowChunk>(source, options, budget, parser);
  if (!chunks) return finish(chunks.error());
  return finish(rows_of(std::move(*chunks)));
}

Result<Rows> read_table(LineSource& source, const TableRequest& ask, const IoOptions& options, Budget& budget,
                        IdKind& wanted) {
  TablePlan plan = MATCHA_TRY(plan_table(source, ask));
  plan.rows.maybe_take = ask.maybe_take;
  plan.rows.drops_repeats = ask.drops_repeats;
  return read_planned(source, std::move(plan), options, budget, wanted);
}

}  // namespace matcha::runtime::detail
