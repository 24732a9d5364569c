#include <algorithm>
#include <set>

#include "runtime/graph/column_names.h"
#include "runtime/graph/detail/table.h"

/// Detection of a table's form from its first lines.
namespace matcha::runtime::detail {

namespace {

/// The number of lines examined to decide whether a table is plain.
constexpr std::size_t kLookedAt = 100;

using Cells = std::vector<std::string>;

/// True for the mark of an update in a stream.
bool is_update(std::string_view cell) {
  return cell == "+" || cell == "-" || cell == "+e" || cell == "-e" || cell == "+v" || cell == "-v";
}

/// The cells of one line, as far as it can be parsed alone.
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

/// `separator_of` for a line `id label` with blanks between, whose label may be several types separated by `;`.
char separator_of_labels(std::string_view line) {
  const char separator = separator_of(line);
  const Cells cells = cells_of(line, 0);
  const bool has_types = separator == ';' && cells.size() == 2 && cells[0].find(';') == std::string::npos;
  return has_types ? 0 : separator;
}

/// The cells of a line separated by blanks and commas, the fastest form to read.
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

/// Selects the columns that the user does not name by the names of a heading.
class ColumnChoice {
 public:
  /// Resolves the columns that are named, if they are in the heading.
  ColumnChoice(const Cells& heading, std::vector<ColumnSpec>& columns) : heading_(heading), columns_(columns) {
    is_read_.resize(heading.size());
    for (const auto& name : heading) is_taken_.push_back(is_unnamed(name));
    for (const ColumnSpec& column : columns) {
      if (column.role != ColumnRole::Any || column.index >= is_taken_.size()) continue;
      is_read_[column.index] = column.kind == ColumnKind::Text;
      is_taken_[column.index] = true;
    }
  }

  /// The role of a column that the heading does not determine; empty: all columns are selected. `in_order`: if the
  /// heading has exactly as many columns as requested, they are taken in their order, except for ends with usual names.
  std::optional<ColumnRole> choose(bool in_order) {
    const std::optional<EndColumns> ends = usual_ends(heading_);
    if (in_order && free().size() == columns_.size() && !(ends && columns_.size() == 2)) return take_in_order();
    if (ColumnSpec* const source = with(ColumnRole::Source); source != nullptr) {
      ColumnSpec* const target = with(ColumnRole::Target);
      const std::vector<unsigned> left = free();
      if (ends && may_take(ends->source) && may_take(ends->target)) {
        take(*source, ends->source);
        take(*target, ends->target);
      } else if (left.size() == 2) {
        take(*source, left[0]);
        take(*target, left[1]);
      } else {
        return ColumnRole::Source;
      }
    }
    for (const ColumnRole role : {ColumnRole::Label, ColumnRole::Time, ColumnRole::Info, ColumnRole::Id}) {
      ColumnSpec* const column = with(role);
      if (column != nullptr && !take_one(*column)) return role;
    }
    return take_in_order();
  }

 private:
  std::vector<unsigned> free() const {
    std::vector<unsigned> columns;
    for (unsigned at = 0; at < is_taken_.size(); ++at) {
      if (!is_taken_[at]) columns.push_back(at);
    }
    return columns;
  }

  /// A column whose cells are read as text may have a part, too, by its usual name.
  bool may_take(unsigned at) const { return !is_taken_[at] || is_read_[at]; }

  ColumnSpec* with(ColumnRole role) {
    const auto found = std::find_if(columns_.begin(), columns_.end(),
                                    [role](const ColumnSpec& column) { return column.role == role; });
    return found == columns_.end() ? nullptr : &*found;
  }

  void take(ColumnSpec& column, unsigned index) {
    column.index = index;
    column.role = ColumnRole::Any;
    is_taken_[index] = true;
    is_read_[index] = false;
  }

  /// Selects the one column with a usual name, or the only remaining one; false: there is none, or there are several.
  bool take_one(ColumnSpec& column) {
    std::vector<unsigned> best;
    int most = 1;
    for (unsigned at = 0; at < is_taken_.size(); ++at) {
      if (!may_take(at)) continue;
      const bool is_usual = is_usual_name(heading_[at], column.role) ||
                            (column.role == ColumnRole::Info && is_usual_name(heading_[at], ColumnRole::Time));
      const int likeness = column.role == ColumnRole::Id ? id_likeness(heading_[at]) : (is_usual ? 1 : 0);
      if (likeness > most) best.clear();
      most = std::max(most, likeness);
      if (likeness == most) best.push_back(at);
    }
    if (best.empty()) best = free();
    if (best.size() != 1) return false;
    take(column, best.front());
    return true;
  }

  /// Selects the remaining columns, if their number equals that of unresolved roles.
  std::optional<ColumnRole> take_in_order() {
    const std::vector<unsigned> left = free();
    const auto is_open = [](const ColumnSpec& column) { return column.role != ColumnRole::Any; };
    const auto open = std::count_if(columns_.begin(), columns_.end(), is_open);
    if (open == 0) return std::nullopt;
    if (static_cast<std::size_t>(open) != left.size()) return ColumnRole::Next;
    std::size_t next = 0;
    for (ColumnSpec& column : columns_) {
      if (is_open(column)) take(column, left[next++]);
    }
    return std::nullopt;
  }

  const Cells& heading_;
  std::vector<ColumnSpec>& columns_;
  std::vector<bool> is_taken_, is_read_;  ///< Columns with a part; those that are named, and read as text.
};

class Head {
 public:
  Head(LineSource& source, const TableRequest& ask) : source_(source), ask_(ask) {}

  Result<TablePlan> plan() {
    Result<std::vector<std::string_view>> lines = source_.peek(kLookedAt);
    if (!lines) return lines.error();
    plan_.rows.columns = ask_.columns;
    plan_.lists_vertices = ask_.lists_vertices;
    plan_.rows.is_even = !ask_.is_named;
    plan_.ids = ask_.options.text_ids ? IdKind::Text : ask_.ids;
    if (lines->empty()) return empty();
    if (lines->front().size() == 5 && lines->front().starts_with("sep=")) {
      return input_error(source_.path(), source_.first_line(),
                         "the line says what separates the cells, as Excel writes it", "leave it out: tail -n +2 FILE");
    }
    take_lines(*lines);
    MATCHA_TRY(check_brackets(*lines));
    const Cells comment = commented_heading();
    bool is_plain = looks_plain(*lines);
    bool heading = MATCHA_TRY(has_heading(is_plain, comment));
    plan_.has_heading = heading;
    heading_ = heading ? lines_.front() : comment;
    plan_.heading_columns = static_cast<unsigned>(heading_.size());
    MATCHA_TRY(name_columns());
    MATCHA_TRY(choose_columns());
    if (plan_.has_heading) {
      lines = source_.peek(kLookedAt, true);
      if (!lines) return lines.error();
      take_lines(*lines);
    } else if (!heading_.empty()) {
      is_plain = looks_plain(*lines);
    }
    if (!is_plain || plan_.has_heading) decide_ids();
    plan_.is_plain = is_plain && !plan_.has_heading && plan_.ids == IdKind::Int;
    MATCHA_TRY(check_arrows());
    MATCHA_TRY(check_triples());
    MATCHA_TRY(check_neighbours());
    MATCHA_TRY(check_matrix());
    MATCHA_TRY(check_commas());
    describe();
    if (!plan_.has_heading) return std::move(plan_);
    MATCHA_TRY(source_.skip_first());
    return std::move(plan_);
  }

 private:
  Result<TablePlan> empty() {
    MATCHA_TRY(name_columns());
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

  /// True if the heading should determine the ends of edges.
  bool infers_ends() const { return !ask_.columns.empty() && ask_.columns.front().role == ColumnRole::Source; }

  bool names_all(const Cells& heading) const {
    return std::all_of(ask_.columns.begin(), ask_.columns.end(), [&heading](const ColumnSpec& column) {
      return column.name.empty() || std::find(heading.begin(), heading.end(), column.name) != heading.end();
    });
  }

  /// The cells of the comment above the table, if it is a heading: `#Id A B`. It must have as many cells as the first
  /// line, and columns that are requested by name, or usual names of ends that are not the first columns.
  Cells commented_heading() const {
    if (ask_.options.heading == Heading::No || ask_.lists_vertices) return {};
    std::string_view comment = source_.comment_above();
    const std::size_t begin = comment.find_first_not_of("#%/ \t");
    if (begin == std::string_view::npos) return {};
    comment.remove_prefix(begin);
    const Cells cells = cells_of(comment, plan_.separator);
    if (cells.size() != lines_.front().size()) return {};
    if (names_columns()) return names_all(cells) && !names_all(lines_.front()) ? cells : Cells();
    if (!infers_ends()) return {};
    if (!has_usual_ends(cells) || has_usual_ends(lines_.front())) return {};
    const std::optional<EndColumns> ends = usual_ends(cells);
    const bool is_elsewhere =
        !ends || ends->source != 0 || ends->target != 1 || (ask_.columns.size() > 2 && cells.size() > 3);
    return is_elsewhere ? cells : Cells();
  }

  /// True if the requested columns are numbers, or words between blanks that are labels, without quotes; any mixture of
  /// blanks, tabs and commas may separate them, unless each line has as many tabs. Cells that contain blanks are
  /// recognized by lines that have equal numbers of cells without them.
  bool looks_plain(const std::vector<std::string_view>& lines) const {
    if ((names_columns() && heading_.empty()) || ask_.lists_vertices) return false;
    std::vector<std::vector<std::string>> tokens;
    for (const std::string_view line : lines) {
      if (line.find('"') != std::string_view::npos) return false;
      tokens.push_back(tokens_of(line));
    }
    for (const ColumnSpec& column : plan_.rows.columns) {
      const bool is_label = column.kind == ColumnKind::Label;
      if ((is_label && plan_.separator != 0) || column.kind == ColumnKind::Text) return false;
      if (column.index >= tokens[0].size() || is_label) continue;
      if (!is_meant_as_number(tokens[0][column.index])) return false;
    }
    if (plan_.separator == 0) return true;
    const bool has_tabs = plan_.separator == '\t' && is_even(lines_);  // In each line, and as many.
    if (has_tabs && std::any_of(lines_.begin(), lines_.end(), has_comma_inside)) return false;
    if (ask_.is_named) return is_even(tokens) && tokens[0].size() == lines_[0].size();
    return is_even(tokens) || !is_even(lines_);
  }

  /// True if a comma is inside a cell: `10,20` between tabs is one id.
  static bool has_comma_inside(const Cells& cells) {
    return std::any_of(cells.begin(), cells.end(), [](const std::string& cell) {
      const std::size_t comma = cell.find(',');
      return comma != std::string::npos && comma != 0 && comma + 1 != cell.size();
    });
  }

  /// The columns of ids, if the first line is a heading.
  std::vector<unsigned> id_columns(const std::optional<EndColumns>& ends) const {
    if (ends) return {ends->source, ends->target};
    const Cells& first = lines_.front();
    const unsigned skipped = infers_ends() && first.size() > 2 && is_unnamed(first[0]) ? 1 : 0;
    std::vector<unsigned> columns;
    for (const ColumnSpec& column : ask_.columns) {
      const unsigned index = column.index + skipped;
      if (column.kind == ColumnKind::Vertex && column.name.empty() && index < first.size()) columns.push_back(index);
    }
    return columns;
  }

  /// True if a column has numbers below a cell that is not one.
  bool is_above_numbers() const {
    const Cells& first = lines_.front();
    for (std::size_t column = 0; column < first.size() && lines_.size() > 1; ++column) {
      const bool numbers = std::all_of(lines_.begin() + 1, lines_.end(), [column](const Cells& cells) {
        return column < cells.size() && is_meant_as_number(cells[column]);
      });
      if (numbers && !first[column].empty() && !is_meant_as_number(first[column])) return true;
    }
    return false;
  }

  /// True if the first column has numbers and no name: a data frame with its index.
  bool is_above_index() const {
    constexpr std::size_t kLeast = 3;
    return infers_ends() && lines_.front().size() >= kLeast && is_unnamed(lines_.front()[0]) && lines_.size() > 1 &&
           std::all_of(lines_.begin() + 1, lines_.end(),
                       [](const Cells& cells) { return is_meant_as_number(cells[0]); });
  }

  Result<bool> has_heading(bool is_plain, const Cells& comment) {
    const Cells& first = lines_.front();
    if (!comment.empty()) return false;
    if (ask_.options.heading != Heading::Auto) return ask_.options.heading == Heading::Yes;
    if (names_columns()) return true;
    if (is_plain || is_update(first.front())) return false;
    // The separator of the ends is not known: reading the line reports it.
    if (infers_ends() && first.size() == 1) return false;
    const std::optional<EndColumns> ends = infers_ends() ? usual_ends(first) : std::nullopt;
    if (!ends && std::any_of(first.begin(), first.end(), is_meant_as_number)) return false;
    if (is_above_numbers() || is_above_index()) return true;
    const std::vector<unsigned> ids = id_columns(ends);
    if (ids.empty()) return false;
    const bool usual = ends || std::all_of(ids.begin(), ids.end(), [&first](unsigned column) {
                         return is_usual_name(first[column], ColumnRole::Id);
                       });
    if (!ask_.decides_ids) return usual;
    return is_above_text(ends, ids, usual);
  }

  /// If all ids are text, a heading has usual names that are not ids in later lines. Names in numbered pairs, such as
  /// `node1`, count as ids if an id in later lines has the same beginning.
  Result<bool> is_above_text(const std::optional<EndColumns>& ends, const std::vector<unsigned>& ids, bool usual) {
    std::vector<std::string_view> more = MATCHA_TRY(source_.peek(std::numeric_limits<std::size_t>::max()));
    const Cells& first = lines_.front();
    const auto beginning = [](const std::string& cell) {
      const std::size_t end = cell.find_last_not_of("0123456789") + 1;
      return cell.substr(0, end == cell.size() && end > 1 ? end - 1 : end);
    };
    std::set<std::string> names;
    bool is_again = false, is_like = false, is_short = false;
    for (const unsigned column : ids) {
      names.insert(first[column]);
      is_short = is_short || first[column].size() == 1;
    }
    for (std::size_t at = 1; at < more.size() && !is_again; ++at) {
      const Cells cells = cells_of(more[at], plan_.separator);
      for (const unsigned column : ids) {
        if (column >= cells.size()) continue;
        is_again = is_again || names.count(cells[column]) != 0;
        is_like = is_like || (ends && ends->is_numbered && beginning(cells[column]) == beginning(first[column]));
      }
    }
    const bool is_known = ends && !ends->is_numbered && !is_short;
    if (is_again && !is_known) return false;
    if (usual && !is_again && !is_like) return true;
    return input_error(source_.path(), source_.first_line(),
                       "is " + quote(more[0]) + " a heading? Its " +
                           (is_again ? "names are ids below, too" : "ids do not occur again"),
                       "say so with `--header yes` or `--header no`");
  }

  /// Selects the columns that the user does not name by the heading.
  Status choose_columns() {
    if (heading_.empty()) return Done{};
    const std::optional<ColumnRole> missing = ColumnChoice(heading_, plan_.rows.columns).choose(ask_.is_list);
    if (!missing) return Done{};
    std::string question = "which columns are wanted?", hint = "name them: `FILE:COLUMN,COLUMN`";
    switch (*missing) {
      case ColumnRole::Source:
        question = "which columns are the ends of an edge?";
        hint = "name them: `--src COLUMN --dst COLUMN`, or `FILE:COLUMN,COLUMN`";
        break;
      case ColumnRole::Id:
        question = "which column has the ids?";
        hint = ask_.is_list ? "name it: `FILE:COLUMN`" : "name it: `--id COLUMN`";
        break;
      case ColumnRole::Next: break;
      case ColumnRole::Any:
      case ColumnRole::Target:
      case ColumnRole::Label:
      case ColumnRole::Time:
      case ColumnRole::Info:
        question =
            *missing == ColumnRole::Time ? "which column has the times?" : "which column has the labels of edges?";
        hint = "name it: `--edge-label COLUMN`";
    }
    Error error =
        input_error(source_.path(), source_.first_line(),
                    question + " The heading has " + std::to_string(heading_.size()) + ": " + listed(heading_), hint);
    error.lacks_edge_info = *missing == ColumnRole::Label || *missing == ColumnRole::Info;
    return error;
  }

  /// Detects `head relation tail` without a heading: ids of column 2 occur in column 0, and those of column 1 in
  /// neither.
  Status check_triples() const {
    constexpr std::size_t kTriple = 3;
    if (!heading_.empty() || !infers_ends() || ask_.is_list || plan_.ids != IdKind::Text) return Done{};
    if (lines_.front().size() != kTriple || lines_.size() < 2) return Done{};
    std::vector<std::string_view> lines = MATCHA_TRY(source_.peek(std::numeric_limits<std::size_t>::max()));
    std::set<std::string> heads, middles, tails;
    for (const std::string_view line : lines) {
      const Cells cells = cells_of(line, plan_.separator);
      if (cells.size() != kTriple || is_meant_as_number(cells[1])) return Done{};
      heads.insert(cells[0]);
      middles.insert(cells[1]);
      tails.insert(cells[2]);
      if (heads.count(cells[1]) + tails.count(cells[1]) + middles.count(cells[0]) + middles.count(cells[2]) != 0) {
        return Done{};
      }
    }
    const auto is_head = [&heads](const std::string& tail) { return heads.count(tail) != 0; };
    if (std::none_of(tails.begin(), tails.end(), is_head)) return Done{};
    return input_error(
        source_.path(), source_.first_line(),
        "are these lines `head relation tail`? Ids of column 2 stand in column 0, and none of column 1 does",
        "then `--src 0 --dst 2 --edge-label 1`; else `--src 0 --dst 1`");
  }

  /// True if the table may be another kind of graph than a list of edges: the user named no columns and no heading.
  bool may_be_other() const { return heading_.empty() && infers_ends() && !ask_.is_list && !ask_.is_named; }

  /// The arrow of `1 -> 2` is no id.
  Status check_arrows() const {
    if (!may_be_other() || ask_.options.text_ids) return Done{};
    const auto has_arrow = [](const Cells& cells) {
      return cells.size() > 2 && !cells[1].empty() && cells[1].find_first_not_of("-=<>~") == std::string::npos;
    };
    if (!std::all_of(lines_.begin(), lines_.end(), has_arrow)) return Done{};
    return input_error(source_.path(), source_.first_line(), "is " + quote(lines_.front()[1]) + " an arrow or an id?",
                       "if an arrow, `--src 0 --dst 2`; else `--src 0 --dst 1`");
  }

  /// Rows of neighbours, `1: 2 3`, are no edges.
  Status check_neighbours() const {
    if (!may_be_other() || plan_.ids != IdKind::Text || ask_.options.text_ids || lines_.size() < 2) return Done{};
    const auto is_row = [](const Cells& cells) { return cells.front().size() > 1 && cells.front().ends_with(':'); };
    if (!std::all_of(lines_.begin(), lines_.end(), is_row)) return Done{};
    return input_error(source_.path(), source_.first_line(),
                       "are these rows of neighbours? The first cell of each line ends with `:`",
                       "write an edge a line, `1 2`; or say `--ids text`");
  }

  /// Pairs in brackets, `(1, 2)`, are no cells.
  Status check_brackets(const std::vector<std::string_view>& lines) const {
    if (!infers_ends() || ask_.options.text_ids) return Done{};
    const auto is_pair = [](std::string_view line) {
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
      line.remove_suffix(line.size() - (line.find_last_not_of(" \t\r,;") + 1));
      return !line.empty() && std::string_view("([{").find(line.front()) != std::string_view::npos &&
             std::string_view(")]}").find(line.back()) != std::string_view::npos;
    };
    if (!std::all_of(lines.begin(), lines.end(), is_pair)) return Done{};
    return input_error(source_.path(), source_.first_line(), "are these lines pairs in brackets?",
                       "remove the brackets: tr -d '()[]{}' < FILE; or say `--ids text`");
  }

  /// An adjacency matrix of zeros and ones is no list of edges: as many lines as cells, and three lines only if they
  /// are symmetric.
  Status check_matrix() const {
    const std::size_t columns = lines_.front().size();
    const bool is_square = columns >= 3 && (lines_.size() == columns || lines_.size() == kLookedAt);
    if (!may_be_other() || !is_square || columns < lines_.size()) return Done{};
    for (std::size_t row = 0; row < lines_.size(); ++row) {
      if (lines_[row].size() != columns) return Done{};
      for (std::size_t column = 0; column < columns; ++column) {
        const std::string& cell = lines_[row][column];
        if (cell != "0" && cell != "1") return Done{};
        const bool is_symmetric = row == column ? cell == "0" : columns != 3 || lines_[column][row] == cell;
        if (columns == 3 && !is_symmetric) return Done{};
      }
    }
    return input_error(
        source_.path(), source_.first_line(),
        "are these lines an adjacency matrix? All their cells are 0 or 1, " + std::to_string(columns) + " in each line",
        "write it as edges: `scipy.io.mmwrite(path, scipy.sparse.coo_array(numpy.loadtxt(file)))`; or "
        "name the columns of edges, `FILE:0,1`");
  }

  /// A table whose cells have tabs between them, of which the first has a comma in each line and the others have none,
  /// may have an edge in its first cell: `1,2` and a weight.
  Status check_commas() const {
    if (!may_be_other() || plan_.separator != '\t' || ask_.options.text_ids) return Done{};
    const auto is_edge = [](const Cells& cells) {
      const std::size_t comma = cells.front().find(',');
      return has_comma_inside({cells.front()}) && is_meant_as_number(cells.front().substr(0, comma)) &&
             !has_comma_inside(Cells(cells.begin() + 1, cells.end()));
    };
    if (!std::all_of(lines_.begin(), lines_.end(), is_edge)) return Done{};
    return input_error(source_.path(), source_.first_line(),
                       "is " + quote(lines_.front().front()) + " two ids or one? Tabs separate the cells, too",
                       "separate all cells by tabs: tr , '\\t' < FILE; or say `--ids text` for one id");
  }

  /// Turns names into numbers.
  Status name_columns() {
    const Cells& heading = heading_;
    for (ColumnSpec& column : plan_.rows.columns) {
      if (column.name.empty()) continue;
      if (heading.empty()) {
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
    return input_error(source_.path(), source_.first_line(), "there is no column " + quote(name),
                       "its columns are " + listed(heading));
  }

  static std::string listed(const Cells& heading) {
    constexpr std::size_t kMost = 20;
    std::string all;
    for (std::size_t at = 0; at < heading.size() && at < kMost; ++at) all += (at == 0 ? "" : ", ") + quote(heading[at]);
    return heading.size() > kMost ? all + ", …" : all;
  }

  /// The first line of ids decides whether they are text.
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
    if (heading_.empty() && !ask_.is_named && plan_.ids != IdKind::Text && !ask_.options.text_ids &&
        (plan_.is_plain || plan_.separator == 0)) {
      return;
    }
    plan_.text = name_of(plan_.separator);
    if (!heading_.empty()) plan_.text += ", heading";
    const Cells& heading = heading_;
    std::string columns;
    for (std::size_t at = 0; at < plan_.rows.columns.size(); ++at) {
      const unsigned index = plan_.rows.columns[at].index;
      columns += at == 0 ? ", " : (at == 1 && plan_.rows.columns[1].kind == ColumnKind::Vertex ? " → " : ", ");
      columns += index < heading.size() ? heading[index] : "column " + std::to_string(index);
    }
    plan_.text += columns;
  }

  LineSource& source_;
  const TableRequest& ask_;
  TablePlan plan_;
  std::vector<Cells> lines_;
  Cells heading_;  ///< Of the first line or the comment above it; empty: no heading.
};

}  // namespace

Result<std::vector<std::vector<std::string>>> first_cells(LineSource& source, std::size_t most) {
  std::vector<std::string_view> lines = MATCHA_TRY(source.peek(most));
  std::vector<Cells> cells;
  for (const std::string_view line : lines) cells.push_back(cells_of(line, separator_of_labels(lines.front())));
  return cells;
}

Result<TablePlan> plan_table(LineSource& source, const TableRequest& ask) { return Head(source, ask).plan(); }

}  // namespace matcha::runtime::detail
