#include <algorithm>
#include <array>
#include <set>

#include "runtime/graph/detail/table.h"

/// What the first lines of a table say.
namespace matcha::runtime::detail {

namespace {

/// So many lines show whether a table is plain.
constexpr std::size_t kLookedAt = 100;

using Cells = std::vector<std::string>;

/// Spellings of names of columns that have ids.
constexpr std::array<std::string_view, 16> kIdNames = {"source", "target", "src",     "dst",   "dest",   "destination",
                                                       "from",   "to",     "node",    "nodes", "vertex", "node1",
                                                       "node2",  "name",   "subject", "object"};

bool is_usual_name(const std::string& cell) {
  const std::string word = lower_case(cell);
  return word.ends_with("id") || word.ends_with("id1") || word.ends_with("id2") ||
         std::find(kIdNames.begin(), kIdNames.end(), word) != kIdNames.end();
}

/// Something that is meant as a number, also one that no column may have.
bool is_meant_as_number(std::string_view cell) {
  if (cell.starts_with('+') || cell.starts_with('-')) cell.remove_prefix(1);
  if (cell.empty() || (cell.front() != '.' && (cell.front() < '0' || cell.front() > '9'))) return false;
  double ignored = 0;
  const std::from_chars_result read = std::from_chars(cell.data(), cell.data() + cell.size(), ignored);
  return read.ptr == cell.data() + cell.size();
}

/// A mark of a stream of updates.
bool is_update(std::string_view cell) {
  return cell == "+" || cell == "-" || cell == "+e" || cell == "-e" || cell == "+v" || cell == "-v";
}

/// The cells of one line, as far as it can be read alone.
Cells cells_of(std::string_view line, char separator) {
  const std::string text = std::string(line) + "\n";
  CellReader reader(separator, text.data() + text.size());
  Cells cells;
  const char* p = text.data();
  if (separator == 0) p = skip_blanks(p);
  std::string_view cell;
  do {
    if (reader.read(p, cell)) {
      cells.emplace_back("\"");
      return cells;
    }
    cells.emplace_back(cell);
  } while (reader.next(p));
  return cells;
}

/// The first of these that is outside of quotes; 0: blanks.
char separator_of(std::string_view line) {
  for (const char separator : {'\t', ',', ';', '|'}) {
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (c == separator && !quoted) return separator;
    }
  }
  return 0;
}

/// The same of a line `id label`: between blanks the label may be several types, with `;` between them.
char separator_of_labels(std::string_view line) {
  const char separator = separator_of(line);
  const Cells cells = cells_of(line, 0);
  const bool has_types = separator == ';' && cells.size() == 2 && cells[0].find(';') == std::string::npos;
  return has_types ? 0 : separator;
}

/// The cells of a line between blanks and commas, as numbers are read fastest.
std::vector<std::string> tokens_of(std::string_view line) {
  const std::string text = std::string(line) + "\n";
  std::vector<std::string> tokens;
  for (const char* p = skip_blanks(text.data()); *p != '\n' && !starts_comment(p); p = skip_separator(skip_token(p))) {
    tokens.emplace_back(token_at(p));
  }
  return tokens;
}

template <typename Lines>
bool is_even(const Lines& lines) {
  return std::all_of(lines.begin(), lines.end(), [&](const auto& line) { return line.size() == lines[0].size(); });
}

std::string name_of(char separator) {
  switch (separator) {
    case '\t': return "tsv";
    case ',': return "csv";
    case ';': return "csv with `;`";
    case '|': return "csv with `|`";
    default: return "columns";
  }
}

class Head {
 public:
  Head(LineSource& source, const TableAsk& ask) : source_(source), ask_(ask) {}

  Result<TablePlan> plan() {
    Result<std::vector<std::string_view>> lines = source_.peek(kLookedAt);
    if (!lines) return lines.error();
    plan_.rows.columns = ask_.columns;
    plan_.lists_vertices = ask_.lists_vertices;
    plan_.rows.is_even = !ask_.is_named;
    plan_.ids = ask_.options.text_ids ? IdKind::Text : ask_.ids;
    if (lines->empty()) return empty();
    take_lines(*lines);
    const bool is_plain = looks_plain(*lines);
    Result<bool> heading = has_heading(is_plain);
    if (!heading) return heading.error();
    plan_.has_heading = *heading;
    plan_.heading_columns = static_cast<unsigned>(lines_.front().size());
    Status named = name_columns();
    if (!named) return named.error();
    if (!is_plain || plan_.has_heading) decide_ids();
    plan_.is_plain = is_plain && !plan_.has_heading && plan_.ids == IdKind::Int;
    describe();
    if (!plan_.has_heading) return std::move(plan_);
    Status skipped = source_.skip_first();
    if (!skipped) return skipped.error();
    return std::move(plan_);
  }

 private:
  Result<TablePlan> empty() {
    Status named = name_columns();
    if (!named) return named.error();
    plan_.is_plain = true;
    return std::move(plan_);
  }

  void take_lines(const std::vector<std::string_view>& lines) {
    plan_.separator = ask_.has_types ? separator_of_labels(lines.front()) : separator_of(lines.front());
    lines_.clear();
    for (const std::string_view line : lines) lines_.push_back(cells_of(line, plan_.separator));
  }

  bool names_columns() const {
    return std::any_of(ask_.columns.begin(), ask_.columns.end(), [](const ColumnSpec& c) { return !c.name.empty(); });
  }

  /// Numbers in the columns that are wanted, or words between blanks that are labels, and no quotes: whatever mixture
  /// of blanks and commas is between them. Cells that have blanks themselves tell by lines that are even without these.
  bool looks_plain(const std::vector<std::string_view>& lines) const {
    if (names_columns() || ask_.lists_vertices) return false;
    std::vector<std::vector<std::string>> tokens;
    for (const std::string_view line : lines) {
      if (line.find('"') != std::string_view::npos) return false;
      tokens.push_back(tokens_of(line));
    }
    for (const ColumnSpec& column : ask_.columns) {
      const bool is_label = column.kind == ColumnKind::Label;
      if (is_label && plan_.separator != 0) return false;
      if (column.index >= tokens[0].size() || is_label) continue;
      if (!is_meant_as_number(tokens[0][column.index])) return false;
    }
    if (plan_.separator == 0) return true;
    if (ask_.is_named) return is_even(tokens) && tokens[0].size() == lines_[0].size();
    return is_even(tokens) || !is_even(lines_);
  }

  /// Calls `visit` with the ids of a line.
  template <typename Visit>
  void for_ids(const Cells& cells, const Visit& visit) const {
    for (const ColumnSpec& column : ask_.columns) {
      if (column.kind == ColumnKind::Vertex && column.name.empty() && column.index < cells.size()) {
        visit(cells[column.index]);
      }
    }
  }

  Result<bool> has_heading(bool is_plain) {
    const Cells& first = lines_.front();
    if (ask_.options.heading != Heading::Auto) return ask_.options.heading == Heading::Yes;
    if (names_columns()) return true;
    if (is_plain ||
        std::any_of(first.begin(), first.end(), [](const std::string& c) { return is_meant_as_number(c); })) {
      return false;
    }
    if (is_update(first.front())) return false;
    // A column of numbers below something else.
    for (std::size_t column = 0; column < first.size() && lines_.size() > 1; ++column) {
      const bool numbers = std::all_of(lines_.begin() + 1, lines_.end(), [column](const Cells& cells) {
        return column < cells.size() && is_meant_as_number(cells[column]);
      });
      if (numbers && !first[column].empty()) return true;
    }
    bool usual = true, has_ids = false;
    for_ids(first, [&](const std::string& cell) {
      usual = usual && is_usual_name(cell);
      has_ids = true;
    });
    if (!has_ids) return false;
    if (!ask_.decides_ids) return usual;
    Result<std::vector<std::string_view>> more = source_.peek(std::numeric_limits<std::size_t>::max());
    if (!more) return more.error();
    std::set<std::string> names;
    for_ids(first, [&](const std::string& cell) { names.insert(cell); });
    for (std::size_t at = 1; at < more->size(); ++at) {
      bool again = false;
      for_ids(cells_of((*more)[at], plan_.separator),
              [&](const std::string& cell) { again = again || names.count(cell) != 0; });
      if (again) return false;
    }
    if (usual) return true;
    return input_error(source_.path(), source_.first_line(),
                       "is " + quote((*more)[0]) + " a heading? Its ids do not occur again",
                       "say so with `--header yes` or `--header no`");
  }

  /// Turns names into numbers.
  Status name_columns() {
    const Cells heading = plan_.has_heading ? lines_.front() : Cells();
    for (ColumnSpec& column : plan_.rows.columns) {
      if (column.name.empty()) continue;
      if (!plan_.has_heading) {
        return input_error(source_.path(), 0, "there is no heading, and so no column " + quote(column.name),
                           "columns have numbers too, from 0");
      }
      const auto found = std::find(heading.begin(), heading.end(), column.name);
      if (found == heading.end()) return unknown(column.name, heading);
      if (std::find(found + 1, heading.end(), column.name) != heading.end()) {
        return input_error(source_.path(), 0, "there are several columns " + quote(column.name),
                           "columns have numbers too, from 0");
      }
      column.index = static_cast<unsigned>(found - heading.begin());
    }
    return Done{};
  }

  Status unknown(const std::string& name, const Cells& heading) const {
    std::string all;
    for (const std::string& cell : heading) all += (all.empty() ? "" : ", ") + quote(cell);
    return input_error(source_.path(), source_.first_line(), "there is no column " + quote(name),
                       "its columns are " + all);
  }

  /// The first line of ids says whether they are text.
  void decide_ids() {
    const std::size_t at = plan_.has_heading ? 1 : 0;
    if (!ask_.decides_ids || plan_.ids == IdKind::Text || lines_.size() <= at) return;
    bool text = false;
    for (const ColumnSpec& column : plan_.rows.columns) {
      if (column.kind != ColumnKind::Vertex || column.index >= lines_[at].size()) continue;
      const std::string& cell = lines_[at][column.index];
      text = text || !(cell.empty() || is_meant_as_number(cell) || (column.index == 0 && is_update(cell)));
    }
    if (text) plan_.ids = IdKind::Text;
  }

  void describe() {
    if (!plan_.has_heading && !ask_.is_named && plan_.ids != IdKind::Text && !ask_.options.text_ids &&
        (plan_.is_plain || plan_.separator == 0)) {
      return;
    }
    plan_.text = name_of(plan_.separator);
    if (plan_.has_heading) plan_.text += ", heading";
    const Cells heading = plan_.has_heading ? lines_.front() : Cells();
    std::string columns;
    for (std::size_t at = 0; at < plan_.rows.columns.size(); ++at) {
      const unsigned index = plan_.rows.columns[at].index;
      columns += at == 0 ? ", " : (at == 1 && plan_.rows.columns[1].kind == ColumnKind::Vertex ? " → " : ", ");
      columns += index < heading.size() ? heading[index] : "column " + std::to_string(index);
    }
    plan_.text += columns;
  }

  LineSource& source_;
  const TableAsk& ask_;
  TablePlan plan_;
  std::vector<Cells> lines_;
};

}  // namespace

Result<unsigned> count_columns(LineSource& source) {
  Result<std::vector<std::string_view>> line = source.peek(1);
  if (!line) return line.error();
  if (line->empty()) return 0U;
  return static_cast<unsigned>(cells_of(line->front(), separator_of_labels(line->front())).size());
}

Result<TablePlan> plan_table(LineSource& source, const TableAsk& ask) { return Head(source, ask).plan(); }

}  // namespace matcha::runtime::detail
